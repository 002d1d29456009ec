"""The loss of programs with real rates: values, and rational programs on both sides."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import prover
from prover.certificate.check import check
from prover.errors import NotSupported
from prover.exact.rational import decimal_above, decimal_below
from prover.exact.real_rate import RealRate, rational_number
from prover.exact.real_text import real_rate
from prover.program.model import Program
from prover.program.real import RealProgram
from prover.zoo import hidden_xor, k_min_max, leaking_pair, noisy_max, numeric_svt, svt, svt_discrete
from tests.certificate.judges import judged
from tests.certificate.real_rates_judge import accepts_units

PARTS = ("rate_left", "rate_right", "rate_prime")


def in_units(program: Program, unit: RealRate) -> RealProgram:
    """The program with all finite rates times a number."""
    rates = {
        (name, part): unit * rational_number(rate)
        for name, state in program.states.items()
        for part, rate in zip(PARTS, (*state.rates, state.rate_prime), strict=True)
        if isinstance(rate, Fraction)
    }
    low = unit.enclosed(60)[0]
    return RealProgram(RealProgram(program, rates).at(lambda number: number.factor * low), rates)


def down(number: RealRate) -> Fraction:
    return decimal_below(number.enclosed(60)[0], 6)


def up(number: RealRate) -> Fraction:
    return decimal_above(number.enclosed(60)[1], 6)


@pytest.mark.parametrize(
    ("program", "unit"),
    [
        (svt(), "ln 3"),
        (k_min_max(2), "sqrt(2)"),
        (numeric_svt(), "e^(-1/2) + 1/(1 + ln 2)"),
        (svt_discrete(), "ln 3"),
        (noisy_max(2), "ln(3/2)"),
    ],
)
def test_the_loss_is_the_unit_times_that_of_multiples(program: Program, unit: str) -> None:
    number = real_rate(unit)
    real = in_units(program, number)
    answer, known = prover.real_privacy(real), prover.privacy(program).epsilon
    assert known is not None
    assert answer.epsilon == number * rational_number(known)
    assert answer.headline.startswith(f"private: exactly {answer.epsilon.times}ε")
    assert answer.lower is not None
    assert answer.upper is not None
    assert answer.upper - answer.lower <= Fraction(2, 10**12)
    below, above = (prover.privacy(real.at(rounding)).epsilon for rounding in (down, up))
    assert below is not None
    assert above is not None
    assert below < answer.lower < answer.upper < above
    proof = answer.certificate
    assert proof is not None
    assert f" value={known} unit=" in check(proof.data)
    assert json.loads(proof.data)["model"] == real.model


def test_rates_of_a_file() -> None:
    real = prover.load_real("examples/real/svt.dipa")
    answer = prover.real_privacy(real, "one-differ")
    assert str(answer).startswith("private: exactly 2·ln 3·ε")
    proof = answer.certificate
    assert proof is not None
    assert accepts_units(json.loads(proof.data), judged)


def test_one_way() -> None:
    answer = prover.real_privacy(in_units(svt(), real_rate("ln 3")), "increasing")
    assert (
        answer.headline
        == "with rates divided by ln 3: one way, towards larger inputs: exactly (3/4)·ε "
        + ("(no smaller multiple holds)")
    )


def test_not_private() -> None:
    answer = prover.real_privacy(in_units(leaking_pair(), real_rate("sqrt 2")))
    assert (answer.private, answer.lower, answer.upper, answer.epsilon) == (False, None, None, None)
    assert answer.headline == "with rates divided by sqrt 2: not private: leaking pair"
    proof = answer.certificate
    assert proof is not None
    assert check(proof.data).startswith("not-private adjacency=all-differ loss=observer unit=")


def test_an_observer_who_does_not_see_the_run() -> None:
    program = hidden_xor()
    answer = prover.real_privacy(in_units(program, real_rate("ln 3")))
    known = prover.privacy(program)
    assert (answer.private, answer.epsilon) == (
        known.private,
        None if known.epsilon is None else real_rate("ln 3") * rational_number(known.epsilon),
    )
    assert answer.certificate is not None


def test_rates_without_a_unit_are_refused() -> None:
    program, number = svt(), real_rate("ln 3")
    rates = {("q1", part): number for part in ("rate_left", "rate_right")}
    real = RealProgram(program, rates)
    with pytest.raises(NotSupported, match="not all rational multiples of one number"):
        prover.real_privacy(real)
