"""δ of a threshold program over all neighbouring lists of some values that have one length: both ends.

Reference: docs/theory_profiles.md, *All lists of some values*.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod

from flint import arb

from prover.errors import BadValue, NotSupported
from prover.exact.ball import bounds, refined
from prover.exact.piecewise import TooManyTerms
from prover.program.adjacency import Adjacency
from prover.program.model import Program, out_edges
from prover.program.profiles.followable import followable
from prover.program.profiles.pair import (
    WIDTH,
    followed,
    known_to,
    precision,
    rounded_out,
)
from prover.program.profiles.pair_answer import PairDelta, both_ends
from prover.program.profiles.runs import Ended, Runs, Segment
from prover.program.profiles.segments import SegmentChances
from prover.progress import Progress, silent

MOST_LISTS = 10_000
MOST_CHANCES = 1_000_000
"""Lists times runs."""
MOST_COMPARED = 20_000_000
"""Pairs of lists times runs."""

_SPARE = 8  # bits beyond those of the room for the errors of checkers

Near = Sequence[Sequence[Sequence[int]]]
"""For each place and each value, by their numbers, the values that a neighbour may have there."""


@dataclass(frozen=True, slots=True)
class Lists:
    """All lists of these values, in lexicographic order, by their numbers; and which are neighbours.

    A neighbour has at each place a value that is near, for one of the tables ``near``; if ``one``, at one
    place only, and otherwise the same.
    """

    values: Sequence[Fraction]
    near: Sequence[Near]
    one: bool

    @property
    def steps(self) -> int:
        """How many numbers a list has."""
        return len(self.near[0])

    @property
    def count(self) -> int:
        """How many lists there are."""
        return int(len(self.values) ** self.steps)

    @property
    def pairs(self) -> int:
        """How many pairs of neighbours there are, those in the other order, and equal lists, included."""
        sizes = [[sum(map(len, place)) for place in near] for near in self.near]
        if not self.one:
            return sum(map(prod, sizes))
        more = sum(size - len(self.values) for size in sizes[0])
        return more * self.count // len(self.values)

    def neighbours(self, number: int) -> Iterator[int]:
        """The numbers of the neighbours of a list."""
        base, digits = len(self.values), []
        rest = number
        for _ in range(self.steps):
            rest, digit = divmod(rest, base)
            digits.append(digit)
        digits.reverse()
        if self.one:
            for place, digit in enumerate(digits):
                unit = base ** (self.steps - 1 - place)
                yield from (number + (k - digit) * unit for k in self.near[0][place][digit] if k != digit)
            return
        for near in self.near:
            found = [0]
            for place, digit in enumerate(digits):
                found = [base * n + k for n in found for k in near[place][digit]]
            yield from found


def lists_of(program: Program, adjacency: Adjacency, values: Sequence[Fraction], steps: int) -> Lists:
    """All lists of so many of these values. Raises BadValue where no run reads as many, or no two lists are
    neighbours.
    """
    ways = {Adjacency.INCREASING: [1], Adjacency.DECREASING: [-1], Adjacency.MONOTONIC: [1, -1]}
    known, most = sorted(set(values)), _reaches(program, steps)

    def close(x: Fraction, down: Fraction, up: Fraction) -> range:
        return range(bisect_left(known, x - down), bisect_right(known, x + up))

    near = [
        [[close(x, reach * (way <= 0), reach * (way >= 0)) for x in known] for reach in most]
        for way in ways.get(adjacency, [0])
    ]
    if all(len(own) == 1 for table in near for place in table for own in place):
        raise BadValue(
            "no two of these values are so near that lists of them are neighbours", code="bad-values"
        )
    return Lists(known, near, adjacency is Adjacency.ONE_DIFFER)


def _reaches(program: Program, steps: int) -> Sequence[Fraction]:
    """By how much numbers of neighbours may differ, for each place: as all states allow that may read it."""
    leaving = out_edges(program)
    found: list[Fraction] = []
    layer = {program.initial}
    while len(found) < steps:
        waiting, reading = list(layer), set[str]()
        while waiting:
            edges = leaving.get(waiting.pop(), ())
            if edges and edges[0].input:
                reading.add(edges[0].source)
                continue
            waiting += {edge.target for edge in edges} - layer
            layer |= {edge.target for edge in edges}
        if not reading:
            raise BadValue(f"no run reads more than {len(found)} inputs", code="bad-steps")
        own = [edge for state in reading for edge in leaving[state]]
        found.append(min(edge.sensitivity for edge in own) * program.noise.sensitivity)
        layer = {edge.target for edge in own}
    return found


def delta_of_lists(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alphas: tuple[Fraction, Fraction],
    values: Sequence[Fraction],
    steps: int,
    *,
    epsilon: Fraction | None = None,
    q: Fraction | None = None,
    progress: Progress = silent,
) -> PairDelta:
    """The largest δ of two neighbouring lists of so many of these values: its upper end at the first α, and
    the lower one at the second, for the lists that it shows. On a grid ``q`` may be e^(−ε·unit).

    Raises NotSupported where the runs of the program cannot be followed, or the work is too much, and
    BadValue where there are no such lists.
    """
    follows = followable(program, at_epsilon)
    lists = lists_of(program, adjacency, values, steps)
    _demand_few(lists.count, MOST_LISTS, "lists")
    _demand_few(lists.pairs, MOST_COMPARED, "pairs of lists")
    progress("following the runs", 0, None)
    own = list(product(lists.values, repeat=steps))
    runs = Runs(follows, list(zip(*own, strict=True)), apart=True)
    _demand_few(lists.count * len(runs.ended), MOST_CHANCES, "probabilities of runs")
    _demand_few(lists.pairs * len(runs.ended), MOST_COMPARED, "comparisons of runs")
    bits, room, nodes, _ = precision(runs, alphas)
    digits = room.denominator.bit_length() + _SPARE
    once, places = _apart(runs, len(own))
    chances = SegmentChances(once, at_epsilon, q, nodes)

    def attempt() -> tuple[Fraction, Fraction, tuple[int, int]] | None:
        progress("integrating", len(once.segments), None)
        laws = list(_laws(runs, chances.of(0), places, room, digits))
        found = _largest(lists, laws, alphas, digits, progress)
        return found if found[0] - found[1] <= WIDTH else None

    try:
        (upper, lower, (x, y)), bits = refined(attempt, bits)
    except TooManyTerms:
        raise NotSupported("the runs on these inputs take too much work; take fewer steps") from None
    ((least, _, attack),), _ = followed(follows, alphas[1:], own[x], own[y], q=q, both_ways=False)
    return both_ends(
        program,
        adjacency,
        at_epsilon,
        alphas,
        (own[x], own[y]),
        [(min(lower, least), upper, attack)] * 2,
        known_to(bits, nodes),
        epsilon=epsilon,
        q=q,
        steps=steps,
        values=lists.values,
    )


def _demand_few(count: int, most: int, what: str) -> None:
    if count > most:
        raise NotSupported(
            f"this takes {count:,} {what}, and at most {most:,} are compared; take fewer values or steps",
            code="too-many-lists",
        )


def _apart(runs: Runs, lists: int) -> tuple[Runs, Sequence[Sequence[int]]]:
    """What runs on single lists store and test, and where in this the segments of each list are."""
    once = copy(runs)
    once.drawn, once.tests, once.segments, once.orders = {}, {}, {}, {}
    known, places = list(runs.tests), list[list[int]]()
    for world in range(lists):
        alone = [replace(one, centers=(one.centers[world],)) for one in runs.drawn]
        drawn = [once.drawn.setdefault(one, len(once.drawn)) for one in alone]
        found = list[int]()
        for segment in runs.segments:  # after those of its tests
            made = ((known[test][0], found[known[test][1]]) for test in runs.orders[segment])
            order = tuple(once.tests.setdefault(test, len(once.tests)) for test in made)
            own = Segment(drawn[segment.stored], tuple(sorted(order)))
            once.orders.setdefault(own, order)
            found.append(once.segments.setdefault(own, len(once.segments)))
        places.append(found)
    wanted = {number for ended in runs.ended for group, _ in ended.groups for number in group}
    all_of_them = {found[number] for found in places for number in wanted}
    once.ended = [Ended(1, ((tuple(sorted(all_of_them)), 1),), (), stops=False)]
    return once, places


WordLaw = Sequence[tuple[int, int]]
"""Between which multiples of 1/2^bits the probability of each word on a list is, times how many there are."""


def _laws(
    runs: Runs, chances: Sequence[arb | None], places: Sequence[Sequence[int]], room: Fraction, bits: int
) -> Iterator[WordLaw]:
    """Of each list, with ``room`` for the errors of checkers."""
    both = [None if chance is None else bounds(chance) for chance in chances]  # None: a part of others only
    ends = [own and (floor(own[0] * 2**bits), ceil(own[1] * 2**bits)) for own in both]
    slack = ceil(room * 2**bits)
    for found in places:
        law = list[tuple[int, int]]()
        for ended in runs.ended:
            least = most = 0
            for group, times in ended.groups:
                low = high = 1 << bits
                for number in group:
                    one, two = ends[found[number]] or (0, 0)
                    low, high = low * one >> bits, -(-high * two >> bits)
                least, most = least + times * max(0, low - slack), most + times * (high + slack)
            law.append((ended.count * least, ended.count * most))
        yield law


def _largest(
    lists: Lists, laws: Sequence[WordLaw], alphas: tuple[Fraction, Fraction], bits: int, progress: Progress
) -> tuple[Fraction, Fraction, tuple[int, int]]:
    """The upper end at the first α, the lower end at the second one, and the pair that has it."""
    (n, d), (m, c) = (alpha.as_integer_ratio() for alpha in alphas)
    above = [([d * high for _, high in law], [n * low for low, _ in law]) for law in laws]
    below = [([c * low for low, _ in law], [m * high for _, high in law]) for law in laws]
    upper, lower, worst = 0, Fraction(-1), (0, 0)
    for x in range(lists.count):
        progress("comparing the lists", x, lists.count)
        for y in lists.neighbours(x):
            most = sum(p - q for p, q in zip(above[x][0], above[y][1], strict=True) if p > q)
            upper = max(upper, most)
            if Fraction(most, d << bits) > lower:
                least = sum(p - q for p, q in zip(below[x][0], below[y][1], strict=True) if p > q)
                low = rounded_out(Fraction(least, c << bits), Fraction(0))[0]
                if low > lower:
                    lower, worst = low, (x, y)
    return rounded_out(Fraction(0), Fraction(upper, d << bits))[1], lower, worst
