"""The folder of templates: every file is in the table of its README, and says what it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "encodings"
TEMPLATES = sorted(path.stem for path in FOLDER.glob("*.smt2"))
ROWS = re.findall(
    r"^\| `([\w-]+)` \|(.*)\|$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_the_table_and_the_folder_are_in_step() -> None:
    assert sorted(name for name, _ in ROWS) == TEMPLATES
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(
        ["README.md", *(f"{name}.smt2" for name in TEMPLATES)]
    )


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_says_the_logic_that_the_template_sets(name: str, row: str) -> None:
    text = (FOLDER / f"{name}.smt2").read_text(encoding="utf-8")
    (logic,) = re.findall(r"^\(set-logic (\w+)\)$", text, re.MULTILINE)
    assert re.search(rf"\b{logic}\b", row)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_heading_says_what_the_answers_mean(name: str) -> None:
    text = (FOLDER / f"{name}.smt2").read_text(encoding="utf-8")
    heading = text[: text.index("(set-")]
    assert all(line.startswith(";") for line in heading.splitlines())
    for word in ("sat: ", "unsat: ", "; Logic: ", "; Variables"):
        assert word in heading, word
    assert re.search(r"^; (Theorem|Definition)s?: ", heading, re.MULTILINE)
    assert re.search(r"^\(set-info :source \|", text, re.MULTILINE)
    assert text.isascii()


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_heading_names_every_family_of_variables(name: str) -> None:
    text = (FOLDER / f"{name}.smt2").read_text(encoding="utf-8")
    heading = text[: text.index("(set-")]
    declared = set(re.findall(r"^\(declare-(?:const|fun) ([a-z][a-z0-9-]*)", text, re.MULTILINE))
    assert declared
    for family in declared:
        assert re.search(rf"^;.*\b{family}\b", heading, re.MULTILINE), family
