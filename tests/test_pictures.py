"""Pictures of the pages: drawn by the commands that stand there, in one style, and there in words, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from prover.formats.load import load
from prover.report.picture.svg import looks
from tests.commands import FORKS, prover, zoo
from tests.scripts import module_at
from tests.sources import relative
from tests.test_pages import PAGES

pytestmark = pytest.mark.filterwarnings(FORKS)

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
SVG = "{http://www.w3.org/2000/svg}"


def script(name: str, *files: str) -> Callable[[Path], None]:
    """A script of examples/ that draws these files in a folder."""

    def draw(folder: Path) -> None:
        module_at(ROOT / "examples" / f"{name}.py").draw(*(str(folder / file) for file in files))

    return draw


def sharing(folder: Path) -> None:
    """What one strategy for all branches costs."""
    module = module_at(ROOT / "examples" / "sharing_penalty.py")
    module.draw(str(folder / "sharing_penalty.svg"), *module.costs(8))


def command(file: str, status: int, *words: str, model: tuple[str, ...] = ()) -> Callable[[Path], None]:
    """A command line with --plot; MODEL in it is a model of the zoo."""

    def draw(folder: Path) -> None:
        given = [zoo(folder, *model) if word == "MODEL" else word for word in words]
        run = prover(*given, "--plot", folder / file)
        assert run.status == status, run.err

    return draw


def survey(folder: Path) -> None:
    """The chain of the survey."""
    load(f"{ROOT}/examples/mechanisms/protocols.py:survey").show().write(folder / "survey.svg")


DRAWN: dict[str, Callable[[Path], None]] = {
    "between.svg": command(
        "between.svg", 0, "privacy", f"{ROOT}/examples/open/between.dipa", "--open", "t=9/10:4"
    ),
    "what_delta_is.svg": script("what_delta_is", "what_delta_is.svg"),
    "run_exponents.svg": script("loss_against_t", "run_exponents.svg", "loss_against_t.svg"),
    "loss_against_t.svg": script("loss_against_t", "run_exponents.svg", "loss_against_t.svg"),
    "sharing_penalty.svg": sharing,
    "survey.svg": survey,
    "pin-checker.svg": command(
        "pin-checker.svg", 0, "curve", "MODEL", "--from", "0", "--to", "1", "--alpha", "1:1.272:11",
        model=("pin-checker",),
    ),
    "above_threshold.svg": command(
        "above_threshold.svg", 0, "privacy", f"{ROOT}/examples/mechanisms/sparse_vector.py:above_threshold",
    ),
    "tally.svg": command(
        "tally.svg", 0, "sweep", f"{ROOT}/examples/sweeps/tally.py", "--const", "others=0:12,p=1/10:1/2:9",
        "--alpha", "2",
    ),
    "leak.svg": command(
        "leak.svg", 1, "privacy", "MODEL", model=("numeric-sparse", "output=insample")
    ),
}  # fmt: skip


def test_every_picture_is_drawn_by_a_command() -> None:
    assert sorted(path.name for path in DOCS.glob("*.svg")) == sorted(DRAWN)
    assert [path.name for path in DOCS.iterdir() if path.suffix in (".png", ".jpg", ".gif")] == []


@pytest.mark.family
@pytest.mark.parametrize("name", DRAWN)
def test_it_draws_what_the_page_shows(name: str, tmp_path: Path) -> None:
    DRAWN[name](tmp_path)
    assert (tmp_path / name).read_bytes() == (DOCS / name).read_bytes()


@pytest.mark.parametrize("name", DRAWN)
def test_one_style_with_words_and_nothing_from_elsewhere(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    top = ElementTree.fromstring(text)  # noqa: S314  it is ours
    assert top.get("role") == "img"
    assert top.findtext(f"{SVG}style", "").startswith(looks())
    title, description = top.findtext(f"{SVG}title", ""), top.findtext(f"{SVG}desc", "")
    assert title == top.get("aria-label")
    assert len(title) > 10
    assert len(description) > len(title)
    assert "href" not in text
    assert "url(" not in text


def images() -> Iterator[tuple[Path, str, str]]:
    """Every picture of every page: the page, what is said in its place, and the file."""
    for page in PAGES:
        for words, file in IMAGE.findall(page.read_text(encoding="utf-8")):
            yield page, words, file


def test_every_picture_is_on_a_page_and_in_words() -> None:
    shown = {(page.parent / file).resolve() for page, _, file in images()}
    badges = {path.resolve() for path in DOCS.parent.glob("examples/contract/proofs/*.svg")}
    assert shown - badges == {path.resolve() for path in DOCS.glob("*.svg")}
    assert shown & badges
    assert [(relative(page), file) for page, words, file in images() if len(words) < 20] == []
