"""prover sweep: tables, pictures, files, and exit statuses."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from tests.cli.test_interrupted import interrupted
from tests.commands import FORKS, ROOT, Run, prover, verdicts

pytestmark = pytest.mark.filterwarnings(FORKS)

TALLY = ROOT / "examples" / "sweeps" / "tally.py"


def sweep(*arguments: str | Path) -> Run:
    return prover("sweep", TALLY, *arguments)


def test_a_table() -> None:
    run = sweep("--const", "others=0:3", "--alpha", "2")
    assert (run.status, run.err) == (0, "")
    assert run.out.splitlines() == [
        "delta at alpha = 2, over others:",
        "others  delta",
        "0       1",
        "1       1/2 (0.5)",
        "2       1/4 (0.25)",
        "3       1/4 (0.25)",
    ]


def test_json_of_two_parameters_beside_a_constant(tmp_path: Path) -> None:
    picture = tmp_path / "map.svg"
    asked = ("--const", "vote=[False,True],others=1:2,p=1/4:1/2:2", "--alpha", "2", "--plot", picture)
    run = sweep(*asked, "--json")
    found = json.loads(run.out)
    assert run.status == 0
    assert found["over"] == {"others": ["1", "2"], "p": ["1/4", "1/2"]}
    assert [point["value"] for point in found["points"]] == ["3/4", "1/2", "9/16", "1/4"]
    assert picture.read_text().count("<rect") == 4
    assert sweep(*asked).status == 2


@pytest.mark.parametrize(
    ("most", "more", "status", "words"),
    [
        ("1/5", (), 0, "delta <= 1/5 at others = 4, and delta > 1/5 at others = 3."),
        ("1/5", ("--all",), 0, "The least value of others = 0 to 6 with delta <= 1/5 is others = 4."),
        ("1", (), 0, "delta <= 1 at others = 0, the first value of the range."),
        ("1/10", (), 3, "delta > 1/10 at both ends of others = 0 to 6."),
        ("1/10", ("--all",), 1, "delta > 1/10 at every value of others = 0 to 6."),
    ],
)
def test_a_target(most: str, more: tuple[str, ...], status: int, words: str) -> None:
    run = sweep("--const", "others=0:6", "--alpha", "2", "--target", most, *more)
    assert (run.status, run.out.splitlines()[0]) == (status, words), run.err
    if most == "1/5":
        again = sweep("--const", "others=0:6", "--alpha", "2", "--target", most, *more, "--json")
        found = json.loads(again.out)
        assert found["crossing"] == {"at_most": "4", "above": "3"}
        assert found["least"] == ("4" if more else None)


def test_both_neighbours_are_certified(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    run = sweep("--const", "others=0:6", "--alpha", "2", "--target", "1/5", "--certificate", folder)
    assert run.status == 0, run.err
    checked = verdicts(folder / "others=3.cert", folder / "others=4.cert").out.splitlines()
    assert [line.split(" value=")[1].split()[0] for line in checked] == ["1/4", "3/16"]
    assert prover("verify", folder / "others=4.cert", "--at-most", "1/5").status == 0
    assert prover("verify", folder / "others=3.cert", "--at-most", "1/5").status == 1


def test_files_are_kept_and_continued(tmp_path: Path) -> None:
    file = tmp_path / "tally.jsonl"
    asked = ("--const", "others=0:2", "--delta", "1/4", "--output", file)
    first = sweep(*asked)
    assert first.status == 0
    lines = file.read_text().splitlines()
    assert len(lines) == 4
    again = sweep(*asked)
    assert (again.status, "--resume" in again.err) == (2, True)
    assert sweep(*asked, "--resume").out == first.out
    assert file.read_text().splitlines() == lines
    assert sweep(*asked, "--force").out == first.out
    assert len(file.read_text().splitlines()) == 4


def test_results_stay_where_the_model_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "tally.jsonl"
    asked = ("--const", "others=0:2", "--delta", "1/4", "--output", file)
    assert sweep(*asked).status == 0
    before = file.read_text()
    wrong = prover("sweep", tmp_path / "missing.py", *asked, "--force")
    assert (wrong.status, file.read_text()) == (2, before)


def test_after_ctrl_c_what_is_known_is_printed_and_kept(tmp_path: Path) -> None:
    asked = ("sweep", str(TALLY), "--const", "others=0:9999", "--alpha", "2", "--output", "tally.jsonl")
    lines, status = interrupted(tmp_path, "places of others", *asked)
    assert os.waitstatus_to_exitcode(status) == 3
    assert ["0", "1"] in [line.split() for line in lines]
    assert "prover: the same command with --resume continues tally.jsonl" in lines
    kept = [json.loads(line) for line in (tmp_path / "tally.jsonl").read_text().splitlines()]
    assert [row["const"] for row in kept[1:3]] == ["others=0", "others=1"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--const", "others=0:1000000000", "--alpha", "2"), "at most 10,000 models"),
        (("--const", "others=5:2", "--alpha", "2"), "is empty"),
        (("--const", "other=0:2", "--alpha", "2"), 'no parameter "other"'),
        (("--const", "others=0:2"), "one of alpha, epsilon and delta"),
        (("--alpha", "2"), "one or two parameters, not 0"),
        (("--const", "others=0:2,p=0:1:2,vote=0:1", "--alpha", "2"), "not 3"),
        (("--const", "others=0:2", "--alpha", "2", "--all"), "--all goes with --target"),
        (("--const", "others=0:2,p=0:1:2", "--alpha", "2", "--target", "1"), "one parameter"),
        (("--const", "others=0:2", "--alpha", "2", "--resume"), "give both"),
        (("--const", "others=0:2", "--alpha", "2", "--plot", "map.png"), ".svg"),
        (("--const", "others=0:2", "--alpha", "2", "--certificate", "no/such"), "cannot be made"),
        (("--const", "others=0:2", "--alpha", "2", "--output", "no/such"), "cannot write"),
        (("--const", "p=0:2:3", "--alpha", "2"), "(at p=2)"),
        (("--const", "others=0:2", "--alpha", "2", "--at-epsilon", "1"), "threshold programs"),
    ],
)
def test_bad_input_has_one_message(arguments: tuple[str, ...], words: str) -> None:
    run = sweep(*arguments)
    assert (run.status, run.out) == (2, "")
    assert words in run.err
    assert run.err.startswith("prover: ")


@pytest.mark.skipif(importlib.util.find_spec("stormpy") is None, reason="needs stormpy")
def test_constants_of_prism_models() -> None:
    reading = ("--observe", "said", "--secret", "payer")
    run = prover("sweep", ROOT / "examples" / "diners.prism", "--const", "N=3:4", *reading, "--alpha", "1")
    assert run.status == 0, run.err
    assert [line.split()[0] for line in run.out.splitlines()] == ["delta", "N", "3", "4"]
