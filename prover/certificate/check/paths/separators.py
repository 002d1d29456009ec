"""Separators: potentials that part all pairs from which they gain, given those that were parted before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from ..budget import bits_of
from ..chains import Chain, read_positive_potentials
from ..reading import BadEvidence, Json, Malformed, Ratio, at, demand, record, typed
from ..symmetry.orbits import Orbits

Sets = Sequence[int]  # a set of states for every state, as the bits of an integer


def separated(chain: Chain, alpha: Ratio, value: Json, orbits: Orbits) -> list[int]:
    """Of every state s the states t from which it is parted: rank by rank, with the images of all pairs."""
    rows = [record(row, "potentials rank") for row in typed(value, list)]
    ranks = [typed(row["rank"], int) for row in rows]
    demand(all(rank > 0 for rank in ranks), Malformed, "a rank is not positive")
    demand(ranks == sorted(ranks), BadEvidence, "the ranks fall")
    size = len(chain.rows)
    chain.budget.fit(4 * size, size)
    chain.budget.spend(len(set(ranks)) * 4 * size, size)
    members = {label: bits(states) for label, states in chain.classes.items()}
    alike = [members[label] & ~(1 << s) for s, label in enumerate(chain.labels)]
    into: list[list[tuple[int, int]]] = [[] for _ in chain.rows]
    for s, following in enumerate(chain.rows):
        for u, n in following.items():
            into[u].append((s, n))
    parted, wide = [0] * size, bits_of(chain.wholes)
    for rank, group in groupby(zip(ranks, rows, strict=True), lambda entry: entry[0]):
        left = [few & ~gone for few, gone in zip(alike, parted, strict=True)]
        falling = [0] * size
        for _, row in group:
            with at("a separator of rank", rank):
                g, longest = spread(chain, alpha, row["potentials"], left)
                for s, few in apart(chain, alpha, g, longest, into, members, wide):
                    falling[s] |= few
        if orbits.symmetries:
            new = [few & ~gone for few, gone in zip(falling, parted, strict=True)]
            falling = with_images(orbits, new)
        parted = [few | gone for few, gone in zip(falling, parted, strict=True)]
    return parted


def spread(chain: Chain, alpha: Ratio, value: Json, left: Sets) -> tuple[dict[int, int], int]:
    """g times a positive number, and the bits of the longest: of every state the largest g_k / α^h for the
    states k with an entry from which h arcs between pairs that are left lead to it."""
    (p, q), (given, long) = alpha, read_positive_potentials(value, chain)
    by_size = groupby(sorted(given, key=given.__getitem__), given.__getitem__)
    sources = [(n, list(states)) for n, states in by_size]
    large = sum(len(chain.classes[label]) for label in {chain.labels[k] for k in given})
    chain.budget.spend(len(sources) * 4 * large, len(left))
    reached = [(n, list(walk(states, left))) for n, states in sources]
    most = max((len(steps) for _, steps in reached), default=0)
    long += most * p.bit_length()
    chain.budget.fit(large, long)
    chain.budget.spend(len(sources) * large + 2 * most, long, p.bit_length())
    g: dict[int, int] = {}
    for n, steps in reached:
        x = n * p**most
        for states in steps:
            g.update((u, x) for u in states if g.get(u, 0) < x)
            x = x // p * q
    return g, long


def walk(states: Sequence[int], left: Sets) -> Iterator[Sequence[int]]:
    """The states that 0, 1, 2, … arcs, and no fewer, lead to from some states."""
    seen = bits(states)
    while states:
        yield states
        new = 0
        for s in states:
            new |= left[s]
        states = places(new & ~seen)
        seen |= new


def apart(
    chain: Chain,
    alpha: Ratio,
    g: Mapping[int, int],
    longest: int,
    into: Sequence[Sequence[tuple[int, int]]],
    members: Mapping[str, int],
    wide: int,
) -> Iterator[tuple[int, int]]:
    """The states s, with the pairs of equal label t for which Σ g_k μ_s(k) > α Σ g_k μ_t(k); no whole
    of a row has more than ``wide`` bits."""
    budget, (p, q) = chain.budget, alpha
    count = sum(len(into[u]) for u in g)
    bound = longest + wide + alpha[0].bit_length()
    budget.spend(count * (8 + len(chain.rows).bit_length()), bound, bound)
    budget.spend(4 * count, len(chain.rows))
    budget.fit(len(chain.rows), bound)
    mass: dict[int, int] = defaultdict(int)
    for u, x in g.items():
        for s, n in into[u]:
            mass[s] += x * n
    fine = 2 * wide  # Σ g_k μ_s(k) over two denominators are equal, or differ by 2^-fine
    shares: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for s, n in mass.items():
        shares[chain.labels[s]].append(((n << fine) // chain.wholes[s], s))
    for label, own in shares.items():
        equal = [[s for _, s in few] for _, few in groupby(sorted(own), itemgetter(0))]
        scaled = [(mass[states[0]], chain.wholes[states[0]]) for states in equal]
        below, place = members[label] & ~bits([s for _, s in own]), 0
        # Below are the states with α times their share less than n / d: first those that have none.
        for (n, d), states in zip(scaled, equal, strict=True):
            high = q * n
            while p * scaled[place][0] * d < high * scaled[place][1]:
                for s in equal[place]:
                    below |= 1 << s
                place += 1
            if below:
                for s in states:
                    yield s, below


def with_images(orbits: Orbits, sets: Sets) -> list[int]:
    """The pairs of the orbits of some pairs."""
    found = [0] * len(sets)
    for s, few in enumerate(sets):
        for t in places(few):
            if not found[s] >> t & 1:
                for i, j in orbits.of((s, t)):
                    found[i] |= 1 << j
    return found


def bits(states: Iterable[int]) -> int:
    """A set as an integer."""
    found = 0
    for s in states:
        found |= 1 << s
    return found


def places(few: int) -> list[int]:
    """The states of a set."""
    if 8 * few.bit_count() > few.bit_length():
        return [s for s, digit in enumerate(reversed(f"{few:b}")) if digit == "1"]
    found = []
    while few:
        last = few & -few
        found.append(last.bit_length() - 1)
        few ^= last
    return found
