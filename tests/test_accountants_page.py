"""docs/accountants.md: its table is that of the recorded answers, and these agree with each other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.commands import ROOT
from tests.scripts import module_at

QUICK = ("20 × Laplace, scale 20", "10 × randomised response, q = 1/2", "7 × randomised response, q = 1/2")


@pytest.fixture(scope="module")
def page() -> Any:
    return module_at(ROOT / "benchmarks" / "accountants.py")


@pytest.fixture(scope="module")
def recorded(page: Any) -> Any:
    return json.loads(page.RECORDED.read_text(encoding="utf-8"))["rows"]


def test_the_page_has_the_table_of_the_recorded_answers(page: Any) -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.renewed(text) == text, "python benchmarks/accountants.py writes the table"


def test_every_question_is_recorded(page: Any, recorded: Any) -> None:
    asked = [(row.mechanisms, row.asked) for row in page.ROWS]
    assert [(row["mechanisms"], row["asked"]) for row in recorded] == asked
    assert len(set(asked)) == len(asked) >= 18


def test_all_answers_agree(page: Any, recorded: Any) -> None:
    for row in recorded:
        others = [row[name] for name in ("dp_accounting", "reference") if row[name] is not None]
        assert others, row["mechanisms"]
        assert all(page.agree(row["prover"], other) for other in others), row


def test_numbers_that_differ_do_not_agree(page: Any) -> None:
    one, other = {"lower": 1.0, "upper": 2.0}, {"lower": 2.1, "upper": 3.0}
    assert not page.agree(one, other)
    assert not page.agree(other, one)


def test_the_prover_still_answers_as_recorded(page: Any, recorded: Any) -> None:
    found = {(row["mechanisms"], row["asked"]): row["prover"] for row in recorded}
    again = [row for row in page.ROWS if row.mechanisms in QUICK and "ρ" not in row.asked]
    assert len(again) >= 2
    for row in again:
        lower, upper = row.ours()
        kept = found[row.mechanisms, row.asked]
        assert (lower, upper) == pytest.approx((kept["lower"], kept["upper"]), rel=1e-9)
