"""docs/composition.md is what its script prints, and its numbers hold."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.chain.breakpoints import breakpoints
from prover.zoo import randomised_response
from tests.scripts import module_at

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "composition.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> Any:
    """The module of the script."""
    return module_at(ROOT / "examples" / "composition.py")


def without_rows_above(page: str, most: int) -> str:
    """The page as it is for at most so many answers."""
    lines = page.splitlines(keepends=True)
    return "".join(
        line for line in lines if not (line[:2] == "| " and line[2].isdigit() and int(line[2]) > most)
    )


def test_the_page_is_printed_for_few_answers(script: Any) -> None:
    assert "".join(script.page(3)) == without_rows_above(PAGE, 3) != PAGE


@pytest.mark.slow
def test_the_page_is_printed(script: Any) -> None:
    assert "".join(script.page(6)) == PAGE


@pytest.mark.parametrize("answers", [2, 3])
def test_the_pair_that_differs_everywhere_is_the_worst(answers: int) -> None:
    chain = randomised_response(answers=answers)
    worst = breakpoints(chain, "a" * answers, "b" * answers).delta
    assert worst == breakpoints(chain).delta
    assert f"| {answers} |" in PAGE
    assert f"| {worst.value(Fraction(6, 5) ** answers)} |" in PAGE
