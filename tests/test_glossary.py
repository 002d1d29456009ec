"""The glossary: few terms, in order, and every one is linked from where it first stands."""

from __future__ import annotations

import re

from tests.test_pages import ROOT

PAGE = ROOT / "docs" / "glossary.md"
TERMS = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_it_has_few_terms_in_order() -> None:
    assert 20 <= len(TERMS) <= 40
    assert sorted(TERMS, key=str.casefold) == TERMS
    assert len(set(TERMS)) == len(TERMS)
