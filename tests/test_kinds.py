"""Every page is of one kind, and its first line says for whom it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.test_site import ROOT, SITE, pages

KINDS = ["Tutorials", "How-to guides", "Reference", "Explanation", "The project"]


def first_lines(page: str) -> list[str]:
    """The first three lines of a page, given without its ending."""
    for ending in (".md", ".rst", ".ipynb"):
        path = Path(ROOT, page + ending)
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if ending == ".ipynb":
                text = "".join(json.loads(text)["cells"][0]["source"])
            lines = text.splitlines()
            return lines[:1] + lines[2:4] if ending == ".rst" else lines[:3]
    raise AssertionError(f"there is no page {page}")


def test_the_contents_have_the_four_kinds() -> None:
    # tests/test_site.py: every page is in the contents exactly once.
    text = (SITE / "contents.md").read_text(encoding="utf-8")
    assert re.findall(r"^:caption: (.*)$", text, re.MULTILINE) == KINDS
    assert text.count("```{toctree}") == len(KINDS)


@pytest.mark.parametrize("page", sorted(pages()))
def test_the_first_line_says_for_whom_the_page_is(page: str) -> None:
    title, blank, line = first_lines(page)
    assert title
    assert blank == ""
    assert re.fullmatch(r"\*For [^*]+: [^*]+\.\*", line), line
    assert len(line) <= 100


def test_the_lines_are_different() -> None:
    lines = [first_lines(page)[2] for page in pages()]
    assert len(set(lines)) == len(lines)
