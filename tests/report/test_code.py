"""The code of a model on the page about it: what it uses, with the numbers of its lines, and nothing else."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest

from prover import LabelledMarkovChain, Program, collapse, curve, delta, distance, epsilon_for, load, privacy
from prover.formats.code import function_of
from prover.report import code
from prover.report.code import code_section
from prover.report.document import Text
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
        for one in code_section(function_of(f"{file}:shows").text({})).blocks
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
    assert Text("7 more lines are not shown.") in code_section(function_of(f"{file}:shows").text({})).blocks


def test_it_is_on_the_page_and_nothing_in_it_is_markup(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run = prover("delta", f"{file}:shows", "--alpha", "2", "--const", "times=1", "--html", page)
    assert run.status == 0, run.err
    text = page.read_text(encoding="utf-8")
    assert "<b>" not in text
    found = read_page(text)
    assert any('24      see("<b>&")' in one for one in found.text)
    assert "Given constants: times=1." in " ".join(found.text)
    assert "bystander" not in text


MECHANISM = """import prover
from prover.language import Query, laplace, see

RATE = "1/2"

@prover.mechanism
def tested(query: Query, bound=10):
    see("above" if laplace(query, rate=RATE) >= bound else "below")
"""


def test_pages_about_mechanisms_have_it_and_name_themselves(tmp_path: Path) -> None:
    file, page = tmp_path / "file.py", tmp_path / "it's mine.html"
    file.write_text(MECHANISM)
    for more in ((), ("--stuck",)):
        run = prover("privacy", f"{file}:tested", "--const", "bound=3", "--html", page, "--force", *more)
        assert run.status == 0, run.err
        found = read_page(page.read_text(encoding="utf-8"))
        text = " ".join(" ".join(found.text).split())
        assert "4 RATE = " in text
        assert "bystander" not in text
        assert "Given constants: bound=3." in text
        assert "tested: Is this mechanism private, and for which multiple of ε" in text
        assert "tested: private: exactly (1/2)·ε" in text
        assert found.commands[0].endswith(""" 'it'"'"'s mine.html'""")


def test_answers_in_python_have_it_too(file: Path, tmp_path: Path) -> None:
    mechanism = tmp_path / "mechanism.py"
    mechanism.write_text(MECHANISM)
    program, chain = load(f"{mechanism}:tested", const="bound=3"), load(f"{file}:shows")
    assert isinstance(program, Program)
    assert isinstance(chain, LabelledMarkovChain)
    for page, shown in (
        (privacy(program).to_html(), "def tested(query: Query, bound=10):"),
        (delta(chain, alpha=2).to_html(), "def shows(secret: bool, times=2):"),
        (delta(collapse(chain), alpha=2).to_html(), "def shows(secret: bool, times=2):"),
        (distance(chain, alpha=2).to_html(), "def shows(secret: bool, times=2):"),
        (curve(chain, alphas=[1, 2]).to_html(), "def shows(secret: bool, times=2):"),
        (epsilon_for(chain, delta="1/10").to_html(), "def shows(secret: bool, times=2):"),
    ):
        assert shown.replace(" ", "") in "".join(read_page(page).text).replace(" ", "")
        assert f"<h1>{shown.split()[1].partition('(')[0]}: " in page
    assert copy(chain).code == chain.code


def test_other_models_are_called_after_their_files(tmp_path: Path) -> None:
    model, page = tmp_path / "pin.json", tmp_path / "page.html"
    model.write_text(prover("zoo", "pin-checker").out)
    assert prover("delta", model, "--alpha", "11/10", "--html", page).status == 0
    text = page.read_text(encoding="utf-8")
    assert "<h1>pin.json: How well" in text
    assert "<title>pin.json: δ = 3791/75090" in text
    assert read_page(text).commands[0].endswith(" page.html")
