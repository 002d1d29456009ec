"""prover delta with --inputs and --neighbour: one answer, its certificates, its page, and bad options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import FORKS, zoo
from tests.commands import prover as run
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)

PAIR = ("--at-epsilon", "1", "--alpha", "1", "--inputs", "-1/2,1", "--neighbour", "1/2,0")


@pytest.fixture
def svt(tmp_path: Path) -> Path:
    return zoo(tmp_path, "svt")


def test_text_page_and_certificate(svt: Path, tmp_path: Path) -> None:
    proof, page = tmp_path / "pair.cert", tmp_path / "pair.html"
    done = run("delta", svt, *PAIR, "--certificate", str(proof), "--html", str(page))
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert "<= delta_1 of these two inputs <=" in lines[0]
    assert lines[1].endswith(", and with x and y swapped")
    assert "  inputs x  -1/2  1" in lines
    assert "This is about these two inputs only" in done.out
    assert "δ is between" in page.read_text("utf-8")
    assert run("verify", proof, "--model", svt).out.startswith("VERIFIED pair alpha=1 ")
    assert not Path(f"{proof}.lower").exists()
    wanted = run("verify", proof, "--at-epsilon", "1", "--at-most", "1/2")
    assert wanted.status == 1
    assert "one pair of inputs only" in wanted.out


def test_that_nothing_is_gained_is_said_as_far_as_it_is_proved(svt: Path) -> None:
    same = ("--inputs", "1/2", "--neighbour", "1/2")
    near = run("delta", svt, *PAIR[:4], *same).out
    assert "No event gains more than 10^-12." in near
    assert "No attack exists" not in near
    assert "No attack exists: no event is more" in run("delta", svt, *PAIR[:3], "9", *same).out


def test_two_certificates(svt: Path, tmp_path: Path) -> None:
    proof = tmp_path / "pair.cert"
    words = ("--epsilon", "1/10", *PAIR[4:], "--certificate", str(proof))
    assert run("delta", svt, "--at-epsilon", "1", *words).status == 0
    assert run("verify", f"{proof}.lower").out.startswith("VERIFIED pair alpha=")


def test_json_follows_its_schema(svt: Path) -> None:
    words = (*PAIR, "--json", "--at-most", "1/5")
    done = run("delta", svt, *words)
    check_answer(["delta", *words], done.out)
    found = json.loads(done.out)
    assert found["holds"] is True
    assert found["inputs"] == [["-1/2", "1"], ["1/2", "0"]]


def test_files_of_numbers(svt: Path, tmp_path: Path) -> None:
    for name, text in (("x", "-1/2\n1\n"), ("y", "1/2\r\n0\r\n")):
        (tmp_path / name).write_text(text)
    files = ("--inputs", f"@{tmp_path / 'x'}", "--neighbour", f"@{tmp_path / 'y'}")
    assert run("delta", svt, *PAIR[:4], *files).out == run("delta", svt, *PAIR).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--at-epsilon", "1", "--alpha", "1", "--inputs", "0"),
            "inputs and neighbour go together, without steps",
        ),
        ((*PAIR, "--steps", "2"), "go together, without steps"),
        (("--alpha", "1", "--inputs", "0", "--neighbour", "1"), "such as --at-epsilon 1"),
        ((*PAIR[:4], "--inputs", "0,", "--neighbour", "1"), '--inputs: malformed number ""'),
        ((*PAIR[:4], "--inputs", "@none", "--neighbour", "1"), "none: --inputs: no such file"),
        ((*PAIR[:4], "--inputs", "0", "--neighbour", "3"), "differs by 3"),
    ],
)
def test_bad_options(svt: Path, words: tuple[str, ...], said: str) -> None:
    done = run("delta", svt, *words)
    assert done.status == 2
    assert said in done.err


LISTS = (*PAIR[:4], "--values=-1,0,1", "--steps", "2")


def test_all_lists_of_some_values(svt: Path, tmp_path: Path) -> None:
    proof, page = tmp_path / "lists.cert", tmp_path / "lists.html"
    done = run("delta", svt, *LISTS, "--certificate", str(proof), "--html", str(page))
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert "<= delta_1 over all neighbouring inputs of 2 numbers from -1, 0, 1 <=" in lines[0]
    assert "These two inputs prove the lower end:" in lines
    assert "all pairs of neighbouring inputs of these values were compared" in done.out
    assert "δ is between" in page.read_text("utf-8")
    said = run("verify", proof, "--model", svt, "--steps", "2").out
    assert said.startswith("VERIFIED lists alpha=1 adjacency=all-differ at-epsilon=1 steps=2 values=-1,0,1 ")
    wanted = run("verify", proof, "--at-epsilon", "1", "--steps", "2", "--at-most", "1/2")
    assert wanted.status == 1
    assert "inputs of some values only" in wanted.out


def test_json_of_all_lists_follows_its_schema(svt: Path) -> None:
    words = (*LISTS, "--json", "--at-most", "1/5")
    done = run("delta", svt, *words)
    check_answer(["delta", *words], done.out)
    found = json.loads(done.out)
    assert (found["engine"], found["steps"], found["values"]) == ("lists", 2, ["-1", "0", "1"])
    assert found["holds"] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (LISTS[:5], "values go with steps"),
        ((*LISTS, "--inputs", "0,0", "--neighbour", "1,1"), "go together, without steps and values"),
        ((*PAIR[:4], "--values", "0,x", "--steps", "2"), '--values: malformed number "x"'),
        ((*PAIR[:4], "--values", "0,1,2", "--steps", "20"), "3,486,784,401 lists, and at most 10,000"),
        ((*PAIR[:4], "--values", "0,4", "--steps", "2"), "no two of these values are so near"),
    ],
)
def test_bad_values(svt: Path, words: tuple[str, ...], said: str) -> None:
    done = run("delta", svt, *words)
    assert done.status == 2
    assert said in done.err
