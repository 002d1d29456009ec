"""The simplex method in floating point took what rounding had left of 0 for a number to divide by.

Where many sources and sinks are exhausted at the same time, such as in rings of equal processes, its vertex
was far from the best one. Policy iteration then went up and down, and ended after 100 rounds.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from prover.exact.field import FLOATS, RATIONALS
from prover.exact.fmpq import fmpq_of
from prover.exact.packing import solve_packing
from prover.exact.packings import Packings, solve_packings

BOUNDS = ["1/8"] * 4 + ["3/20"] * 4
DIRECT, DETOUR = "6/5", "36/25"
COLUMNS = [
    (0, 4, "67/100", DIRECT),
    (0, 4, "69/100", DETOUR),
    (0, 6, "95/100", DETOUR),
    (0, 7, "67/100", DIRECT),
    (0, 7, "69/100", DETOUR),
    (1, 4, "77/100", DETOUR),
    (1, 5, "1", DIRECT),
    (1, 6, "1", DIRECT),
    (2, 4, "3/4", DIRECT),
    (2, 5, "1", DIRECT),
    (2, 6, "1", DIRECT),
    (3, 4, "69/100", DIRECT),
    (3, 5, "94/100", DIRECT),
    (3, 7, "67/100", DIRECT),
]
VALUES = [float(Fraction(value)) for _, _, value, _ in COLUMNS]


def best() -> float:
    bounds = [fmpq_of(Fraction(bound)) for bound in BOUNDS]
    columns = [(i, j, fmpq_of(Fraction(value)), fmpq_of(Fraction(gain))) for i, j, value, gain in COLUMNS]
    corner = solve_packing(bounds, columns, RATIONALS)
    return sum(VALUES[c] * int(amount.p) / int(amount.q) for c, amount in corner.amounts.items())


def test_one_program() -> None:
    bounds = [float(Fraction(bound)) for bound in BOUNDS]
    columns = [(i, j, float(Fraction(value)), float(Fraction(gain))) for i, j, value, gain in COLUMNS]
    corner = solve_packing(bounds, columns, FLOATS)
    assert abs(sum(VALUES[c] * amount for c, amount in corner.amounts.items()) - best()) < 1e-9


def test_programs_at_once() -> None:
    first, second, _, gains = zip(*COLUMNS, strict=True)
    bounds = np.array([[float(Fraction(bound)) for bound in BOUNDS]])
    numbers = np.array(VALUES), np.array([float(Fraction(gain)) for gain in gains])
    place = np.zeros(len(COLUMNS), dtype=int)
    found = solve_packings(Packings(bounds, place, np.array(first), np.array(second), *numbers))
    assert abs(float(found.amounts @ np.array(VALUES)) - best()) < 1e-9
