"""The law of a number that a program shows and then ends, on two inputs, segment by segment of the line.

Reference: docs/theory_profiles.md, *Composition*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from statistics import NormalDist

from flint import arb, ctx

from prover.exact.ball import ball_of, bounds
from prover.program.adjacency import Adjacency
from prover.program.edge import Edge
from prover.program.model import Program
from prover.program.noise import Gaussian
from prover.program.profiles.composed import Outcome, PairLaw
from prover.program.profiles.rounding import VALUE

SEGMENTS = 256
_BITS = 160
_ROOM = Fraction(1, 10**18)  # for rounding in the checker
_PARTS = 1000  # of a standard deviation, that cuts are multiples of


def law_of_number(
    program: Program, edge: Edge, adjacency: Adjacency, at_epsilon: Fraction, tail: float
) -> PairLaw | None:
    """Two inputs as far apart as neighbours are, and how likely the number of the ``edge``, the only one that
    is shown, is in each segment; with Gaussian noise what is beyond the last cut has about the probability
    ``tail``. None where they prove nothing.
    """
    sensitivity, mean = program.noise.sensitivity, program.states[program.initial].mean
    far = edge.sensitivity * sensitivity
    both = (Fraction(0), far) if adjacency == Adjacency.INCREASING else (far, Fraction(0))
    rises = both[0] < both[1]
    if isinstance(edge.noise, Gaussian):
        sigma = edge.noise.sigma * sensitivity
        reach = far / 2 + sigma * Fraction(ceil(-NormalDist().inv_cdf(tail) * _PARTS), _PARTS)
        low, high = far / 2 - reach, far / 2 + reach
        chance = _normal_tail(sigma)
    else:
        low, high = Fraction(0), far
        chance = _laplace_tail(edge.rate * at_epsilon / sensitivity)
    cuts = [mean + low + (high - low) * k / SEGMENTS for k in range(SEGMENTS + 1)]
    with ctx.workprec(_BITS):
        tails = [[(1, 1), *(bounds(chance(cut - mean - x)) for cut in cuts), (0, 0)] for x in both]
    outcomes = [
        Outcome((), (*_rounded(*first), *_rounded(*second)))
        for first, second in zip(*(pairwise(own) for own in tails), strict=True)
    ]
    law = PairLaw((both[0],), (both[1],), tuple(outcomes[::-1] if rises else outcomes), cuts=tuple(cuts))
    for forward in (True, False):
        while len(law.outcomes) > 1 and not law.is_below(forward=forward):
            law = _shortened(law, first=forward)
    return law if len(law.outcomes) > 1 and law.is_below(forward=True) else None


def _rounded(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> tuple[int, int]:
    """The chance of a segment, from the tails at its ends."""
    low, high = one[0] - two[1] - _ROOM, one[1] - two[0] + _ROOM
    return max(0, floor(low * VALUE)), ceil(high * VALUE)


def _shortened(law: PairLaw, *, first: bool) -> PairLaw:
    """The law with the first two outcomes as one, or the last two."""
    cuts, (one, two, *others) = law.cuts or (), law.outcomes if first else law.outcomes[::-1]
    outcomes = (one + two, *others)
    return replace(
        law,
        outcomes=outcomes if first else outcomes[::-1],
        cuts=cuts[:-1] if first == law.rises else cuts[1:],
    )


def _normal_tail(sigma: Fraction) -> Callable[[Fraction], arb]:
    """P[noise ≥ x]."""
    return lambda x: (ball_of(x / sigma) / arb(2).sqrt()).erfc() / 2


def _laplace_tail(rate: Fraction) -> Callable[[Fraction], arb]:
    def tail(x: Fraction) -> arb:
        rest = ball_of(-abs(x) * rate).exp() / 2
        return rest if x > 0 else 1 - rest

    return tail
