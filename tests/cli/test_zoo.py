"""`prover zoo`: the list, the models, and what cannot be built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover import zoo as models
from prover.formats.load import load
from tests.commands import FORKS, Run, prover

pytestmark = pytest.mark.filterwarnings(FORKS)


def refused(run: Run, *words: str) -> None:
    assert (run.status, run.out) == (2, "")
    first = run.err.splitlines()[0]
    assert first.startswith("prover: ")
    assert first.isprintable()
    for word in words:
        assert word in first


def test_the_list_has_names_with_parameters_and_descriptions() -> None:
    run = prover("zoo")
    assert (run.status, run.err) == (0, "")
    lines = run.out.splitlines()
    heads, descriptions = lines[::2], lines[1::2]
    assert [head.split()[0] for head in heads] == list(models.NAMES)
    assert "pin-checker p=53/100" in heads
    assert all(line.startswith("    ") and line.endswith(".") for line in descriptions)
    assert max(map(len, lines)) <= 110
    assert "`" not in run.out


@pytest.mark.family
@pytest.mark.parametrize("line", [line for line in prover("zoo").out.splitlines() if line[0] != " "])
def test_every_line_of_the_list_can_be_pasted(line: str, tmp_path: Path) -> None:
    run = prover("zoo", *line.split())
    assert (run.status, run.err) == (0, "")
    assert run.out.endswith("}\n")
    assert json.loads(run.out)["version"] == 1
    assert prover("zoo", line.split()[0]).out == run.out
    path = tmp_path / "model.json"
    path.write_text(run.out)
    assert load(path) == models.build(line.split()[0])


def test_parameters_are_used() -> None:
    run = prover("zoo", "random-chain", "states=7", "seed=3")
    assert len(json.loads(run.out)["states"]) == 7
    assert run.out != prover("zoo", "random-chain", "seed=4", "states=7").out


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["pin-check"], "pin-checker"),
        (["PIN-CHECKER"], "pin-checker"),
        (["dinning-cryptographer"], "dining-cryptographers"),
        (["svtt"], "svt"),
        (["pin-checker", "P=1/2"], "p"),
        (["random-chain", "state=3"], "states"),
    ],
)
def test_near_names(given: list[str], meant: str) -> None:
    refused(prover("zoo", *given), f"; did you mean {meant}? it")


@pytest.mark.parametrize("given", [["qqq"], [""], ["x" * 100_000], ["pin-checker", "zzz=1"]])
def test_names_that_are_near_to_none(given: list[str]) -> None:
    run = prover("zoo", *given)
    refused(run, "has no ")
    assert "did you mean" not in run.err


@pytest.mark.parametrize("name", ["", "pin", "PIN-CHECKER", "x\n\x1b[2J"])
def test_an_unknown_model(name: str) -> None:
    refused(prover("zoo", name), "the zoo has no model", "pin-checker")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (["q=1"], ['"q"', "its parameters are p"]),
        (["p=2"], ['"2"', "between 0 and 1"]),
        (["p="], ['""', "between 0 and 1"]),
        (["p=1/0"], ['"1/0"']),
        (["p=a\n\x1b"], [r"a\n\u001b"]),
        (["p"], ["NAME=VALUE", '"p"']),
        (["=1"], ['""']),
        (["p=1/2", "p=1/2"], ['"p" is given twice']),
        (["p=1/2", "q"], ["NAME=VALUE", '"q"']),
    ],
)
def test_bad_parameters(parameters: list[str], words: list[str]) -> None:
    refused(prover("zoo", "pin-checker", *parameters), *words)


@pytest.mark.parametrize("states", ["0", "-3", "1e3", "1.5", "many", "9" * 13, "100001"])
def test_bad_sizes(states: str) -> None:
    refused(prover("zoo", "random-chain", f"states={states}"), "states", f'"{states}"')


def test_no_parameters() -> None:
    refused(prover("zoo", "fig1", "p=1"), "it has none")
