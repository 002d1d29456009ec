"""δ of a threshold program at one α over all neighbouring lists of some values, of one length.

The runs on all lists are followed together. What runs on single lists store and test is equal on many of
them, and integrated once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from ..budget import bits_of
from ..programs import Program
from ..reading import BadClaim, ClaimOpen, Json, TooLarge, demand, rational, record, typed
from .inputs import differences
from .pair import Chance, Probabilities, known_to, summed
from .sums import longest
from .walk import Groups, Walk

MOST_LISTS = 10_000

Near = Sequence[Sequence[Sequence[int]]]
"""For each place and each value, by their numbers, the values that a neighbour may have there."""


def lists_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """The largest δ of two neighbouring lists is from `lower` to `upper`, over all events."""
    fields = record(evidence, "bits", "step strip")
    factor, exponentials, lattice, grid = known_to(program, claim, fields)
    steps, budget, texts = (
        claim["steps"],
        program.budget,
        [typed(x, str) for x in typed(claim["values"], list)],
    )
    budget.spend(4 * len(texts), *[4 * max(map(len, texts), default=0)] * 2)
    values = [Fraction(*rational(x)) for x in texts]
    demand(all(x < y for x, y in pairwise(values)), BadClaim, "values that do not rise")
    demand(len(values) > 1, BadClaim, "fewer than two values")
    differences(program, "all-differ", values, values)  # values are on the grid, if there is one
    few = steps < MOST_LISTS.bit_length() and len(values) ** steps <= MOST_LISTS
    demand(few, TooLarge, f"more than {MOST_LISTS} lists")
    most = reaches(program, steps)
    long = max(longest(values), longest(most))
    budget.spend(16 * steps * len(values) * len(values).bit_length(), long, long)
    near = near_values(claim["adjacency"], values, most)
    walk = Walk(program, factor, list(product(values, repeat=steps)), apart=True)
    ended = walk.ended()
    once = Walk(program, factor, ((),))
    places = [alone(walk, world, once) for world in range(len(values) ** steps)]
    wanted = {number for groups in ended for group, _ in groups for number in group}
    numbers = sorted({found[number] for found in places for number in wanted})
    chances = Probabilities(once, 0, lattice, exponentials, grid).of(numbers)
    alpha, low, high = Fraction(*rational(claim["alpha"])), 0, 0
    budget.keep(4 * len(places) * len(ended), exponentials.bits + alpha.numerator.bit_length())
    laws = [
        likely(program, ended, {k: chances[found[k]] for k in wanted}, exponentials.bits, alpha)
        for found in places
    ]
    for x, law in enumerate(laws):
        for y in neighbours(x, near, len(values), one=claim["adjacency"] == "one-differ"):
            least, greatest = gain(program, law, laws[y])
            low, high = max(low, least), max(high, greatest)
    whole = alpha.denominator << exponentials.bits
    lower, upper = (Fraction(*rational(claim[end])) for end in ("lower", "upper"))
    demand(lower >= 0, BadClaim, "a number is not between 0 and 1")
    demand(lower <= Fraction(low, whole), ClaimOpen, "no lists gain as much")
    demand(min(Fraction(high, whole), Fraction(1)) <= upper, ClaimOpen, "two lists gain more")


def reaches(program: Program, steps: int) -> Sequence[Fraction]:
    """By how much the numbers of neighbours differ at most, for each place: as all states allow where a run
    reads it, and some run does."""
    found: list[Fraction] = []
    layer = {program.initial}
    while len(found) < steps:
        program.budget.spend(4 * len(program.transitions))
        waiting, reading = list(layer), set[str]()
        while waiting:
            state = waiting.pop()
            leaving = program.leaving(state)
            if leaving and leaving[0].takes_input:
                reading.add(state)
                continue
            after = {t.to for t in leaving} - layer
            layer |= after
            waiting += after
        demand(len(reading) > 0, BadClaim, "no run reads as many numbers")
        own = [t for state in reading for t in program.leaving(state)]
        found.append(min(t.reach for t in own) * program.noise[0])
        layer = {t.to for t in own}
    return found


def near_values(adjacency: str, values: Sequence[Fraction], reaches: Sequence[Fraction]) -> Sequence[Near]:
    """One table for each direction in which neighbours may differ."""
    ways = {"increasing": [1], "decreasing": [-1], "monotonic": [1, -1]}.get(adjacency, [0])

    def near(x: Fraction, down: Fraction, up: Fraction) -> Sequence[int]:
        return range(bisect_left(values, x - down), bisect_right(values, x + up))

    return [
        [[near(x, reach * (way <= 0), reach * (way >= 0)) for x in values] for reach in reaches]
        for way in ways
    ]


def neighbours(number: int, tables: Sequence[Near], base: int, *, one: bool) -> Iterator[int]:
    """The numbers of the neighbours of a list; only `one` number differs, or all may."""
    for near in tables:
        units = [base ** (len(near) - 1 - place) for place in range(len(near))]
        digits = [number // unit % base for unit in units]
        if one:
            for place, unit, digit in zip(near, units, digits, strict=True):
                yield from (number + (k - digit) * unit for k in place[digit])
            continue
        found = [0]
        for place, unit, digit in zip(near, units, digits, strict=True):
            found = [n + k * unit for n in found for k in place[digit]]
        yield from found


def alone(walk: Walk, world: int, once: Walk) -> Sequence[int]:
    """The numbers in `once`, which has what runs on single lists store and test, of a list's segments."""
    laws = [once.law_number([both[world]]) for both in walk.laws]
    found = list[int]()
    for segment in walk.segments:  # after those of its tests
        tests, order = (walk.tests[test] for test in walk.begun[segment]), list[int]()
        walk.program.budget.spend(4 * (len(segment[1]) + 1))
        order += [once.asked(relation, found[child]) for relation, child in tests]
        own = laws[segment[0]], tuple(sorted(order))
        once.begun.setdefault(own, tuple(order))
        found.append(once.numbered(own))
    return found


@dataclass(frozen=True, slots=True)
class Likely:
    """The probabilities of all words on a list, those that are equally likely together, times 2^bits: between
    which numbers they are, times the denominator of α and times its numerator."""

    bits: int  # that one has at most
    least: Sequence[int]
    most: Sequence[int]
    least_times: Sequence[int]
    most_times: Sequence[int]


def likely(
    program: Program, ended: Mapping[Groups, int], chances: Mapping[int, Chance], bits: int, alpha: Fraction
) -> Likely:
    found: list[tuple[int, int]] = []
    for groups, count in ended.items():
        for segments, times in groups:
            size = 2 * bits + count.bit_length() + times.bit_length()
            program.budget.spend(4 * len(segments) + 4, size, size)
        low, high = summed(chances, groups, bits)
        found.append((count * low, count * high))
    n, d = alpha.as_integer_ratio()
    long = bits_of(high for _, high in found) + n.bit_length()
    return Likely(long, *([k * own[end] for own in found] for k in (d, n) for end in (0, 1)))


def gain(program: Program, one: Likely, two: Likely) -> tuple[int, int]:
    """Between which multiples of 1/(2^bits · the denominator of α) the largest P − α·P′ is."""
    program.budget.spend(2 * len(one.least) + 8, one.bits, two.bits)
    return excess(one.least, two.most_times), excess(one.most, two.least_times)


def excess(one: Sequence[int], two: Sequence[int]) -> int:
    return sum(p - q for p, q in zip(one, two, strict=True) if p > q)
