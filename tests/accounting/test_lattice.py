"""Coprime bases, exponents, and powers by squaring."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import gcd, prod

from hypothesis import given
from hypothesis import strategies as st

from prover.accounting.lattice import composed, coprime_basis, exponents_of, valuation
from prover.accounting.power import power

numbers = st.lists(st.integers(1, 5000), max_size=8)


@given(numbers)
def test_a_basis_is_coprime_and_generates(given: list[int]) -> None:
    basis = coprime_basis(given)
    assert all(gcd(a, b) == 1 for a, b in combinations(basis, 2))
    assert all(b > 1 for b in basis)
    for number in given:
        exponents = exponents_of(Fraction(number), basis)
        assert prod(b**e for b, e in zip(basis, exponents, strict=True)) == number


@given(st.integers(2, 40), st.integers(0, 300), st.integers(1, 1000))
def test_valuations(factor: int, exponent: int, rest: int) -> None:
    while rest % factor == 0:
        rest //= factor
    assert valuation(factor**exponent * max(1, rest), factor) == (exponent, max(1, rest))


def test_ratios_of_one_only() -> None:
    assert composed([({Fraction(1): Fraction(1, 2)}, 3)]) == {1: Fraction(1, 8)}
    assert composed([({}, 3), ({Fraction(2): Fraction(1)}, 1)]) == {}


@given(st.integers(1, 1000))
def test_powers_have_so_many_factors(times: int) -> None:
    class Exponent(int):
        def __mul__(self, other: object) -> Exponent:
            return Exponent(self + int(str(other)))

    assert power(Exponent(1), times) == times
