"""All runs of a threshold program on two inputs, those that are equally likely on either counted together.

Reference: docs/theory_profiles.md, *All events of one pair*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from prover.errors import BadValue, Fault, NotSupported, quoted
from prover.exact.piecewise import Allowance, Calculus, Concrete, Pieces, TermScale
from prover.exact.rational import format_rational
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian
from prover.program.profiles.nodes import Grid, chances_at_nodes, grid_for

MOST_RUNS = 20_000
"""Runs that differ, after equally many steps or when they have ended."""
MOST_WORK = 20_000_000
"""Operations on terms of functions."""

Centers = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sample on either of the inputs: its centers, and the rates below and above them, None if infinite, or
    a standard deviation.
    """

    centers: Centers
    left: Fraction | None
    right: Fraction | None
    sigma: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """What is stored, and the tests of it, by their numbers: in increasing order, as equal segments have
    them."""

    stored: int
    tests: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """Runs that are equally likely: how many, their segments, and the transitions of one of them. ``stops``
    where no guard held at last.
    """

    count: int
    segments: tuple[int, ...]
    path: tuple[int, ...]
    stops: bool


@dataclass(frozen=True, slots=True)
class _Run:
    """What runs have in common that go on alike."""

    state: str
    read: int
    before: tuple[int, ...]
    last: Segment | None


@dataclass
class Runs:
    """All runs on two inputs, and what they store and test."""

    program: Program
    given: Sequence[Centers]
    drawn: dict[Drawn, int] = field(default_factory=dict)
    tests: dict[tuple[str, int], int] = field(default_factory=dict)
    segments: dict[Segment, int] = field(default_factory=dict)
    ended: list[Ended] = field(default_factory=list)
    orders: dict[Segment, tuple[int, ...]] = field(default_factory=dict)
    """The tests of a segment in an order in which some run has them."""

    def __post_init__(self) -> None:
        self.edges = out_edges(self.program)
        found: dict[tuple[tuple[int, ...], str, bool], Ended] = {}
        start = _Run(self.program.initial, 0, (), None)
        layer: dict[_Run, tuple[int, tuple[int, ...]]] = {start: (1, ())}
        if not self._goes_on(start):
            self.ended = [Ended(1, (), (), stops=False)]
            return
        for _ in range((len(self.given) + 1) * len(self.edges) + 1):
            after: dict[_Run, tuple[int, tuple[int, ...]]] = {}
            for run, (count, path) in layer.items():
                for edge, then in self._step(run):
                    longer = path if edge is None else (*path, edge.number)
                    if edge is None or not self._goes_on(then):
                        key = self._closed(then), "" if edge is None else then.state, edge is None
                        more = found[key].count if key in found else 0
                        first = found[key].path if key in found else longer
                        found[key] = Ended(more + count, key[0], first, edge is None)
                    else:
                        more, first = after.get(then, (0, longer))
                        after[then] = more + count, first
            layer = after
            if len(layer) + len(found) > MOST_RUNS:
                raise NotSupported(
                    f"more than {MOST_RUNS:,} different runs on these inputs; take fewer inputs, or "
                    "repeat the same numbers",
                    code="too-many-runs",
                )
        if layer:
            raise NotSupported(
                "a cycle of the program reads no input, so runs on these inputs need not end",
                code="endless-runs",
            )
        self.ended = list(found.values())

    def _goes_on(self, run: _Run) -> bool:
        """Whether a run takes another step: not at final states, nor for want of an input."""
        leaving = self.edges.get(run.state, ())
        return bool(leaving) and not (leaving[0].input and run.read == len(self.given))

    def _closed(self, run: _Run) -> tuple[int, ...]:
        if run.last is None:
            return run.before
        return tuple(sorted((*run.before, self.segments.setdefault(run.last, len(self.segments)))))

    def _step(self, run: _Run) -> Iterator[tuple[Edge | None, _Run]]:
        """What a run may do next; None for a transition where no guard holds."""
        leaving = self.edges[run.state]
        first = leaving[0]
        drawn, read = self._sample(first, run.read), run.read + first.input
        if not first.guard:
            before, last = run.before, run.last
            if first.assigns:
                before, last = self._closed(run), Segment(drawn)
                self.orders[last] = ()
            yield first, _Run(first.target, read, before, last)
            return
        edges = {edge.relation: edge for edge in leaving}
        for relation in ("<", ">="):
            edge = edges.get(relation)
            test = self.tests.setdefault((relation, drawn), len(self.tests))
            if run.last is None:
                raise Fault("a test before anything is stored")
            last = Segment(run.last.stored, tuple(sorted((*run.last.tests, test))))
            self.orders.setdefault(last, (*self.orders[run.last], test))
            yield edge, _Run(run.state if edge is None else edge.target, read, run.before, last)

    def _sample(self, edge: Edge, read: int) -> int:
        """The number of the sample of a step."""
        state = self.program.states[edge.source]
        x, y = self.given[read] if edge.input else (Fraction(0), Fraction(0))
        most = edge.sensitivity * self.program.noise.sensitivity
        if abs(x - y) > most:
            raise BadValue(
                f"input {read + 1} differs by {format_rational(abs(x - y))}, but at state "
                f"{quoted(edge.source)} neighbouring inputs differ by at most {format_rational(most)}",
                code="not-neighbours",
            )
        centers = x + state.mean, y + state.mean
        if isinstance(edge.noise, Gaussian):
            sample = Drawn(centers, None, None, edge.noise.sigma * self.program.noise.sensitivity)
        else:
            left, right = (rate if isinstance(rate, Fraction) else None for rate in state.rates)
            sample = Drawn(centers, left, right)
        return self.drawn.setdefault(sample, len(self.drawn))

    def grid(self, bits: int) -> Grid | None:
        """Where functions of samples with Gaussian noise are computed; None if there are none.

        Raises NotSupported where they are compared with samples that have rates.
        """
        samples, tests = list(self.drawn), list(self.tests)
        stored, tested = set[Fraction](), set[Fraction]()
        for segment in self.segments:
            own = samples[segment.stored]
            others = [samples[tests[test][1]] for test in segment.tests]
            if all(one.sigma is None for one in (own, *others)):
                continue
            fixed = own.sigma is None and own.left is None and own.right is None
            sigmas = [one.sigma for one in others if one.sigma is not None]
            if len(sigmas) < len(others) or (own.sigma is None and not fixed):
                raise NotSupported(
                    "Gaussian noise is compared with noise of another kind; this question is answered where "
                    "both are Gaussian",
                    code="mixed-noise",
                )
            stored |= {own.sigma} - {None} if own.sigma is not None else set()
            tested |= set(sigmas)
        if not stored and not tested:
            return None
        most = max(len(segment.tests) for segment in self.segments)
        return grid_for(sorted(stored or tested), min(tested or stored), most, bits)

    def chances(self, world: int, epsilon: Fraction, grid: Grid | None = None) -> list[arb]:
        """A ball around the probability of each segment on one of the inputs. Raises TooManyTerms."""
        samples, tests = list(self.drawn), list(self.tests)
        found: dict[Segment, arb] = {}
        allowance = Allowance(MOST_WORK)
        for number in range(len(samples)):
            own = {self.orders[s]: s for s in self.segments if s.stored == number}
            if own:
                tested = {test for order in own for test in order}
                normal = {
                    test: (tests[test][0] == ">=", samples[tests[test][1]].centers[world], sigma)
                    for test in tested
                    if (sigma := samples[tests[test][1]].sigma) is not None
                }
                stored = samples[number]
                if grid is not None and (normal or stored.sigma is not None):
                    center = stored.centers[world]
                    pairs = chances_at_nodes(center, stored.sigma, normal, sorted(own), grid)
                else:
                    line = _Line(samples, tests, world, number, tested, epsilon, allowance)
                    pairs = line.chances(sorted(own))
                found.update((own[order], chance) for order, chance in pairs)
        return [found[segment] for segment in self.segments]


class _Line:
    """Functions of what is stored, on one of the inputs."""

    def __init__(
        self,
        samples: Sequence[Drawn],
        tests: Sequence[tuple[str, int]],
        world: int,
        stored: int,
        tested: set[int],
        epsilon: Fraction,
        allowance: Allowance,
    ) -> None:
        self.samples, self.world = samples, world
        own = [samples[stored], *(samples[tests[test][1]] for test in sorted(tested))]
        rates = [rate for one in own for rate in (one.left, one.right) if rate is not None]
        scale = TermScale.of([one.centers[world] for one in own], rates)
        numbers = Concrete(scale.denominator, epsilon)
        self.calculus: Calculus[arb] = Calculus(scale, numbers, allowance)
        self.passed = {test: self._passed(*tests[test]) for test in tested}
        self.drawn = samples[stored]

    def _passed(self, relation: str, sample: int) -> Pieces[arb]:
        """The probability that a sample is ≥, or <, what is stored."""
        one = self.samples[sample]
        center, calculus = one.centers[self.world], self.calculus
        if one.left is None and one.right is None:
            return calculus.within(calculus.one(), *((None, center) if relation == ">=" else (center, None)))
        density = calculus.laplace(center, one.left, one.right)
        return calculus.above(density) if relation == ">=" else calculus.below(density)

    def chances(self, runs: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], arb]]:
        """Of some lists of tests in lexicographic order, each with its probability."""
        center, calculus = self.drawn.centers[self.world], self.calculus
        fixed = self.drawn.left is None and self.drawn.right is None
        start = calculus.one() if fixed else calculus.laplace(center, self.drawn.left, self.drawn.right)
        begun = [(-1, start)]
        for tests in runs:
            shared = 0
            while shared < min(len(tests), len(begun) - 1) and begun[shared + 1][0] == tests[shared]:
                shared += 1
            del begun[shared + 1 :]
            for test in tests[shared:]:
                begun.append((test, calculus.product(begun[-1][1], self.passed[test])))
            function = begun[-1][1]
            total = calculus.total(function) if not fixed else calculus.at(function, center)
            yield tests, calculus.constant(total)
