"""What a pair of inputs is worth, with derivatives by the probabilities of its runs; and climbing, in floats.

Reference: docs/theory_profiles.md, *One pair of inputs* and *Composition*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

_KNOWN = 8  # steps that the next one is made of
_SHARES = (1.0, 0.25, 0.06, 0.015)
_LEAST = 1e-4  # of the rise that a step promises
_FLAT = 1e-12
_ORDERS = np.geomspace(0.25, 500.0, 24)  # less 1
_TINY = 1e-300

WithDerivatives = tuple[float, Any, Any]
"""A value, and its derivatives by the probabilities on the inputs and on the neighbour."""
Objective = Callable[[Any, Any, Any], WithDerivatives]
"""What two laws of runs are worth, by an event of them, or by the best one if that is None."""


def gain_at(alpha: float) -> Objective:
    """The gain of an event: δ at α, if it is the best one."""

    def gain(p: Any, q: Any, event: Any) -> WithDerivatives:
        gains = p - alpha * q
        own = (gains > 0 if event is None else event).astype(float)
        return float(gains @ own), own, -alpha * own

    return gain


def needed_by(times: int, delta: float) -> Objective:
    """The ε that so many runs need: the least (n·K(t) + ln 1/δ)/t over some t, K(t) = ln Σ p (p/q)^t; less
    what is needed where nothing is revealed. The event plays no part.
    """
    wanted = -np.log(delta)

    def needed(p: Any, q: Any, _: Any) -> WithDerivatives:
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        powers = np.log(p) + _ORDERS[:, None] * np.log(p / q)
        tops = powers.max(axis=1)
        shares = np.exp(powers - tops[:, None])
        totals = shares.sum(axis=1)
        all_needed = (times * np.maximum(tops + np.log(totals), 0.0) + wanted) / _ORDERS
        best = int(all_needed.argmin())
        order, share = _ORDERS[best], shares[best] / totals[best]
        value = float(all_needed[best] - (wanted / _ORDERS).min())
        return value, times / order * (1 + order) * share / p, -times * share / q

    return needed


@np.errstate(over="ignore", invalid="ignore")
def climbed(
    valued: Callable[[Any], tuple[float, Any]], start: Any, scale: float, steps: int
) -> tuple[Any, float]:
    """A point with a larger value, and its value: some steps of the method L-BFGS; ``scale`` is the first.

    Where numbers are too large for floats no step leads to a larger value, and the point is the last one.
    """
    point, (value, slope) = start, valued(start)
    known: deque[tuple[Any, Any, float]] = deque(maxlen=_KNOWN)
    for _ in range(steps):
        way, shares = slope.copy(), []
        for moved, fallen, product in reversed(known):
            shares.append(float((moved * way).sum()) / product)
            way -= shares[-1] * fallen
        if known:
            moved, fallen, product = known[-1]
            way *= product / float((fallen * fallen).sum())
        else:
            way *= scale / max(float(np.abs(slope).max()), _FLAT)
        for moved, fallen, product in known:
            way += (shares.pop() - float((fallen * way).sum()) / product) * moved
        rise = float((way * slope).sum())
        for share in _SHARES:
            after, there = point + share * way, valued(point + share * way)
            if there[0] > value + _LEAST * share * rise:
                break
        else:
            break
        moved, fallen = after - point, slope - there[1]
        product = float((moved * fallen).sum())
        if product > 0:
            known.append((moved, fallen, product))
        point, (value, slope) = after, there
    return point, value
