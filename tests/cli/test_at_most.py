"""`--at-most`: the exit status, the first line and `holds` say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import FORKS, long_work, prover, verdicts, zoo

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings(FORKS)]

PAIR = ("--from", "0", "--to", "1")
PIN = [
    (("distance", *PAIR, "--alpha", "11/10"), "412/7791", "412/7792"),
    (("distance", *PAIR, "--alpha", "11/10", "--engine", "linear"), "412/7791", "1/20"),
    (("distance", *PAIR, "--alpha", "11/10", "--kind", "tv"), "3791/75090", "1/20"),
    (("distance", *PAIR, "--alpha", "11/10", "--kind", "bd"), "6/53", "1/10"),
    (("distance", *PAIR, "--alpha", "11/10", "--kind", "kernel"), "1", "1/2"),
    (("distance", *PAIR, "--kind", "bisimilarity"), "2", "0"),
    (("distance", "--all-pairs", "--alpha", "11/10"), "1", "99/100"),
    (("delta", "--alpha", "11/10"), "3791/75090", "0.05"),
    (("delta", "--epsilon", "0.1"), "0.05", "0.04"),
    (("epsilon", "--delta", "1/100"), "0.213192894522", "0.213192894521"),
    (("epsilon", "--delta", "1"), "0", None),
    (("epsilon", *PAIR, "--delta", "0", "--kind", "lv"), "1/2", "1/10"),
    (("epsilon", "--from", "0", "--to", "end", "--delta", "1/2"), None, "1000000"),
]
SVT = [(("privacy",), "5/4", "6/5"), (("privacy", "--engine", "smt"), "5/4", "1")]


@pytest.mark.family
@pytest.mark.parametrize(
    ("model", "question", "yes", "no"),
    [*(("pin-checker", *row) for row in PIN), *(("svt", *row) for row in SVT)],
)
def test_yes_and_no(
    tmp_path: Path, model: str, question: tuple[str, ...], yes: str | None, no: str | None
) -> None:
    command, *options = question
    path = zoo(tmp_path, model)
    for threshold, status, word in ((yes, 0, "yes"), (no, 1, "no")):
        if threshold is None:
            continue
        if word == "no":
            run = prover(command, path, *options, "--at-most", threshold)
            assert (run.status, run.err) == (status, "")
            assert run.out.split("\n")[0].removeprefix("at most ").split(": ")[1] == word
        run = prover(command, path, *options, "--at-most", threshold, "--json")
        found = json.loads(run.out)
        assert (run.status, found["holds"]) == (status, status == 0)
        assert found["at_most"] is not None


def test_a_program_that_is_not_private_is_never_at_most(tmp_path: Path) -> None:
    run = prover("privacy", zoo(tmp_path, "leaking-pair"), "--at-most", "1000000", "--json")
    assert (run.status, json.loads(run.out)["holds"]) == (1, False)


def test_nothing_asked(tmp_path: Path) -> None:
    found = json.loads(prover("delta", zoo(tmp_path, "pin-checker"), "--alpha", "2", "--json").out)
    assert (found["at_most"], found["holds"]) == (None, None)


def test_intervals_decide_where_they_can(tmp_path: Path) -> None:
    model = zoo(tmp_path, "pin-checker")
    question = ("distance", model, *PAIR, "--alpha", "11/10", "--max-bits", "1", "--json")
    found = json.loads(prover(*question).out)
    for threshold, status, holds in (
        (found["upper"], 0, True),
        (found["lower"], 3, None),
        ("1/20", 1, False),
    ):
        run = prover(*question, "--at-most", threshold)
        assert (run.status, json.loads(run.out)["holds"]) == (status, holds)
        assert run.err.startswith("prover: not decided: ") is (status == 3)


def test_an_interval_that_decides_ends_the_work(tmp_path: Path) -> None:
    model, proof = long_work(tmp_path), tmp_path / "proof"
    question = ("distance", model, "--alpha", "6/5", "--json", "--certificate", proof)
    run = prover(*question, "--at-most", "999/1000")
    found = json.loads(run.out)
    assert (run.status, run.err, found["holds"], found["value"]) == (0, "", True, None)
    assert verdicts(proof).status == 0


@pytest.mark.parametrize(
    ("command", "model", "options"),
    [
        ("distance", "pin-checker", ("--alpha", "2")),
        ("delta", "pin-checker", ("--alpha", "2")),
        ("epsilon", "pin-checker", ("--delta", "0")),
        ("privacy", "svt", ()),
    ],
)
def test_negative_numbers_are_refused(
    tmp_path: Path, command: str, model: str, options: tuple[str, ...]
) -> None:
    run = prover(command, zoo(tmp_path, model), *options, "--at-most=-1/2")
    assert (run.status, run.out) == (2, "")
    assert "-1/2 is not a number of at least 0" in run.err
    assert prover(command, zoo(tmp_path, model), *options, "--at-most=0").status in (0, 1)
