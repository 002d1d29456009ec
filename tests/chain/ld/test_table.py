"""Tables of distances over one denominator, against rationals."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from flint import fmpz

from prover.chain.ld.table import DistanceValues


@pytest.mark.parametrize("long", [7, 2**9_689 - 1], ids=["short", "long"])
def test_values_are_in_lowest_terms(long: int) -> None:
    """The first of them one by one, the others together."""
    denominator = 36 * long
    numerators = [0, 1, 6, long, 5 * long, 36 * long, *(6 * k**3 for k in range(2, 30)), 1]
    pairs = [*permutations(range(7), 2)][: len(numerators)]
    table = DistanceValues(
        fmpz(denominator), {pair: fmpz(n) for pair, n in zip(pairs, numerators, strict=True)}
    )
    for pair, numerator in zip(pairs, numerators, strict=True):
        value, wanted = table.value(pair), Fraction(numerator, denominator)
        assert (value.numerator, value.denominator) == (wanted.numerator, wanted.denominator)
