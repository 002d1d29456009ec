"""The work of separators: they are done once more, as what one costs depends on the pairs parted before."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flint import fmpq, fmpz

from prover.certificate.work.count import Count, parts
from prover.certificate.work.symmetry import Spread

Json = Any

PAIR_BITS = 1024  # of memory that a pair counts


@dataclass(frozen=True, slots=True)
class Walls:
    """What separators work on: labels, the rows turned round, with integers over the denominators of the
    rows, and α = p / q."""

    labels: Sequence[str]
    into: Sequence[Sequence[tuple[int, int]]]
    wholes: Sequence[int]
    slope: tuple[int, int]


def count_separators(count: Count, walls: Walls, listed: Sequence[Json], orbits: Spread) -> int:
    """What they cost, rank by rank; how many pairs they part."""
    size, alpha = len(walls.labels), fmpq(*walls.slope)
    members = defaultdict[str, set[int]](set)
    for s, label in enumerate(walls.labels):
        members[label].add(s)
    left = {s: members[label] - {s} for s, label in enumerate(walls.labels)}
    twins = sum(map(len, left.values()))
    count.hold(4 * size, size)
    for _, group in groupby(listed, lambda row: row["rank"]):
        count.spend(4 * size, size)
        standing = {s: set(few) for s, few in left.items()}
        for row in group:
            mass = _masses(count, walls, row["potentials"], left, members)
            shares = {share: fmpq(share[0], share[1]) for share in set(mass.values())}
            order = sorted(shares, key=shares.__getitem__)
            lifted = [alpha * shares[share] for share in order]
            place = {share: number for number, share in enumerate(order)}
            places = {s: place[share] for s, share in mass.items()}
            for s, number in places.items():
                least = bisect_left(lifted, shares[order[number]])
                standing[s] = {t for t in standing[s] if places.get(t, -1) >= least}
        for s, few in standing.items():
            for t in left[s] - few:
                for i, j in orbits.of((s, t)) if t in left[s] else ():
                    left[i].discard(j)
    return twins - sum(map(len, left.values()))


def _masses(
    count: Count,
    walls: Walls,
    entries: Sequence[Json],
    left: Mapping[int, set[int]],
    members: Mapping[str, set[int]],
) -> dict[int, tuple[int, int]]:
    """Σ g_k μ_s(k), up to one factor, where it is not 0, with the denominator of the row of s."""
    (p, q), ends = walls.slope, [parts(text) for _, text in entries]
    whole = count.common(below for _, below in ends)
    given = [int(fmpz(n) * whole // fmpz(d)) for n, d in ends]
    sources = defaultdict[int, list[int]](list)
    for (k, _), n in zip(entries, given, strict=True):
        sources[n].append(k)
    large = sum(len(members[label]) for label in {walls.labels[k] for k, _ in entries})
    count.spend(len(sources) * 4 * large, len(walls.labels))
    reached = [(n, list(_walk(states, left))) for n, states in sources.items()]
    most = max((len(steps) for _, steps in reached), default=0)
    long = max((n.bit_length() for n in given), default=0) + most * p.bit_length()
    count.hold(large, long)
    count.spend(len(sources) * large + 2 * most, long, p.bit_length())
    g: dict[int, int] = {}
    for n, steps in reached:
        for h, states in enumerate(steps):
            x = n * q**h * p ** (most - h)
            g.update((u, x) for u in states if u not in g or g[u] < x)
    tried = sum(len(walls.into[u]) for u in g)
    bound = long + max(whole.bit_length() for whole in walls.wholes) + p.bit_length()
    count.spend(tried * (8 + len(walls.labels).bit_length()), bound, bound)
    count.spend(4 * tried, len(walls.labels))
    count.hold(len(walls.labels), bound)
    mass = dict[int, int]()
    for u, y in g.items():
        for s, part in walls.into[u]:
            mass[s] = mass.get(s, 0) + y * part
    return {s: (n, walls.wholes[s]) for s, n in mass.items()}


def _walk(states: list[int], left: Mapping[int, set[int]]) -> Iterator[list[int]]:
    seen = set(states)
    while states:
        yield states
        states = list(set().union(*(left[s] for s in states)) - seen)
        seen |= set(states)
