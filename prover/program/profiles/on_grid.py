"""Two-sided geometric noise in floats: points with their probabilities, and the chance to pass a test."""

from __future__ import annotations

from typing import Any

import numpy as np

_FAR = 18.0  # e^−_FAR is left out
_MOST = 2_000  # points


def drawn(center: float, rates: tuple[float, float], grid: float) -> tuple[Any, Any]:
    """Points around a center that are on the grid, and their probabilities, together 1."""
    below, above = (min(int(_FAR / rate / grid), _MOST) if rate < np.inf else 0 for rate in rates)
    places = np.arange(-below, above + 1)
    left, right = (grid * rate if rate < np.inf else 0.0 for rate in rates)
    weights = np.exp(np.minimum(places, 0) * left - np.maximum(places, 0) * right)
    return center + grid * places, weights / weights.sum()


def passes(relation: str, above: Any, rates: tuple[float, float], grid: float) -> Any:
    """The probability that noise on the grid is <, <=, > or >= these numbers."""
    q, r = (np.exp(-grid * rate) for rate in rates)
    mass = 1 / (1 + q / (1 - q) + r / (1 - r))
    steps = above / grid
    first = np.floor(steps + 1e-9) + 1 if relation in ("<=", ">") else np.ceil(steps - 1e-9)
    high = mass * r ** np.maximum(first, 1) / (1 - r)
    low = mass * q ** (1 - np.minimum(first, 0)) / (1 - q)
    at_least = np.where(first > 0, high, 1 - low)
    return at_least if relation in (">=", ">") else 1 - at_least
