"""Between Rényi divergences, zCDP, Gaussian differential privacy and (ε, δ): inequalities, rounded outward.

Reference: docs/theory_divergences.md, *Conversions*.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, log1p

from flint import arb, ctx

from prover.exact.ball import ball_of, bounds
from prover.exact.divergence import RenyiDivergence
from prover.exact.exponential import enclosed_logarithm
from prover.exact.given import Given, given_rational
from prover.exact.rational import decimal_above, decimal_below, round_outward

DIGITS = 12
"""Decimals of what is returned, rounded outward."""

_BITS = 256
_HALVINGS = 60


def epsilon_of_renyi(divergence: RenyiDivergence, delta: Given) -> Fraction | None:
    """An ε that follows for this δ > 0 from the upper end of a divergence; None if that is ∞.

        >>> from prover.accounting.distribution import LossDistribution
        >>> str(float(epsilon_of_renyi(LossDistribution.randomised_response("1/2").renyi(8), "1/100")))
        '0.862514938409'

    Raises BadValue.
    """
    bound = _delta(delta)
    if divergence.moment_upper is None:
        return None
    if divergence.order is None:
        return enclosed_logarithm(divergence.moment_upper, DIGITS)[1]
    with ctx.workprec(_BITS):
        steps = ball_of(divergence.order - 1)
        own = ball_of(divergence.moment_upper).log() / steps
        return _up(own + _rest(divergence.order, bound))


def epsilon_of_zcdp(rho: Given, delta: Given) -> Fraction:
    """An ε that follows for this δ > 0 from ρ-zCDP: from a good order, as it does from every one.

        >>> str(float(epsilon_of_zcdp("1/10", "1/1000000")))
        '2.141938928386'

    Raises BadValue.
    """
    number, bound = given_rational(rho, "rho", "bad-question", at_least=0), _delta(delta)

    number_near = float(number)

    def guess(power: float) -> float:
        a = 1 + float(2.0**power)
        return float(a * number_near + log1p(-1 / a) - (log(bound) + log(a)) / (a - 1))

    low, high = -20.0, 60.0
    for _ in range(_HALVINGS):  # what is minimised falls, and then rises
        one, two = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, two) if guess(one) <= guess(two) else (one, high)
    order = 1 + Fraction(int(2 ** ((low + high) / 2 + 24)), 2**24)
    with ctx.workprec(_BITS):
        return _up(ball_of(order * number) + _rest(order, bound))


def zcdp_of_epsilon(epsilon: Given) -> tuple[Fraction, Fraction]:
    """Decimals around the least ρ of all ε-differentially private mechanisms, ε·tanh(ε/2).

        >>> [str(float(end)) for end in zcdp_of_epsilon(1)]
        ['0.46211715726', '0.462117157261']

    Raises BadValue.
    """
    number = given_rational(epsilon, "epsilon", "bad-question", at_least=0)
    with ctx.workprec(_BITS):
        return round_outward(*bounds(ball_of(number) * ball_of(number / 2).tanh()), DIGITS)


def gaussian_of_epsilon(epsilon: Given) -> tuple[Fraction, Fraction]:
    """Decimals around the least μ of all ε-differentially private mechanisms.

        >>> [str(float(end)) for end in gaussian_of_epsilon(1)]
        ['1.232035385344', '1.232035385345']

    Raises BadValue.
    """
    number = given_rational(epsilon, "epsilon", "bad-question", at_least=0)
    with ctx.workprec(_BITS):
        tail = 2 / (1 + ball_of(number).exp())  # 2 Φ(−μ/2)
        low, high = bounds(2 * arb(2).sqrt() * tail.erfcinv())
    return decimal_below(max(Fraction(0), low), DIGITS), decimal_above(max(Fraction(0), high), DIGITS)


def zcdp_of_gaussian(mu: Given) -> Fraction:
    """The ρ that follows from μ: μ²/2, and no smaller one. Raises BadValue.

    >>> zcdp_of_gaussian("1/2")
    Fraction(1, 8)
    """
    return given_rational(mu, "mu", "bad-question", at_least=0) ** 2 / 2


def delta_of_gaussian(mu: Given, epsilon: Given) -> tuple[Fraction, Fraction]:
    """Bounds of δ at ε of N(0, 1) and N(μ, 1), μ > 0, which is what follows from μ.

        >>> low, high = delta_of_gaussian(1, 1)
        >>> float(low), high - low < Fraction(1, 10**20)
        (0.12693673750664394, True)

    Raises BadValue.
    """
    shift = given_rational(mu, "mu", "bad-question", more_than=0)
    number = given_rational(epsilon, "epsilon", "bad-question", at_least=0)
    with ctx.workprec(_BITS):
        low, high = bounds(_gaussian_delta(shift, number))
    return max(Fraction(0), low), min(Fraction(1), high)


def epsilon_of_gaussian(mu: Given, delta: Given) -> Fraction:
    """An ε that follows for this δ > 0 from μ > 0: the least decimal that is found by halving.

        >>> str(float(epsilon_of_gaussian(1, "1/1000000")))
        '4.886554117463'

    Raises BadValue.
    """
    shift, bound = given_rational(mu, "mu", "bad-question", more_than=0), _delta(delta)
    scale = 10**DIGITS

    def is_enough(number: int) -> bool:
        return bounds(_gaussian_delta(shift, Fraction(number, scale)))[1] <= bound

    with ctx.workprec(_BITS):
        low, high = -1, scale
        while not is_enough(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
    return Fraction(high, scale)


def _delta(given: Given) -> Fraction:
    return given_rational(given, "delta", "bad-question", more_than=0, at_most=1)


def _rest(order: Fraction, delta: Fraction) -> arb:
    """ln((a − 1)/a) − (ln δ + ln a)/(a − 1)."""
    return ball_of((order - 1) / order).log() - ball_of(delta * order).log() / ball_of(order - 1)


def _up(ball: arb) -> Fraction:
    return decimal_above(max(Fraction(0), bounds(ball)[1]), DIGITS)


def _gaussian_delta(mu: Fraction, epsilon: Fraction) -> arb:
    away, half = ball_of(epsilon / mu), ball_of(mu / 2)
    return _normal(half - away) - ball_of(epsilon).exp() * _normal(-half - away)


def _normal(x: arb) -> arb:
    """Φ."""
    return (-x / arb(2).sqrt()).erfc() / 2
