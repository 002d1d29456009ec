"""Slopes of a search for inputs overflowed when they were multiplied, and users saw the warning of numpy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from prover.program.profiles.objectives import climbed


def test_no_warning_where_a_slope_is_steep_and_nearly_straight() -> None:
    def valued(point: Any) -> tuple[float, Any]:
        x = float(point[0])
        return 1e295 * x - 1e281 * x * x, np.array([1e295 - 2e281 * x])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        point, value = climbed(valued, np.array([0.0]), 1.0, 10)
    assert value > 5e294
    assert float(point[0]) > 0
