"""δ of a threshold program at one α for one pair of inputs, over all events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod
from typing import Any

from ..budget import LEAST_BITS
from ..programs import Program
from ..reading import (
    BadClaim,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    TooLarge,
    demand,
    positive,
    rational,
    record,
    typed,
)
from .cut import as_seen
from .inputs import MOST_BITS, differences, inputs_rule
from .lattice import Lattice, Rational, Series
from .line import Line
from .nodes import Grid, Nodes
from .normal import distribution
from .pieces import Law, Stored
from .scale import read_scale
from .sums import Exponentials, longest
from .walk import Groups, Walk

TOGETHER = 128  # bits of the probability of words that are equally likely
Chance = tuple[Any, Any]
"""Between which multiples of 2^-bits it is; or a rational, twice."""


@dataclass(frozen=True, slots=True)
class Places:
    """Functions on the grid: place k is that of a sample's center, rounded down, at k = 0 of the grid."""

    lattice: Lattice
    step: Fraction
    low: int
    high: int

    def at(self, law: Law) -> tuple[int, Fraction]:
        """The center, in steps, rounded down; and what is left of it."""
        place = floor(law.center / self.step)
        return place, law.center / self.step - place

    def density(self, law: Law) -> Series:
        place, _ = self.at(law)
        return self.lattice.weights((law.left, law.right), self.low - place, self.high - place)

    def product(self, first: Series, second: Series) -> Series:
        self.lattice.spend(24 * len(first.values))
        return self.lattice.product(first, second)

    def passed(self, relation: str, child: Law, function: Series, own: Law) -> Series:
        return self.lattice.passed_by(function, relation, self.at(own)[1] - self.at(child)[1])


class Probabilities:
    """Of segments, on one of the inputs."""

    def __init__(
        self, walk: Walk, world: int, lattice: Lattice | None, exponentials: Exponentials, grid: Grid | None
    ) -> None:
        self.walk, self.world, self.budget = walk, world, walk.program.budget
        self.lattice, self.exponentials, self.grid = lattice, exponentials, grid
        self.at_nodes: dict[str, dict[int, tuple[int, int]]] = {}

    def of(self, wanted: Sequence[int]) -> Mapping[int, Chance]:
        """The probabilities of these segments, given those before them."""
        segments, found = self.walk.segments, dict[int, Chance]()
        for first in sorted({segments[number][0] for number in wanted}):
            own = [number for number in wanted if segments[number][0] == first]
            own.sort(key=lambda number: self.walk.begun[segments[number]])
            tests = {test for number in own for test in segments[number][1]}
            strict = self.walk.laws[first][self.world].is_fixed  # ties count only where there is no noise
            plain = all(
                (relation in ("<", ">=") or not strict) and not segments[child][1]
                for relation, child in (self.walk.tests[test] for test in tests)
            )
            inner = self.walk.members(tests)
            drawn = sorted({first, *(segments[number][0] for number in inner)})
            laws = [self.walk.laws[number][self.world] for number in drawn]
            normal = any(law.sigma is not None for law in laws)
            demand(plain or not normal, BadModel, "Gaussian noise, and a sample that is compared and stored")
            if plain and self.lattice is None:
                found.update(self.products(own, tests, normal=normal))
            else:
                found.update(self.folded(own, inner, laws))
        return found

    def products(self, own: Sequence[int], tests: set[int], *, normal: bool) -> Iterator[tuple[int, Chance]]:
        """Of samples that are only tested: products of chances."""
        walk = self.walk
        laws = walk.laws
        law = laws[walk.segments[own[0]][0]][self.world]
        others = sorted({walk.segments[walk.tests[test][1]][0] for test in tests})
        tested = [laws[other][self.world] for other in others]
        stored: Stored | Nodes
        if law.sigma is not None and tested and all(one.is_fixed for one in tested):
            yield from ((number, self.between(number, law)) for number in own)
            return
        if normal:
            most = max(len(walk.segments[number][1]) for number in own)
            stored = Nodes(law, tested, most, self.grid, self.exponentials, self.budget, self.at_nodes)
        else:
            rates = [rate for one in (law, *tested) for rate in (one.left, one.right) if rate is not None]
            unit = self.budget.denominator([rate.denominator for rate in rates])
            stored = Stored(law, sorted({one.center for one in tested}), unit, self.exponentials, self.budget)

        def passed(function: Any, test: int) -> Any:
            relation, child = walk.tests[test]
            one = laws[walk.segments[child][0]][self.world]
            return stored.tested(function, one, at_least=relation in (">=", ">"))

        for number, begun in self.shared(own, stored.one(), passed, lambda function: function.bits):
            yield number, stored.total(begun)

    def between(self, number: int, law: Law) -> Chance:
        """That a sample with Gaussian noise lies between the exact numbers that are compared with it."""
        tests = [self.walk.tests[test] for test in self.walk.segments[number][1]]
        centers = [self.walk.laws[self.walk.segments[child][0]][self.world].center for _, child in tests]
        sigma, bits = law.sigma or Fraction(1), self.exponentials.bits
        long = longest([*centers, law.center, sigma])
        self.budget.spend(4 * len(tests) + 8, long, long)
        above = [own for own, (relation, _) in zip(centers, tests, strict=True) if relation in (">=", ">")]
        below = [own for own, (relation, _) in zip(centers, tests, strict=True) if relation in ("<", "<=")]
        high, low = (1 << bits, 1 << bits), (0, 0)
        if above:
            high = distribution((min(above) - law.center) / sigma, bits, self.budget)
        if below:
            low = distribution((max(below) - law.center) / sigma, bits, self.budget)
        return max(0, high[0] - low[1]), max(0, high[1] - low[0])

    def folded(
        self, own: Sequence[int], inner: Sequence[int], laws: Sequence[Law]
    ) -> Iterator[tuple[int, Chance]]:
        """Of any others: sums on the grid, or integrals, first of the segments that tests are about."""
        walk, known, functions = self.walk, dict[tuple[int, int], Any](), dict[int, Any]()
        long = longest(law.center for law in laws)
        self.budget.spend(8 * len(laws) ** 2, long, long)
        measure: Line | Places = Line(sorted({law.center for law in laws}), self.budget)
        if self.lattice is not None:
            step = walk.program.noise[1] or Fraction(1)
            places = [law.center / step for law in laws]
            measure = Places(self.lattice, step, floor(min(places)) - 1, ceil(max(places)) + 1)
            self.lattice.spend(24 * (measure.high - measure.low + 1))

        def tested(function: Any, test: int, law: int) -> Any:
            if (test, law) not in known:
                relation, child = walk.tests[test]
                pair = (walk.laws[number][self.world] for number in (walk.segments[child][0], law))
                other, this = pair
                known[test, law] = measure.passed(relation, other, functions[child], this)
            return measure.product(function, known[test, law])

        for number in inner:
            law, tests = walk.segments[number]
            functions[number] = measure.density(walk.laws[law][self.world])
            for test in tests:
                functions[number] = tested(functions[number], test, law)
        first = walk.segments[own[0]][0]
        start = measure.density(walk.laws[first][self.world])
        bits = 0 if self.lattice is None else self.lattice.bits
        for number, function in self.shared(
            own, start, lambda f, test: tested(f, test, first), lambda _: bits
        ):
            if isinstance(measure, Places):
                low, high = measure.lattice.total(function)
                yield number, (max(low, 0), high)
            else:
                low, high = self.exponentials.enclosed(measure.total(function))
                whole = 1 << self.exponentials.bits
                yield number, (max(floor(low * whole), 0), min(ceil(high * whole), whole))

    def shared(
        self,
        own: Sequence[int],
        start: Any,
        passed: Callable[[Any, int], Any],
        bits: Callable[[Any], int],
    ) -> Iterator[tuple[int, Any]]:
        """Functions of segments, of which each begins with what it shares with the one before."""
        begun: list[tuple[int, Any]] = [(-1, start)]
        for number in own:
            tests, shared = self.walk.begun[self.walk.segments[number]], 0
            while shared < min(len(tests), len(begun) - 1) and begun[shared + 1][0] == tests[shared]:
                shared += 1
            del begun[shared + 1 :]
            for test in tests[shared:]:
                function = passed(begun[-1][1], test)
                begun.append((test, function))
                self.budget.fit(sum(len(one) for _, one in begun), max(LEAST_BITS, bits(function)))
            yield number, begun[-1][1]


def pair_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """δ of the two inputs is from `lower` to `upper`: over all events, in both directions if the adjacency is
    symmetric."""
    fields = record(evidence, "", "bits step strip")
    one_way = claim["adjacency"] in ("increasing", "decreasing")
    ends = followed(program, claim, claim, fields)[: 2 - one_way]
    low, high = (max(own) for own in zip(*ends, strict=True))
    lower, upper = (Fraction(*rational(claim[end])) for end in ("lower", "upper"))
    demand(lower >= 0, BadClaim, "a number is not between 0 and 1")
    demand(lower <= low, ClaimOpen, "the runs gain less")
    demand(min(high, 1) <= upper, ClaimOpen, "the runs gain more")


def best_event_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """Some event has a probability on the inputs that exceeds α times that on the neighbour by `lower`."""
    program, evidence = as_seen(program, evidence)
    if "runs" in evidence:
        inputs_rule(program, claim, evidence)
        return
    fields = record(evidence, "inputs neighbour", "bits step strip")
    low, _ = followed(program, claim, fields, fields)[0]
    demand(Fraction(*rational(claim["lower"])) <= low, ClaimOpen, "the runs gain less")


def followed(
    program: Program, claim: Mapping[str, Json], lists: Mapping[str, Json], fields: Mapping[str, Json]
) -> Sequence[tuple[Fraction, Fraction]]:
    """Between which numbers δ of two inputs is, in this order and in the other one."""
    words, alpha = read_words(program, claim, lists, fields), Fraction(*rational(claim["alpha"]))
    both = words.chances
    return [gain(program, words.ended, own, words.bits, alpha) for own in (both, both[::-1])]


@dataclass(frozen=True, slots=True)
class Words:
    """All words on two inputs, how far the numbers of the second are from those of the first, and the chances
    of segments on each."""

    walk: Walk
    ended: Mapping[Groups, int]
    chances: Sequence[Mapping[int, Chance]]
    bits: int
    moved: Sequence[Fraction]

    def alike(self) -> Mapping[Groups, Sequence[tuple[int, int]]]:
        """Between which multiples of 2^-TOGETHER the probability of all words of such runs is, on either of
        the inputs."""
        spend_sums(self.walk.program, self.ended, self.chances, self.bits, TOGETHER)
        found = {}
        for groups, count in self.ended.items():
            ends = (summed(own, groups, self.bits) for own in self.chances)
            factor = Fraction(count << TOGETHER, 1 << self.bits)
            found[groups] = [(floor(factor * low), ceil(factor * high)) for low, high in ends]
        return found


def read_words(
    program: Program, claim: Mapping[str, Json], lists: Mapping[str, Json], fields: Mapping[str, Json]
) -> Words:
    """All runs on two inputs, that are neighbours as the claim says."""
    factor, exponentials, lattice, grid = known_to(program, claim, fields)
    texts = [typed(x, str) for name in ("inputs", "neighbour") for x in typed(lists[name], list)]
    program.budget.spend(4 * len(texts), *[4 * max(map(len, texts), default=0)] * 2)
    inputs, neighbour = (
        [Fraction(*rational(x)) for x in typed(lists[name], list)] for name in ("inputs", "neighbour")
    )
    demand(len(inputs) == len(neighbour), BadClaim, "inputs of different length")
    demand(len(inputs) <= claim.get("steps", len(inputs)), BadClaim, "more inputs than the claim allows")
    moved = differences(program, claim["adjacency"], inputs, neighbour)
    walk = Walk(program, factor, (inputs, neighbour))
    ended = walk.ended()
    wanted = sorted({number for groups in ended for group, _ in groups for number in group})
    chances = [Probabilities(walk, world, lattice, exponentials, grid).of(wanted) for world in (0, 1)]
    return Words(walk, ended, chances, exponentials.bits, moved)


def known_to(
    program: Program, claim: Mapping[str, Json], fields: Mapping[str, Json]
) -> tuple[Fraction, Exponentials, Lattice | None, Grid | None]:
    """A factor of rates, and how exactly probabilities are known."""
    scale, step = read_scale(program, claim), program.noise[1]
    exact = "bits" not in fields
    demand(not exact or "q" in claim, Malformed, "no bits, and no q")
    bits = 0 if exact else typed(fields["bits"], int)
    demand(exact or 0 < bits <= MOST_BITS, TooLarge, f"not from 1 to {MOST_BITS} bits")
    demand(("step" in fields) == ("strip" in fields), Malformed, "a strip or a step, not both")
    grid = (
        Grid(*(Fraction(*positive(fields[key])) for key in ("strip", "step"))) if "step" in fields else None
    )
    factor = (scale.epsilon or Fraction(0)) / program.noise[0] if step is None else Fraction(1)
    lattice = None
    if step is not None:
        lattice = Rational(scale, step) if exact else Lattice(scale, step, bits)
    return factor, Exponentials(bits, program.budget), lattice, grid


def gain(
    program: Program,
    ended: Mapping[Groups, int],
    chances: Sequence[Mapping[int, Chance]],
    bits: int,
    alpha: Fraction,
) -> tuple[Fraction, Fraction]:
    """Between which numbers the largest P − α·P′ is."""
    n, d = alpha.as_integer_ratio()
    spend_sums(program, ended, chances, bits, n.bit_length())
    low = high = Fraction(0) if not bits else 0
    for groups, count in ended.items():
        (least, most), (other_least, other_most) = (summed(own, groups, bits) for own in chances)
        low += count * max(0, d * least - n * other_most)
        high += count * max(0, d * most - n * other_least)
    return Fraction(low) / (d << bits), Fraction(high) / (d << bits)


def spend_sums(
    program: Program,
    ended: Mapping[Groups, int],
    chances: Sequence[Mapping[int, Chance]],
    bits: int,
    more: int = 0,
) -> None:
    """The work of the probabilities of words, and of a product with a number of so many bits."""
    long = max([2 * bits, *(longest([Fraction(x[1])]) for own in chances for x in own.values() if not bits)])
    for groups, count in ended.items():
        for segments, times in groups:
            size = long + more + count.bit_length() + times.bit_length()
            program.budget.spend(4 * len(segments) + 8, size, size)


def summed(chances: Mapping[int, Chance], groups: Groups, bits: int) -> Chance:
    """The probability of a word, over its runs."""
    total_low = total_high = 0
    for segments, times in groups:
        if not bits:
            low = high = prod(chances[segment][0] for segment in segments)
        else:
            low = high = 1 << bits
            for segment in segments:
                low, high = low * chances[segment][0] >> bits, -(-high * chances[segment][1] >> bits)
        total_low, total_high = total_low + times * low, total_high + times * high
    return total_low, total_high
