"""Sums of exponentials: integrals, how many terms, and how they are rounded."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from prover.certificate.check import RuleBroken, TooLarge
from prover.certificate.check.budget import Budget
from prover.certificate.check.profiles import line, sums

ZERO, ONE, TWO = Fraction(0), Fraction(1), Fraction(2)


def work() -> Budget:
    return Budget(0)


def terms(*numbers: tuple[int, int, int, int]) -> line.Terms:
    """Rate, power, constant, and number."""
    return line.added((Fraction(r), k, Fraction(c), Fraction(x)) for r, k, c, x in numbers)


def test_infinite_integrals() -> None:
    """Functions that do not fall off to both sides."""
    rising, flat, falling = (terms((rate, 0, 0, 1)) for rate in (1, 0, -1))
    places = line.Line([ZERO], work())
    for function in ([flat, {}], [falling, {}], [{}, flat], [{}, rising]):
        with pytest.raises(RuleBroken, match="an infinite integral"):
            places.total(function)
    assert list(places.total([rising, falling]).terms) == [(ZERO, TWO)]


def test_powers_are_integrated() -> None:
    """∫ z² e^(2z) and ∫ z from 1 to 2."""
    places = line.Line([ONE, TWO], work())
    total = places.total([{}, terms((2, 2, 0, 1), (0, 1, 0, 1)), {}])
    assert dict(total.terms) == {ZERO: Fraction(3, 2), Fraction(4): Fraction(5, 4), TWO: Fraction(-1, 4)}


def test_equal_exponents_are_added() -> None:
    total = sums.Sum((ONE, Fraction(9)))
    sums.add(total, sums.Sum((ONE, Fraction(-4)), (TWO, TWO)), work())
    assert list(total.terms) == [(ONE, Fraction(5)), (TWO, TWO)]
    square = [(TWO, Fraction(25)), (Fraction(3), Fraction(20)), (Fraction(4), Fraction(4))]
    assert list(sums.times(total, total, work()).terms) == square


def test_terms_that_cancel() -> None:
    plus, minus = terms((0, 0, 0, 1), (0, 0, 1, 1)), terms((0, 0, 0, 1), (0, 0, 1, -1))
    found = line.Line([], work()).product([plus], [minus])
    assert found == [terms((0, 0, 0, 1), (0, 0, 2, -1))]


def test_how_many_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (line, sums):
        monkeypatch.setattr(module, "MOST_TERMS", 3)
    three, two = (terms(*((k, 0, 0, 1) for k in own)) for own in ((1, 2, 4), (0, 1)))
    places = line.Line([], work())
    assert places.product([three], [terms((0, 0, 0, 1))]) == [three]
    with pytest.raises(TooLarge, match="a function of more than 3 terms"):
        places.product([three], [two])
    with pytest.raises(TooLarge, match="a sum of more than 3 terms"):
        places.plus(sums.Sum((Fraction(9), ONE)), three, ONE, 1)
    many = sums.Sum(*((rate, number) for rate, _, _, number in three.values()))
    with pytest.raises(TooLarge, match="a sum of more than 3 terms"):
        sums.add(many, sums.Sum((Fraction(9), ONE)), work())
    with pytest.raises(TooLarge, match="a product of more than 3 terms"):
        sums.times(many, sums.Sum(*((rate, number) for rate, _, _, number in two.values())), work())


@pytest.mark.parametrize("x", ["0", "1/2", "-1/2", "1", "-1", "7/3", "-50", "50", "1/1000000", "-12345/7"])
@pytest.mark.parametrize("bits", [1, 8, 64, 200])
def test_exponentials(x: str, bits: int) -> None:
    """Next to a longer one, and never beside it."""
    number, found = Fraction(x), sums.Exponentials(bits, work())
    low, high = found.exponential(number)
    below, above = sums.Exponentials(bits + 100, work()).exponential(number)
    assert low <= high <= low + 2
    assert low << 100 <= below <= above <= high << 100
    assert found.exponential(number) == (low, high)
    if abs(number) < 60 and bits == 200:
        assert low / 2**bits == pytest.approx(exp(number))


@pytest.mark.parametrize(
    ("x", "bits", "ends"),
    [
        ("10190/4001", 18, (3346790, 3346792)),  # the end of the series, and squares rounded up
        ("559619/1000003", 3, (13, 15)),  # squares rounded down
        ("-28768/100003", 2, (2, 4)),  # each end divided by the other one
        ("0", 1, (2, 2)),
    ],
)
def test_each_step_is_rounded_outward(x: str, bits: int, ends: tuple[int, int]) -> None:
    """Numbers so near to the next multiple that the other way of rounding gives another one."""
    assert sums.Exponentials(bits, work()).exponential(Fraction(x)) == ends


def test_sums_are_rounded_outward() -> None:
    found = sums.Exponentials(8, work())
    one, many = Fraction(1), sums.Sum((Fraction(1), Fraction(1)), (Fraction(-1), Fraction(-1)))
    low, high = found.enclosed(many)
    (a, b), (c, d) = found.exponential(one), found.exponential(-one)
    assert (low, high) == (Fraction(a - d, 256), Fraction(b - c, 256))
    assert low < exp(1) - exp(-1) < high
