"""Tables of texts."""

from __future__ import annotations

import pytest

from prover.report.tables import aligned


def test_texts_to_the_left() -> None:
    assert aligned([("a", "bb", "c"), ("aaa", "b", "")]) == ["a    bb  c", "aaa  b"]


def test_numbers_to_the_right() -> None:
    rows = [("job", "value", "seconds"), ("pin", "1/10", "1.5"), ("diners", "0", "10.25")]
    assert aligned(rows, texts=2) == [
        "job     value  seconds",
        "pin     1/10       1.5",
        "diners  0        10.25",
    ]
    assert aligned(rows, texts=0)[1] == "   pin   1/10      1.5"


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        aligned([("a", "b"), ("c",)])


def test_no_rows() -> None:
    assert aligned([]) == []
