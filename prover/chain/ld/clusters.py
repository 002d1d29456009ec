"""Clusters of nearly bisimilar states, and how far apart two states of one are at most, by ld and by bd.

States of a cluster have one label and go to other clusters with nearly equal probabilities. What they have in
common bounds the distances of all their pairs at once, at every α: so they are for questions about very many
pairs. States are put into clusters from the ends of runs backwards, so that clusters that they go to are
known; where runs go round in circles, clusters are refined until nothing changes.
Reference: docs/theory.md, *Clusters of nearly bisimilar states*.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.certificate.schema import Json
from prover.chain.bisimulation import integer_weights, numbers_of
from prover.chain.model import LabelledMarkovChain, Pair
from prover.graphs import search, strong_components

MANY_QUERIES, MANY_STATES = 30, 10_000
"""From so many on, of both, bounds of all queried pairs at once come first."""

_UNIT = 2**50  # as in other tables of upper bounds
_TOLERANCES = (2, 8, 32, 128, 512)
"""Profiles count as equal that are 1/2 apart in total variation, or 1/8 …"""
_MOST_WORK = 3_000_000  # successors to look at, for all tolerances together
_PASSES = 30  # over the values of clusters that lead to each other in circles …
_SMALL_STEP = _UNIT >> 24  # … as long as some value rises by so much

_Profile = tuple[tuple[int, int], ...]
"""(cell, weight) for the clusters and single states that a state goes to, by increasing cells."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Disjoint clusters of two states or more, in order of their first ones, and a number for each.

    Two states of a cluster are at most its number over the ``denominator`` apart, below 1, at every α.
    """

    denominator: int
    members: tuple[tuple[int, ...], ...]
    numerators: tuple[int, ...]
    cluster_of: dict[int, int]

    def value(self, pair: Pair) -> Fraction:
        """A bound of the distances of two different states of equal label; 1 where they share no cluster."""
        cluster = self.cluster_of.get(pair[0])
        if cluster is None or self.cluster_of.get(pair[1]) != cluster:
            return Fraction(1)
        return Fraction(self.numerators[cluster], self.denominator)

    def evidence(self) -> Json:
        """A table of upper bounds, without rows (docs/certificates.md, 3.1)."""
        listed = [[list(states), str(n)] for states, n in zip(self.members, self.numerators, strict=True)]
        return {"clusters": listed, "denominator": str(self.denominator), "rows": []}

    def used_by(self, pairs: Iterable[Pair], rows: Sequence[Iterable[int]]) -> Clusters:
        """The clusters of the pairs, and those that the values of these need."""

        def following(place: int) -> Iterator[int]:
            after = {self.cluster_of.get(t, place) for s in self.members[place] for t in rows[s]}
            yield from sorted(after)

        starts = sorted({self.cluster_of[s] for s, t in pairs if self.value((s, t)) < 1})
        kept = sorted(search(starts, following))
        members = tuple(self.members[place] for place in kept)
        numerators = tuple(self.numerators[place] for place in kept)
        return Clusters(self.denominator, members, numerators, numbers_of(members))


def clusters_of_many(chain: LabelledMarkovChain, queries: Collection[Pair]) -> Clusters | None:
    """The clusters of a large chain of which many pairs are queried, too many for one row each; None of
    others, and where no bound is below 1.
    """
    if len(queries) < MANY_QUERIES or len(chain) < MANY_STATES:
        return None
    return nearly_bisimilar(chain, queries)


def nearly_bisimilar(chain: LabelledMarkovChain, queries: Iterable[Pair]) -> Clusters | None:
    """The clusters by which the largest bound of the queried pairs is least; None where that is 1.

    Work is counted: the same chain has the same clusters. None also where numbers are too long.
    """
    asked = [(s, t) for s, t in queries if s != t]
    scale, weight_of = integer_weights(chain)
    if scale is None or any(chain.labels[s] != chain.labels[t] for s, t in asked):
        return None
    rows = [[(t, int(weight_of[id(p)])) for t, p in row.items()] for row in chain.rows]
    partitions = _Partitions(chain.labels, rows, scale)
    best: Clusters | None = None
    cell: Sequence[int] | None = None
    least = Fraction(1)
    for part in _TOLERANCES:
        if cell is not None and part * partitions.widest <= scale:
            continue  # they would be the same once more
        cell = partitions.found(part)
        if cell is None or any(cell[s] != cell[t] for s, t in asked):
            break  # by smaller tolerances they are hardly together
        found = partitions.bounded(cell)
        largest = max(map(found.value, asked), default=Fraction(1))
        if largest < least:
            best, least = found, largest
    return None if best is None else best.used_by(asked, chain.rows)


class _Partitions:
    """The rows of a chain as integers over one ``scale``, and its states level by level: what partitions
    into clusters and single states, the cells, are found from. The work for all of them is limited.
    """

    def __init__(self, labels: Sequence[str], rows: Sequence[Sequence[tuple[int, int]]], scale: int) -> None:
        self._labels, self._rows, self._scale = labels, rows, scale
        self._work = _MOST_WORK
        self.widest = 0
        """The largest difference between profiles that counted as equal the last time."""
        self._levels = _levels(rows)

    def found(self, part: int) -> Sequence[int] | None:
        """The cell of every state, where profiles count as equal that differ by one ``part`` of 1; None if
        that takes too much work. A cell has no larger number than those that lead to it, but for circles.
        """
        cell, done, self.widest = [0] * len(self._rows), 0, 0
        for states, is_circular in self._levels:
            groups = _grouped(states, self._labels.__getitem__)
            goes_on = True
            while goes_on and self._work >= 0:
                _number(groups, cell, done)
                before, groups = len(groups), [few for one in groups for few in self._split(one, cell, part)]
                goes_on = is_circular and len(groups) > before
            _number(groups, cell, done)
            done += len(groups)
        return None if self._work < 0 else cell

    def _split(self, states: list[int], cell: Sequence[int], part: int) -> Iterable[list[int]]:
        """The states by their profiles, put together where these are near that of the first one."""
        if len(states) == 1:
            return [states]
        groups = _grouped(states, lambda s: self._profile(s, cell))
        if len(groups) == 1:
            return groups
        together: list[tuple[dict[int, int], list[int]]] = []
        near: dict[int, list[int]] = {}  # those of which the first profile has a cell
        for group in groups:
            profile = self._profile(group[0], cell)
            close = sorted({place for k, _ in profile for place in near.get(k, ())})
            self._work -= len(close)
            if self._work < 0:
                return groups
            for place in close:
                first, members = together[place]
                self._work -= len(profile)
                shared = sum(min(weight, first.get(k, 0)) for k, weight in profile)
                if part * (self._scale - shared) <= self._scale:
                    self.widest = max(self.widest, self._scale - shared)
                    members += group
                    break
            else:
                for k, _ in profile:
                    near.setdefault(k, []).append(len(together))
                together.append((dict(profile), group))
        return (members for _, members in together)

    def _profile(self, s: int, cell: Sequence[int]) -> _Profile:
        """The weights of the cells that a state goes to."""
        row = self._rows[s]
        self._work -= len(row) + 1
        weights: dict[int, int] = {}
        for t, weight in row:
            weights[cell[t]] = weights.get(cell[t], 0) + weight
        return tuple(sorted(weights.items()))

    def bounded(self, cell: Sequence[int]) -> Clusters:
        """The cells of several states, with numbers that obey the rule, as far as these are below 1."""
        many = [states for states in _grouped(range(len(cell)), cell.__getitem__) if len(states) > 1]
        rising = sorted(many, key=lambda states: cell[states[0]])
        gains = self._gains({cell[states[0]]: self._shared(states, cell) for states in rising})
        kept = [states for states in many if gains[cell[states[0]]] > 0]
        members = tuple(tuple(sorted(states)) for states in kept)
        numerators = tuple(_UNIT - gains[cell[states[0]]] for states in kept)
        return Clusters(_UNIT, members, numerators, numbers_of(members))

    def _shared(self, states: Sequence[int], cell: Sequence[int]) -> _Profile:
        """The least weight that the states of a cluster have, for every cell that all go to."""
        profiles = sorted({self._profile(s, cell) for s in states})
        common = dict(profiles[0])
        for profile in map(dict, profiles[1:]):
            common = {k: min(weight, profile[k]) for k, weight in common.items() if k in profile}
        return tuple(sorted(common.items()))

    def _gains(self, shared: Mapping[int, _Profile]) -> Mapping[int, int]:
        """1 − c of all clusters, which obey the rule at any time, as they only rise: from 1 where states go
        with all they do to the same cells, and these are such clusters or single states; from 0 elsewhere.
        """
        whole = {k for k, common in shared.items() if sum(weight for _, weight in common) == self._scale}
        while left := {
            k for k in whole if any(after in shared and after not in whole for after, _ in shared[k])
        }:
            self._work -= len(whole)
            whole = whole - left if self._work >= 0 else set()
        gains = {k: _UNIT if k in whole else 0 for k in shared}
        changing = [k for k in shared if k not in whole]
        size = sum(len(shared[k]) for k in changing)
        for _ in range(_PASSES):
            moved = 0
            for k in changing:
                gain = sum(weight * gains.get(after, _UNIT) for after, weight in shared[k]) // self._scale
                moved, gains[k] = max(moved, gain - gains[k]), gain
            self._work -= size
            if moved <= _SMALL_STEP or self._work < 0:
                break
        return gains


def _number(groups: Iterable[Iterable[int]], cell: list[int], first: int) -> None:
    """Give the states of the groups their cells, from the first number on."""
    for number, states in enumerate(groups, first):
        for s in states:
            cell[s] = number


def _levels(rows: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[list[int], bool]]:
    """The states by how many circles, or states, runs can come through one after the other; first those
    where they end. And whether some of a level lead to others of it, or to themselves.
    """
    level = [0] * len(rows)
    found: list[list[int]] = []
    circular = set[int]()
    for component in strong_components(range(len(rows)), lambda s: (t for t, _ in rows[s])):
        inside = set(component)
        after = [level[t] for s in component for t, _ in rows[s] if t not in inside]
        own = max(after, default=-1) + 1
        if own == len(found):
            found.append([])
        found[own] += component
        if len(component) > 1 or any(t in inside for t, _ in rows[component[0]]):
            circular.add(own)
        for s in component:
            level[s] = own
    return [(sorted(states), own in circular) for own, states in enumerate(found)]


def _grouped(states: Iterable[int], key: Callable[[int], object]) -> list[list[int]]:
    """The states by their keys, in order of the first ones."""
    groups: dict[object, list[int]] = {}
    for s in states:
        groups.setdefault(key(s), []).append(s)
    return list(groups.values())
