"""Ends of divergences of accounts with Gaussian noise that were wrong, three of them, each with a reason."""

from __future__ import annotations

from fractions import Fraction

import mpmath

from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled


def test_samples_have_the_larger_moment_one_way_round_only() -> None:
    """The lower end had it both ways round, beside laws that have their larger moment the other way."""
    noise = poisson_sampled(Mechanism.of_known("gaussian", {"sigma": "1/2"}), "1/10")
    laws = Mechanism.of_laws({0: "1/1000", 1: "999/1000"}, {0: "1/2", 1: "1/2"})
    (two,) = divergences([noise, laws], [2])
    other, gamma = mpmath.mpf("250.25025025025025"), mpmath.mpf(1) / 10
    back = mpmath.quad(
        lambda x: mpmath.npdf(x) ** 2 / ((1 - gamma) * mpmath.npdf(x) + gamma * mpmath.npdf(x - 2)),
        [-10, 0, 2, 10],
    )
    assert two.lower is not None
    assert two.upper is not None
    assert two.lower <= float(mpmath.log(back * other)) <= two.upper


def test_approximate_zcdp_counts_gaussian_noise() -> None:
    noise = Mechanism.of_known("gaussian", {"sigma": "2"}, times=10)
    tells = Mechanism.of_known("approximate", {"alpha": "2", "delta": "1/100"})
    alone, beside = (divergences(parts, [2]).rho.without for parts in ([tells], [noise, tells]))
    assert alone is not None
    assert beside == alone + Fraction(5, 4)


def test_noise_on_integers_has_less_than_its_rho_between_them() -> None:
    """The lower end took it for all of ρ at the order that is best for the others, 5.449…."""
    noise = Mechanism.of_known("discrete-gaussian", {"sigma": "1/3"}, times=2)
    rare = {0: "1/1000000", 1: "999999/1000000"}, {0: "1/1000000000", 1: "999999999/1000000000"}
    rho = divergences([noise, Mechanism.of_laws(*rare)], [2]).rho
    assert rho.lower is not None
    assert rho.lower <= Fraction(9692, 1000)  # at 5.04, where it is largest, 9.6915…
