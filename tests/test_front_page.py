"""The front page is short, and set-up comes first on it."""

from __future__ import annotations

import io
import re
import tokenize

from tests.sources import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = 1700
ROWS = 10


def test_it_is_short() -> None:
    assert len(TEXT.split()) <= WORDS


def test_set_up_comes_first() -> None:
    assert re.findall(r"^## (.*)$", TEXT, re.MULTILINE)[0] == "Set-up"
    assert len(TEXT.partition("\n## Set-up\n")[0].split()) <= 120


def test_where_to_read_on_has_few_rows() -> None:
    _, _, end = TEXT.partition("\n## Where to read on\n")
    rows = re.findall(r"^\|.*\|$", end, re.MULTILINE)
    assert rows[1] == "|---|---|"
    assert 3 <= len(rows[2:]) <= ROWS


def test_there_is_one_picture() -> None:
    assert len(re.findall(r"!\[[^\]]+\]\(", TEXT)) == 1


def test_it_says_how_many_lines_the_checker_has() -> None:
    """In thousands of lines with code on them, on this page and on the one about trust."""
    files = (ROOT / "prover" / "certificate" / "check").rglob("*.py")
    lines = sum(len(lines_of_code(path.read_text(encoding="utf-8"))) for path in files)
    said = re.findall(r"([0-9]+),000\s+lines of", TEXT + (ROOT / "docs" / "trust.md").read_text("utf-8"))
    assert said == [str(round(lines / 1000))] * 2


def lines_of_code(text: str) -> set[int]:
    """The lines of Python that hold more than comments and docstrings."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    blank = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    starts = [i for i, token in enumerate(tokens) if token.type not in blank]
    alone = {
        i
        for i in starts
        if tokens[i].type == tokenize.STRING
        and (i == 0 or tokens[i - 1].type in blank)
        and tokens[i + 1].type in blank
    }
    return {n for i in starts if i not in alone for n in range(tokens[i].start[0], tokens[i].end[0] + 1)}
