"""What bounds mean, in a sentence."""

from __future__ import annotations

import pytest

from prover.report.promise import promise

START, BOUND = "Whatever is observed", "P[it | a]  <=  6/5 * P[it | b]"


@pytest.mark.parametrize(
    ("pair", "rest", "both_ways", "text"),
    [
        (("a", "b"), "1/4", False, f"{START}:  {BOUND}  +  1/4"),
        (("a", "b"), "0", True, f"{START}:  {BOUND}, and with the two swapped"),
        (None, "0", True, f"{START}, for all related s and t:  P[it | s]  <=  6/5 * P[it | t]"),
    ],
)
def test_promise(pair: tuple[str, str] | None, rest: str, both_ways: bool, text: str) -> None:
    assert promise(pair, "6/5", rest, both_ways=both_ways) == text


def test_names_cannot_break_the_line() -> None:
    assert "\n" not in promise(("a\nb", "c" * 1000), "2", "0", both_ways=False)
    assert len(promise(("a\nb", "c" * 1000), "2", "0", both_ways=False)) < 200
