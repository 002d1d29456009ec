"""docs/gallery.md says of each mechanism what the list says, and its outputs are those of the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from prover.gallery.index import GalleryEntry, gallery

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", gallery(), ids=lambda entry: entry.name)
def test_the_page_has_the_source_and_the_remarks(entry: GalleryEntry) -> None:
    source = f"[{entry.title}](https://github.com/{entry.repository}/blob/{entry.commit}/{entry.file}#L{entry.line})"
    remarks = f"{entry.parameters} {entry.note}".strip()
    cells = " | ".join([f"`{entry.name}`", source, entry.claim, remarks])
    assert f"\n| {cells} |\n" in PAGE.replace("  |\n", " |\n")


def test_the_page_has_no_other_mechanisms() -> None:
    assert PAGE.count("](https://github.com/") == len(gallery())
    assert PAGE.count("\n$ prover gallery\n") == 1  # its output is compared by test_page_examples.py
