"""Claims about programs whose rates are real numbers: enclosures, units, and forgeries."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadModel,
    Demands,
    Malformed,
    NotDemanded,
    RuleBroken,
    TooLarge,
)
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands import given_model, meet
from prover.certificate.check.real_rates import Reals, positive_bounds
from prover.certificate.check.verdict import verified
from prover.exact.real_text import real_rate
from tests.certificate.judges import judged
from tests.certificate.program_samples import PROGRAM_SAMPLES
from tests.certificate.real_rates_judge import accepts_units
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
LN_3: Json = [["2/3", [["ln", "3"]]]]
SUM: Json = [["-1", [["inverse", [["1", [["exp", "1/3"]]], ["1", []]]]]], ["3", [["ln", "3"], ["sqrt", "2"]]]]
UNITS = {"ln": LN_3, "sum": SUM}
RATES = ("rate", "rate_prime", "rate_left", "rate_right")


def times(number: Json, factor: str) -> Json:
    return [[str(Fraction(c) * Fraction(factor)), parts] for c, parts in number]


def in_units(certificate: Json, unit: Json) -> Json:
    """The same about the program with rates in this unit."""
    states = {
        name: {
            key: times(unit, x) if key in RATES and x not in (None, "inf") else x for key, x in state.items()
        }
        for name, state in certificate["model"]["states"].items()
    }
    claim = {**certificate["claim"], "unit": unit}
    return {**certificate, "claim": claim, "model": {**certificate["model"], "states": states}}


KINDS = {sample["claim"]["kind"]: name for name, sample in PROGRAM_SAMPLES.items()}
EXACT = in_units(PROGRAM_SAMPLES[KINDS["epsilon"]], LN_3)
RATE: Path = ("model", "states", EXACT["model"]["initial"], "rate")
UNIT: Path = ("claim", "unit")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", KINDS.values())
def test_claims_of_all_kinds_in_units(name: str, unit: str) -> None:
    made = in_units(PROGRAM_SAMPLES[name], UNITS[unit])
    words = f" unit={encode(UNITS[unit]).decode()}"
    assert accepted(made) == accepted(PROGRAM_SAMPLES[name]) + words
    assert accepts_units(made, judged)


@pytest.mark.parametrize("unit", UNITS)
def test_rates_of_two_sides(unit: str) -> None:
    from tests.certificate.noise_samples import NOISE_SAMPLES

    two = [s for s in NOISE_SAMPLES.values() if any("rate_left" in q for q in s["model"]["states"].values())]
    made = in_units(next(s for s in two if s["claim"]["kind"] == "epsilon"), UNITS[unit])
    assert accepted(made).endswith(f" unit={encode(UNITS[unit]).decode()}")
    assert accepts_units(made, judged)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({UNIT: [["1", [["ln", "2"]]]]}, BadClaim, "other terms"),
        ({UNIT: times(LN_3, "-1")}, BadModel, "positive"),
        ({UNIT: times(LN_3, "2")}, RuleBroken, ""),
        ({UNIT: ...}, Malformed, ""),
        ({RATE: "1"}, Malformed, "list"),
        ({RATE: times(LN_3, "-1")}, Malformed, "positive"),
        ({RATE: [*LN_3, ["1", [["sqrt", "2"]]]]}, BadClaim, "other terms"),
        ({RATE: [[str(7 * 2**2000), [["ln", "3"]]]]}, TooLarge, "coefficient"),
        (
            {UNIT: [[f"1/{2**1999}", [["ln", "3"]]]], RATE: [[str(2**1999), [["ln", "3"]]]]},
            TooLarge,
            "a rate is too long",
        ),
        ({("claim", "kind"): "profile-table"}, Malformed, ""),
        ({("claim", "kind"): "epsilon-function"}, Malformed, ""),
    ],
)
def test_forgeries(edits: Any, failure: Any, words: str) -> None:
    refused(edited(EXACT, edits), failure, words)


def test_shares_of_terms_are_equal() -> None:
    made = in_units(PROGRAM_SAMPLES[KINDS["epsilon"]], SUM)
    first, second = found = made["model"]["states"][RATE[2]]["rate"]
    assert found
    refused(edited(made, {RATE: [first, [str(2 * Fraction(second[0])), second[1]]]}), BadClaim, "no multiple")


@pytest.mark.parametrize(
    ("number", "failure", "words"),
    [
        ([], Malformed, "no terms"),
        ([["1", [["ln", str(n)]]] for n in range(10, 31)], Malformed, "too many"),
        ([["1", [["sqrt", "2"]]], ["1", [["ln", "3"]]]], Malformed, "out of order"),
        ([["1", []], ["1", []]], Malformed, "out of order"),
        ([["0", []]], Malformed, "a term of a number is 0"),
        ([["1", [["sqrt", "2"]] * 21]], TooLarge, "too many parts"),
        ([["1", [["cos", "2"]]]], Malformed, "unknown"),
        ([["1", [["exp", "101"]]]], TooLarge, "exponent"),
        ([["1", [["exp", "1/" + "9" * 51]]]], TooLarge, "too long"),
        ([["1", [["ln", "0"]]]], Malformed, "not positive"),
        ([["1", [["ln", "1" + "0" * 50]]]], TooLarge, "too long"),
        ([["1", [["sqrt", "1/1" + "0" * 50]]]], TooLarge, "too long"),
        ([["1", {}]], Malformed, "list"),
        ("1", Malformed, "list"),
    ],
)
def test_malformed_numbers(number: Json, failure: Any, words: str) -> None:
    refused(edited(EXACT, {UNIT: number}), failure, words)


def test_nobody_divides_by_zero() -> None:
    with pytest.raises(BadModel):
        positive_bounds([["1", [["inverse", [["1", [["ln", "1"]]]]]]]], Budget(0))


def test_nested_numbers() -> None:
    number: Json = [["1", []]]
    for _ in range(4):
        number = [["1", [["inverse", number]]]]
    assert positive_bounds(number, Budget(0))[0] == 1
    with pytest.raises(TooLarge, match="nested"):
        positive_bounds([["1", [["inverse", number]]]], Budget(0))


@pytest.mark.parametrize("bits", [20, 128])
@pytest.mark.parametrize(
    "text",
    [
        *("ln 3", "ln(1/3)", "ln(4/3)", "ln(1.0000000000001)", "sqrt(1/7)", "e^(-1/2)", "e^100", "e^(-100)"),
        *("ln 3/sqrt(2)", "1/(1 + e^(1/3))", "1/ln(1/3)", "3 - ln 2*ln 3", "ln(99999999999999999999/7)"),
    ],
)
def test_enclosures_contain_those_of_arb(text: str, bits: int) -> None:
    number = real_rate(text)
    low, high = Reals(bits, Budget(0)).number(number.written)
    inner = number.enclosed(bits + 100)
    assert low <= inner[0] <= inner[1] <= high
    assert (high - low) * 2**bits <= 4


def test_a_number_is_enclosed_again_where_little_precision_does_not_tell() -> None:
    near = real_rate("ln(99999999999999999999999999999999999999999999999998)")
    other = real_rate("ln(99999999999999999999999999999999999999999999999999)")
    low, high = positive_bounds((other - near).written, Budget(0))
    assert 0 < low < high < Fraction(1, 10**49)
    inverse = (other - near).inverse().inverse()
    assert inverse == other - near
    assert positive_bounds((other - near).inverse().written, Budget(0))[0] > 10**49


def test_bounds_that_users_demand_are_about_numbers_times_the_unit() -> None:
    proved = verified(encode(EXACT))
    upper = Fraction(EXACT["claim"]["upper"])
    low, high = (upper * end for end in positive_bounds(LN_3, Budget(0)))
    meet(Demands(epsilon_at_most=(high.numerator, high.denominator)), proved.claim, proved.model)
    with pytest.raises(NotDemanded):
        meet(Demands(epsilon_at_most=(low.numerator, low.denominator)), proved.claim, proved.model)


def test_a_model_file_has_the_numbers_of_certificates() -> None:
    assert given_model(json.dumps(EXACT["model"]).encode()) == encode(EXACT["model"])
