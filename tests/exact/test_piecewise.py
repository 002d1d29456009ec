"""Piecewise exponential polynomials, against numerical integration and identities."""

from fractions import Fraction
from random import Random

import mpmath
import pytest
from flint import ctx, fmpq

from prover.exact import piecewise
from prover.exact.ball import bounds
from prover.exact.exponential_sum import ExponentialSum
from prover.exact.piecewise import Calculus, Concrete, Formal, Pieces, TermScale, TooManyTerms

F = Fraction
RATES = [F(1, 2), F(1), F(1), F(2), F(2, 3)]
POINTS = [F(-2), F(-1, 2), F(0), F(1), F(5, 3)]


def calculus() -> Calculus[ExponentialSum]:
    scale = TermScale.of(POINTS, RATES)
    return Calculus(scale, Formal(scale.denominator))


def value(function: Pieces[ExponentialSum], u: float, epsilon: Fraction) -> mpmath.mpf:
    """The value at a number that is no point, from the definition of the pieces."""
    scale = calculus().scale
    piece = sum(u > p / scale.grid * epsilon for p in scale.points)
    found = mpmath.mpf(0)
    for (power, slope), coefficient in function[piece].items():
        with ctx.workprec(80):
            low, _ = bounds(coefficient.at(epsilon))
        found += mpmath.mpf(low.numerator) / low.denominator * u**power * mpmath.exp(slope * u / scale.rates)
    return found


def laplace(center: Fraction, rate: Fraction, u: float, epsilon: Fraction) -> mpmath.mpf:
    return float(rate) / 2 * mpmath.exp(-float(rate) * abs(u - float(center * epsilon)))


def random_function(random: Random, algebra: Calculus[ExponentialSum]) -> Pieces[ExponentialSum]:
    """A product of densities and of chances, which falls off on both sides."""
    found = algebra.laplace(random.choice(POINTS), *random.choices(RATES, k=2))
    for _ in range(random.randint(0, 2)):
        density = algebra.laplace(random.choice(POINTS), *random.choices(RATES, k=2))
        factor = random.choice([algebra.below, algebra.above])(density)
        found = algebra.product(found, factor)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_integrals_agree_with_numerical_ones(seed: int) -> None:
    random, algebra, epsilon = Random(seed), calculus(), F(3, 2)
    function = random_function(random, algebra)
    below = algebra.below(function)
    breaks = [-60.0, *(float(p * epsilon) for p in POINTS)]
    for u in (-4.3, -1.1, 0.4, 1.9, 6.0):
        ends = [*(b for b in breaks if b < u), u]
        numeric = mpmath.quad(lambda v: value(function, float(v), epsilon), ends, maxdegree=5)
        assert abs(numeric - value(below, u, epsilon)) < 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_below_and_above_make_up_the_total(seed: int) -> None:
    algebra = calculus()
    function = random_function(Random(seed), algebra)
    below, above, total = algebra.below(function), algebra.above(function), algebra.total(function)
    for low, high, everything in zip(below, above, total, strict=True):
        keys = low.keys() | high.keys()
        zero = ExponentialSum.rational(0)
        both = {key: low.get(key, zero) + high.get(key, zero) for key in keys}
        assert {key: c for key, c in both.items() if c} == everything


def test_a_density_is_one() -> None:
    algebra = calculus()
    for center in POINTS:
        for rate in RATES:
            density = algebra.laplace(center, rate, rate)
            assert algebra.constant(algebra.total(density)) == ExponentialSum.rational(1)
            for u in (-3.1, 0.2, 2.7):
                assert abs(value(density, u, F(2)) - laplace(center, rate, u, F(2))) < 1e-12


def test_within_cuts_off() -> None:
    algebra = calculus()
    density = algebra.laplace(F(0), F(1), F(1))
    middle = algebra.total(algebra.within(density, F(-1, 2), F(1)))
    text = "1 - 1/2·e^(-1/2·ε) - 1/2·e^(-1·ε)"
    assert str(algebra.constant(middle)) == text
    nothing = algebra.total(algebra.within(density, F(1), F(1)))
    assert not algebra.constant(nothing)


def test_powers_are_repeated_products() -> None:
    algebra = calculus()
    function = algebra.below(algebra.laplace(F(1), F(2, 3), F(2, 3)))
    repeated = function
    for exponent in range(1, 7):
        assert algebra.to_power(function, exponent) == repeated
        repeated = algebra.product(repeated, function)


def test_equal_rates_bring_powers_of_epsilon() -> None:
    algebra = calculus()
    chance = algebra.below(algebra.laplace(F(0), F(1), F(1)))
    found = algebra.total(algebra.product(algebra.laplace(F(1), F(1), F(1)), chance))
    assert str(algebra.constant(found)) == "1 - 1/2·e^(-1·ε) - 1/4·ε·e^(-1·ε)"


@pytest.mark.parametrize("seed", range(5))
def test_balls_and_sums_agree(seed: int) -> None:
    algebra, epsilon = calculus(), F(5, 7)
    exact = algebra.constant(algebra.total(random_function(Random(seed), algebra)))
    with ctx.workprec(120):
        concrete = Calculus(algebra.scale, Concrete(algebra.scale.denominator, epsilon))
        ball = concrete.constant(concrete.total(random_function(Random(seed), concrete)))  # type: ignore[arg-type]
        first, second = bounds(ball), bounds(exact.at(epsilon))
    assert first[0] <= second[1]
    assert second[0] <= first[1]
    assert first[1] - first[0] < F(1, 10**25)


def test_too_many_terms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piecewise, "MOST_OPERATIONS", 200)
    algebra = calculus()
    chance = algebra.below(algebra.laplace(F(0), F(1), F(1)))
    with pytest.raises(TooManyTerms):
        algebra.to_power(chance, 16)


def test_places_are_exact() -> None:
    scale = TermScale.of([F(1, 3), F(-1, 2), F(1, 3)], [F(3, 4), F(1, 6)])
    assert (scale.points, scale.grid, scale.rates, scale.denominator) == ((-3, 2), 6, 12, 72)
    assert [scale.place(p) for p in (F(-1, 2), F(1, 3))] == [0, 1]
    assert Formal(1).rational(fmpq(0)) == ExponentialSum.rational(0)
