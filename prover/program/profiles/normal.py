"""Lines below the curve of pairs of tails of Gaussian noise: rational, and close to tangents.

Reference: docs/theory_profiles.md, *Gaussian noise*.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, log

from flint import arb, ctx

from prover.errors import NotSupported

LINES = 33  # odd, so that one touches the curve in its middle
_FARTHEST = 6.0  # standard deviations from the middle of the curve that the last lines touch it
_STEEPEST = 16.0  # ln of the slope of the last line, at most
_POWER = 11  # the larger, the fewer lines are far out
_DENSE = 0.5  # how much closer lines are in the middle than they would be at equal distances
_LARGEST = 16  # ratio; beyond it the curve is within 10^-14 of the corner (1, 0)
_SMALLEST = Fraction(1, 10**15)
_TOUCH = 10**3  # parts of a touch
_PARTS = 10**28  # of slopes and heights
_BITS = 200

Tangent = tuple[Fraction, Fraction, Fraction]
"""The slope of a line, its height at 0, and t; it is close to the curve at (Φ(t), Φ(t − ratio))."""


def tangents(ratio: Fraction, alphas: Sequence[Fraction], count: int = LINES) -> list[Tangent]:
    """Lines below the curve (Φ(t), Φ(t − ratio)), ratio > 0, some of them of slopes near α and 1/α, and an
    odd ``count`` of others.

    Raises NotSupported where the ratio is so small that they could not be compared with the curve.
    """
    if ratio > _LARGEST:
        return [(slope, -slope, Fraction(0)) for slope in (Fraction(1, 2), Fraction(2))]
    if ratio < _SMALLEST:
        raise NotSupported(
            "sigma is more than 10^15 times a shift of the stored value; bounds on delta are for less noise",
            code="too-much-noise",
        )
    scale = float(ratio)
    farthest = min(_FARTHEST + scale / 2, _STEEPEST / scale)
    parts = [2 * k / (count - 1) - 1 for k in range(count)]
    places = [farthest * (_DENSE * x + (1 - _DENSE) * x**_POWER) for x in parts]
    asked = [(log(alpha.numerator) - log(alpha.denominator)) / scale for alpha in alphas]
    places += [sign * place for place in asked if place < farthest for sign in (-1, 1)]
    parts_of_touch = _TOUCH * max(1, round(1 / scale))
    touches = sorted({Fraction(round(place * parts_of_touch), parts_of_touch) for place in places})
    before, ctx.prec = ctx.prec, _BITS
    try:
        return [_tangent(ratio, ratio / 2 + touch) for touch in touches]
    finally:
        ctx.prec = before


def _tangent(ratio: Fraction, touch: Fraction) -> Tangent:
    slope = Fraction(_floor(_ball(ratio * touch - ratio * ratio / 2).exp() * _PARTS), _PARTS)
    height = _distribution(touch - ratio) - _ball(slope) * _distribution(touch)
    return slope, Fraction(_floor(height * _PARTS) - 1, _PARTS), touch


def _ball(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def _distribution(x: Fraction) -> arb:
    return (1 + (_ball(x) / arb(2).sqrt()).erf()) / 2


def _floor(x: arb) -> int:
    """The integer below a number, or one less where that is not clear."""
    mantissa, power = x.lower().man_exp()
    return floor(Fraction(int(mantissa)) * Fraction(2) ** int(power))
