"""Losses of runs that are too long for their probabilities to be computed: from below, by their slope.

Let p(t) be the probability of a run on the inputs tΔ. It is log-concave in t (docs/theory_programs.md, remark
on Theorem C), so the loss between tΔ and (t+1)Δ, ln p(t) − ln p(t+1), is at least that between any earlier
neighbours, and so at least their mean (ln p(0) − ln p(t)) / t. Here ln p(0) is bounded from below by explicit
intervals for the samples, and ln p(t) from above as in the proof of Theorem C, by dual variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from prover.errors import Fault
from prover.exact.ball import ball_of, bounds
from prover.program.attack.probability import Interval
from prover.program.decision.pumping import RunStep
from prover.program.model import INSAMPLE, INSAMPLE_PRIME, Program

_BITS = 128
_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Slope:
    """What the upper bound of p(t) is made of, for a run of ``steps`` steps.

    Whatever 0 < θ ≤ 1, the samples satisfy guards and windows with probability at most θ^(−steps) ·
    e^(−ε(1−θ)(t·slope − offset)). ``primes`` are (rate', |Δ|, |mean'|) of steps that output insampleprime,
    which is in its window with probability at most ε·rate'·e^(−ε·rate'(t|Δ| − 1 − |mean'|)).
    """

    steps: int
    slope: Fraction
    offset: Fraction
    primes: tuple[tuple[Fraction, Fraction, Fraction], ...]

    def upper(self, t: int, epsilon: Fraction) -> arb:
        """A ball of which ln p(t) is below some point; numbers that are output lie in [−1, 1]."""
        depth = epsilon * (t * self.slope - self.offset)
        theta = min(Fraction(1), self.steps / depth) if depth > 0 else Fraction(1)
        value = -ball_of((1 - theta) * depth) - self.steps * ball_of(theta).log()
        for rate, delta, mean in self.primes:
            exponent = epsilon * rate * (t * delta - 1 - mean)
            if exponent > epsilon * rate:  # else 1 is a better bound, or nearly so
                value += ball_of(epsilon * rate).log() - ball_of(exponent)
        return value


def far_loss(program: Program, steps: Sequence[RunStep], epsilon: Fraction, t: int) -> Fraction:
    """A lower bound of the loss of a run between tΔ and (t+1)Δ, t ≥ 1; all numbers it outputs are in [−1, 1].

    ``steps`` are all steps of the run, with optimal dual variables. The bound tends to the run's cost,
    times ε.
    """
    with ctx.workprec(_BITS):
        start = sum((part.log() for part in _chances(program, steps, epsilon)), arb(0))
        return bounds((start - slope_of(program, steps).upper(t, epsilon)) / t)[0]


def slope_of(program: Program, steps: Sequence[RunStep]) -> Slope:
    """The slope of −ln p, by the dual variables of the steps. Raises Fault if they are not feasible."""
    loads = [_ZERO] * len(steps)
    stored = 0
    for place, step in enumerate(steps):
        sign = {"<": 1, ">=": -1, "": 0}[step.edge.relation]
        loads[place] += sign * step.dual.constant
        loads[stored] -= sign * step.dual.constant
        if step.edge.assigns:
            stored = place
    slope, offset = _ZERO, _ZERO
    primes = []
    for step, load in zip(steps, loads, strict=True):
        state = program.states[step.edge.source]
        if step.edge.output == INSAMPLE:
            slope += state.rate * abs(step.delta)
            offset += abs(load) + state.rate * (1 + abs(state.mean))
            continue
        if abs(load) > state.rate:
            raise Fault(f"the load of transition {step.edge.number} exceeds its rate")
        slope += load * step.delta
        offset -= load * state.mean
        if (
            step.edge.output == INSAMPLE_PRIME
            and state.rate_prime is not None
            and state.mean_prime is not None
        ):
            primes.append((state.rate_prime, Fraction(abs(step.delta)), abs(state.mean_prime)))
    return Slope(len(steps), slope, offset, tuple(primes))


def _chances(program: Program, steps: Sequence[RunStep], epsilon: Fraction) -> Iterator[arb]:
    """Factors whose product is at most p(0): the chances that samples lie in certain intervals.

    What is stored has an interval of its own in [−1, 1], on the side of the one before that the guard asks
    for; what is only compared may be anything beyond the interval of what is stored.
    """
    levels = _levels(steps)
    lowest, highest = min(levels), max(levels)
    width = Fraction(2, highest - lowest + 3)  # room for one more interval on both sides
    stored: Interval = (_ZERO, _ZERO)
    for step, level in zip(steps, levels, strict=True):
        state = program.states[step.edge.source]
        low: Fraction | None = None
        high: Fraction | None = None
        if step.edge.assigns:
            low = -1 + (level - lowest + 1) * width
            high = low + width
        else:
            if step.edge.relation == "<":
                high = stored[0]
            elif step.edge.relation:
                low = stored[1]
            if step.edge.output == INSAMPLE:
                low = -_ONE if low is None else low
                high = _ONE if high is None else high
        yield _chance(low, high, state.mean, epsilon * state.rate)
        if (
            step.edge.output == INSAMPLE_PRIME
            and state.rate_prime is not None
            and state.mean_prime is not None
        ):
            yield _chance(-_ONE, _ONE, state.mean_prime, epsilon * state.rate_prime)
        if step.edge.assigns and low is not None and high is not None:
            stored = low, high


def _levels(steps: Sequence[RunStep]) -> list[int]:
    """Where the interval of each step that stores is, counted from the first one's; 0 for other steps."""
    levels, last = [], 0
    for step in steps:
        if step.edge.assigns:
            last += {"<": -1, ">=": 1, "": -last}[step.edge.relation]
        levels.append(last if step.edge.assigns else 0)
    return levels


def _chance(low: Fraction | None, high: Fraction | None, center: Fraction, rate: Fraction) -> arb:
    """The chance that a Laplace sample with this center and e^(−rate·distance) lies between two numbers."""
    above = arb(1) if high is None else _below(high - center, rate)
    return above if low is None else above - _below(low - center, rate)


def _below(distance: Fraction, rate: Fraction) -> arb:
    tail = ball_of(-rate * abs(distance)).exp() / 2
    return tail if distance < 0 else 1 - tail
