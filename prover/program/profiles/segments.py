"""Probabilities of the segments of runs on one input: sums over a grid, or integrals, of functions of a
sample.

Reference: docs/theory_profiles.md, *All events of one pair*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from flint import arb, fmpq

from prover.errors import NotSupported
from prover.exact.ball import ball_of
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.piecewise import Allowance, Calculus, Concrete, TermScale
from prover.program.attack.lattice import LatticeCalculus
from prover.program.attack.probability import program_unit
from prover.program.profiles.nodes import NodeGrid, chances_at_nodes, grid_for
from prover.program.profiles.runs import Drawn, Runs

MOST_WORK = 20_000_000
"""Operations on terms of functions."""

_Function = Any  # of where a sample is; a number where it has no noise


@dataclass(frozen=True, slots=True)
class SegmentChances:
    """The probability of each segment on one of the inputs, at ε or, on a grid, where e^(−ε·unit) is q."""

    runs: Runs
    epsilon: Fraction
    q: Fraction | None = None
    nodes: NodeGrid | None = None
    """Where functions of samples with Gaussian noise are computed; None if there are none."""
    exact: bool = False
    """Whether probabilities are rational, with q."""

    def of(self, world: int) -> list[Any]:
        """Balls around them, or rationals. Raises TooManyTerms."""
        samples, tests = list(self.runs.drawn), list(self.runs.tests)
        segments = list(self.runs.segments)
        wanted = {number for ended in self.runs.ended for group, _ in ended.groups for number in group}
        found: list[Any] = [None] * len(segments)
        allowance = Allowance(MOST_WORK)
        at_nodes: dict[tuple[Fraction, Fraction, Fraction], arb] = {}
        by_sample: dict[int, dict[tuple[int, ...], int]] = {}
        for number in sorted(wanted):
            segment = segments[number]
            by_sample.setdefault(segment.stored, {})[self.runs.orders[segment]] = number
        for place, own in sorted(by_sample.items()):
            stored = samples[place]
            others = [samples[segments[n].stored] for n in _inner(self.runs, own)]
            if stored.sigma is not None and others and all(one.is_fixed for one in others):
                pairs = self._between(world, stored, sorted(own))
            elif self.nodes is not None and any(sample.sigma for sample in (stored, *others)):
                normal = {}
                for test in {test for order in own for test in order}:
                    relation, child = tests[test]
                    sample = samples[segments[child].stored]
                    normal[test] = relation in (">=", ">"), sample.centers[world], sample.sigma or Fraction(0)
                center = stored.centers[world]
                pairs = chances_at_nodes(center, stored.sigma, normal, sorted(own), self.nodes, at_nodes)
            else:
                pairs = self._folded(world, place, sorted(own), allowance)
            for order, chance in pairs:
                found[own[order]] = chance
        return found

    def _between(
        self, world: int, stored: Drawn, orders: Sequence[tuple[int, ...]]
    ) -> Iterator[tuple[tuple[int, ...], arb]]:
        """The same where samples without noise are compared with one that has Gaussian noise."""
        samples, tests, segments = list(self.runs.drawn), list(self.runs.tests), list(self.runs.segments)
        scale = ball_of(stored.sigma or Fraction(1)) * arb(2).sqrt()

        def up_to(place: Fraction) -> arb:
            return (ball_of(stored.centers[world] - place) / scale).erfc() / 2

        for order in orders:
            ends: tuple[list[Fraction], list[Fraction]] = [], []
            for relation, child in (tests[test] for test in order):
                ends[relation in (">=", ">")].append(samples[segments[child].stored].centers[world])
            below, above = ends
            if below and above and min(above) <= max(below):
                yield order, arb(0)
            else:
                yield order, (up_to(min(above)) if above else 1) - (up_to(max(below)) if below else arb(0))

    def _folded(
        self, world: int, place: int, orders: Sequence[tuple[int, ...]], allowance: Allowance
    ) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Of some lists of tests in lexicographic order, each with its probability."""
        samples, tests, segments = list(self.runs.drawn), list(self.runs.tests), list(self.runs.segments)
        inner = _inner(self.runs, orders)
        members = sorted({place, *(segments[number].stored for number in inner)})
        measure = self._measure([samples[number] for number in members], world, allowance)
        functions: dict[int, _Function] = {}
        known: dict[tuple[int, int], _Function] = {}

        def tested(function: _Function, test: int, own: int) -> _Function:
            if (test, own) not in known:
                relation, child = tests[test]
                other = samples[segments[child].stored]
                known[test, own] = measure.passed(relation, other, functions[child], samples[own])
            return measure.product(function, known[test, own])

        for number in inner:
            own = segments[number]
            functions[number] = measure.density(samples[own.stored])
            for test in own.tests:
                functions[number] = tested(functions[number], test, own.stored)
        begun = [(-1, measure.density(samples[place]))]
        for order in orders:
            shared = 0
            while shared < min(len(order), len(begun) - 1) and begun[shared + 1][0] == order[shared]:
                shared += 1
            del begun[shared + 1 :]
            for test in order[shared:]:
                begun.append((test, tested(begun[-1][1], test, place)))
            yield order, measure.total(begun[-1][1])

    def _measure(self, members: Sequence[Drawn], world: int, allowance: Allowance) -> _Line | _OnGrid:
        noise = self.runs.program.noise
        centers = [one.centers[world] for one in members]
        if not noise.is_discrete:
            rates = [rate for one in members for rate in (one.left, one.right) if rate is not None]
            scale = TermScale.of(centers, rates)
            return _Line(Calculus(scale, Concrete(scale.denominator, self.epsilon), allowance), world)
        grid, unit = noise.grid or Fraction(1), program_unit(self.runs.program)
        ends = floor(min(centers) / grid) - 1, floor(max(centers) / grid) + 1
        if self.exact and self.q is not None:
            base = fmpq_of(self.q)
            return _OnGrid(LatticeCalculus(*ends, fmpq, lambda e: base**e, allowance), world, grid, unit)
        ball = (ball_of(-self.epsilon * unit)).exp() if self.q is None else ball_of(self.q)
        return _OnGrid(LatticeCalculus(*ends, arb, lambda e: ball**e, allowance), world, grid, unit)


def _inner(runs: Runs, orders: Iterable[tuple[int, ...]]) -> list[int]:
    """The segments that tests are about, and their tests, and so on: each after those of its tests."""
    tests, segments = list(runs.tests), list(runs.segments)
    found, waiting = set[int](), list({test for order in orders for test in order})
    while waiting:
        number = tests[waiting.pop()][1]
        if number not in found:
            found.add(number)
            waiting += segments[number].tests
    return sorted(found)


@dataclass(frozen=True, slots=True)
class _Line:
    """Piecewise functions of a real number."""

    calculus: Calculus[arb]
    world: int

    def density(self, own: Drawn) -> _Function:
        if own.is_fixed:
            return arb(1)
        return self.calculus.laplace(own.centers[self.world], own.left, own.right)

    def product(self, first: _Function, second: _Function) -> _Function:
        return first * second if isinstance(first, arb) else self.calculus.product(first, second)

    def passed(self, relation: str, child: Drawn, function: _Function, own: Drawn) -> _Function:
        calculus, center, z = self.calculus, child.centers[self.world], own.centers[self.world]
        above = relation in (">=", ">")
        if child.is_fixed and own.is_fixed:
            holds = (">=" in relation or "<=" in relation) if center == z else (center > z) == above
            return function if holds else arb(0)
        if child.is_fixed:
            ends = (None, center) if above else (center, None)
            return [{key: a * function for key, a in terms.items()} for terms in self._step(*ends)]
        made = calculus.above(function) if above else calculus.below(function)
        return calculus.constant(calculus.at(made, z)) if own.is_fixed else made

    def _step(self, low: Fraction | None, high: Fraction | None) -> Any:
        return self.calculus.within(self.calculus.one(), low, high)

    def total(self, function: _Function) -> arb:
        return (
            function if isinstance(function, arb) else self.calculus.constant(self.calculus.total(function))
        )


@dataclass(frozen=True, slots=True)
class _OnGrid:
    """Functions of a place of the grid, counted from the center of the sample, rounded down to the grid."""

    calculus: LatticeCalculus[Any]
    world: int
    grid: Fraction
    unit: Fraction

    def density(self, own: Drawn) -> _Function:
        left, right = (
            None if rate is None else int(rate * self.grid / self.unit) for rate in (own.left, own.right)
        )
        return self.calculus.weights(self._place(own)[0], left, right)

    def product(self, first: _Function, second: _Function) -> _Function:
        return self.calculus.product(first, second)

    def passed(self, relation: str, child: Drawn, function: _Function, own: Drawn) -> _Function:
        before, after = self._place(own)[1], self._place(child)[1]
        least = {"<": before <= after, "<=": before < after, ">=": after < before, ">": after <= before}
        if relation == "=":
            return self.calculus.product(function, self.calculus.number_if(before == after))
        side = self.calculus.up_to if relation in ("<", "<=") else self.calculus.from_on
        return side(function, int(least[relation]))

    def total(self, function: _Function) -> Any:
        found = self.calculus.constant(self.calculus.total(function))
        return fraction_of(found) if isinstance(found, fmpq) else found

    def _place(self, own: Drawn) -> tuple[int, Fraction]:
        """The point of the grid at or below a center, and the distance to it."""
        place = floor(own.centers[self.world] / self.grid)
        return place, own.centers[self.world] - place * self.grid


def nodes_for(runs: Runs, bits: int) -> NodeGrid | None:
    """Where functions of samples with Gaussian noise are computed; None if there are none.

    Raises NotSupported where they are compared with samples that have rates, or depend on two samples.
    """
    samples, tests, segments = list(runs.drawn), list(runs.tests), list(runs.segments)
    if all(sample.sigma is None for sample in samples):
        return None
    stored, tested, most = set[Fraction](), set[Fraction](), 0
    wanted = {number for ended in runs.ended for group, _ in ended.groups for number in group}
    beside = dict[int, list[Drawn]]()
    for number in wanted:
        inner = _inner(runs, [segments[number].tests])
        beside.setdefault(segments[number].stored, []).extend(samples[segments[n].stored] for n in inner)
    for number in wanted:
        segment = segments[number]
        own = samples[segment.stored]
        if (
            own.sigma is not None
            and beside[segment.stored]
            and all(x.is_fixed for x in beside[segment.stored])
        ):
            continue
        children = [segments[tests[test][1]] for test in segment.tests]
        if not own.sigma and not any(
            samples[segments[n].stored].sigma for n in _inner(runs, [segment.tests])
        ):
            continue
        if any(child.tests for child in children):
            raise NotSupported(
                "a sample with Gaussian noise is compared and stored; with Gaussian noise, two inputs are "
                "compared where samples are only compared with one that is stored",
                code="gaussian-in-a-row",
            )
        others = [samples[child.stored] for child in children]
        sigmas = [one.sigma for one in others if one.sigma is not None]
        if len(sigmas) < len(others) or (own.sigma is None and not own.is_fixed):
            raise NotSupported(
                "Gaussian noise is compared with noise of another kind; this question is answered where "
                "both are Gaussian",
                code="mixed-noise",
            )
        stored |= {own.sigma} - {None} if own.sigma is not None else set()
        tested |= set(sigmas)
        most = max(most, len(segment.tests))
    if not stored and not tested:
        return None
    return grid_for(sorted(stored or tested), min(tested or stored), most, bits)
