"""Probabilities of the runs of a threshold program on two inputs at once, in floats: for searches.

What is stored is a sample on a grid of points. Runs that are equally likely are counted together, so that
there are few of them on long inputs that have few different numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from prover.errors import NotSupported
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian, Rate
from prover.program.outputs import seen_of
from prover.program.profiles.cut import cut
from prover.program.profiles.followable import Followable, followable
from prover.program.profiles.runs import Runs
from prover.program.profiles.scope import unclear

MOST_STEPS = 500
_EDGES = np.array([0, 0.5, 1, 2, 3.5, 6, 10, 16, 26])
"""In scales of the noise."""
_PER_PANEL = 8
_LEAST = 1e-16  # of the weight of a point
_FAR, _MOST_POINTS = 18.0, 2_000  # on a grid e^−_FAR is left out, and there are no more points to a side
_TINY = 1e-300
_SHARPEST = 1e150  # in place of an infinite rate
_KEPT, _KEPT_FEW = 500_000, 4  # numbers of probabilities that are kept, and on how many inputs at least

WeighedRun = tuple[tuple[int, ...], float, float]
"""Transitions, and the probabilities on two inputs."""


@dataclass(frozen=True, slots=True)
class FloatNoise:
    """Noise with a rate below 0 and one above, or Gaussian noise with a standard deviation."""

    left: float
    right: float
    sigma: float | None = None

    @property
    def is_none(self) -> bool:
        """Whether a sample is its center."""
        return self.sigma is None and self.left == self.right == np.inf

    @property
    def below(self) -> float:
        """The probability of noise < 0."""
        if self.left == np.inf or self.sigma is not None:
            return 0.0 if self.sigma is None else 0.5
        return self.right / (self.left + self.right) if self.right != np.inf else 1.0

    @property
    def scale(self) -> float:
        """How far noise goes: 0 if there is none."""
        return max(1 / self.left, 1 / self.right) if self.sigma is None else self.sigma

    def points(self) -> tuple[Any, Any]:
        """Points, and the probabilities that they stand for: Gauss's of each panel between _EDGES."""
        if self.is_none:
            return np.zeros(1), np.ones(1)
        roots, shares = np.polynomial.legendre.leggauss(_PER_PANEL)
        middles, halves = (_EDGES[1:] + _EDGES[:-1]) / 2, np.diff(_EDGES) / 2
        side = (middles[:, None] + halves[:, None] * roots).ravel()
        found = self.scale * np.concatenate([-side, side])
        weights = np.tile((halves[:, None] * shares).ravel(), 2) * self.tail(found)[1]
        kept = weights > _LEAST * weights.max()
        return found[kept], weights[kept] / weights[kept].sum()

    def tail(self, above: Any) -> tuple[Any, Any]:
        """The probability that noise is >= these numbers, and its density there, 0 if there is no noise."""
        if self.sigma is not None:
            from scipy.special import ndtr

            density = np.exp(-((above / self.sigma) ** 2) / 2) / (self.sigma * np.sqrt(2 * np.pi))
            return ndtr(-above / self.sigma), density
        if self.is_none:
            return (above <= 0).astype(float), above * 0
        shares, rates = (self.below, 1 - self.below), (self.left, self.right)
        heights = [share * rate if rate < np.inf else 0.0 for share, rate in zip(shares, rates, strict=True)]
        is_above = above > 0
        fall = np.exp(-np.abs(above) * np.where(is_above, *(min(rate, _SHARPEST) for rate in rates[::-1])))
        at_least = np.where(is_above, shares[1] * fall, 1 - shares[0] * fall)
        return at_least, np.where(is_above, *heights[::-1]) * fall

    def points_on(self, grid: float) -> tuple[Any, Any]:
        """Points of a grid, and their probabilities, together 1, of two-sided geometric noise."""
        rates = self.left, self.right
        below, above = (min(int(_FAR / rate / grid), _MOST_POINTS) if rate < np.inf else 0 for rate in rates)
        places = np.arange(-below, above + 1)
        left, right = (grid * rate if rate < np.inf else 0.0 for rate in rates)
        weights = np.exp(np.minimum(places, 0) * left - np.maximum(places, 0) * right)
        return grid * places, weights / weights.sum()

    def tail_on(self, grid: float, above: Any, *, is_strict: bool) -> Any:
        """The probability that such noise is >=, or >, these numbers."""
        q, r = (np.exp(-grid * rate) for rate in (self.left, self.right))
        mass = 1 / (1 + q / (1 - q) + r / (1 - r))
        steps = above / grid
        first = np.floor(steps + 1e-9) + 1 if is_strict else np.ceil(steps - 1e-9)
        high = mass * r ** np.maximum(first, 1) / (1 - r)
        low = mass * q ** (1 - np.minimum(first, 0)) / (1 - q)
        return np.where(first > 0, high, 1 - low)


SampleTests = tuple[int, tuple[int, ...]]
"""A sample that is stored, and the tests of it, in increasing order."""
_Live = tuple[tuple[SampleTests, tuple[str, ...]], ...]
"""Samples that are stored, with the variables that hold them."""
_Runs = tuple[str, int, _Live, tuple[int, ...], tuple[int, ...]]
"""What runs have in common that go on alike: where they are, how many inputs they read, what is stored, the
segments that are over, and the transitions if runs are told apart by these."""


@dataclass(frozen=True, slots=True)
class StoredSample:
    """Noise, its mean, and the kind of number of the input that is added, -1 for none; ``is_strict`` if it is
    compared by > or <=.
    """

    mean: float
    kind: int
    noise: FloatNoise
    is_strict: bool


class TooManyRuns(Exception):
    """More runs than are looked at."""


class Simulation:
    """A program, in which numbers are cut that are only output, and its real noise."""

    def __init__(self, program: Program, at_epsilon: Fraction) -> None:
        self.original, self.program, self.epsilon = program, cut(program), float(at_epsilon)
        self.at_epsilon = at_epsilon
        program = self.program
        self.edges = {state: own for state, own in out_edges(program).items() if _are_told(own)}
        self.means = {name: float(state.mean) for name, state in program.states.items()}
        self.grid = None if program.noise.grid is None else float(program.noise.grid)

    @property
    def is_cut(self) -> bool:
        """Whether numbers are cut."""
        return self.program is not self.original

    @cached_property
    def followable(self) -> Followable | None:
        """The program with what its states do; None where checkers do not follow its runs by themselves."""
        try:
            found = followable(self.program, self.at_epsilon)
            Runs(found, [])
        except NotSupported:
            return None
        return found

    def noise(self, edge: Edge) -> FloatNoise:
        """The real one."""
        sensitivity, shape = self.program.noise.sensitivity, edge.noise
        if isinstance(shape, Gaussian):
            return FloatNoise(0.0, 0.0, float(shape.sigma * sensitivity))

        def real(rate: Rate) -> float:
            return float(rate / sensitivity) * self.epsilon if isinstance(rate, Fraction) else np.inf

        return FloatNoise(*map(real, shape))

    def sample(self, edge: Edge, kind: int) -> StoredSample:
        """The one of a step."""
        is_strict = bool(edge.written) and edge.written[0][0] in (">", "<=")
        return StoredSample(self.means[edge.source], kind, self.noise(edge), is_strict)

    def drawn(self, noise: FloatNoise) -> tuple[Any, Any]:
        """Points around 0, and the probabilities that they stand for."""
        if self.grid is not None:
            return noise.points_on(self.grid)
        return noise.points()

    def tail(self, noise: FloatNoise, above: Any, *, is_strict: bool) -> tuple[Any, Any]:
        """The probability that noise is >=, or >, these numbers; and its density, 0 on a grid."""
        if self.grid is None:
            return noise.tail(above)
        return noise.tail_on(self.grid, above, is_strict=is_strict), np.zeros_like(above)

    def passes(self, edge: Edge, above: Any) -> Any:
        """The probability that noise passes the test of a transition against these numbers."""
        relation = edge.written[0][0]
        tail = self.tail(self.noise(edge), above, is_strict=relation in (">", "<="))[0]
        return tail if relation in (">=", ">") else 1 - tail

    def runs(self, one: Sequence[Fraction], two: Sequence[Fraction], most: int) -> list[WeighedRun]:
        """The runs, each alone, with their probabilities on either input. Raises TooManyRuns."""
        law = RunLaw(self, range(len(one)), most, apart=True)
        found = [law.chances(np.array([float(x) for x in read])).of_runs for read in (one, two)]
        return list(zip(law.paths, *(own.tolist() for own in found), strict=True))


class RunLaw:
    """All runs on inputs: ``kinds`` says which of their numbers are equal. Runs that store and test alike are
    as likely as each other and counted together, unless they are told ``apart``. A run ends at a final state,
    where it wants more inputs than there are, goes round without reading one, or comes to a state whose
    transitions outputs do not tell apart. ``read`` numbers are read at most.

    Raises TooManyRuns.
    """

    def __init__(
        self, simulation: Simulation, kinds: Sequence[int], most: int, *, apart: bool = False
    ) -> None:
        self.simulation, self.kinds, self.apart = simulation, tuple(kinds), apart
        self.samples: dict[StoredSample, int] = {}
        self.tests: dict[tuple[StoredSample, bool], int] = {}
        self.segments: dict[SampleTests, int] = {}
        self.reaches: dict[int, Fraction] = {}
        self.paths: list[tuple[int, ...]] = []
        self.read = 0
        counts, over = self._walked(most)
        self.counts = np.array(counts, dtype=float)
        longest = max(map(len, over))
        self.places = np.array([[*own, *[len(self.segments)] * (longest - len(own))] for own in over], int)
        self.stored = [_Stored(self, number) for number in range(len(self.samples))]
        size = sum(len(own.points) * (len(own.segments) + len(own.rows)) for own in self.stored)
        # A search comes to the same inputs again: one side stays, or only what they are worth is another.
        self._known = lru_cache(_KEPT_FEW + _KEPT // max(size, 1))(self._chances)

    def _walked(self, most: int) -> tuple[list[int], list[tuple[int, ...]]]:
        """How many runs there are of each kind, and their segments."""
        ended: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, tuple[int, ...]]] = {}
        layer: dict[_Runs, tuple[int, tuple[int, ...]]] = {
            (self.simulation.program.initial, 0, (), (), ()): (1, ())
        }
        steps = min(MOST_STEPS, (len(self.kinds) + 1) * len(self.simulation.edges))
        for step in range(steps + 1):
            after: dict[_Runs, tuple[int, tuple[int, ...]]] = {}
            for runs, (count, path) in layer.items():
                state, read, live, over, taken = runs
                leaving = self.simulation.edges.get(state, ())
                if not leaving or (leaving[0].input and read == len(self.kinds)) or step == steps:
                    key = self._closed(over, [segment for segment, _ in live]), taken
                    known, first = ended.get(key, (0, path))
                    ended[key] = known + count, first
                    continue
                for edge in leaving:
                    then, longer = self._step(edge, *runs[1:]), (*path, edge.number)
                    known, first = after.get(then, (0, longer))
                    after[then] = known + count, first
            layer = after
            if len(layer) + len(ended) > most:
                raise TooManyRuns
            if not layer:
                break
        self.paths = [path for _, path in ended.values()]
        return [count for count, _ in ended.values()], [over for over, _ in ended]

    def _step(
        self, edge: Edge, read: int, live: _Live, over: tuple[int, ...], taken: tuple[int, ...]
    ) -> _Runs:
        """Where runs go by a transition."""
        kind = self.kinds[read] if edge.input else -1
        self.read = max(self.read, read + edge.input)
        if edge.input:
            reach = edge.sensitivity * self.simulation.program.noise.sensitivity
            self.reaches[kind] = min(reach, self.reaches.get(kind, reach))
        if edge.assigns:
            left = [(own, tuple(name for name in names if name not in edge.assign)) for own, names in live]
            over = self._closed(over, [own for own, names in left if not names])
            sample = self.samples.setdefault(self.simulation.sample(edge, kind), len(self.samples))
            live = (*((own, names) for own, names in left if names), ((sample, ()), edge.assign))
        elif edge.guard:
            passes = self.simulation.sample(edge, kind), edge.written[0][0] in (">=", ">")
            test = self.tests.setdefault(passes, len(self.tests))
            held = next(place for place, (_, names) in enumerate(live) if edge.guard[0][1] in names)
            (sample, tests), names = live[held]
            live = (*live[:held], ((sample, tuple(sorted((*tests, test)))), names), *live[held + 1 :])
        return edge.target, read + edge.input, live, over, (*taken, edge.number) if self.apart else taken

    def _closed(self, over: tuple[int, ...], more: Iterable[SampleTests]) -> tuple[int, ...]:
        numbers = (self.segments.setdefault(one, len(self.segments)) for one in more)
        return tuple(sorted((*over, *numbers)))

    def chances(self, inputs: Any) -> Chances:
        """The probabilities of the runs, where these are the numbers of each kind."""
        return self._known(np.append(inputs, 0.0).tobytes())

    def _chances(self, inputs: bytes) -> Chances:
        values = np.frombuffer(inputs)
        found = [stored.chances(self.simulation, values) for stored in self.stored]
        of_segments = np.ones(len(self.segments) + 1)
        for stored, own in zip(self.stored, found, strict=True):
            of_segments[stored.segments] = own.chances
        return Chances(self, found, of_segments, self.counts * of_segments[self.places].prod(axis=1))


@dataclass(frozen=True, slots=True)
class Chances:
    """The probabilities of runs on one input, those that are alike together."""

    law: RunLaw
    stored: Sequence[_Tested]
    of_segments: Any
    of_runs: Any

    def derivative(self, weights: Any) -> Any:
        """Of the sum of the probabilities times these weights, by the numbers of the input."""
        law = self.law
        by_segment = np.zeros(len(self.of_segments))
        shares = (weights * self.of_runs)[:, None] / np.maximum(self.of_segments[law.places], _TINY)
        np.add.at(by_segment, law.places, shares)
        found = np.zeros(max(law.kinds, default=-1) + 2)
        for stored, own in zip(law.stored, self.stored, strict=True):
            own.add_to(found, stored, by_segment[stored.segments])
        return found[:-1]


class _Stored:
    """A stored sample, its segments and their tests."""

    def __init__(self, law: RunLaw, number: int) -> None:
        from scipy.sparse import csr_array

        simulation, tests = law.simulation, list(law.tests)
        sample = list(law.samples)[number]
        self.kind, self.mean = sample.kind, sample.mean
        self.points, self.weights = simulation.drawn(sample.noise)
        own = [(place, used) for (stored, used), place in law.segments.items() if stored == number]
        self.segments = np.array([place for place, _ in own], int)
        known = sorted({test for _, used in own for test in used})
        columns = {test: column for column, test in enumerate(known)}
        # Sparse, as most runs are short; and a dense product would share out its few numbers among threads.
        places = [(row, columns[test]) for row, (_, used) in enumerate(own) for test in used]
        at = np.array(places, int).reshape(-1, 2).T
        self.counts = csr_array((np.ones(len(places)), at), shape=(len(own), len(known)))
        tails = list(dict.fromkeys(tests[test][0] for test in known))
        self.rows = np.array([tails.index(tests[test][0]) for test in known], int)
        self.signs = np.array([[1.0] if tests[test][1] else [-1.0] for test in known]).reshape(-1, 1)
        self.means, self.kinds = (
            np.array([one.mean for one in tails]),
            np.array([one.kind for one in tails], int),
        )
        alike: dict[tuple[FloatNoise, bool], list[int]] = {}
        for row, one in enumerate(tails):
            alike.setdefault((one.noise, one.is_strict), []).append(row)
        self.alike = [(*kind, np.array(rows)) for kind, rows in alike.items()]

    def chances(self, simulation: Simulation, values: Any) -> _Tested:
        """Of its segments; ``values`` are the numbers of the input, and 0."""
        stored = self.mean + values[self.kind] + self.points
        above = stored - (self.means + values[self.kinds])[:, None]
        tails, densities = np.empty((2, *above.shape))
        for noise, is_strict, rows in self.alike:
            tails[rows], densities[rows] = simulation.tail(noise, above[rows], is_strict=is_strict)
        passed = np.where(self.signs > 0, tails[self.rows], 1 - tails[self.rows])
        passed = np.maximum(passed, _TINY)
        weighed = np.exp(self.counts @ np.log(passed)) * self.weights
        return _Tested(weighed.sum(axis=1), weighed, self.signs * densities[self.rows] / passed)


@dataclass(frozen=True, slots=True)
class _Tested:
    """The probabilities of segments, those at each point, and derivatives of the logarithms of tests."""

    chances: Any
    weighed: Any
    slopes: Any

    def add_to(self, found: Any, stored: _Stored, weights: Any) -> None:
        """The derivative of the sum of the probabilities times weights; a sample that moves is tests that
        move the other way."""
        slopes = ((stored.counts.T @ (weights[:, None] * self.weighed)) * self.slopes).sum(axis=1)
        np.add.at(found, stored.kinds[stored.rows], slopes)
        found[stored.kind] -= slopes.sum()


def _are_told(leaving: Sequence[Edge]) -> bool:
    """Whether outputs tell transitions of a state apart (docs/theory_profiles.md, Lemma 4), no sample is both
    stored and tested, and tests are such as these floats know."""
    seen = {seen_of(edge.outputs) for edge in leaving}
    plain = not any(edge.assigns and edge.guard for edge in leaving)
    return len(seen) == len(leaving) and plain and unclear(leaving) is None
