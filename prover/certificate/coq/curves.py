"""δ at several α, from the laws of a curve: claims about δ, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.certificate.coq.model import Named, rational
from prover.certificate.coq.observed import seen
from prover.certificate.coq.sentences import TheoremTexts, close, defined, needed, pairs_of
from prover.certificate.coq.tokens import literal
from prover.certificate.coq.unrollings import Unrolled, unrolled
from prover.exact.fmpq import fmpq_of, fmpq_rows, fraction_of
from prover.exact.linear import solve


def curve(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """Theorems at every corner and half way between neighbours, or at the points of the claim."""
    claim, laws = whole["claim"], whole["evidence"]["laws"]
    evidence = {"unrolling": _joined(laws["graphs"])} | {k: laws[k] for k in laws.keys() & {"classes"}}
    pairs, by = pairs_of(chain.states, whole, claim["of"] == "tv"), seen(chain, whole)
    labels = by.rows.labels
    texts, answers = [], []
    for number, (alpha, lower, upper) in enumerate(_points(claim), 1):
        found = unrolled(by.rows, by.labels, alpha, evidence)
        _settle(found)
        name = f"_{number}"
        texts.append(defined(f"unrolling{name}", literal([*by.numbers, *found.numbers()])))
        answers.append(close(rational(alpha), rational(upper), pairs, name, by.observer))
        if lower > 0:
            best = max(pairs, key=lambda p: _gain(found, labels, *by.pair(*p)))
            answers.append(needed(rational(alpha), rational(lower), best, name, by.observer))
    return texts, answers


def _gain(found: Unrolled, labels: Sequence[int], s: int, t: int) -> Fraction:
    return Fraction(1) if labels[s] != labels[t] else found.lower(s, t)


def _points(claim: Mapping[str, Any]) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """Values of α, and the bounds of δ there."""
    if "points" in claim:
        yield from ((Fraction(a), Fraction(low), Fraction(high)) for a, low, high in claim["points"])
        return
    corners = [(Fraction(a), Fraction(v)) for a, v in claim["corners"]]
    yield from ((a, v, v) for a, v in corners)
    for (a, v), (b, w) in pairwise(corners):
        yield (a + b) / 2, (v + w) / 2, (v + w) / 2


def _joined(graphs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The graphs as one unrolling: first the roots of all, and then their other nodes."""
    firsts: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for root, graph in enumerate(graphs):
        behind = len(graphs) + len(others)
        places = [root, *range(behind, behind + len(graph["nodes"]) - 1)]
        first, *more = (_node(shape, places) for shape in graph["nodes"])
        firsts.append(first)
        others += more
    return {"nodes": firsts + others, "roots": [graph["pair"] for graph in graphs]}


def _node(shape: Mapping[str, Any], places: Sequence[int]) -> Mapping[str, Any]:
    """A node of a law as one of an unrolling, its values still open."""
    for kind in ("next", "balanced"):
        if kind in shape:
            entries = [[label, places[p], *factor] for label, p, *factor in shape[kind]]
            return {kind: entries} | ({"lower": "0", "upper": "0"} if kind == "next" else {})
    return {"coupling": []}


def _settle(found: Unrolled) -> None:
    """The values of the inner nodes: each is the sum of what its entries lead to."""
    inner = [q for q, node in enumerate(found.nodes) if node.coupling is None and not node.balanced]
    place = {q: i for i, q in enumerate(inner)}
    rows: list[dict[int, Fraction]] = []
    for i, q in enumerate(inner):
        row = {i: Fraction(1)}
        for p, c in found.nodes[q].entries:
            if p in place:
                row[place[p]] = row.get(place[p], Fraction(0)) - c
        rows.append(row)
    for side in ("lower", "upper"):
        known = [
            sum(
                (c * getattr(found.nodes[p], side) for p, c in found.nodes[q].entries if p not in place),
                Fraction(0),
            )
            for q in inner
        ]
        for q, v in zip(inner, solve(fmpq_rows(rows), [fmpq_of(v) for v in known]), strict=True):
            setattr(found.nodes[q], side, fraction_of(v))
