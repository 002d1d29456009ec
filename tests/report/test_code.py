"""The code of a model on the page about it: what it uses, with the numbers of its lines, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from prover.formats.load import function_of
from prover.report import code
from prover.report.code import code_section
from prover.report.page.document import Text
from tests.commands import FORKS, prover
from tests.report.pages import read_page

pytestmark = pytest.mark.filterwarnings(FORKS)

FILE = """import prover
from enum import Enum
from prover.language import flip, see

CHANCE = "1/3"
OTHER = "1/4"

class Colour(Enum):
    RED = 1

def aid(x):
    return aid_of_aid(x)

def aid_of_aid(x):
    return flip(CHANCE) == x

def bystander():
    return OTHER

@prover.protocol
def shows(secret: bool, times=2):
    for _ in range(times):
        see(aid(secret))
    see("<b>&")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.py"
    path.write_text(FILE)
    return path


def listing(file: Path) -> list[str]:
    (block,) = (
        one
        for one in code_section(function_of(f"{file}:shows")).blocks
        if isinstance(one, Text) and one.look == "code"
    )
    return block.text.split("\n")


def test_it_has_what_it_uses_and_no_more(file: Path) -> None:
    lines = FILE.splitlines()
    expected = [5, 11, 12, 14, 15, 20, 21, 22, 23, 24]
    assert listing(file) == [f"{number:2}  {lines[number - 1]}" for number in expected]


def test_long_code_is_cut(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "MOST_LINES", 3)
    assert len(listing(file)) == 3
    assert Text("7 more lines are not shown.") in code_section(function_of(f"{file}:shows")).blocks


def test_it_is_on_the_page_and_nothing_in_it_is_markup(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run = prover("delta", f"{file}:shows", "--alpha", "2", "--const", "times=1", "--html", page)
    assert run.status == 0, run.err
    text = page.read_text(encoding="utf-8")
    assert "<b>" not in text
    found = read_page(text)
    assert any('24      see("<b>&")' in one for one in found.text)
    assert "Constants that were given: times=1." in " ".join(found.text)
    assert "bystander" not in text
