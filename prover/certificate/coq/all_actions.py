"""Claims about distances and bisimilarity of processes: the evidence of `proofs/AllActions.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prover.certificate.coq.distances import EMPTY, both_ways, upper_rows
from prover.certificate.coq.processes import NamedProcess
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    defined,
    matrix,
    pair_list,
    pair_of,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import quotient, row_numbers
from prover.errors import NotSupported


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
    claim, evidence = whole["claim"], whole["evidence"]
    size = len(process.states)
    base, place = classes_of(process, evidence.get("classes", [[s] for s in range(size)]))
    splitters = literal(listed(listed([s] for s in members) for members in evidence.get("splitters", [])))
    texts = {
        "classes": defined("classes", literal(process_of_classes(base, place))),
        "splitters": defined("splitters", splitters),
    }
    states = f"(states (acting {MODEL} 0))"
    if claim["scope"] == "all-pairs":
        answer = matrix(size, lambda s, t: place[s] != place[t]) + theorem(
            "everywhere",
            "States are bisimilar under all actions where the matrix has 0, and nowhere else.",
            f"markov_process {MODEL} /\\ forall s t, In s {states} -> In t {states} ->\n"
            f"  (bisimilar_for_all {MODEL} s t <-> in_matrix values s t == 0)",
            f"bisimilar_for_all_everywhere {MODEL} values {EVIDENCE}.classes {EVIDENCE}.splitters",
        )
        return [*texts.values()], [answer]
    if claim["value"] == "1":
        s, t = pair_of(process.states, claim)
        answer = theorem(
            "at_least",
            "These states are not bisimilar under all actions.",
            f"markov_process {MODEL} /\\ ~ bisimilar_for_all {MODEL} {s} {t}",
            f"bisimilar_for_all_lower {MODEL} {s} {t} {EVIDENCE}.splitters",
        )
        return [texts["splitters"]], [answer]
    pairs = pair_list(pairs_of(process.states, whole))
    answer = theorem(
        "at_most",
        "The states of every pair of the list are bisimilar under all actions.",
        f"markov_process {MODEL} /\\ forall s t, In (s, t) {pairs} -> bisimilar_for_all {MODEL} s t",
        f"bisimilar_for_all_upper {MODEL} {pairs} {EVIDENCE}.classes",
    )
    return [texts["classes"]], [answer]
