"""Whether an answer is the one that was expected: exactly, within a tolerance, on either side."""

from __future__ import annotations

import pytest

from prover.bench.job import Job
from prover.bench.row import is_as_expected, judged
from tests.bench.made import SVT, row, suite_of


def job(**expected: str) -> Job:
    """A question with this expected answer."""
    return suite_of(SVT + "".join(f"{key} = '{value}'\n" for key, value in expected.items())).jobs[0]


@pytest.mark.parametrize(
    ("lower", "upper", "right"),
    [
        ("5/4", "5/4", True),
        ("6/5", "6/5", True),  # as far below as is allowed
        ("119/100", "119/100", False),
        ("13/10", "13/10", True),  # as far above as is allowed
        ("131/100", "131/100", False),
        ("0", "6/5", True),
        ("0", "119/100", False),
        ("13/10", "inf", True),
        ("131/100", "inf", False),
        ("inf", "inf", False),
    ],
)
def test_a_tolerance_holds_on_both_sides(lower: str, upper: str, right: bool) -> None:
    found = judged(row(lower=lower, upper=upper), job(expected="5/4", tolerance="1/20"))
    assert (found.status == "exact") is right
    assert (found.error is None) is right


@pytest.mark.parametrize(
    ("lower", "upper", "right"),
    [
        ("5/4", "5/4", True),
        ("1", "5/4", True),
        ("5/4", "2", True),
        ("1", "1249/1000", False),
        ("1251/1000", "2", False),
    ],
)
def test_without_a_tolerance_only_the_value_itself_will_do(lower: str, upper: str, right: bool) -> None:
    assert (judged(row(lower=lower, upper=upper), job(expected="5/4")).status == "exact") is right


@pytest.mark.parametrize(
    ("lower", "upper", "right"), [("inf", "inf", True), ("1", "inf", True), ("1", "2", False)]
)
def test_infinity(lower: str, upper: str, right: bool) -> None:
    found = judged(row(lower=lower, upper=upper), job(expected="inf", tolerance="1/20"))
    assert (found.status == "exact") is right


def test_reasons() -> None:
    asked = job(reason="leaking pair")
    assert judged(row(reason="leaking pair"), asked).status == "exact"
    assert judged(row(reason="leaking cycle"), asked).status == "wrong"
    assert judged(row(reason=None, status="interval"), asked).status == "interval"


def test_an_interval_is_enough_where_nothing_is_expected() -> None:
    wide = row(status="interval", value=None, lower="1", upper="2")
    assert is_as_expected(wide, job())
    assert not is_as_expected(wide, job(expected="5/4"))
    assert is_as_expected(row(), job(expected="5/4"))
    assert not is_as_expected(row(status="timeout"), job())
