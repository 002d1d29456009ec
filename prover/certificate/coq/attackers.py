"""Claims about what an attacker who chooses actions finds out: the evidence of `proofs/Attackers.v`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from prover.certificate.coq.all_actions import bisimilarity, classes_of, distance, process_of_classes
from prover.certificate.coq.heights import heights
from prover.certificate.coq.model import rational
from prover.certificate.coq.processes import NamedProcess
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    defined,
    pair_list,
    pair_of,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import CoqNode, following, normal, taken_out
from prover.errors import NotSupported


def theorems(process: NamedProcess, whole: Mapping[str, Any]) -> TheoremTexts:
    """The claim of the certificate of a process. Raises NotSupported if the proofs do not cover it."""
    claim, evidence = whole["claim"], whole["evidence"]
    if "quotient" in claim:
        raise NotSupported("the proofs in Coq do not cover claims about quotients", code="not-in-coq")
    if claim["kind"] in _FOR_ALL_ACTIONS:
        return _FOR_ALL_ACTIONS[claim["kind"]](process, whole)
    if claim["kind"] not in ("lv", "tv"):
        raise NotSupported(
            f"the proofs in Coq do not cover claims of kind {claim['kind']} about attackers who choose",
            code="not-in-coq",
        )
    if "nature" in claim:
        raise NotSupported("the proofs in Coq do not cover claims about nature", code="not-in-coq")
    base, read_first, lemma = process, list[int](), "against"
    place: Sequence[int] = range(len(process.states))
    if "classes" in evidence:
        base, place = classes_of(process, evidence["classes"])
        read_first, lemma = list(process_of_classes(base, place)), "merged"
    symmetric = claim["kind"] == "tv"
    (a, v), low = alpha_and_upper(claim), Fraction(claim["lower"])
    nodes, roots = _expanded(base, Fraction(claim["alpha"]), evidence["unrolling"])
    pairs = pair_list(pairs_of(process.states, whole, symmetric))
    answers = [
        theorem(
            "at_most",
            "No attacker gains more than this, from s to t, for any pair of the list.",
            f"markov_process {MODEL} /\\ forall s t, In (s, t) {pairs} -> close_to_all {MODEL} {a} {v} s t",
            f"{lemma}_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.unrolling",
        )
    ]
    if low > 0:
        lowest = {tuple(pair): nodes[q].base.lower for q, pair in enumerate(roots)}
        s, t = pair_of(process.states, claim)
        ways = [(place[s], place[t]), (place[t], place[s])]
        if symmetric and lowest.get(ways[0], 0) < lowest.get(ways[1], 0):
            s, t = t, s
        answers.append(
            theorem(
                "at_least",
                "Some attackers gain this, or come as close to it as required, from one secret to the other.",
                f"markov_process {MODEL} /\\ needed_by_some {MODEL} {a} {rational(low)} {s} {t}",
                f"{lemma}_lower {MODEL} {a} {rational(low)} {s} {t} {EVIDENCE}.unrolling",
            )
        )
    return [defined("unrolling", literal([*read_first, *_numbers(base, nodes, roots)]))], answers


@dataclass(slots=True)
class _Choice:
    """A node, the entries of each action, and the number of the action that is taken, if one is."""

    base: CoqNode
    actions: list[list[tuple[int, Fraction]]] = field(default_factory=list)
    taken: int | None = None


def _expanded(
    process: NamedProcess, alpha: Fraction, unrolling: Mapping[str, Any]
) -> tuple[list[_Choice], Sequence[Sequence[int]]]:
    """The nodes of the certificate, with their vectors; and after them one for each vector that only y leads
    to, where an event gains nothing."""
    given, roots = unrolling["nodes"], unrolling["roots"]
    labels, number = process.own_labels(), {name: i for i, name in enumerate(process.labels)}
    nodes: list[_Choice | None] = [None] * len(given)
    for q, (s, t) in enumerate(roots):
        nodes[q] = _Choice(CoqNode({s: 1}, {t: 1}, Fraction(1), labels[s]))
    ends: dict[tuple[tuple[int, int], ...], int] = {}
    extra: list[_Choice] = []
    zero = Fraction(0)
    for q, shape in enumerate(given):
        node = nodes[q]
        if node is None:
            raise ValueError(f"no entry defines node {q}")
        x, y = node.base.x, node.base.y
        gap = max(zero, sum(x.values()) - alpha * sum(y.values()))
        if not shape:
            node.base.lower = gap
            node.base.upper = sum(
                (max(Fraction(0), v - alpha * y.get(k, 0)) for k, v in x.items()), Fraction(0)
            )
            continue
        node.base.lower, node.base.upper = Fraction(shape["lower"]), Fraction(shape["upper"])
        menu = process.menus[node.base.label]
        node.taken = menu.index(shape["taken"]) if "taken" in shape else None
        for a, action in enumerate(menu):
            after = [following(process.acting[a], z) for z in (x, y)]
            entries = []
            for name, p in shape["actions"][action]:
                label = number[name]
                found = normal(taken_out(after[0], labels, label), taken_out(after[1], labels, label), label)
                if nodes[p] is None:
                    nodes[p] = _Choice(found)
                entries.append((p, found.scale))
            for label in sorted({labels[k] for k in after[1]}):
                only = normal({}, taken_out(after[1], labels, label), label)
                place = ends.setdefault(tuple(sorted(only.y.items())), len(given) + len(extra))
                if place == len(given) + len(extra):
                    extra.append(_Choice(CoqNode({}, only.y, Fraction(1), label)))
                entries.append((place, only.scale))
            node.actions.append(entries)
    return [node for node in nodes if node is not None] + extra, roots


def _numbers(
    process: NamedProcess, nodes: Sequence[_Choice], roots: Sequence[Sequence[int]]
) -> Iterator[int]:
    """As `proofs/Decode.v` reads them. Raises NotSupported."""
    fall, height = heights(
        [[] if node.taken is None else node.actions[node.taken] for node in nodes],
        [sum(node.base.x.values()) for node in nodes],
        [node.base.lower for node in nodes],
    )
    yield from fall.as_integer_ratio()
    yield from listed(_node(process, q, node, height[q]) for q, node in enumerate(nodes))
    yield from listed([s, t, q] for q, (s, t) in enumerate(roots))


def _node(process: NamedProcess, q: int, node: _Choice, height: Fraction) -> Iterator[int]:
    yield from node.base.vectors(q)
    if node.taken is None:
        yield from (0, 1, 0)
    else:
        yield from (1, 1, 0, *height.as_integer_ratio())
    yield from listed(node.base.steps(process.acting[a], entries) for a, entries in enumerate(node.actions))
    yield node.taken or 0


_FOR_ALL_ACTIONS: Mapping[str, Callable[[NamedProcess, Mapping[str, Any]], TheoremTexts]] = {
    "ld": distance,
    "bd": distance,
    "bisimilarity": bisimilarity,
}
