"""The gallery's list: it is whole, its files are all used, and what is wrong with a list is said."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from prover.errors import BadInput
from prover.gallery import index
from prover.gallery.index import INDEX, chosen, folder, gallery
from prover.gallery.library import REPLAY
from tests.refusals import refuses

ENTRY = """
[[mechanism]]
name = "one"
title = "One"
program = "one.dipa"
adjacency = "all-differ"
unit = "ε"
declared = "1"
repository = "owner/name"
file = "file.py"
line = 7
commit = "0"
quote = "ε"
parameters = "none"
claim = "none"
"""


def test_the_list_and_the_folder_have_the_same_programs() -> None:
    entries = gallery()
    assert len({entry.name for entry in entries}) == len(entries) >= 40
    there = {item.name for item in folder().iterdir()}
    assert {entry.program.partition(":")[0] for entry in entries} == there - {INDEX, REPLAY}
    scripts = {item.name for item in (folder() / REPLAY).iterdir()}
    assert {f"{entry.name}.py" for entry in entries if entry.library is not None} == scripts
    functions = {
        f"{file.name}:{name}"
        for file in folder().iterdir()
        if file.name.endswith(".py")
        for name in re.findall(r"@prover\.\w+\ndef (\w+)", file.read_text(encoding="utf-8"))
    }
    assert {entry.program for entry in entries if ":" in entry.program} == functions


def test_every_source_is_pinned() -> None:
    for entry in gallery():
        assert re.fullmatch(r"[0-9a-f]{40}", entry.commit)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", entry.repository)
        assert not entry.file.startswith("/")
        assert entry.address.endswith(f"/{entry.commit}/{entry.file}#L{entry.line}")
        assert all(text == " ".join(text.split()) for text in (entry.parameters, entry.claim, entry.note))


def test_names_choose_in_the_order_of_the_list() -> None:
    entries = gallery()
    assert chosen([]) == entries
    assert chosen([entries[3].name, entries[1].name, entries[3].name]) == (entries[1], entries[3])
    with refuses("unknown-mechanism", match='"tumult-prefix-sum"; did you mean tumult-prefix-sums'):
        chosen(["tumult-prefix-sum"])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('declared = "1"', 'declared = "-1"', r"\$\.mechanism\[0\]"),
        ('declared = "1"', 'declared = "one"', r"\$\.mechanism\[0\]"),
        ('declared = "1"', "declared = 1", "declared"),
        ('adjacency = "all-differ"', 'adjacency = "some"', "some"),
        ('unit = "ε"\n', "", "unit"),
        ('unit = "ε"\n', 'unit = "ε"\nunity = "ε"\n', "unity"),
        ('adjacency = "all-differ"\n', "", "needs adjacency"),
        ('adjacency = "all-differ"', 'question = "alpha"\nadjacency = "all-differ"', "needs neither"),
        ('adjacency = "all-differ"', 'question = "delta"', "needs alpha"),
        ('adjacency = "all-differ"', 'question = "delta"\nalpha = "1/2"', "alpha"),
        ('adjacency = "all-differ"', 'question = "beta"', "beta"),
        (
            'adjacency = "all-differ"\nunit = "ε"\ndeclared = "1"',
            'question = "alpha"\nunit = "ε"\ndeclared = "1/2"',
            "declared",
        ),
        ('claim = "none"', 'claim = "none"\nsteps = [{ input = "1" }]', "output"),
        ('claim = "none"', 'claim = "none"\nsteps = [{ output = "o", turns = 0 }]', "turns"),
        ('claim = "none"', 'claim = "none"\nsteps = [{ output = "o", input = "x" }]', "input"),
        ("line = 7", "line = 0", "line"),
        ('claim = "none"', 'claim = "none"\nlibrary = { name = "n", first = "1" }', "last"),
        ('claim = "none"', 'claim = "none"\nevery = { count = "c", constant = "0" }', "each"),
        ('claim = "none"', 'claim = "none"\nevery = { count = "c", constant = "0", each = "-1" }', "each"),
        ('claim = "none"', 'claim = "none"\nevery = { count = "c", constant = "0", each = "1" }', "function"),
        ('"1"', '"not private"\nevery = { count = "c", constant = "0", each = "1" }', "constant"),
        ("[[mechanism]]", "[mechanism]", "mechanism"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(
    old: str, new: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "folder", lambda: tmp_path)
    (tmp_path / INDEX).write_text(ENTRY, encoding="utf-8")
    (entry,) = gallery()
    assert (entry.declared, entry.note, entry.steps, entry.question) == (Fraction(1), "", (), "epsilon")
    assert old in ENTRY
    (tmp_path / INDEX).write_text(ENTRY.replace(old, new), encoding="utf-8")
    with pytest.raises(BadInput, match=complaint) as refusal:
        gallery()
    assert refusal.value.file == INDEX


def test_what_sampcert_assumes_is_said() -> None:
    """At 52c2f477 lemmas had gaps; and privSparse_DP takes the privacy of AboveThresh as a hypothesis."""
    above, sparse = chosen(["sampcert-above-threshold", "sampcert-sparse"])
    assert above.commit == sparse.commit == "4c0ed99d1431628cd0bebf8de3bae02bc9f828b6"
    assert "has_lucky" in above.claim
    assert "if AboveThresh is" in sparse.claim
