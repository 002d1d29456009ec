"""prover privacy --open: answers, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover.certificate.check import check
from tests.commands import FORKS, prover

pytestmark = pytest.mark.filterwarnings(FORKS)

HITS = ("privacy", "examples/open/five_hits.py:hits", "--open", "t=1/10:9/10")
BETWEEN = ("privacy", "examples/open/between.dipa", "--open", "t=9/10:4")
SPLIT = ("privacy", "examples/open/split.json", "--open", "t=1/10:9/10")


def test_one_piece() -> None:
    run = prover(*HITS)
    assert (run.status, run.err) == (0, "")
    assert run.out.splitlines()[0] == "private for every t from 1/10 to 9/10: exactly (5 - 4·t)·ε"
    assert "The loss is least at t = 9/10: (7/5)·ε." in run.out
    assert "(1/10)·ε" not in prover(*SPLIT).out


def test_json() -> None:
    run = prover(*BETWEEN, "--json")
    found = json.loads(run.out)
    assert found["epsilon"] is None
    assert [(piece["from"], piece["to"], piece["epsilon"]) for piece in found["pieces"]] == [
        ("9/10", "1", "2 + t"),
        ("1", "5/3", "3*t"),
        ("5/3", "3", "5"),
        ("3", "4", "2 + t"),
    ]
    assert found["least"] == {"t": "9/10", "epsilon": "29/10"}
    assert (found["lower"], found["upper"]) == ("29/10", "6")
    assert [len(piece["runs"]) > 0 for piece in found["pieces"]] == [True] * 4


def test_files(tmp_path: Path) -> None:
    proof, plot, page = (tmp_path / name for name in ("a.cert", "a.svg", "a.html"))
    run = prover(*BETWEEN, "--certificate", proof, "--plot", plot, "--html", page, "--json")
    assert run.status == 0
    line = check(proof.read_bytes())
    assert "bounds=9/10..1:29/10..3,1..5/3:3..5,5/3..3:5..5,3..4:5..6" in line
    assert line.endswith(f"model={json.loads(run.out)['model']}")
    assert plot.read_text().count("For t from") == 4
    text = page.read_text()
    assert "the loss is known exactly, a function of 4 pieces" in text
    assert prover("verify", page).status == 0
    assert prover("verify", proof, "--epsilon-at-most", "6").status == 0
    assert prover("verify", proof, "--epsilon-at-most", "5").status == 1


@pytest.mark.parametrize(("most", "status", "word"), [("23/5", 0, "yes"), ("9/2", 1, "no")])
def test_at_most(most: str, status: int, word: str) -> None:
    run = prover(*HITS, "--at-most", most)
    assert run.status == status
    assert run.out.splitlines()[0].endswith(f"for every t from 1/10 to 9/10: {word}")


def test_a_rate_that_names_a_parameter_says_how_to_leave_it_open() -> None:
    run = prover("privacy", "examples/open/five_hits.py:hits")
    assert (run.status, run.out) == (2, "")
    assert "this rate names t, which is no number; write numbers, such as 2, 1/3, 0.25 or 1e-5; " in run.err
    assert "or leave it open: prover privacy --open t=1/10:9/10" in run.err


def test_verbose() -> None:
    assert "with its costs at t = 5/3" in prover(*BETWEEN, "--verbose").out


def test_not_private(tmp_path: Path) -> None:
    text = Path("examples/open/split.json").read_text(encoding="utf-8")
    leaks = text.replace('"to": "end"', '"to": "test"')
    (tmp_path / "leak.json").write_text(leaks, encoding="utf-8")
    run = prover("privacy", tmp_path / "leak.json", "--open", "t=1/10:9/10", "--certificate", tmp_path / "c")
    assert run.status == 1
    assert run.out.splitlines()[0] == "not private for every t from 1/10 to 9/10: leaking pair"
    assert check((tmp_path / "c").read_bytes()).startswith("not-private ")
    found = json.loads(prover("privacy", tmp_path / "leak.json", "--open", "t=1/10:9/10", "--json").out)
    assert (found["private"], found["pieces"], found["least"]) == (False, [], None)


def test_who_sees_that_a_run_stops() -> None:
    segment = ("privacy", "examples/open/segment.dipa", "--open", "t=1/10:4")
    assert "for an observer who does not see that a run stops or ends" in prover(*segment).out
    assert "does not see" not in prover(*segment, "--stuck").out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--witness",), "--witness needs fixed rates"),
        (("--at-epsilon", "1"), "--at-epsilon needs fixed rates"),
        (("--advantage",), "--advantage needs fixed rates"),
        (("--engine", "smt"), "--engine smt needs fixed rates"),
        (("--plot", "a.dot"), "ends in .svg"),
    ],
)
def test_options_of_fixed_rates(more: tuple[str, ...], words: str) -> None:
    run = prover(*SPLIT, *more)
    assert run.status == 2
    assert words in run.err


@pytest.mark.parametrize("opening", ["t", "t=2:1", "s=1/10:9/10", "t=0:1", "t=1/2:2"])
def test_openings_that_are_refused(opening: str) -> None:
    run = prover("privacy", "examples/open/split.json", "--open", opening)
    assert run.status == 2
    assert "Traceback" not in run.err
    assert len(run.err.splitlines()) <= 4


def test_a_file_that_says_the_interval(tmp_path: Path) -> None:
    model = json.loads(Path("examples/open/split.json").read_text(encoding="utf-8"))
    path = tmp_path / "own.json"
    path.write_text(json.dumps({**model, "open": {"name": "t", "from": "1/10", "to": "9/10"}}))
    own, given = (json.loads(prover(*words, "--json").out) for words in (("privacy", path), SPLIT))
    assert {**own, "seconds": 0} == {**given, "seconds": 0}
    assert prover("privacy", path, "--certificate", tmp_path / "c").status == 0
    assert prover("verify", tmp_path / "c", "--model", path).status == 0
    assert prover("verify", tmp_path / "c", "--model", "examples/svt.dipa").status == 1
    assert prover("privacy", path, "--witness").status == 2
    assert prover("privacy", path, "--open", "t=1/10:9/10").status == 2


def test_a_sensitivity(tmp_path: Path) -> None:
    """The loss as pieces, a page, and a certificate about this file with its interval."""
    source = "examples/open/counts_and_sums.dipa"
    proof, page = tmp_path / "a.cert", tmp_path / "a.html"
    run = prover("privacy", source, "--open", "t=1/2:3", "--certificate", proof, "--html", page, "--json")
    found = json.loads(run.out)
    assert run.status == 0
    assert [piece["epsilon"] for piece in found["pieces"]] == ["1", "1/4 + (3/4)*t"]
    assert found["least"] == {"t": "1/2", "epsilon": "1"}
    assert "at sum by at most t" in page.read_text()
    model = json.loads(proof.read_bytes())["model"]
    assert model["states"]["sum"]["sensitivity"] == ["1/2", "3"]
    (tmp_path / "a.json").write_text(json.dumps(model))
    assert prover("verify", proof, "--model", tmp_path / "a.json").status == 0
