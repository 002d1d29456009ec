"""Losses of runs that are too long for their probabilities to be computed: from below, by their slope.

Let p(t) be the probability of a run on the inputs tΔ. It is log-concave in t (docs/theory_programs.md, remark
on Theorem C; noise with two rates has a log-concave density as well), so the loss between tΔ and (t+1)Δ,
ln p(t) − ln p(t+1), is at least that between any earlier neighbours, and so at least their mean
(ln p(0) − ln p(t)) / t. Here ln p(0) is bounded from below by explicit intervals for the samples, and ln p(t)
from above as in the proof of Theorem C, by dual variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from prover.errors import Fault
from prover.exact.ball import ball_of, bounds
from prover.graphs import strong_components
from prover.program.attack.probability import Interval
from prover.program.decision.blocks import RunStep
from prover.program.model import Edge, Program
from prover.program.optimum.weighed import constraints, stores_in_several

_BITS = 128
_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class TailSlope:
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


def slope_of(program: Program, steps: Sequence[RunStep]) -> TailSlope:
    """The slope of −ln p, by the dual variables of the steps. Raises Fault if they are not feasible."""
    loads = [_ZERO] * len(steps)
    far = _ZERO  # a gap that is output is at most 1, and its dual variable counts so often
    stored: dict[str, int] = {}
    for place, step in enumerate(steps):
        for dual, (relation, name) in zip(step.duals, step.edge.bounds, strict=False):
            own = -dual.constant if relation == ">=" else dual.constant
            loads[place] += own
            loads[stored[name]] -= own
            far += abs(own) if name in step.edge.gaps else 0
        stored.update(dict.fromkeys(step.edge.assign, place))
    slope, offset = _ZERO, far
    primes = []
    for step, load in zip(steps, loads, strict=True):
        state = program.states[step.edge.source]
        left, right = _rates(step.edge)
        difference = step.delta * step.edge.sensitivity
        if step.edge.pinned:
            rate = right if step.delta < 0 else left  # noise has to make up for the difference
            slope += rate * abs(difference)
            offset += abs(load) + rate * (1 + abs(state.mean))
        elif load > left or -load > right:
            raise Fault(f"the load of transition {step.edge.number} exceeds its rate")
        else:
            slope += load * difference
            offset -= load * state.mean
        if step.edge.primed and state.second is not None:
            prime, mean = state.second
            primes.append((prime, abs(difference), abs(mean)))
    return TailSlope(len(steps), slope, offset, tuple(primes))


def _chances(program: Program, steps: Sequence[RunStep], epsilon: Fraction) -> Iterator[arb]:
    """Factors whose product is at most p(0): the chances that samples lie in certain intervals.

    What is stored has an interval of its own in [−1, 1], on the sides of those before that the tests ask for;
    what is only compared may be anything between the intervals of what it is compared with. Where a gap is
    output all these are in [−1/2, 1/2], so that no gap is above 1.
    """
    levels = _levels(steps)
    lowest, highest = min(levels), max(levels)
    most = _ONE / 2 if any(step.edge.gaps for step in steps) else _ONE
    width = 2 * most / (highest - lowest + 3)  # room for one more interval on both sides
    stored: dict[str, Interval] = {}
    for step, level in zip(steps, levels, strict=True):
        state, guard = program.states[step.edge.source], step.edge.guard
        if step.edge.assigns:
            low: Fraction | None = -most + (level - lowest + 1) * width
            high: Fraction | None = -most + (level - lowest + 2) * width
        else:
            low = max((stored[name][1] for relation, name in guard if relation == ">="), default=None)
            high = min((stored[name][0] for relation, name in guard if relation == "<"), default=None)
            if step.edge.pinned or step.edge.gaps:
                low = -most if low is None else low
                high = most if high is None else high
        left, right = _rates(step.edge)
        yield _chance(low, high, state.mean, epsilon * left, epsilon * right)
        if step.edge.primed and state.second is not None:
            prime, mean = state.second
            yield _chance(-_ONE, _ONE, mean, epsilon * prime, epsilon * prime)
        if low is not None and high is not None:
            stored.update(dict.fromkeys(step.edge.assign, (low, high)))


def _levels(steps: Sequence[RunStep]) -> list[int]:
    """Where the interval of each step that stores is; 0 for other steps.

    With one variable counted from the first one's, each next to the one before. With several a step is above
    all those that the tests demand to be below it, with room between for what is only compared.
    """
    if stores_in_several(step.edge for step in steps):
        return [level if step.edge.assigns else 0 for step, level in zip(steps, heights(steps), strict=True)]
    levels, last = [], 0
    for step in steps:
        if step.edge.assigns:
            relation = step.edge.guard[0][0] if step.edge.guard else ""
            last += {"<": -1, ">=": 1, "": -last}[relation]
        levels.append(last if step.edge.assigns else 0)
    return levels


def heights(steps: Sequence[RunStep]) -> list[int]:
    """For each step the most steps of which each has to be below the next, up to it.

    Raises Fault where demands have a cycle.
    """
    above: dict[int, list[int]] = {place: [] for place in range(len(steps))}
    for own in constraints([step.edge for step in steps], tests_only=True):
        for smaller, larger in own:
            above[smaller].append(larger)
    levels = [0] * len(steps)
    for members in reversed(strong_components(above, above.__getitem__)):
        if len(members) > 1:
            raise Fault("no run of positive probability has these steps")
        for larger in above[members[0]]:
            levels[larger] = max(levels[larger], levels[members[0]] + 1)
    return levels


def _rates(edge: Edge) -> tuple[Fraction, Fraction]:
    """The rates to the left and to the right. Raises Fault where one is infinite."""
    if not (isinstance(edge.left, Fraction) and isinstance(edge.right, Fraction)):
        raise Fault(f"transition {edge.number} has no noise on a side")
    return edge.left, edge.right


def _chance(
    low: Fraction | None, high: Fraction | None, center: Fraction, left: Fraction, right: Fraction
) -> arb:
    """The chance that a sample with this center lies between two numbers.

    Its density falls like e^(−left·distance) below the center, and e^(−right·distance) above. Nothing
    cancels: on one side of the center it is the difference of two tails there.
    """

    def below(end: Fraction | None) -> arb:
        return _tail(None if end is None else center - end, left, right / (left + right))

    def above(end: Fraction | None) -> arb:
        return _tail(None if end is None else end - center, right, left / (left + right))

    if low is not None and low >= center:
        return above(low) - above(high)
    if high is not None and high <= center:
        return below(high) - below(low)
    return 1 - below(low) - above(high)


def _tail(distance: Fraction | None, rate: Fraction, share: Fraction) -> arb:
    """The chance to be farther from the center than this, on a side with this share; None is infinity."""
    return arb(0) if distance is None else ball_of(-rate * distance).exp() * ball_of(share)
