"""The work of compositions and of profiles: that of their laws, and what the evidence states of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpz

from prover.certificate.work.chains import Rows, classes, rows_of
from prover.certificate.work.collapsing import count_collapsing
from prover.certificate.work.count import Count, denominator, long, parts
from prover.certificate.work.unrollings import Node, next_nodes, quotient

Json = Mapping[str, Any]


def count_accounting(count: Count, claim: Json, model: Json, evidence: Json) -> None:
    """The laws of all parts, and the work that the evidence states."""
    if claim["kind"] == "profile":
        _laws_of_chain(count, _seen(count, model, claim, evidence), evidence["laws"])
        count.units += evidence["work"]
        return
    for part, proof in zip(model["parts"], evidence["parts"], strict=True):
        if "chain" in part:
            _laws_of_chain(count, _seen(count, part["chain"], part, proof), proof)
        elif "laws" in part:
            _given(count, part["laws"])
        else:
            _known(count, part)
    count.units += evidence["work"] if "basis" in evidence else evidence["grid"]["work"]


def _seen(count: Count, model: Json, asked: Json, evidence: Json) -> Rows:
    """The rows of a chain, or of the collapsed one that an observer sees."""
    rows = rows_of(count, model, "1")
    if "observer" not in asked:
        return rows
    small = rows_of(count, evidence["collapsing"]["model"], "1")
    count_collapsing(count, rows, small, asked["observer"], evidence["collapsing"])
    return small


def _laws_of_chain(count: Count, rows: Rows, evidence: Json) -> None:
    if "classes" in evidence:
        classes(count, rows, evidence["classes"])
        rows = quotient(rows, evidence["classes"])
    for graph in evidence["graphs"]:
        s, t = graph["pair"]
        nodes = {0: Node(frozenset([s]), frozenset([t]), 1, fmpz(1))}
        arriving: dict[int, list[fmpz]] = {}
        for q, listed in enumerate(graph["nodes"]):
            node, visits = nodes[q], listed.get("visits", listed.get("open"))
            entries = listed.get("next", listed.get("balanced"))
            arriving.setdefault(q, [] if q else [fmpz(1)]).append(fmpz(denominator(visits)))
            if "open" in listed:
                size = max(node.bits, long(visits))
                count.spend(8 * (len(node.x) + 1), size, size)
                continue
            if entries is None:
                count.spend(2 * len(node.x) + 2, node.bits, node.bits)
            else:
                following = next_nodes(count, rows, node)
                for label, p, *factor in entries:
                    if not factor:
                        nodes[p] = following[label]
                    if "next" in listed:
                        c = factor[0] if factor else "1"
                        count.spend(4, long(c), long(visits))
                        product = fmpz(denominator(c)) * fmpz(denominator(visits))
                        arriving.setdefault(p, []).append(product)
            if "next" not in listed:
                size = max(node.bits, long(visits))
                count.spend(8, size, size)
        for listed in graph["nodes"]:
            for _, p, *factor in listed.get("next", listed.get("balanced", ())):
                if factor:
                    count.spend(4, long(factor[0]), nodes[p].bits)
        for below in arriving.values():
            count.common(below)


def _given(count: Count, laws: list[list[str]]) -> None:
    for side in (0, 1):
        count.common(denominator(row[side]) for row in laws)
    for row in laws:
        size = max(map(long, row))
        count.spend(8, size, size)


def _known(count: Count, part: Json) -> None:
    bits = sum(fmpz(n).bit_length() for key in ("q", "alpha", "delta") for n in parts(part.get(key, "0")))
    number = 16
    if part["known"] == "discrete-laplace":
        top = part.get("bound", part["sensitivity"])
        bits, number = bits * (top + part["sensitivity"]), 24 * (2 * top + 1)
    count.spend(number, int(bits), int(bits))
