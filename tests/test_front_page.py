"""The front page is short, and set-up comes first on it."""

from __future__ import annotations

import re

from tests.test_pages import ROOT

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
