"""The normal distribution function is enclosed, narrowly, wherever it is asked for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from prover.certificate.check.budget import Budget
from prover.certificate.check.profiles.normal import DIGITS, HEIGHT, distribution, is_below
from prover.certificate.check.reading import Rejected


def exact(x: Fraction) -> arb:
    ball = arb(x.numerator) / x.denominator
    return (1 + (ball / arb(2).sqrt()).erf()) / 2


@pytest.fixture(autouse=True)
def precise() -> object:
    before, ctx.prec = ctx.prec, 3000
    yield
    ctx.prec = before


def encloses(x: Fraction, bits: int) -> None:
    low, high = distribution(x, bits, Budget(0))
    value = exact(x) * arb(2) ** bits
    assert 0 <= low <= high <= 2**bits
    assert arb(low) <= value <= arb(high)
    assert high - low <= 2


@given(st.fractions(-40, 40, max_denominator=10**9), st.integers(1, 300))
def test_everywhere(x: Fraction, bits: int) -> None:
    encloses(x, bits)


@pytest.mark.parametrize("bits", [1, 8, 40, 120, 300])
def test_on_either_side_of_the_far_tail(bits: int) -> None:
    edge = Fraction(25 * bits, 18)
    root = Fraction(int((edge * 10**12).__float__() ** 0.5), 10**6)
    for step in range(-3, 4):
        for sign in (1, -1):
            encloses(sign * (root + Fraction(step, 10**6)), bits)


@pytest.mark.parametrize("text", ["0", "1/1000000000000000000", "-1/1000000000000000000", "1/3", "-8"])
def test_small_numbers_and_large(text: str) -> None:
    for bits in range(1, 301, 13):
        encloses(Fraction(text), bits)


def test_the_height_of_the_density() -> None:
    height = 1 / (2 * arb.pi()).sqrt() * DIGITS
    assert arb(HEIGHT) < height < arb(HEIGHT + 1)


def test_limits() -> None:
    for bits in (0, 301):
        with pytest.raises(Rejected):
            distribution(Fraction(1), bits, Budget(0))
    poor = Budget(0)
    poor.units = 1000
    with pytest.raises(Rejected):
        distribution(Fraction(1), 100, poor)


def least_height(m: Fraction, ratio: Fraction) -> arb:
    """Of the lines of this slope that are above the curve somewhere."""
    slope, r = arb(m.numerator) / m.denominator, arb(ratio.numerator) / ratio.denominator
    t = slope.log() / r + r / 2
    return (-(t - r) / arb(2).sqrt()).erfc() / 2 - slope * (-t / arb(2).sqrt()).erfc() / 2


@given(
    st.fractions(Fraction(1, 1000), 4, max_denominator=1000),
    st.fractions(-5, 5, max_denominator=1000),
    st.fractions(-3, 3, max_denominator=1000),
)
def test_lines_below_the_curve(ratio: Fraction, touch: Fraction, off: Fraction) -> None:
    """Whatever place is named: lines that are accepted are below, and close ones are accepted near it."""
    power = float(ratio * touch - ratio * ratio / 2)
    m = Fraction(2.718281828459045**power).limit_denominator(10**12)
    least = least_height(m, ratio)
    for digits in (1, 3, 6, 9, 12):
        for sign in (1, -1):
            c = Fraction(float(least) + sign * 10.0**-digits)
            for t in (touch, touch + off):
                if is_below((m, c), t, ratio, Budget(0)):
                    assert m + c <= 0 or arb(c.numerator) / c.denominator <= least
                else:
                    assert sign > 0 or t != touch or digits > 9


def test_a_line_that_touches_too_far_out() -> None:
    assert is_below((Fraction(1), Fraction(-1)), Fraction(-10_000), Fraction(1), Budget(0))
    with pytest.raises(Rejected):
        is_below((Fraction(1), Fraction(-1, 2)), Fraction(-100), Fraction(1), Budget(0))
