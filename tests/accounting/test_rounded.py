"""Privacy loss distributions of other accountants, rounded to multiples of an interval."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from prover.accounting.account import Questions, account
from prover.accounting.distribution import LossDistribution
from prover.accounting.interchange import document_of, from_dp_accounting
from prover.accounting.rounded import RoundedLosses
from prover.chain.arguments import Slope
from prover.errors import BadValue
from prover.exact.ball import ball_of, bounds
from tests.commands import prover

F = Fraction
H = F(1, 10)
ALPHAS = [F(k, 7) for k in range(30)]


def value(rounded: RoundedLosses, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """p_∞ + Σ p max(0, 1 − α e^(−kh)), by its definition."""
    with ctx.workprec(300):
        terms = (
            ball_of(max(p, F(0))) * (1 - ball_of(alpha) * ball_of(-k * rounded.interval).exp())
            for k, p in rounded.masses.items()
        )
        return bounds(sum((term.max(arb(0)) for term in terms), ball_of(rounded.infinite)))


LAWS = st.dictionaries(st.integers(-9, 9), st.integers(1, 50), min_size=1, max_size=6)


@given(LAWS, st.integers(0, 3), st.booleans())
def test_one_dominates_and_the_other_is_dominated(law: dict[int, int], end: int, pessimistic: bool) -> None:
    whole = sum(law.values()) + end
    rounded = RoundedLosses({k: F(x, whole) for k, x in law.items()}, F(end, whole), H, pessimistic)
    loss = rounded.loss
    assert loss.zero >= 0
    for alpha in ALPHAS:
        low, high = value(rounded, alpha)
        found = loss.delta(alpha)
        if pessimistic:
            assert found >= max(low, 1 - alpha)
        else:
            assert found <= max(high, 1 - alpha)


def test_a_law_of_two_secrets_stays_what_it_is_up_to_rounding() -> None:
    """Losses ±7h with masses in the proportion e^(7h) are those of randomised response."""
    e = F("2.013752707470476521624549388583065270")  # e^(7/10)
    for pessimistic in (True, False):
        loss = RoundedLosses({-7: 1 / (1 + e), 7: e / (1 + e)}, F(0), H, pessimistic).loss
        exact = LossDistribution.randomised_response(1 / e)
        for alpha in ALPHAS:
            assert abs(loss.delta(alpha) - exact.delta(alpha)) < F(1, 10**30)


def test_floats_may_sum_up_to_more_than_1_and_be_below_0() -> None:
    dust = F(1, 10**12)
    rounded = RoundedLosses({-7: F(1, 3) + dust, -8: -dust, 7: F(2, 3) + dust}, F(0), H, True)
    assert rounded.loss.infinite == 0
    assert rounded.loss.delta(1) >= value(rounded, F(1))[0]
    assert RoundedLosses(rounded.masses, F(0), H, False).loss.delta(0) == 1


@pytest.mark.parametrize(
    ("masses", "infinite", "interval"),
    [
        ({}, F(1), H),
        ({0: F(1)}, F(0), F(0)),
        ({0: F(1)}, F(0), -H),
        ({10**6: F(1)}, F(0), H),
        ({0: F(1, 2)}, F(0), H),
        ({0: F(2), 1: F(-1)}, F(0), H),
        ({0: F(2)}, F(-1), H),
        (dict.fromkeys(range(50_001), F(1, 50_001)), F(0), F(1, 10**4)),
    ],
)
def test_what_is_no_distribution_is_refused(
    masses: dict[int, Fraction], infinite: Fraction, interval: Fraction
) -> None:
    with pytest.raises(BadValue):
        RoundedLosses(masses, infinite, interval, True)


FILE = {
    "rounded_probability_mass_function": {"-7": 0.25, "7": 0.75},
    "infinity_mass": 0.0,
    "value_discretization_interval": 0.1,
    "pessimistic_estimate": True,
}


def write(folder: Path, document: object, more: str = "") -> Path:
    (folder / "rounded.json").write_text(json.dumps(document), encoding="utf-8")
    file = folder / "account.toml"
    file.write_text(f'[[mechanism]]\nlosses = "rounded.json"\n{more}[ask]\nalpha = "3/2"\n', encoding="utf-8")
    return file


@pytest.mark.parametrize("pessimistic", [True, False])
def test_a_file_is_composed_and_the_answer_says_what_it_proves(tmp_path: Path, pessimistic: bool) -> None:
    file = write(tmp_path, {**FILE, "pessimistic_estimate": pessimistic}, "times = 3\n")
    done = prover("account", file, "--certificate", tmp_path / "one.cert")
    assert done.status == 0
    assert f"Only {'upper' if pessimistic else 'lower'} ends hold" in done.out
    assert prover("verify", tmp_path / "one.cert").status == 0


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"rounded_probability_mass_function": {"07": 1}}, "$.rounded_probability_mass_function"),
        ({"rounded_probability_mass_function": {"1.5": 1}}, "$.rounded_probability_mass_function"),
        ({"infinity_mass": "x"}, "$.infinity_mass"),
        ({"pessimistic_estimate": 1}, "$.pessimistic_estimate"),
        ({"symmetric": True}, "symmetric"),
        ({"rounded_probability_mass_function": {"1": 0.5}}, "sum up to 1"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, change: dict[str, object], place: str) -> None:
    done = prover("account", write(tmp_path, FILE | change))
    assert done.status == 2
    assert place in done.err
    assert "rounded.json" in done.err


def test_losses_stand_alone(tmp_path: Path) -> None:
    done = prover("account", write(tmp_path, FILE, 'known = "gaussian"\n'))
    assert done.status == 2
    assert "known" in done.err


def test_a_distribution_of_dp_accounting_is_read() -> None:
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    from dp_accounting.pld import privacy_loss_distribution as pld

    made = pld.from_gaussian_mechanism(2, value_discretization_interval=0.05)
    rounded = from_dp_accounting(made)
    assert document_of(made)["pessimistic_estimate"] is True
    found = account([rounded.mechanism(times=5)], Questions((Slope.of_alpha(F(2)),)), gap="1e-4")
    theirs = made.self_compose(5).get_delta_for_epsilon(0.6931471805599453)
    low, high = map(float, found.delta(Slope.of_alpha(F(2))))
    assert low - 1e-9 <= theirs <= high + 1e-9


def test_two_losses_many_times_are_composed_exactly() -> None:
    n, alpha = 60, F(1000)
    made = RoundedLosses({-7: F(1, 3), 7: F(2, 3)}, F(0), H, True).mechanism(times=n)
    loss = made.forward[0].loss
    one, two = loss.atoms
    terms = ((comb(n, j), one.p**j * two.p ** (n - j), one.q**j * two.q ** (n - j)) for j in range(n + 1))
    gains = sum((ways * max(F(0), p - alpha * q) for ways, p, q in terms), F(0))
    (forward, _) = account([made], Questions(), exact=True).compositions
    assert forward.delta(alpha) == 1 - (1 - loss.infinite) ** n + gains
