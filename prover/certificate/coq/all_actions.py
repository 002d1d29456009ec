"""Claims about distances and bisimilarity of processes: the evidence of `proofs/AllActions.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prover.certificate.coq.distances import EMPTY, both_ways, upper_rows
from prover.certificate.coq.processes import NamedProcess
from prover.certificate.coq.relations import BisimilarityWords, bisimilarity_of, classes_in
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    defined,
    pair_list,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import quotient, row_numbers
from prover.errors import NotSupported

UNDER_ALL_ACTIONS = BisimilarityWords(
    "markov_process", "bisimilar_for_all", f"(acting {MODEL} 0)", " under all actions"
)


def distance(process: NamedProcess, whole: Mapping[str, Any]) -> TheoremTexts:
    """ld or bd from above: couplings for every action. Raises NotSupported for all pairs."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["scope"] == "all-pairs":
        raise NotSupported(
            "the proofs in Coq do not cover distances of all pairs of processes", code="not-in-coq"
        )
    kind, table = claim["kind"], evidence.get("upper", evidence.get("exact", EMPTY))
    (a, v), pairs = alpha_and_upper(claim), pair_list(pairs_of(process.states, whole, kind == "bd"))
    answer = theorem(
        "at_most",
        f"{kind} is at most this for every pair of the list, and no attacker gains more.",
        f"markov_process {MODEL} /\\ forall s t, In (s, t) {pairs} ->\n"
        f"  {kind}_at_most_for_all {MODEL} {a} {v} s t /\\ close_to_all {MODEL} {a} {v} s t",
        f"{kind}_for_all_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.couplings",
    )
    return [defined("couplings", literal(_tables(process, table)))], [answer]


def _tables(process: NamedProcess, table: Mapping[str, Any]) -> Iterator[int]:
    """Rows for each action, as `proofs/Decode.v` reads them."""
    yield int(table["denominator"])
    yield from listed(
        upper_rows(process.acting[a], _with(process, table, a)["rows"]) for a in range(len(process.acting))
    )


def _with(process: NamedProcess, table: Mapping[str, Any], a: int) -> Mapping[str, Any]:
    """The table of a chain in which the action is always a, or the first of a menu without it."""
    rows = []
    for row in table["rows"]:
        menu = process.menus[process.own_labels()[row["pair"][0]]]
        chosen = row["couplings"][menu[a if a < len(menu) else 0]]
        couplings = chosen if isinstance(chosen, dict) else {"coupling": chosen}
        rows.append({"pair": row["pair"], "value": row["value"], **couplings})
    found = {"denominator": table["denominator"], "rows": rows}
    return both_ways(found) if any("forward" in row for row in rows) else found


def classes_of(process: NamedProcess, classes: Sequence[Sequence[int]]) -> tuple[NamedProcess, Sequence[int]]:
    """The process of the classes, and the class of each state."""
    found = [quotient(rows, classes) for rows in process.acting]
    return replace(process, acting=[base for base, _ in found]), found[0][1]


def process_of_classes(base: NamedProcess, place: Sequence[int]) -> Iterator[int]:
    """The process of the classes, with the rows of each action of a menu, and the class of each state."""
    labels = base.own_labels()
    yield from listed(
        [label, *listed(row_numbers(base.acting[a].next[s]) for a in range(len(base.menus[label])))]
        for s, label in enumerate(labels)
    )
    yield from listed([c] for c in place)


def bisimilarity(process: NamedProcess, whole: Mapping[str, Any]) -> TheoremTexts:
    """Classes that are right for every action, and splitters."""
    base, place = classes_of(process, classes_in(whole, process.states))
    return bisimilarity_of(process.states, whole, place, process_of_classes(base, place), UNDER_ALL_ACTIONS)
