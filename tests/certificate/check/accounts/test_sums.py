"""Sums over the powers of two masses: what the recurrence gives, for what it costs, at once for many runs."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from random import Random

import pytest

from prover.certificate.check import TooLarge
from prover.certificate.check.accounts.sums import is_larger, recurrence, summed_delta
from prover.certificate.check.accounts.tally import Tally
from prover.certificate.check.budget import Budget

F = Fraction
UNITS = 10**9


def binomial(p: Fraction, q: Fraction, n: int, alpha: Fraction) -> Fraction:
    """δ(α) of n answers, yes with the probabilities p and q."""
    terms = ((comb(n, j), p**j * (1 - p) ** (n - j), q**j * (1 - q) ** (n - j)) for j in range(n + 1))
    return sum((ways * max(F(0), a - alpha * b) for ways, a, b in terms), F(0))


def answers(p: Fraction, q: Fraction) -> list[tuple[Fraction, Fraction]]:
    return [(p / q, p), ((1 - p) / (1 - q), 1 - p)]


@pytest.mark.parametrize("seed", range(60))
def test_two_masses_many_times(seed: int) -> None:
    random = Random(seed)
    p, q = (F(k, 13) for k in random.sample(range(1, 13), 2))
    n, j = random.randint(2, 30), random.randint(0, 30)
    at = (p / q) ** min(j, n) * ((1 - p) / (1 - q)) ** (n - min(j, n))
    off = random.choice([F(0), F(1, 2**70), F(-1, 2**59), F(1, 3)])
    alpha, law = max(F(1), at * (1 + off)), answers(p, q)
    random.shuffle(law)
    tally = Tally(Budget(0), UNITS)
    delta = F(*summed_delta([(law, n)], alpha.as_integer_ratio(), [2, 3, 5, 7, 11, 13], tally))
    assert delta == binomial(p, q, n, alpha)


def test_they_cost_what_the_recurrence_costs() -> None:
    """One ratio is α itself, which takes an exact comparison."""
    n, law = 12, answers(F(2, 3), F(1, 3))
    spent, charged = Tally(Budget(0), UNITS), Tally(Budget(0), UNITS)
    summed_delta([(law, n)], (16, 1), [2], spent)
    for _ in law:  # the exponents of 2 and 1/2 over 2
        charged.spend(5, 3, 2)
    for _ in range(4):  # common denominators
        charged.spend(8, 2, 2)
    for _ in range(2):  # their powers
        charged.spend(16, 2 * n, 2 * n)
    bits = 2 * (3**n).bit_length() + 5
    charged.spend(8, bits, bits)
    base = {0: (1, 2), 2: (2, 1)}
    x, y = 3**n, 3**n * 16
    factor = n.bit_length() + (2 * n + 1).bit_length() + 16
    for _, (a, b) in recurrence(base, n, [2 * n, 2 * n], factor, charged):
        charged.spend(4, bits, 63)
        is_larger(a, x, b, y, bits, charged)
    assert spent.units == charged.units


def test_thirty_thousand_answers() -> None:
    """The event has the ratios above the one in the middle, which one half of the answers have."""
    n, tally = 29_999, Tally(Budget(0), 9 * UNITS)
    delta = F(*summed_delta([(answers(F(2, 3), F(1, 3)), n)], (2**9_999, 1), [2], tally))
    assert F("0.49") < delta < F("0.5")


def test_many_answers_that_leading_bits_do_not_tell_apart_are_refused() -> None:
    near = F(1, 2) + F(1, 2**80)
    law = answers(near, 1 - near)
    basis = sorted({n for ratio, _ in law for n in ratio.as_integer_ratio()})
    with pytest.raises(TooLarge):
        summed_delta([(law, 2000)], (1, 1), basis, Tally(Budget(0), 10**7))
