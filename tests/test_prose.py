"""Prose in Markdown has short lines, so that a change of a sentence is a change of a line or two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[a-z]*/README.md")})
LONGEST = 100
FENCE = re.compile(r"^\s*(```|~~~)")
FREE = re.compile(r"^(\s{4,}|\s*\||\s*!\[|<!--)|^\s*(> )?\S+$")
"""Lines of any length: formulas and code, tables, pictures, comments, and what has no blank to break at."""


def prose(page: str) -> Iterator[tuple[int, str]]:
    """The lines that are neither free nor within fences, with their numbers."""
    fenced = False
    for number, line in enumerate(page.splitlines(), start=1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not FREE.match(line):
            yield number, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_of_prose_are_short(page: Path) -> None:
    lines = prose(page.read_text(encoding="utf-8"))
    long = [f"line {number}: {line}" for number, line in lines if len(line) > LONGEST]
    assert long == []


def test_long_lines_are_found() -> None:
    long = "word " * 30
    page = f"# Title\n\n{long}\n\n```\n{long}\n```\n\n| {long} |\n\n* {long}\n"
    assert [number for number, _ in prose(page) if len(page.splitlines()[number - 1]) > LONGEST] == [3, 11]
