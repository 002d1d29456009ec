"""A system whose right-hand side is more than 2^1024 times as large as its matrix ended in OverflowError."""

from __future__ import annotations

import pytest
from flint import fmpq

from prover.exact.linear import solve


@pytest.mark.parametrize("size", [13, 40])
@pytest.mark.parametrize("digits", [-400, 400, 5000])
def test_solution_of_any_size(size: int, digits: int) -> None:
    rows = [{i: fmpq(3), (i + 1) % size: fmpq(1)} for i in range(size)]
    x = [fmpq(10) ** digits * (i + 1) for i in range(size)]
    right = [3 * x[i] + x[(i + 1) % size] for i in range(size)]
    assert solve(rows, right) == x
