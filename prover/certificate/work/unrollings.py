"""The work of unrollings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from flint import fmpz

from prover.certificate.work.chains import Rows, classes, numbers, upper_rules
from prover.certificate.work.count import Count, denominator, long

Json = Any
States = frozenset[int]


Of = TypeVar("Of", covariant=True)


class Numbered(Protocol[Of]):
    """Something for each state."""

    def __getitem__(self, s: int, /) -> Of: ...


@dataclass(frozen=True, slots=True)
class Node:
    """The states of x and of y, the bits of their numbers, and a multiple of the denominators of these."""

    x: States
    y: States
    bits: int
    whole: fmpz


@dataclass(frozen=True, slots=True)
class Value:
    """Of v and u a multiple of the denominators, and the bits of their longest end."""

    wholes: tuple[fmpz, fmpz]
    bits: tuple[int, int]


def count_unrolling(count: Count, rows: Rows, alpha: fmpz, evidence: Json) -> None:
    """lv and tv; α has this denominator."""
    if "classes" in evidence:
        classes(count, rows, evidence["classes"])
        rows = quotient(rows, evidence["classes"])
    table = evidence.get("distance", {"denominator": "1", "rows": []})
    upper_rules(count, rows, table)
    fields = evidence["unrolling"]
    nodes = {q: Node(frozenset([s]), frozenset([t]), 1, fmpz(1)) for q, (s, t) in enumerate(fields["roots"])}
    values = dict[int, Value]()
    for q, listed in enumerate(fields["nodes"]):
        node = nodes[q]
        if "coupling" in listed:
            values[q] = leaf(count, rows, node, listed["coupling"], alpha, fmpz(table["denominator"]))
            continue
        entries = listed.get("next", listed.get("balanced"))
        following = next_nodes(count, rows, node)
        for entry in entries:
            if len(entry) == 2:
                nodes[entry[1]] = following[entry[0]]
        if "balanced" in listed:
            count.spend(len(node.x) + len(node.y) + 4, node.bits + rows.alpha, node.bits + rows.alpha)
            whole = node.whole * alpha
            values[q] = Value((whole, whole), (whole.bit_length() + rows.alpha,) * 2)
        else:
            ends = listed["lower"], listed["upper"]
            wholes = fmpz(denominator(ends[0])), fmpz(denominator(ends[1]))
            values[q] = Value(wholes, (long(ends[0]), long(ends[1])))
    for q, listed in enumerate(fields["nodes"]):
        entries = listed.get("next", listed.get("balanced", ()))
        for entry in entries:
            if len(entry) == 3:
                count.spend(4, long(entry[2]), nodes[entry[1]].bits)
        if "next" in listed:
            sums(count, values, q, entries)


def quotient(rows: Rows, blocks: Sequence[Sequence[int]]) -> Rows:
    """The rows of the first states of the classes."""
    place = {s: c for c, block in enumerate(blocks) for s in block}
    first = [block[0] for block in blocks]
    labels = [rows.labels[s] for s in first]
    return replace(
        rows,
        labels=labels,
        successors=[sorted({place[t] for t in rows.successors[s]}) for s in first],
        bits=[rows.bits[s] for s in first],
        wholes=[rows.wholes[s] for s in first],
        classes=Counter(labels),
    )


class StepsOf(Protocol):
    """What is counted of one step."""

    @property
    def labels(self) -> Sequence[str]: ...
    @property
    def successors(self) -> Numbered[Sequence[int]]: ...
    @property
    def wholes(self) -> Numbered[fmpz]: ...
    def degree(self, s: int) -> int: ...


def next_nodes(count: Count, rows: StepsOf, node: Node) -> dict[str, Node]:
    """What an inner or balanced node costs; what follows it, by label."""
    whole = count.common(rows.wholes[i] for z in (node.x, node.y) for i in z)
    bits = node.bits + whole.bit_length()
    found: tuple[Mapping[str, set[int]], ...] = defaultdict(set), defaultdict(set)
    products = kept = 0
    for side, z in zip(found, (node.x, node.y), strict=True):
        after = set[int]().union(*(rows.successors[i] for i in z))
        products, kept = products + sum(map(rows.degree, z)), kept + len(after)
        for k in after:
            side[rows.labels[k]].add(k)
    count.spend(2 * products, bits, bits)
    count.keep(kept, bits)
    x, y = found
    return {
        label: Node(frozenset(states), frozenset(y.get(label, ())), bits, node.whole * whole)
        for label, states in x.items()
    }


def leaf(count: Count, rows: Rows, node: Node, coupling: Sequence[Json], alpha: fmpz, table: fmpz) -> Value:
    """What a leaf costs, over an upper table with this denominator."""
    longest, whole = numbers(count, coupling)
    c, d, bits = max(longest, whole), table.bit_length(), node.bits + rows.alpha
    count.spend(len(node.x) + len(node.y) + 4, bits, node.bits)
    count.spend(len(node.x) + 3 * len(coupling) + 2, bits, c)
    count.spend(len(coupling) + 2, d, bits + c)
    count.spend(4, bits + c + d, bits + c + d)
    common = fmpz(1)
    for entry in coupling:
        common = common.lcm(fmpz(denominator(entry[-1])))
    least = node.whole * alpha
    most = least * common * table
    # u is at most the sum of the weights, which are below 2^c, and of x and α times the weights.
    return Value(
        (least, most), (least.bit_length() + 1, most.bit_length() + 2 * c + rows.alpha + len(coupling))
    )


def sums(count: Count, values: Mapping[int, Value], q: int, entries: Sequence[Json]) -> None:
    """The two inequalities of an inner node."""
    for side in (0, 1):
        terms = [values[q].wholes[side]]
        for _, p, *factor in entries:
            c = factor[0] if factor else "1"
            count.spend(4, long(c), values[p].bits[side])
            terms.append(values[p].wholes[side] * fmpz(denominator(c)))
        count.common(terms)
