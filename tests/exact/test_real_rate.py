"""Numbers that rates are written with: how they are read, equal forms, enclosures and refusals."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.errors import BadInput, BadValue
from prover.exact.real_text import NEEDS_REAL_RATES, rational_rate, real_rate


@pytest.mark.parametrize(
    ("text", "written", "shown"),
    [
        ("ln 3", "ln(3)", "ln 3"),
        ("2*ln(3)", "2*ln(3)", "2·ln 3"),
        ("ln 9", "2*ln(3)", "2·ln 3"),
        ("ln(1/27)", "-3*ln(3)", "-3·ln 3"),
        ("ln(4/9)/2", "-ln(3/2)", "-ln(3/2)"),
        ("1/sqrt(2)", "(1/2)*sqrt(2)", "(1/2)·sqrt 2"),
        ("sqrt(1/8)", "(1/4)*sqrt(2)", "(1/4)·sqrt 2"),
        ("sqrt 2*sqrt 6", "2*sqrt(3)", "2·sqrt 3"),
        ("e^(-1/2)", "e^(-1/2)", "e^(-1/2)"),
        ("e*e^2/e^(1/2)", "e^(5/2)", "e^(5/2)"),
        ("1 - ln 2/2", "1 - (1/2)*ln(2)", "1 - (1/2)·ln 2"),
        ("1/(1 + e^(1/3))", "1/(1 + e^(1/3))", "1/(1 + e^(1/3))"),
        ("1/(1/(2 + 2*e))", "2 + 2*e", "2 + 2·e"),
        ("1/(2 + 2*e)", "(1/2)*1/(1 + e)", "(1/2)·1/(1 + e)"),
        ("ln 2*(1 + e)", "e*ln(2) + ln(2)", "e·ln 2 + ln 2"),
        ("0.5*ln 2.5", "(1/2)*ln(5/2)", "(1/2)·ln(5/2)"),
        ("sqrt(4) - ln 1", "2", "2"),
        ("(1 + sqrt 2)*(1 - sqrt 2)", "-1", "-1"),
        ("ln 2 - ln 2", "0", "0"),
    ],
)
def test_forms(text: str, written: str, shown: str) -> None:
    number = real_rate(text)
    assert (str(number), number.shown) == (written, shown)
    assert real_rate(str(number)) == number


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ln x", "is no rate; write numbers, ln 3, sqrt(2) and e^(-1/2)"),
        ("ln(ln 3)", "is no rate"),
        ("e^(ln 3)", "is no rate"),
        ("2^e", "is no rate"),
        ("ln()", "is no rate"),
        ("sqrt(2, 3)", "is no rate"),
        ("ln 3 +", "is no rate"),
        ("ln 3" + " " * 200, "is no rate"),
        ("ln(-3)", "has ln of a number that is not above 0"),
        ("sqrt 0", "has sqrt of a number that is not above 0"),
        ("1/ln 1", "divides by 0"),
        ("1/(ln 2 + ln 3 - ln 6)", "is a divisor, and may be 0"),
        ("e^101", "beyond 100"),
        ("e^60*e^60", "beyond 100"),
        ("ln(1e60)", "more than 50 digits"),
        ("sqrt(" + "7" * 26 + ")*sqrt(" + "3" * 27 + ")", "more than 50 digits"),
        ("+".join(f"ln {n}" for n in range(3, 100, 4)),
         "more than 20 terms"),
        ("*".join(["ln 2"] * 21), "more than 20 numbers"),
        ("1/(1 + 1/(1 + 1/(1 + 1/(1 + 1/(1 + e)))))", "nested too deeply"),
    ],
)  # fmt: skip
def test_refusals(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words.replace("(", r"\(").replace(")", r"\)").replace("^", r"\^")):
        real_rate(text)


def test_signs_are_proved_or_refused() -> None:
    assert real_rate("ln 3 - 1.098612288668109691").is_positive
    assert not real_rate("ln 3 - 1.098612288668109692").is_positive
    with pytest.raises(BadValue, match="its sign is not known"):
        _ = real_rate("ln 2 + ln 3 - ln 6").is_positive


def test_a_number_is_made_of_its_base() -> None:
    number = real_rate("1 - ln 2/2 + 3*sqrt(2)")
    assert (number.constant, number.factor, str(number.base)) == (
        Fraction(1),
        Fraction(-1, 2),
        "ln(2) - 6*sqrt(2)",
    )
    other = real_rate("5 + ln 2 - 6*sqrt(2)")
    assert other.base == number.base


def test_the_operations_agree_with_rationals() -> None:
    """What is computed before and after rounding differs by the rounding."""
    random, texts = Random(7), ("ln 3", "sqrt(2)", "e^(-1/2)", "2/3", "ln(2/5)", "1/(1 + e^(1/3))")
    for _ in range(60):
        one, other = (f"({random.choice(texts)})" for _ in range(2))
        operation = random.choice("+-*/")
        (low, high), (first, _), (second, _) = (
            real_rate(text).enclosed(120) for text in (one + operation + other, one, other)
        )
        value = {"+": first + second, "-": first - second, "*": first * second, "/": first / second}[
            operation
        ]
        assert low - Fraction(1, 2**100) < value < high + Fraction(1, 2**100)


def test_rational_rates() -> None:
    assert rational_rate("sqrt(4)/3") == Fraction(2, 3)
    assert rational_rate("1e-5") == Fraction(1, 100_000)
    with pytest.raises(
        BadValue, match="no rational number; prover privacy without --open, and prover check, answer"
    ) as caught:
        rational_rate("ln 3")
    assert caught.value.code == NEEDS_REAL_RATES
    with pytest.raises(BadValue, match=r"this rate names t, which is no number; .* --open t=1/10:9/10"):
        rational_rate("(1 - t)/2")
