"""Numbers of FLINT over common denominators, against those of the standard library."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm, prod

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from prover.exact import fmpq as module
from prover.exact.fmpq import common_denominator, divisors_shared, fmpq_of, over_one_denominator, weighted_sum
from tests.profiles import examples

short = st.fractions(min_value=-9, max_value=9, max_denominator=30)
ratios = st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 60))


@given(st.lists(short, max_size=6))
@examples(60)
def test_the_least_common_denominator(numbers: list[Fraction]) -> None:
    numerators, denominator = over_one_denominator([fmpq_of(number) for number in numbers])
    assert denominator == lcm(*(number.denominator for number in numbers))
    assert [Fraction(int(n), int(denominator)) for n in numerators] == numbers


@given(st.lists(ratios, max_size=6))
@examples(60)
def test_denominators_of_ratios_in_no_lowest_terms(known: list[tuple[int, int]]) -> None:
    assert common_denominator((fmpz(n), fmpz(d)) for n, d in known) == lcm(*(d for _, d in known))


@pytest.mark.parametrize("limit", [0, 4_096])
@given(first=short, terms=st.lists(st.tuples(short, ratios), max_size=5), long=st.sampled_from([1, 3**50]))
@examples(60)
def test_sums(limit: int, first: Fraction, terms: list[tuple[Fraction, tuple[int, int]]], long: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_SHORT", limit)
        given_ = [(fmpq_of(weight), (fmpz(n), fmpz(d * long))) for weight, (n, d) in terms]
        above, below = weighted_sum(fmpq_of(first), given_)
    wanted = first + sum((weight * Fraction(n, d * long) for weight, (n, d) in terms), start=Fraction(0))
    assert below > 0
    assert Fraction(int(above), int(below)) == wanted
    assert not limit or gcd(int(above), int(below)) == 1


def test_what_weights_add_to_a_long_denominator_is_cancelled() -> None:
    long = fmpz(3) ** 4_000
    half = fmpq(1, 2)
    above, below = weighted_sum(fmpq(0), [(half, (fmpz(5), long)), (half, (fmpz(9), long))])
    assert (above, below) == (fmpz(7), long)


PRIMES = [2, 3, 5, 7, 11, 13, 17, 19]
factors = st.lists(st.sampled_from(PRIMES), max_size=8).map(prod)


@pytest.mark.parametrize("together", [1, 3, 64])
@given(
    rough=st.lists(st.sampled_from([2**89 - 1, 2**107 - 1, 2**127 - 1]), max_size=4).map(prod),
    smooth=factors,
    numbers=st.lists(
        st.tuples(st.integers(0, 10**9), factors, st.sampled_from([1, 2**89 - 1, (2**107 - 1) ** 2, 0]))
    ),
)
@examples(150)
def test_shared_divisors(together: int, rough: int, smooth: int, numbers: list[tuple[int, int, int]]) -> None:
    whole = rough * smooth
    wanted = {number: gcd(number, whole) for number in map(prod, numbers)}
    wanted |= {k * rough: gcd(k * rough, whole) for k in range(20)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_SHORT", 1)
        patched.setattr(module, "_TOGETHER", together)
        assert divisors_shared(map(fmpz, wanted), fmpz(whole)) == wanted


def test_shared_divisors_of_long_numbers() -> None:
    whole = fmpz(30) ** 12 * (fmpz(2) ** 9_689 - 1)
    numbers = [fmpz(k) ** 700 + 1 for k in range(2, 100)] + [whole // 30 * k for k in range(31)]
    assert divisors_shared(numbers, whole) == {n: n.gcd(whole) for n in numbers}
