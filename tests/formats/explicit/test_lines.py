"""Numbers and lines of text formats."""

import tracemalloc
from fractions import Fraction

import pytest

from prover.formats.explicit import lines as module
from prover.formats.explicit.lines import (
    BadLine,
    Probabilities,
    Transitions,
    lines_of,
    read_lines,
    state_number,
)
from tests.refusals import refuses


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", Fraction(1)),
        ("0.1", Fraction(1, 10)),
        (".25", Fraction(1, 4)),
        ("1.", Fraction(1)),
        ("1e-5", Fraction(1, 10**5)),
        ("5.6E-06", Fraction(56, 10**7)),
        ("0.01e+2", Fraction(1)),
        ("1e-9999", Fraction(1, 10**9999)),
        ("0.1000000000000000055511151231257827", Fraction(1000000000000000055511151231257827, 10**34)),
        ("36893488147419103232/36893488147419103233", Fraction(2**65, 2**65 + 1)),
        ("0", Fraction(0)),
    ],
)
def test_numbers_are_read_literally(text: str, number: Fraction) -> None:
    reader = Probabilities()
    assert reader[text] == number
    assert reader[text] is reader[text]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "malformed-number"),
        (".", "malformed-number"),
        ("e5", "malformed-number"),
        (".e5", "malformed-number"),
        ("1e", "malformed-number"),
        ("1/2e3", "malformed-number"),
        ("+1", "malformed-number"),
        ("nan", "malformed-number"),
        ("[0.1,0.2]", "malformed-number"),
        ("p", "malformed-number"),
        ("٣", "malformed-number"),
        ("1_0", "malformed-number"),
        ("1/0", "zero-denominator"),
        ("9" * 10_001, "number-too-long"),
        ("-1/2", "bad-line"),
        ("1e-10000", "number-too-long"),
        ("1e-10001", "exponent-too-large"),
        ("1e9999999999", "exponent-too-large"),
    ],
)
def test_what_is_no_probability(text: str, error: str) -> None:
    with refuses(error) as caught:
        read_lines([(7, text)], Probabilities().__getitem__)
    assert caught.value.line == 7
    assert len(str(caught.value)) < 300


@pytest.mark.thorough
def test_exponents_cannot_fill_the_memory() -> None:
    reader = Probabilities()
    tracemalloc.start()
    texts = (f"{k}.5e-9990" for k in range(100_000))
    with refuses("exponents-too-large"):
        _ = [reader[text] for text in texts]
    assert tracemalloc.get_traced_memory()[1] < 200 * 2**20
    tracemalloc.stop()


def test_lines_are_numbered_and_blank_ones_skipped() -> None:
    assert list(lines_of("a\n\n  b \r\n\tc")) == [(1, "a"), (3, "b"), (4, "c")]


@pytest.mark.parametrize("block", [1, 2, 3, 4, 5, 100])
def test_lines_do_not_depend_on_the_blocks_that_are_split(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", block)
    text = "\na b\n\n\nc\nd\n\n e"
    assert list(lines_of(text)) == [(2, "a b"), (5, "c"), (6, "d"), (8, "e")]


@pytest.mark.parametrize("text", ["-1", "1.0", "", "x", "3", "1" * 30, "²"])
def test_numbers_of_states(text: str) -> None:
    with pytest.raises(BadLine):
        state_number(text, 3, 1)


def test_transitions_are_given_once_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Transitions()
    found.add(0, 0, 1, "1/2")
    with pytest.raises(BadLine, match="from 0 to 1 is given twice"):
        found.add(0, 0, 1, "1/2")
    monkeypatch.setattr(module, "MAX_TRANSITIONS", 2)
    found.add(0, 0, 2, "1/2")
    with refuses("too-many-transitions"):
        found.add(0, 0, 3, "1/2")
