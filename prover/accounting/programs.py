"""Privacy loss distributions of threshold programs: from above by closed tables, from below by two inputs.

Reference: docs/theory_profiles.md, *Composition*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any

from prover.accounting.distribution import LossDistribution, given_times, tradeoffs_between
from prover.accounting.least_epsilon import DEFAULT_DELTA
from prover.accounting.moments import enclosed_divergence
from prover.accounting.tradeoff import TradeOff
from prover.accounting.zcdp import Concentration, concentration
from prover.certificate.schema import Json
from prover.errors import must_be
from prover.exact.divergence import RenyiDivergence, given_order
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational, largest_or_none
from prover.exact.readable import upper_text
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.canonical import program_model
from prover.program.model import Program
from prover.program.noise import Gaussian
from prover.program.profiles.above import Side, tables_of_many
from prover.program.profiles.below import few_steps
from prover.program.profiles.bounds import question_of
from prover.program.profiles.composed import PairLaw, pair_law
from prover.program.profiles.one_number import law_of_number
from prover.program.profiles.over_inputs import OverInputs, program_question
from prover.program.profiles.pure import Pure, pure_of
from prover.program.profiles.rounding import KNOT, VALUE
from prover.program.profiles.scope import obstacle_of, one_number
from prover.progress import Progress, silent
from prover.views import Lined

LEAST_TAIL = 1e-10
"""What rounding leaves of the bounds of tables far out, and more."""

PROGRAM_SLACKS = (Fraction(1, 1000), Fraction(1, 20))  # that upper ends of ρ may have
_BITS = 64  # to which the slopes of δ are rounded up
_FEW_STATES = 12  # of more states, a few inputs are looked for before tables

LossBounds = tuple[LossDistribution, LossDistribution]
"""A distribution that is dominated, and one that dominates."""

_FORWARD = {
    Adjacency.INCREASING: (Adjacency.INCREASING,),
    Adjacency.DECREASING: (Adjacency.DECREASING,),
    Adjacency.MONOTONIC: (Adjacency.DECREASING, Adjacency.INCREASING),
}
_BACKWARD = {Adjacency.INCREASING: Adjacency.DECREASING, Adjacency.DECREASING: Adjacency.INCREASING}


@dataclass(frozen=True, slots=True, repr=False)
class ProgramLosses(OverInputs, Lined):
    """Losses of one run of a threshold program with noise of ``at_epsilon``. ``tables``, one for each
    direction in which inputs differ, bound them for all neighbouring inputs, of at most ``steps`` numbers
    unless that is None; where there are none, an ε with δ = 0 does. ``pair`` is two of these inputs, or None.
    With discrete noise ``q`` may be e^(−ε·``unit``), and then ``at_epsilon`` is that ε, rounded up.

        >>> from prover.zoo import svt
        >>> losses = ProgramLosses.of(svt(), at_epsilon="1/10", steps=2)
        >>> ((lower, upper),) = losses.bounds()
        >>> 0 < lower.delta(1) < upper.delta(1) < Fraction(1, 20)
        True
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    tables: Mapping[str, Side]
    pair: PairLaw | None
    steps: int | None = None
    private: Privacy | None = field(default=None, repr=False, compare=False)
    """The answer about a run with δ = 0, for inputs that differ either way; None if there is no question, or
    if it is not for an observer who sees that a run stops."""
    q: Fraction | None = None
    uses_pure: bool = False
    """Whether that answer bounds the distributions that dominate, as the tables leave too much mass at ∞, or
    there are none."""

    @property
    def headline(self) -> str:
        """The noise, the neighbours, and a bound of δ of one run at α = 1, in a line."""
        high = max(one.delta(1) for _, one in self.bounds())
        name, number = ("epsilon", self.at_epsilon) if self.q is None else ("q", self.q)
        noise = f"{name} = {format_rational(number)}, {self.adjacency}"
        return f"a run at {noise}: delta_1 <= {upper_text(high)}"

    @staticmethod
    def of(
        program: Program,
        *,
        at_epsilon: Given | None = None,
        q: Given | None = None,
        adjacency: str = "all-differ",
        times: int = 1,
        delta: Given = DEFAULT_DELTA,
        steps: int | None = None,
        progress: Progress = silent,
        on_bounds: Callable[[ProgramLosses], None] | None = None,
    ) -> ProgramLosses:
        """The losses, with tables and inputs that are sharp where so many runs have about this δ > 0.

        ``at_epsilon``, ``q``, ``adjacency`` and ``steps`` are those of ``prover.delta``. ``on_bounds`` is
        called with what is known on the way: by an ε with δ = 0 alone, then, where states are many, with two
        short inputs, and by tables. Where programs have no table, an ε with δ = 0 alone bounds them. Raises
        BadOptions, BadValue, UnknownName, and NotSupported where there is no such ε either.
        """
        must_be(Program, program=program)
        asked, times = program_question(program, at_epsilon, q, adjacency, steps), given_times(times)
        given, noise = asked.adjacency, asked.at_epsilon
        wanted = given_rational(delta, "delta", "bad-question", more_than=0, at_most=1)
        obstacle = obstacle_of(program)
        shown, tail = one_number(program), max(LEAST_TAIL, float(wanted) / (100 * times))
        on_bounds = None if shown is not None else on_bounds
        pair_of = partial(pair_law, program, given, noise, times, wanted, q=asked.q, progress=progress)
        alone = ProgramLosses(program, given, noise, {}, None, steps, q=asked.q)._with_exact(
            progress, on_bounds
        )
        by_pure = alone.by_pure
        if obstacle is not None:
            if by_pure is None:
                raise obstacle
            return by_pure
        if on_bounds is not None and by_pure is not None and len(program.states) > _FEW_STATES:
            on_bounds(replace(by_pure, pair=pair_of(steps=few_steps(steps))))
        progress("closing a profile table", 0, None)
        tables = tables_of_many(program, given, noise, tail, steps, asked.q)
        leaves = any(Fraction(own.start[-1], VALUE) > tail for own in tables.values())
        found = replace(by_pure if leaves and by_pure is not None else alone, tables=tables)
        if shown is not None:
            return replace(found, pair=law_of_number(program, shown, given, noise, tail))
        if on_bounds is not None:
            on_bounds(found)
        return replace(found, pair=pair_of(steps=steps))

    def _with_exact(
        self, progress: Progress, on_bounds: Callable[[ProgramLosses], None] | None
    ) -> ProgramLosses:
        """With the answer about δ = 0, if there is one. ``on_bounds`` hears of what it proves without tables
        as soon as there is an ε, and again with smaller ones.
        """
        heard = set[Fraction | None]()

        def hear(exact: Pure) -> None:
            found = replace(self, private=exact.answer).by_pure
            if on_bounds is not None and found is not None and found.most not in heard:
                heard.add(found.most)
                on_bounds(found)

        on_better = hear if on_bounds is not None else lambda _: None
        exact = pure_of(self.program, self.adjacency, self.at_epsilon, progress, on_better)
        if exact is None:
            return self
        on_better(exact)
        return replace(self, private=exact.answer)

    @property
    def only_pure(self) -> bool:
        """Whether nothing else than an ε with δ = 0 bounds the distributions that dominate."""
        return self.uses_pure and not self.tables

    @property
    def by_pure(self) -> ProgramLosses | None:
        """The losses with bounds that use the ε with δ = 0, too; None if certificates cannot prove one."""
        return None if self.proof_pure is None else replace(self, uses_pure=True)

    @property
    def _exact(self) -> Pure | None:
        """The answer about δ = 0, if there is one, at this ε."""
        return None if self.private is None else Pure(self.private, self.at_epsilon)

    @property
    def pure(self) -> Fraction | None:
        """An ε at which a run is private with δ = 0, the least that is known; None if none is."""
        return None if self._exact is None else self._exact.epsilon

    @property
    def most(self) -> Fraction | None:
        """A number above 1 and not below e^ε for that ε; all ratios are from 1/it to it."""
        return None if self._exact is None else self._exact.most

    def bounds(self, *, forward: bool = True) -> tuple[LossBounds, ...]:
        """The distributions of a run: on inputs against their neighbours, or backward. There are two pairs if
        all inputs may increase or all decrease: the same in all runs.
        """
        first = self.adjacency if forward or not self.is_one_way else _BACKWARD[self.adjacency]
        return tuple((self._below(side), self._above(side)) for side in _FORWARD.get(first, (first,)))

    @property
    def is_one_way(self) -> bool:
        """Whether inputs only increase, or only decrease: from a neighbour it is the other way."""
        return self.adjacency in _BACKWARD

    def _above(self, side: Adjacency) -> LossDistribution:
        table = self.tables.get(side)
        points = () if table is None else zip(table.knots, table.start, strict=True)
        loss = LossDistribution.of_profile((Fraction(k, KNOT), Fraction(v, VALUE)) for k, v in points)
        return _with_pure(loss, self.most) if self.uses_pure and self.most is not None else loss

    def _below(self, side: Adjacency) -> LossDistribution:
        if self.pair is None:
            return LossDistribution.of_laws({0: 1}, {0: 1})
        forward = side not in _BACKWARD or self.pair.rises == (side == Adjacency.INCREASING)
        p, q = (dict(enumerate(side)) for side in zip(*self.pair.masses(forward=forward), strict=True))
        return LossDistribution.of_laws(p, q)

    @property
    def squared_shift(self) -> Fraction | None:
        """(Δ/σ)² of a program that shows one number with Gaussian noise of standard deviation σ, for inputs
        that differ by up to Δ; None of other programs.
        """
        shown = one_number(self.program)
        if shown is None or not isinstance(shown.noise, Gaussian):
            return None
        return (shown.sensitivity / shown.noise.sigma) ** 2

    def dominating(self, upper: LossDistribution) -> LossDistribution:
        """A distribution for all runs that ``upper`` dominates; no mass at ∞ where they have an exact ε."""
        return upper if self.uses_pure or self.most is None else _with_pure(upper, self.most)

    def renyi(self, order: Given) -> RenyiDivergence:
        """The largest Rényi divergence of a run over all neighbouring inputs, of a rational order above 1 or
        "inf", between two bounds: of the inputs that were found, and of what dominates all.

            >>> from prover.zoo import svt
            >>> ProgramLosses.of(svt(), at_epsilon="1/10", steps=2).renyi(2).upper < Fraction(1, 150)
            True

        Raises BadValue. Reference: docs/theory_divergences.md, *Threshold programs*.
        """
        at = given_order(order)
        lower, upper = self._both_ways
        low = [enclosed_divergence(one.law, one.infinite, at)[0] for one in lower]
        high = [enclosed_divergence(one.law, one.infinite, at)[1] for one in upper]
        return RenyiDivergence(at, largest_or_none(low), largest_or_none(high))

    def zcdp(self) -> Concentration:
        """The least ρ of zero-concentrated differential privacy of a run, for all neighbouring inputs; where
        no upper bound is known, of approximate zCDP.

            >>> from prover.zoo import svt
            >>> ProgramLosses.of(svt(), at_epsilon="1/10", steps=2).zcdp().upper < Fraction(1, 300)
            True

        Reference: docs/theory_divergences.md, *Threshold programs*.
        """
        lower, upper = self._both_ways
        low = concentration([(one.law, one.infinite) for one in lower], ())
        if low.lower is None:
            return Concentration(None, None)
        if any(one.infinite for one in upper):
            upper = [side for one in upper for side in (one, one.reverse)]
        high = concentration([(one.law, one.infinite) for one in upper], PROGRAM_SLACKS)
        return replace(high, lower=low.lower, at=low.at)

    def tradeoff(self) -> tuple[TradeOff, TradeOff]:
        """Two functions between which the trade-off function of a run is: the largest convex one that is not
        above the errors of any test of any neighbouring inputs.

            >>> from prover.zoo import svt
            >>> lower, upper = ProgramLosses.of(svt(), at_epsilon="1/10", steps=2).tradeoff()
            >>> upper.is_at_least(lower)
            True

        Reference: docs/theory_divergences.md, *Threshold programs*.
        """
        return tradeoffs_between(*self._both_ways)

    @property
    def _both_ways(self) -> tuple[Sequence[LossDistribution], Sequence[LossDistribution]]:
        """What is dominated, and what dominates where a run is private with δ = 0, on inputs against their
        neighbours and the other way round."""
        ways = (True, False) if self.is_one_way else (True,)
        sides = [own for way in ways for own in self.bounds(forward=way)]
        uppers = dict.fromkeys(upper for _, upper in sides)
        return [*dict.fromkeys(lower for lower, _ in sides)], [self.dominating(upper) for upper in uppers]

    @property
    def part(self) -> dict[str, Any]:
        """The program, as certificates hold it."""
        return question_of(self) | {"program": program_model(self.program)}

    @property
    def proof_above(self) -> dict[str, Any]:
        """The evidence for the distributions that dominate."""
        tables = {side: own.evidence for side, own in self.tables.items()}
        found: dict[str, Any] = {"tables": tables} if tables else {}
        return found | ({"pure": self.proof_pure} if self.uses_pure else {})

    @property
    def proof_pure(self) -> Json | None:
        """The evidence that they have no mass at ∞ (docs/certificates.md, 3.8); None if there is none."""
        return None if self._exact is None else self._exact.evidence

    @property
    def proof_below(self) -> dict[str, Any]:
        """The evidence for those that are dominated."""
        return {} if self.pair is None else {"inputs": self.pair.evidence}


def _with_pure(loss: LossDistribution, alpha: Fraction) -> LossDistribution:
    """What dominates all pairs that ``loss`` dominates and whose ratios are from 1/α to α."""
    most = {1 / alpha: 1 - 1 / alpha, alpha: Fraction(0)}
    inner = [atom.ratio for atom in loss.atoms if 1 / alpha < atom.ratio < alpha]
    chord = {ratio: (alpha - ratio) / (alpha + 1) for ratio in inner}
    points = {ratio: min(loss.delta(ratio), bound) for ratio, bound in (most | chord).items()}
    start = Fraction(0), Fraction(1)
    found = LossDistribution.of_profile([start, *sorted(points.items())])
    first, *before, last = [(atom.ratio, found.delta(atom.ratio)) for atom in found.atoms]
    raised = [last]
    for (low, value), (high, after) in reversed([*pairwise([*before, last])]):
        fall = ceil((value - after) / (high - low) * 2**_BITS)
        raised.append((low, raised[-1][1] + Fraction(fall, 2**_BITS) * (high - low)))
    return LossDistribution.of_profile([start, first, *reversed(raised)])
