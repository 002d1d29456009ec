"""Reading what tools print."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest

from prover.bench.tool import Tool, read_answer, read_number, read_seconds
from tests.refusals import refuses


def tool(pattern: str | None = None, json: str | None = None, command: str = "tool") -> Tool:
    return Tool("t", command, "json", pattern, json, (0,))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", Fraction(1, 3)),
        ("-0.25", Fraction(-1, 4)),
        (" 7 ", Fraction(7)),
        ("+2.5", Fraction(5, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("-1.5E+2", Fraction(-150)),
        (".5e1", Fraction(5)),
        ("-.5", Fraction(-1, 2)),
        ("2.", Fraction(2)),
        ("2.e1", Fraction(20)),
        ("inf", None),
        ("Infinity", None),
        ("∞", None),
    ],
)
def test_numbers(text: str, value: Fraction | None) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "nan", "1e99999", "1/0", "--1", "1,5", "e5", ".", "1..5", "1./3", ".e1", None]
)
def test_no_numbers(text: str | None) -> None:
    with refuses("unreadable-answer"):
        read_number(text)


def test_a_value_by_pattern() -> None:
    found = tool(r"eps = (?P<value>\S+)")
    assert read_answer(found, "hello\neps = 0.5 and more") == (Fraction(1, 2), Fraction(1, 2))
    with refuses("unreadable-answer", match="nothing is found"):
        read_answer(found, "no answer")


def test_seconds_that_a_tool_tells() -> None:
    found = tool(r"(?P<value>\S+) in (?P<seconds>\S+) s")
    assert read_answer(found, "1/2 in .25 s") == (Fraction(1, 2), Fraction(1, 2))
    assert read_seconds(found, "1/2 in .25 s") == 0.25
    assert read_seconds(tool("(?P<value>.*)"), "1/2") is None
    assert read_seconds(tool(json="a"), "{}") is None
    with refuses("unreadable-answer"):
        read_seconds(found, "1/2 in few s")


def test_bounds_by_pattern() -> None:
    found = tool(r"\[(?P<lower>[^,]*),(?P<upper>[^\]]*)\]")
    assert read_answer(found, "in [0, inf]") == (Fraction(0), None)


@pytest.mark.parametrize("path", ["a.b[1]", "$.a.b[1]"])
def test_a_json_path(path: str) -> None:
    assert read_answer(tool(json=path), '{"a": {"b": [0, 0.1]}}') == (Fraction(1, 10), Fraction(1, 10))


@pytest.mark.parametrize(
    "output", ["", "{", "[]", '{"a": 1}', '{"a": {"b": null}}', '{"a": {"b": {}}}', "[" * 9999]
)
def test_json_without_an_answer(output: str) -> None:
    with refuses("unreadable-answer"):
        read_answer(tool(json="a.b"), output)


def test_words_are_filled_in_and_never_split() -> None:
    found = tool(command="run --alpha={alpha} '{model}' \"a {b}\" {unfilled:x}")
    words = found.words({"alpha": "6/5", "model": "/a b/m.json", "b": "; rm"})
    assert words == ["run", "--alpha=6/5", "/a b/m.json", "a ; rm", "{unfilled:x}"]
    assert sys.executable not in words
