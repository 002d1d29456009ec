"""The glossary: few terms, in order, and every one is linked from where it first stands."""

from __future__ import annotations

import re

from tests.sources import ROOT
from tests.test_pages import PAGES

PAGE = ROOT / "docs" / "glossary.md"
TERMS = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_it_has_few_terms_in_order() -> None:
    assert 20 <= len(TERMS) <= 40
    assert sorted(TERMS, key=str.casefold) == TERMS
    assert len(set(TERMS)) == len(TERMS)


def test_every_term_is_linked_from_another_page() -> None:
    linked = set()
    for page in PAGES:
        if page != PAGE:
            linked |= set(re.findall(r"glossary\.md#([\w-]+)", page.read_text(encoding="utf-8")))
    names = {term.lower().replace(" ", "-") for term in TERMS}
    assert names - linked == set()
