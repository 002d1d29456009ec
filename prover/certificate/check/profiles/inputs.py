"""Two neighbouring inputs and runs: δ of a threshold program from below, at one α."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise

from ..budget import LEAST_BITS
from ..programs import Program, Transition
from ..reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Json,
    TooLarge,
    at,
    demand,
    each,
    rational,
    record,
    typed,
)
from ..variables.orders import defined
from .lattice import Lattice
from .line import Line
from .pieces import Enclosure, Law, Stored
from .scale import read_scale
from .sums import Exponentials, Sum, add, longest, times

MOST_BITS = 10_000
ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs, how far the numbers of the second are from those of the first, and the noise:
    on a lattice, or at an ε."""

    program: Program
    inputs: Sequence[Fraction]
    neighbour: Sequence[Fraction]
    moved: Sequence[Fraction]
    epsilon: Fraction
    lattice: Lattice | None
    exponentials: Exponentials

    def chances(self, runs: Sequence[Sequence[int]], *, exact: bool) -> Sequence[tuple[Fraction, Fraction]]:
        """Between which numbers the probability of an event lies on either of the inputs: of runs of which
        none begins another one. Exact sums are enclosed only at the end, if there is no lattice."""
        budget, long = self.program.budget, longest(self.moved)
        both = self.inputs, self.neighbour
        sums, ends = [Sum(), Sum()], [[0, 0], [0, 0]]
        for index, run in enumerate(runs):
            with at("run", index):
                budget.spend(8 * len(run), long, long)
                path = read_run(self.program, run, len(self.inputs))
                near(self.program, path, self.moved)
                for read, total, bounds in zip(both, sums, ends, strict=True):
                    if self.lattice is None and exact:
                        add(total, probability(self.program, path, read, self.epsilon), budget)
                        continue
                    own = self.by_pieces if self.lattice is None else partial(on_grid, self.lattice)
                    low, high = own(path, read)
                    bounds[:] = bounds[0] + low, bounds[1] + high
        if self.lattice is None and exact:
            return [self.exponentials.enclosed(total) for total in sums]
        whole = 1 << self.exponentials.bits
        return [(Fraction(low, whole), Fraction(high, whole)) for low, high in ends]

    def by_pieces(self, path: Sequence[Transition], read: Sequence[Fraction]) -> Enclosure:
        """Between which multiples of 2^-bits the probability of a run is: a product over stored samples."""
        budget, bits = self.program.budget, self.exponentials.bits
        low = high = 1 << bits
        for drawn, tests in segments(path, iter(read)):
            own, *others = (law(self.program, sample, self.epsilon) for sample in (drawn, *tests))
            long = longest(one.center for one in (own, *others))
            budget.spend(8 * (len(tests) + 1), long, long)
            rates = [rate for one in (own, *others) for rate in (one.left, one.right) if rate is not None]
            unit = budget.denominator([rate.denominator for rate in rates])
            stored = Stored(own, sorted({one.center for one in others}), unit, self.exponentials, budget)
            function = stored.one()
            for test, other in zip(tests, others, strict=True):
                ((relation, _),) = test.t.tests
                function = stored.tested(function, other, at_least=relation == ">=")
                budget.fit(len(function), max(LEAST_BITS, function.bits))
            least, most = stored.total(function)
            low, high = low * least >> bits, -(-high * most >> bits)
        return low, high


def inputs_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """The runs are an event whose probability on the inputs exceeds α times that on the neighbour by
    `lower`."""
    fields = record(evidence, "bits inputs neighbour runs")
    pair = read_pair(program, claim, fields)
    runs = [each(run, int) for run in typed(fields["runs"], list)]
    demand(len(runs) > 0, BadEvidence, "no run")
    apart_rule(runs)
    (low, _), (_, high) = pair.chances(runs, exact=True)
    alpha, lower = Fraction(*rational(claim["alpha"])), Fraction(*rational(claim["lower"]))
    demand(lower <= low - alpha * high, ClaimOpen, "the runs gain less")


def read_pair(program: Program, claim: Mapping[str, Json], fields: Mapping[str, Json]) -> Pair:
    """Two inputs as the evidence has them, that are neighbours as the claim says."""
    if len(program.variables) > 1:
        defined(program)
    scale, grid = read_scale(program, claim), program.noise[1]
    bits = typed(fields["bits"], int)
    demand(0 < bits <= MOST_BITS, TooLarge, f"not from 1 to {MOST_BITS} bits")
    inputs, neighbour = (
        [Fraction(*rational(x)) for x in typed(fields[name], list)] for name in ("inputs", "neighbour")
    )
    demand(len(inputs) == len(neighbour), BadEvidence, "inputs of different length")
    demand(len(inputs) <= claim.get("steps", len(inputs)), BadClaim, "more inputs than the claim allows")
    moved = differences(program, claim["adjacency"], inputs, neighbour)
    lattice = None if grid is None else Lattice(scale, grid, bits)
    exponentials = Exponentials(bits, program.budget)
    return Pair(program, inputs, neighbour, moved, scale.epsilon or ZERO, lattice, exponentials)


def apart_rule(runs: Sequence[list[int]]) -> None:
    demand(all(one < two for one, two in pairwise(runs)), BadEvidence, "runs out of order or repeated")
    begun = any(two[: len(one)] == one for one, two in pairwise(runs))
    demand(not begun, BadEvidence, "a run that begins another one")


def read_run(program: Program, run: Sequence[int], most: int) -> Sequence[Transition]:
    """The transitions of a run from the initial state on; at its states outputs tell transitions apart."""
    known = all(0 <= number < len(program.transitions) for number in run)
    demand(len(run) > 0 and known, BadEvidence, "an empty run, or no such transition")
    path = [program.transitions[number] for number in run]
    joined = all(one.to == two.source for one, two in pairwise(path))
    demand(joined and path[0].source == program.initial, BadEvidence, "transitions that do not follow")
    demand(sum(t.takes_input for t in path) <= most, BadEvidence, "a run with more inputs than there are")
    for t in path:
        plain_state(program, t.source)
        demand(not (t.assigns and t.tests), BadModel, "a sample that is tested and stored")
    return path


def plain_state(program: Program, state: str) -> None:
    """Outputs tell the transitions of the state apart, and so do guards."""
    leaving = program.leaving(state)
    demand(len({t.seen for t in leaving}) == len(leaving), BadModel, "transitions that look alike")
    guards = {t.tests for t in leaving}
    apart = len(leaving) == 1 or (len(guards) == len(leaving) and () not in guards)
    alone = all(len(t.tests) <= 1 for t in leaving) and len({v for t in leaving for _, v in t.tests}) <= 1
    demand(alone, BadModel, "tests of several variables at a state")
    relations = {relation for t in leaving for relation in t.written}
    tied = "=" in relations or {"<=", ">="} <= relations
    demand(apart and not tied, BadModel, "guards that do not exclude each other")


def differences(
    program: Program, adjacency: str, inputs: Sequence[Fraction], neighbour: Sequence[Fraction]
) -> Sequence[Fraction]:
    """How far the inputs of the neighbour are from the inputs, in ways that the adjacency allows."""
    long = max(longest(inputs), longest(neighbour))
    program.budget.spend(4 * len(inputs), long, long)
    moved = [y - x for x, y in zip(inputs, neighbour, strict=True)]
    grid = program.noise[1]
    if grid is not None and program.rounded:
        whole = all((x / grid).denominator == 1 for x in (*inputs, *neighbour))
        demand(whole, BadClaim, "inputs off the grid")
    up, down = all(d >= 0 for d in moved), all(d <= 0 for d in moved)
    one = sum(d != 0 for d in moved) <= 1
    allowed = {
        "all-differ": True, "one-differ": one, "increasing": up, "decreasing": down, "monotonic": up or down
    }  # fmt: skip
    demand(allowed[adjacency], BadClaim, "inputs that differ otherwise")
    return moved


def near(program: Program, path: Sequence[Transition], moved: Sequence[Fraction]) -> None:
    """No input differs by more than the sensitivity of the state that reads it."""
    reading = [t.reach * program.noise[0] for t in path if t.takes_input]
    close = all(abs(d) <= reach for d, reach in zip(moved, reading, strict=False))
    demand(close, BadClaim, "inputs too far apart")


def on_grid(lattice: Lattice, path: Sequence[Transition], inputs: Sequence[Fraction]) -> tuple[int, int]:
    """Between which multiples of 2^-bits the probability of a run on these inputs is."""
    total = lattice.one
    for drawn, tests in segments(path, iter(inputs)):
        samples = [(test.t, test.center) for test in tests]
        total = lattice.times(total, lattice.chance((drawn.t, drawn.center), samples))
    return total


def probability(
    program: Program, path: Sequence[Transition], inputs: Sequence[Fraction], epsilon: Fraction
) -> Sum:
    """Of a run on these inputs: a product of integrals, one for each value that is stored."""
    given = iter(inputs)
    total = Sum((ZERO, Fraction(1)))
    for drawn, tests in segments(path, given):
        total = times(total, integral(program, drawn, tests, epsilon), program.budget)
    return total


@dataclass(frozen=True, slots=True)
class Sample:
    """Noise around a center, at the state of a transition."""

    t: Transition
    center: Fraction


def law(program: Program, sample: Sample, epsilon: Fraction) -> Law:
    """The law of a sample, its rates times ε."""
    scale = epsilon / program.noise[0]
    left, right = (None if rate is None else rate * scale for rate in (sample.t.left, sample.t.right))
    return Law(sample.center, left, right)


def segments(path: Sequence[Transition], given: Iterator[Fraction]) -> Sequence[tuple[Sample, list[Sample]]]:
    """Each sample that is stored, with those that are compared with it."""
    found: list[tuple[Sample, list[Sample]]] = []
    stored: dict[str, list[Sample]] = {}  # the tests of what a variable holds
    for t in path:
        sample = Sample(t, t.means[0] + (next(given) if t.takes_input else ZERO))
        if t.assigns:
            found.append((sample, []))
            stored.update(dict.fromkeys(t.stored, found[-1][1]))
        for _, name in t.tests:
            stored[name].append(sample)
    return found


def integral(program: Program, drawn: Sample, tests: Sequence[Sample], epsilon: Fraction) -> Sum:
    """∫ f(z) Π G(z) dz, f the density of what is stored, and G the probability of each test."""
    own, *others = (law(program, sample, epsilon) for sample in (drawn, *tests))
    line = Line(sorted({own.center, *(other.center for other in others)}), program.budget)
    function = line.density(own)
    for test, other in zip(tests, others, strict=True):
        ((relation, _),) = test.t.tests  # a gap that is output beside a test takes its place among the bounds
        function = line.product(function, line.passed(relation, other, line.density(other), own))
    return line.total(function)
