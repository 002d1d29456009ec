"""Evidence about δ: the nodes of `proofs/Unrolling.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from prover.certificate.coq.distances import EMPTY, moves, upper_table
from prover.certificate.coq.heights import heights
from prover.certificate.coq.model import CoqRows
from prover.certificate.coq.tokens import listed

SparseVector = dict[int, int]


@dataclass(slots=True)
class CoqNode:
    """x and y are the vectors of the specification divided by `scale`, integers without a common factor.
    Entries lead to nodes with factors for these vectors, values are for them, too."""

    x: SparseVector
    y: SparseVector
    scale: Fraction
    label: int
    lower: Fraction = Fraction(0)
    upper: Fraction = Fraction(0)
    coupling: Sequence[Any] | None = None
    entries: list[tuple[int, Fraction]] = field(default_factory=list)
    balanced: bool = False

    def vectors(self, q: int) -> Iterator[int]:
        """What every node has, with the number of this one."""
        yield q
        for z in (self.x, self.y):
            yield from listed([k, n] for k, n in sorted(z.items()))
        yield self.label
        yield from (*self.lower.as_integer_ratio(), *self.upper.as_integer_ratio())

    def numbers(self, chain: CoqRows, q: int, height: Fraction = Fraction(0)) -> Iterator[int]:
        """As `proofs/Decode.v` reads it."""
        yield from self.vectors(q)
        if self.coupling is not None:
            unit = lcm(*(w.denominator for _, _, w in self.coupling))
            yield from (0, unit, *moves(self.coupling, unit))
        elif self.balanced:
            yield from (2, *self.steps(chain, self.entries))
        else:
            yield from (1, *self.steps(chain, self.entries), *height.as_integer_ratio())

    def whole(self, chain: CoqRows, entries: Sequence[tuple[int, Fraction]]) -> int:
        """The probabilities of its states and these entries are multiples of 1 / this."""
        rows = (chain.denominator(i) for i in {*self.x, *self.y})
        return lcm(*rows, *(c.denominator for _, c in entries))

    def steps(self, chain: CoqRows, entries: Sequence[tuple[int, Fraction]]) -> Iterator[int]:
        unit = self.whole(chain, entries)
        yield unit
        yield from listed([p, int(c * unit)] for p, c in entries)


@dataclass(frozen=True, slots=True)
class Unrolled:
    """The evidence of `proofs/Delta.v`: the quotient that it is about, with each state's class; the table
    of couplings; the nodes, and the pairs that are the first of these."""

    base: CoqRows
    place: Sequence[int] | None
    couplings: Mapping[str, Any]
    nodes: Sequence[CoqNode]
    roots: Sequence[Sequence[int]]

    def lower(self, s: int, t: int) -> Fraction:
        """The bounds that the nodes prove for the gain of events from s to t."""
        pair = [s, t] if self.place is None else [self.place[s], self.place[t]]
        return self.nodes[self.roots.index(pair)].lower if pair in self.roots else Fraction(0)

    def numbers(self) -> Iterator[int]:
        """As `proofs/Decode.v` reads them. Raises NotSupported."""
        if self.place is None:
            yield 0
        else:
            yield 1
            yield from chain_of_classes(self.base, self.place)
        yield from upper_table(self.base, self.couplings)
        links = [[] if node.coupling is not None or node.balanced else node.entries for node in self.nodes]
        fall, height = heights(
            links, [sum(node.x.values()) for node in self.nodes], [node.lower for node in self.nodes]
        )
        yield from fall.as_integer_ratio()
        yield from listed(node.numbers(self.base, q, height[q]) for q, node in enumerate(self.nodes))
        yield from listed([s, t, q] for q, (s, t) in enumerate(self.roots))


def unrolled(chain: CoqRows, names: Sequence[str], alpha: Fraction, evidence: Mapping[str, Any]) -> Unrolled:
    """Labels are numbered in the order of `names`."""
    base, place = chain, None
    if "classes" in evidence:
        base, place = quotient(chain, evidence["classes"])
    nodes, roots = expanded(base, names, alpha, evidence)
    return Unrolled(base, place, evidence.get("distance", EMPTY), nodes, roots)


def quotient(chain: CoqRows, classes: Sequence[Sequence[int]]) -> tuple[CoqRows, list[int]]:
    """The chain of the classes, and the class of each state."""
    place = {s: number for number, members in enumerate(classes) for s in members}
    rows = []
    for first, *_ in classes:
        row: dict[int, Fraction] = {}
        for t, p in chain.next[first].items():
            row[place[t]] = row.get(place[t], Fraction(0)) + p
        rows.append(row)
    return CoqRows([chain.labels[members[0]] for members in classes], rows), [
        place[s] for s in range(len(chain.next))
    ]


def chain_of_classes(base: CoqRows, place: Sequence[int]) -> Iterator[int]:
    """The chain of the classes, and the class of each state, as `proofs/Decode.v` reads them."""
    yield from rows_of(base)
    yield from listed([c] for c in place)


def rows_of(chain: CoqRows) -> Iterator[int]:
    yield from listed(_row(chain, s) for s in range(len(chain.next)))


def following(chain: CoqRows, z: Mapping[int, int]) -> dict[int, Fraction]:
    after: dict[int, Fraction] = {}
    for i, n in z.items():
        for k, p in chain.next[i].items():
            after[k] = after.get(k, Fraction(0)) + n * p
    return after


def expanded(
    chain: CoqRows, names: Sequence[str], alpha: Fraction, evidence: Mapping[str, Any]
) -> tuple[list[CoqNode], list[Sequence[int]]]:
    """The nodes of the certificate, with their vectors; and after them one for each vector that only y leads
    to, where an event gains nothing: so the entries of every node say all that comes after."""
    given, roots = evidence["unrolling"]["nodes"], evidence["unrolling"]["roots"]
    number = {name: i for i, name in enumerate(names)}
    nodes: list[CoqNode | None] = [None] * len(given)
    for q, (s, t) in enumerate(roots):
        nodes[q] = CoqNode({s: 1}, {t: 1}, Fraction(1), chain.labels[s])
    ends: dict[tuple[tuple[int, int], ...], int] = {}
    extra: list[CoqNode] = []
    links: list[list[tuple[int, Fraction]]] = []
    for q, shape in enumerate(given):
        node = nodes[q]
        if node is None:
            raise ValueError(f"no entry defines node {q}")
        links.append([])
        if "coupling" in shape:
            node.coupling = [[i, j, Fraction(w) / node.scale] for i, j, w in shape["coupling"]]
            continue
        node.balanced = "balanced" in shape
        if not node.balanced:
            node.lower, node.upper = (Fraction(shape[side]) / node.scale for side in ("lower", "upper"))
        after = [following(chain, z) for z in (node.x, node.y)]
        for name, p, *factor in shape["balanced" if node.balanced else "next"]:
            label = number[name]
            c = Fraction(factor[0]) if factor else Fraction(1)
            parts = [taken_out(z, chain.labels, label) for z in after]
            if nodes[p] is None:
                x, y = ({k: v * node.scale / c for k, v in z.items()} for z in parts)
                nodes[p] = normal(x, y, label)
            links[q].append((p, c))
        for label in sorted({chain.labels[k] for k in after[1]}):
            only = normal({}, taken_out(after[1], chain.labels, label), label)
            place = ends.setdefault(tuple(sorted(only.y.items())), len(given) + len(extra))
            if place == len(given) + len(extra):
                extra.append(CoqNode({}, only.y, Fraction(1), label, coupling=[]))
            node.entries.append((place, only.scale))
    whole = [node for node in nodes if node is not None] + extra
    for q, link in enumerate(links):
        whole[q].entries += [(p, c * whole[p].scale / whole[q].scale) for p, c in link]
    u = _values(evidence.get("distance", EMPTY))
    for node in whole:
        gap = max(Fraction(0), sum(node.x.values()) - alpha * sum(node.y.values()))
        if node.balanced:
            node.lower = node.upper = gap
        elif node.coupling is not None:
            node.lower, node.upper = gap, max(gap, _cost(alpha, u, node))
    return whole, roots


def taken_out(z: dict[int, Fraction], labels: Sequence[int], label: int) -> dict[int, Fraction]:
    """The part of a vector on the states of a label, which is removed from it."""
    return {k: z.pop(k) for k in [k for k in z if labels[k] == label]}


def normal(x: Mapping[int, Fraction], y: Mapping[int, Fraction], label: int) -> CoqNode:
    below = lcm(*(v.denominator for z in (x, y) for v in z.values()))
    left, right = ({k: int(v * below) for k, v in z.items()} for z in (x, y))
    g = gcd(*left.values(), *right.values())
    left, right = ({k: v // g for k, v in z.items()} for z in (left, right))
    return CoqNode(left, right, Fraction(g, below), label)


def _values(table: Mapping[str, Any]) -> Mapping[tuple[int, ...], Fraction]:
    return {
        tuple(row["pair"]): Fraction(int(row["value"]), int(table["denominator"])) for row in table["rows"]
    }


def _cost(alpha: Fraction, u: Mapping[tuple[int, ...], Fraction], node: CoqNode) -> Fraction:
    """The cost of a leaf's coupling: of the mass that moves, and of the mass that stays."""
    left = {k: Fraction(node.x.get(k, 0)) - alpha * node.y.get(k, 0) for k in {*node.x, *node.y}}
    cost = Fraction(0)
    for i, j, w in node.coupling or ():
        cost += w * u.get((i, j), Fraction(1))
        left[i] = left.get(i, Fraction(0)) - w
        left[j] = left.get(j, Fraction(0)) + alpha * w
    return cost + sum((max(Fraction(0), v) for v in left.values()), Fraction(0))


def _row(chain: CoqRows, s: int) -> Iterator[int]:
    yield chain.labels[s]
    yield from row_numbers(chain.next[s])


def row_numbers(row: Mapping[int, Fraction]) -> Iterator[int]:
    yield from listed([t, *p.as_integer_ratio()] for t, p in row.items())
