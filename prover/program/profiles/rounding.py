"""Knots and values as integers, which certificates hold: numerators over KNOT and VALUE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

VALUE = 10**16
KNOT = 10**12
_HALF = VALUE // 2


def as_floats(numerators: Sequence[int], denominator: int) -> Any:
    """An array."""
    return np.array([n / denominator for n in numerators])


def convex_above(knots: Sequence[int], values: Any) -> list[int]:
    """Numerators of values that are as large in floats and fall ever less: raised, from the last on, by what
    rounding left. They are even: different ones are different floats, and rounding again changes nothing.
    """
    raised = [_even_above(float(value)) for value in values]
    for k in range(len(raised) - 2, -1, -1):
        least = raised[k + 1]
        if k + 2 < len(raised):
            fall, width = raised[k + 1] - raised[k + 2], knots[k + 2] - knots[k + 1]
            least -= -fall * (knots[k + 1] - knots[k]) // width
        raised[k] = max(raised[k], least)
    return [2 * half for half in raised]


def _even_above(value: float) -> int:
    """Half of the least even numerator whose float is at least the value, from 0 to about 1."""
    half = round(value * _HALF)
    while half / _HALF < value:
        half += 1
    while half > 0 and (half - 1) / _HALF >= value:
        half -= 1
    return half
