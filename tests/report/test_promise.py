"""What bounds mean, in a sentence."""

from __future__ import annotations

import pytest

from prover.report.promise import promise

START, BOUND = "For every event E", "P[E | a]  <=  6/5 * P[E | b]"


@pytest.mark.parametrize(
    ("pair", "rest", "both_ways", "text"),
    [
        (("a", "b"), "1/4", False, f"{START}:  {BOUND}  +  1/4"),
        (("a", "b"), "0", True, f"{START}:  {BOUND}, and with a and b swapped"),
        (None, "0", True, f"{START} and all related secrets s, t:  P[E | s]  <=  6/5 * P[E | t]"),
    ],
)
def test_promise(pair: tuple[str, str] | None, rest: str, both_ways: bool, text: str) -> None:
    assert promise(pair, "6/5", rest, both_ways=both_ways) == text


def test_names_cannot_break_the_line() -> None:
    assert "\n" not in promise(("a\nb", "c" * 1000), "2", "0", both_ways=False)
    assert len(promise(("a\nb", "c" * 1000), "2", "0", both_ways=False)) < 200
