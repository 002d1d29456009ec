"""The loss of programs with real rates: values, and rational programs on both sides."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

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
from tests.certificate.real_rates_judge import accepts_real_epsilon, accepts_units

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


BETWEEN = """(draw: non-input, {t}, 0): x := insample; output start; goto choose
(choose: non-input, 1, 0):
    if (insample < x) then output left; goto number
    elseif (insample >= x) then output right; goto below
(number, 1, 0, 2 + {t}, 0): output insampleprime; goto end
(below, {t}, 0): if (insample < x) then output below; goto above
(above, 5 - {t}, 0): if (insample >= x) then output above; goto end
"""
TWO = """(a: non-input, {first}, 0): x := insample; output s; goto g
(g: non-input, 1, 0):
    if (insample < x) then output l; goto a1
    elseif (insample >= x) then output r; goto b1
(a1, 1, 0, {first}, 0): output insampleprime; goto a2
(a2, 1, 0, {first}, 0): output insampleprime; goto e
(b1, 1, 0, {first}, 0): output insampleprime; goto b2
(b2, 1, 0, {second}, 0): output insampleprime; goto e
"""


def read(tmp_path: Path, text: str, **rates: str) -> RealProgram:
    file = tmp_path / "a.dipa"
    file.write_text(text.format(**rates), encoding="utf-8")
    return prover.load_real(file)


@pytest.mark.parametrize(
    ("t", "loss"),
    [
        ("ln(13/5)", "2 + ln(13/5)"),
        ("ln 3", "3*ln(3)"),
        ("sqrt 2", "3*sqrt(2)"),
        ("e", "5"),
        ("4*e^(-1/5)", "2 + 4*e^(-1/5)"),
        ("(1 + ln 3)/2", "3/2 + (3/2)*ln(3)"),
    ],
)
def test_rates_that_are_affine_in_one_number(tmp_path: Path, t: str, loss: str) -> None:
    """The loss has other forms on the pieces of docs/open_rates.md; the rates move in both directions."""
    answer = prover.real_privacy(read(tmp_path, BETWEEN, t=f"({t})" if "+" in t else t))
    assert str(answer.epsilon) == loss
    assert answer.lower is not None
    assert answer.upper is not None
    number = real_rate(loss).enclosed(60) if loss != "5" else (Fraction(5), Fraction(5))
    assert answer.lower <= number[0] <= number[1] <= answer.upper
    proof = answer.certificate
    assert proof is not None
    assert accepts_real_epsilon(json.loads(proof.data))


@pytest.mark.parametrize(("first", "second"), [("ln 3", "sqrt 2"), ("sqrt 3", "e^(1/4)")])
def test_several_numbers(tmp_path: Path, first: str, second: str) -> None:
    """The loss is max(2·d, d + d'), which no form at both ends tells (tests of pieces have the programs)."""
    real = read(tmp_path, TWO, first=first, second=second)
    answer = prover.real_privacy(real)
    one, other = (real_rate(text).enclosed(60)[0] for text in (first, second))
    assert (answer.private, answer.epsilon) == (True, None)
    assert answer.lower is not None
    assert answer.upper is not None
    assert answer.lower <= max(2 * one, one + other) <= answer.upper <= answer.lower + Fraction(1, 10**11)
    below, above = (prover.privacy(real.at(rounding)).epsilon for rounding in (down, up))
    assert below is not None
    assert above is not None
    assert below < answer.lower < answer.upper < above
    proof = answer.certificate
    assert proof is not None
    assert accepts_real_epsilon(json.loads(proof.data))


def test_a_small_rate_is_enclosed_more_closely(tmp_path: Path) -> None:
    answer = prover.real_privacy(read(tmp_path, TWO, first="e^(-40) + 1", second="e^(-40)"))
    assert str(answer.epsilon) == "2 + 2*e^(-40)"


def test_not_private_with_several_numbers() -> None:
    program = leaking_pair()
    names = sorted(program.states)
    rates = {
        (name, side): real_rate(text)
        for name, text in zip(names, ("ln 3", "sqrt 2"), strict=False)
        for side in ("rate_left", "rate_right")
    }
    answer = prover.real_privacy(RealProgram(program, rates))
    assert (answer.headline, answer.lower, answer.upper) == ("not private", None, None)
    proof = answer.certificate
    assert proof is not None
    assert check(proof.data).startswith("not-private adjacency=all-differ loss=observer model=")


def test_outputs_that_hide_the_run_are_refused_without_a_unit() -> None:
    program = hidden_xor()
    name = min(program.states)
    rates = {(name, side): real_rate("ln 3") for side in ("rate_left", "rate_right")}
    with pytest.raises(NotSupported, match="not all rational multiples of one number are answered like"):
        prover.real_privacy(RealProgram(program, rates))
