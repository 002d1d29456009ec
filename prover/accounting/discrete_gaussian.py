"""Discrete Gaussian noise on an integer, between two laws in rational numbers.

Reference: docs/accounting.md, *Discrete Gaussian noise*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb, ctx

from prover.accounting.distribution import LossDistribution
from prover.accounting.outcomes import UNIT, dominated, dominating
from prover.errors import BadValue
from prover.exact.ball import ball_of, bounds
from prover.exact.given import Given, given_integer, given_rational

MOST_PLACES = 10_000

_REACH = 14  # standard deviations, beyond which probabilities are less than a unit
_BITS = 256
_SPREAD = 2  # units between which a probability is
_ROOM = Fraction(1, 2**40)  # of a unit, for checkers with fewer bits


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """The loss of a run: ``upper`` dominates it, and it dominates ``lower``."""

    lower: LossDistribution
    upper: LossDistribution

    @staticmethod
    def of(sigma: Given, sensitivity: int) -> DiscreteGaussian:
        """Of noise x, an integer, with probability proportional to e^(−x²/2σ²), on inputs that differ by
        ``sensitivity``. Raises BadValue.

            >>> law = DiscreteGaussian.of(2, 1)
            >>> low, high = law.lower.delta(1), law.upper.delta(1)
            >>> low <= high < low + Fraction(1, 10**30), float(high)
            (True, 0.19947114020071635)
        """
        deviation = given_rational(sigma, "sigma", "bad-mechanism", more_than=0)
        far = given_integer(sensitivity, "sensitivity")
        if far < 1 or _last(deviation, far) > MOST_PLACES:
            raise BadValue(
                "the sensitivity of discrete Gaussian noise is an integer from 1 on, and together with "
                f"{_REACH} sigma it is less than {MOST_PLACES:,}",
                code="bad-mechanism",
            )
        units = chances(deviation, far)
        places = [(units[abs(x)], units[abs(x - far)]) for x in range(far - len(units) + 1, len(units))]
        return DiscreteGaussian(dominated((p, q + _SPREAD) for p, q in places), dominating(places))


def chances(sigma: Fraction, far: int) -> list[int]:
    """Of the noise to be 0, 1, …: so many units at least, and two more at most. Certificates hold them
    (docs/certificates.md, 3.8).
    """
    last = _last(sigma, far)
    with ctx.workprec(_BITS):
        weights = [_weight(Fraction(k), sigma) for k in range(last + 1)]
        whole = _whole(weights, sigma)
        return [max(0, floor(bounds(weight / whole * UNIT)[0] - _ROOM)) for weight in weights]


def moment_share(sigma: Fraction, far: int, order: Fraction) -> tuple[Fraction, Fraction]:
    """Two numbers between which Σ P^a Q^(1−a) is as a part of that of Gaussian noise; it is at most 1, and is
    that at integer orders.

        >>> low, high = moment_share(Fraction(1, 2), 1, Fraction(3, 2))
        >>> round(float(low), 6), high - low < Fraction(1, 10**30)
        (0.97164, True)

    Reference: docs/accounting.md, *Discrete Gaussian noise*.
    """
    center = (1 - order) * far % 1
    if center == 0:
        return Fraction(1), Fraction(1)
    last = places(sigma)
    with ctx.workprec(_BITS):
        near = sum((_weight(k - center, sigma) for k in range(-last, last + 1)), arb(0))
        weights = [_weight(Fraction(k), sigma) for k in range(last + 1)]
        whole = _whole(weights, sigma)
        beyond = 2 * weights[-1] / (1 - ball_of(-last / sigma**2).exp())  # at most: k + c is at least last
        low, high = bounds(near / whole)[0], bounds((near + beyond) / whole)[1]
    return low, min(Fraction(1), high)


def places(sigma: Fraction) -> int:
    """How far from 0 is looked, for moments."""
    return _last(sigma, 0)


def _weight(place: Fraction, sigma: Fraction) -> arb:
    return ball_of(-((place / sigma) ** 2) / 2).exp()


def _whole(weights: Sequence[arb], sigma: Fraction) -> arb:
    """The sum over all integers, of which there are the weights of 0, 1, …."""
    step = ball_of(-(len(weights) - 1) / sigma**2).exp()
    beyond = 2 * weights[-1] * step / (1 - step)  # at most: (last + k)² ≥ last² + 2·last·k
    return 2 * sum(weights[1:], weights[0] / 2) + beyond * arb(0.5, 0.5)


def _last(sigma: Fraction, far: int) -> int:
    """The last place that is looked at."""
    return far + ceil(_REACH * sigma) + 1
