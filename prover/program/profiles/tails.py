"""The probability that noise is at least a number, as a ball."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from prover.exact.ball import ball_of
from prover.program.noise import Gaussian, Shape


def tail(noise: Shape, x: Fraction, epsilon: Fraction, step: Fraction) -> arb:
    """P[noise ≥ x], with rates in multiples of ε; on a grid of this step, with one rate or noise on one side,
    or of real numbers if the step is 0.
    """
    if isinstance(noise, Gaussian):
        return (ball_of(x / noise.sigma) / arb(2).sqrt()).erfc() / 2
    left, right = noise
    rate, other, far = (right, left, x) if x > 0 else (left, right, step - x)
    found = arb(0)
    if isinstance(rate, Fraction):
        found = ball_of(-rate * epsilon * far).exp()
        if isinstance(other, Fraction) and step:
            found /= 1 + ball_of(-rate * epsilon * step).exp()
        elif isinstance(other, Fraction):
            found *= ball_of(other / (rate + other))
    return found if x > 0 else 1 - found
