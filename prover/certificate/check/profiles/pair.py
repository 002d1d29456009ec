"""δ of a threshold program at one α for one pair of inputs, over all events.

All runs on the inputs are followed. Runs that store the same samples, and compare the same ones with each of
them the same way, are as likely as each other on either of the inputs; only their number is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..budget import LEAST_BITS
from ..noise import Gaussian
from ..programs import Program, Transition
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
    written,
)
from .inputs import MOST_BITS, differences, inputs_rule, plain_state
from .nodes import Grid, Nodes
from .pieces import Enclosure, Law, Stored
from .scale import read_scale
from .sums import Exponentials, longest

MOST_RUNS = 20_000  # that differ, after equally many steps or when they have ended

Test = tuple[bool, int]
"""Whether a sample is ≥ what is stored, and the number of its laws."""
Segment = tuple[int, tuple[int, ...]]
"""The laws of what is stored, by their number, and the numbers of the tests of it, in order."""
Runs = tuple[str | None, int, tuple[int, ...], Segment | None]
"""The state, None where no guard held; how many inputs were read; the segments before, by their numbers; and
the last one."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Things by the order in which they first come, found by texts or by small numbers."""

    places: dict[object, int] = field(default_factory=dict)

    def of(self, key: object) -> int:
        return self.places.setdefault(key, len(self.places))


class Walk:
    """All runs of a program on two inputs, and what they store and test."""

    def __init__(
        self, program: Program, epsilon: Fraction, inputs: Sequence[Fraction], neighbour: Sequence[Fraction]
    ) -> None:
        self.program, self.scale = program, epsilon / program.noise[0]
        self.given = list(zip(inputs, neighbour, strict=True))
        self.laws: list[tuple[Law, Law]] = []
        self.tests: list[Test] = []
        self.known_laws, self.known_tests, self.known_segments = Numbers(), Numbers(), Numbers()
        self.segments: list[Segment] = []  # each with its tests in an order in which a run has them
        self.begun: dict[Segment, tuple[int, ...]] = {}  # such an order

    def ended(self) -> Mapping[tuple[int, ...], int]:
        """How many runs end with each collection of segments."""
        ended: dict[tuple[int, ...], int] = {}
        layer: dict[Runs, int] = {(self.program.initial, 0, (), None): 1}
        if not self.goes_on(self.program.initial, 0):
            return {(): 1}
        steps = 0
        while layer:
            steps += 1
            rounds = steps <= (len(self.given) + 1) * len(self.program.reached) + 1
            demand(rounds, BadModel, "a cycle that reads no input")
            after: dict[Runs, int] = {}
            for runs, count in layer.items():
                self.program.budget.spend(8 + len(runs[2]) + len(runs[3][1] if runs[3] else ()))
                for then in self.step(*runs):
                    if self.goes_on(then[0], then[1]):
                        after[then] = after.get(then, 0) + count
                    else:
                        key = self.closed(then[2], then[3])
                        ended[key] = ended.get(key, 0) + count
            layer = after
            demand(len(layer) + len(ended) <= MOST_RUNS, TooLarge, f"more than {MOST_RUNS} different runs")
        return ended

    def goes_on(self, state: str | None, read: int) -> bool:
        """Whether a run takes another step: not at final states, nor where it reads an input that there is
        not."""
        leaving = () if state is None else self.program.leaving(state)
        return len(leaving) > 0 and not (leaving[0].takes_input and read == len(self.given))

    def closed(self, before: tuple[int, ...], last: Segment | None) -> tuple[int, ...]:
        if last is None:
            return before
        number = self.known_segments.of(last)
        self.segments += [(last[0], self.begun[last])] * (number == len(self.segments))
        return tuple(sorted((*before, number)))

    def step(
        self, state: str | None, read: int, before: tuple[int, ...], last: Segment | None
    ) -> Iterator[Runs]:
        """What the runs at a state may do next; a run that stops because no guard holds goes nowhere."""
        leaving = self.program.leaving(state or "")
        first = leaving[0]
        law = self.law(first, read)
        then = read + first.takes_input
        if not first.tests:
            if first.assigns:
                before, last = self.closed(before, last), (law, ())
                self.begun[last] = ()
            yield first.to, then, before, last
            return
        targets = {t.guard: t.to for t in leaving}
        for guard in ("<", ">="):
            test = guard == ">=", law
            number = self.known_tests.of(test)
            self.tests += [test] * (number == len(self.tests))
            yield targets.get(guard), then, before, self.tested(last, number)

    def tested(self, last: Segment | None, number: int) -> Segment:
        if last is None:
            raise BadModel("a test before anything is stored")
        longer = last[0], tuple(sorted((*last[1], number)))
        self.begun.setdefault(longer, (*self.begun[last], number))
        return longer

    def law(self, t: Transition, read: int) -> int:
        """The number of the laws of a sample on either of the inputs."""
        x, y = self.given[read] if t.takes_input else (Fraction(0), Fraction(0))
        long = longest([x, y, t.means[0]])
        self.program.budget.spend(4, long, long)
        demand(abs(x - y) <= t.reach * self.program.noise[0], BadClaim, "inputs too far apart")
        sigma = t.noise.sigma * self.program.noise[0] if isinstance(t.noise, Gaussian) else None
        rates = (None, None) if isinstance(t.noise, Gaussian) else t.noise
        left, right = (None if rate is None else rate * self.scale for rate in rates)
        both = tuple(Law(t.means[0] + given, left, right, sigma) for given in (x, y))
        texts = [
            "" if number is None else written(*number.as_integer_ratio())
            for number in (both[0].center, both[1].center, left, right, sigma)
        ]
        number = self.known_laws.of(" ".join(texts))
        self.laws += [(both[0], both[1])] * (number == len(self.laws))
        return number

    def chances(self, world: int, exponentials: Exponentials, grid: Grid | None) -> Sequence[Enclosure]:
        """The probability of each segment on one of the inputs, given that the one before it is over."""
        budget = self.program.budget
        stored = {number: self.stored(number, world, exponentials, grid) for number, _ in self.segments}
        found: dict[int, Enclosure] = {}
        begun, drawn = list[tuple[int, Any]](), -1
        for place in sorted(range(len(self.segments)), key=self.segments.__getitem__):
            number, tests = self.segments[place]
            if number != drawn:
                drawn, begun = number, [(-1, stored[number].one())]
            shared = 0
            while shared < min(len(tests), len(begun) - 1) and begun[shared + 1][0] == tests[shared]:
                shared += 1
            del begun[shared + 1 :]
            for test in tests[shared:]:
                at_least, law = self.tests[test]
                function = stored[number].tested(begun[-1][1], self.laws[law][world], at_least=at_least)
                begun.append((test, function))
                budget.fit(sum(len(one) for _, one in begun), max(LEAST_BITS, function.bits))
            found[place] = stored[number].total(begun[-1][1])
        return [found[place] for place in range(len(self.segments))]

    def stored(
        self, number: int, world: int, exponentials: Exponentials, grid: Grid | None
    ) -> Stored | Nodes:
        """Functions of a sample that is stored."""
        law, budget = self.laws[number][world], self.program.budget
        runs = [tests for other, tests in self.segments if other == number]
        tested = {self.tests[test][1] for tests in runs for test in tests}
        laws = [self.laws[other][world] for other in sorted(tested)]
        if any(one.sigma is not None for one in (law, *laws)):
            return Nodes(law, laws, max(map(len, runs)), grid, exponentials, budget)
        rates = [rate for one in (law, *laws) for rate in (one.left, one.right) if rate is not None]
        unit = budget.denominator([rate.denominator for rate in rates])
        return Stored(law, sorted({one.center for one in laws}), unit, exponentials, budget)


def pair_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """δ of the two inputs is from `lower` to `upper`: over all events, in both directions if the adjacency is
    symmetric."""
    fields = record(evidence, "bits", "step strip")
    one_way = claim["adjacency"] in ("increasing", "decreasing")
    ends = followed(program, claim, claim, fields)[: 2 - one_way]
    low, high = (max(own) for own in zip(*ends, strict=True))
    lower, upper = (Fraction(*rational(claim[end])) for end in ("lower", "upper"))
    demand(lower >= 0, BadClaim, "a number is not between 0 and 1")
    demand(lower <= low, ClaimOpen, "the runs gain less")
    demand(high <= upper, ClaimOpen, "the runs gain more")


def best_event_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """Some event has a probability on the inputs that exceeds α times that on the neighbour by `lower`."""
    if "runs" in typed(evidence, dict):
        inputs_rule(program, claim, evidence)
        return
    fields = record(evidence, "bits inputs neighbour", "step strip")
    low, _ = followed(program, claim, fields, fields)[0]
    demand(Fraction(*rational(claim["lower"])) <= low, ClaimOpen, "the runs gain less")


def followed(
    program: Program, claim: Mapping[str, Json], lists: Mapping[str, Json], fields: Mapping[str, Json]
) -> Sequence[tuple[Fraction, Fraction]]:
    """Between which numbers δ of two inputs is, in this order and in the other one."""
    one_variable = program.noise[1] is None and len(program.variables) == 1
    demand(one_variable, BadModel, "not one variable, or noise on a grid")
    epsilon = read_scale(program, claim).epsilon or Fraction(0)
    bits = typed(fields["bits"], int)
    demand(0 < bits <= MOST_BITS, TooLarge, f"not from 1 to {MOST_BITS} bits")
    demand(("step" in fields) == ("strip" in fields), Malformed, "a strip or a step, not both")
    grid = (
        Grid(*(Fraction(*positive(fields[key])) for key in ("strip", "step"))) if "step" in fields else None
    )
    inputs, neighbour = (
        [Fraction(*rational(x)) for x in typed(lists[name], list)] for name in ("inputs", "neighbour")
    )
    demand(len(inputs) == len(neighbour), BadClaim, "inputs of different length")
    demand(len(inputs) <= claim.get("steps", len(inputs)), BadClaim, "more inputs than the claim allows")
    differences(program, claim["adjacency"], inputs, neighbour)
    for state in program.reached:
        plain_state(program, state)
        for t in program.leaving(state):
            demand(t.seen[1] == 0, BadModel, "a number that is output")
            demand(not (t.assigns and t.tests), BadModel, "a sample that is tested and stored")
    walk = Walk(program, epsilon, inputs, neighbour)
    ended = walk.ended()
    exponentials = Exponentials(bits, program.budget)
    chances = [walk.chances(world, exponentials, grid) for world in (0, 1)]
    alpha = Fraction(*rational(claim["alpha"]))
    whole = alpha.denominator << bits
    gains = (gain(program, ended, both, bits, alpha) for both in (chances, chances[::-1]))
    return [(Fraction(low, whole), Fraction(high, whole)) for low, high in gains]


def gain(
    program: Program,
    ended: Mapping[tuple[int, ...], int],
    chances: Sequence[Sequence[Enclosure]],
    bits: int,
    alpha: Fraction,
) -> Enclosure:
    """Between which multiples of 1/(2^bits · the denominator of α) the largest P − α·P′ is."""
    n, d = alpha.as_integer_ratio()
    low = high = 0
    for segments, count in ended.items():
        size = 2 * bits + n.bit_length() + count.bit_length()
        program.budget.spend(4 * len(segments) + 8, size, size)
        (least, most), (other_least, other_most) = (product(own, segments, bits) for own in chances)
        low += count * max(0, d * least - n * other_most)
        high += count * max(0, d * most - n * other_least)
    return low, high


def product(chances: Sequence[Enclosure], segments: Sequence[int], bits: int) -> Enclosure:
    low = high = 1 << bits
    for segment in segments:
        low, high = low * chances[segment][0] >> bits, -(-high * chances[segment][1] >> bits)
    return low, high
