"""docs/gallery.md says of each mechanism what the list says, and its outputs are those of the command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prover.gallery.index import GalleryEntry, gallery
from tests.gallery.proved import every_row

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
REPORTS = (DOCS / "reports.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", gallery(), ids=lambda entry: entry.name)
def test_the_page_has_the_source_and_the_remarks(entry: GalleryEntry) -> None:
    source = f"[{entry.title}](https://github.com/{entry.repository}/blob/{entry.commit}/{entry.file}#L{entry.line})"
    remarks = f"{entry.parameters} {entry.note}".strip()
    cells = " | ".join([f"`{entry.name}`", source, entry.claim, remarks])
    assert f"\n| {cells} |\n" in PAGE.replace("  |\n", " |\n")


def findings() -> dict[str, str]:
    """The rows of the list of findings: the name, and the rest."""
    table = re.findall(r"^\| `([\w.-]+)` \| (.*) \|$", REPORTS, re.MULTILINE)
    return dict(table)


def test_every_finding_has_its_numbers_and_a_report() -> None:
    listed = findings()
    rows = [every_row()[entry.name] for entry in gallery() if entry.reported]
    assert list(listed) == [row.entry.name for row in rows]
    for row in rows:
        declared, exact, status = listed[row.entry.name].split(" | ")
        assert (declared, exact) == (str(row.entry.declared), str(row.value))
        new = row.entry.reported.startswith("not yet reported")
        assert new == status.startswith("not yet reported")
        assert REPORTS.count(f"`{row.entry.name}`") == 1 + new  # in the list, and as the finding of a report


def test_the_page_has_no_other_mechanisms() -> None:
    assert PAGE.count("](https://github.com/") == len(gallery())
    assert PAGE.count("\n$ prover gallery\n") == 1  # its output is compared by test_page_examples.py
