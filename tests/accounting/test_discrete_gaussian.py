"""Discrete Gaussian noise, beside sums with fifty digits."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

from prover.accounting.account import Questions, account
from prover.accounting.discrete_gaussian import DiscreteGaussian
from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from prover.errors import BadValue
from tests.commands import prover

F = Fraction


def weights(sigma: Fraction, places: range) -> list[mpmath.mpf]:
    """Of noise, with fifty digits."""
    return [mpmath.exp(-mpmath.mpf(k * k) * sigma.denominator**2 / (2 * sigma.numerator**2)) for k in places]


def delta(sigma: Fraction, far: int, alpha: Fraction) -> mpmath.mpf:
    """By its definition."""
    places = range(-30 * int(sigma + 1), 30 * int(sigma + 1) + far)
    whole = mpmath.fsum(weights(sigma, places))
    first, second = weights(sigma, places), weights(sigma, range(places.start - far, places.stop - far))
    ratio = mpmath.mpf(alpha.numerator) / alpha.denominator
    return mpmath.fsum(max(0, p - ratio * q) for p, q in zip(first, second, strict=True)) / whole


@pytest.mark.parametrize(("sigma", "far"), [(F(1, 2), 1), (F(2), 1), (F(7, 3), 3), (F(9), 2), (F(1, 3), 4)])
@pytest.mark.parametrize("alpha", [F(0), F(1, 3), F(1), F(3, 2), F(10)])
def test_both_laws_are_next_to_the_sum(sigma: Fraction, far: int, alpha: Fraction) -> None:
    law = DiscreteGaussian.of(sigma, far)
    with mpmath.workdps(50):
        exact = delta(sigma, far, alpha)
        low, high = (
            mpmath.mpf(one.numerator) / one.denominator
            for one in (law.lower.delta(alpha), law.upper.delta(alpha))
        )
        assert low <= exact + mpmath.mpf(10) ** -48
        assert exact <= high + mpmath.mpf(10) ** -48
        assert high - low < mpmath.mpf(10) ** -30


def test_a_difference_that_is_smaller_is_dominated() -> None:
    near, far = (DiscreteGaussian.of(3, s) for s in (1, 2))
    assert all(near.upper.delta(F(k, 4)) < far.lower.delta(F(k, 4)) for k in range(3, 12))


@pytest.mark.parametrize(("sigma", "sensitivity"), [(0, 1), (1, 0), (1000, 1), (1, 10_000)])
def test_numbers_out_of_range_are_refused(sigma: int, sensitivity: int) -> None:
    with pytest.raises(BadValue):
        DiscreteGaussian.of(sigma, sensitivity)


def test_runs_are_composed() -> None:
    """Ten runs: the sum of their losses is one of the sum of ten numbers."""
    noise = Mechanism.of_known("discrete-gaussian", {"sigma": "4"}, times=10)
    found = account([noise], Questions((), (F(1, 10**6),)), gap="1e-4").epsilon("1e-6")
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= F("3.7459244577382277") <= found.upper < found.lower + F(1, 1000)


def test_divergences_are_those_of_gaussian_noise_at_integer_orders() -> None:
    noise = Mechanism.of_known("discrete-gaussian", {"sigma": "1/2", "sensitivity": 1}, times=3)
    found = divergences([noise], [2, "5/2"])
    two, half = found.orders
    assert two.lower is not None
    assert two.upper is not None
    assert two.lower <= 12 <= two.upper < 12 + F(1, 10**9)
    with mpmath.workdps(50):  # between two integers it is less
        places = range(-40, 41)
        terms = [
            mpmath.exp(-2 * (k * k * mpmath.mpf(5) / 2 - (k - 1) ** 2 * mpmath.mpf(3) / 2)) for k in places
        ]
        exact = 3 * mpmath.log(mpmath.fsum(terms) / mpmath.fsum(weights(F(1, 2), places))) / mpmath.mpf("1.5")
    assert half.lower is not None
    assert half.upper is not None
    assert float(half.lower) - 1e-9 <= float(exact) <= float(half.upper) + 1e-9
    assert half.upper - half.lower < F(1, 10**11)
    assert float(exact) < 14.99  # Gaussian noise has 15
    assert found.rho.lower == found.rho.upper == 6


def test_samples_have_the_divergences_of_their_binomial_sum() -> None:
    noise = poisson_sampled(Mechanism.of_known("discrete-gaussian", {"sigma": "2"}), "1/10")
    (three,) = divergences([noise], [3]).orders
    with mpmath.workdps(50):
        e = mpmath.exp
        moment = (
            F(9, 10) ** 3
            + 3 * F(81, 1000)
            + 3 * F(9, 1000) * e(mpmath.mpf(1) / 4)
            + e(mpmath.mpf(3) / 4) / 1000
        )
        exact = mpmath.log(moment) / 2
    assert three.lower is not None
    assert three.upper is not None
    assert float(three.lower) - 1e-11 <= float(exact) <= float(three.upper) + 1e-11


NOISE = '[[mechanism]]\nknown = "discrete-gaussian"\nsigma = "2"\n'


def test_certificates_prove_both_ends(tmp_path: Path) -> None:
    file, proof = tmp_path / "noise.toml", tmp_path / "one.cert"
    for ask, claims in (
        ('alpha = "2"', ["alpha=2 lower=2"]),
        ('delta = "1/1000"', ["upper=1/1000 ", "lower=25000000000000"]),
        ('epsilon = "1/2"', ["<=exp(1/2) lower=0 upper=0.05", ">=exp(1/2) lower="]),
    ):
        file.write_text(f'{NOISE}[ask]\n{ask}\ngap = "1e-3"\n', encoding="utf-8")
        assert prover("account", file, "--certificate", proof, "--force").status == 0
        for path, words in zip((proof, tmp_path / "one.cert.lower"), claims, strict=False):
            assert words in prover("verify", path).out


def test_divergences_of_noise_and_others_have_one_certificate(tmp_path: Path) -> None:
    file, proof = tmp_path / "noise.toml", tmp_path / "one.cert"
    coin = '[[mechanism]]\nknown = "randomised-response"\nq = "1/2"\n'
    file.write_text(f"{NOISE}{coin}", encoding="utf-8")
    assert prover("account", file, "--order", "3/2,2,inf", "--certificate", proof).status == 0
    line = prover("verify", proof).out
    assert "order=2 lower=1.9260" in line
    assert "order=inf moment=inf rho=" in line
    assert not (tmp_path / "one.cert.lower").exists()
