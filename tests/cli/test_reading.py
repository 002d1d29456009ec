"""The options about the reading of a chain."""

import json
from pathlib import Path

import pytest

from prover.formats.load import load_chain
from tests.commands import FORKS, prover
from tests.formats.explicit.made import DRN

pytestmark = pytest.mark.filterwarnings(FORKS)

COMMANDS = {
    "delta": ("--alpha", "1"),
    "distance": ("--alpha", "1"),
    "epsilon": ("--delta", "1/2"),
    "curve": ("--alpha", "1:2:2"),
}
TWO = DRN.replace("] heads", "] heads init").replace("1 : 1/3", "0 : 1/3")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.drn"
    path.write_text(TWO, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_what_is_observed(model: Path, command: str) -> None:
    hidden = prover(
        command, model, *COMMANDS[command], "--observe", "side", "--secret", "side,seen", "--json"
    )
    answer = json.loads(hidden.out)
    assert hidden.status == 0 or command == "epsilon"
    assert len(answer["notes"]) == 1
    assert "related states at once" in answer["notes"][0]
    assert answer.get("value", "1") in ("1", None)


def test_lists_that_are_given_twice_are_joined(model: Path) -> None:
    once, twice = (
        json.loads(prover("delta", model, "--alpha", "1", "--observe", "side", *secrets, "--json").out)
        for secrets in (("--secret", "side,seen"), ("--secret", "side", "--secret", "seen"))
    )
    assert {**once, "seconds": 0} == {**twice, "seconds": 0}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_bad_options(model: Path, command: str) -> None:
    run = prover(command, model, *COMMANDS[command], "--observe", "sde")
    assert (run.status, run.out) == (2, "")
    assert f'{model}: no variable "sde"; the variables are "seen", "side"' in run.err


@pytest.mark.thorough
def test_notes_stand_in_the_answer(model: Path) -> None:
    model.write_text(TWO.replace("2/3", "0.666"), encoding="utf-8")
    options = ("--alpha", "1", "--labels", "tails")
    assert "row of state 0 sums to 1499/1500, not 1" in prover("delta", model, *options).err
    run = prover("delta", model, *options, "--normalise")
    assert run.status == 0
    assert (
        "Note: normalised: 1 row was divided by the sum, which differed from 1 by up to 6.66…e-4" in run.out
    )
    curve = prover("curve", model, "--alpha", "1:2:2", "--labels", "tails", "--normalise")
    assert "Note" not in curve.out
    assert "normalised" in curve.err


def test_secrets_in_a_file(model: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs"
    pairs.write_text("seen=false,side=0 seen=true,side=2\n", encoding="utf-8")
    run = prover("delta", model, "--alpha", "1", "--secret-pairs", pairs, "--json")
    answer = json.loads(run.out)
    assert {answer["from"], answer["to"]} == {"seen=false,side=0", "seen=true,side=2"}
    assert (
        "both choose the secrets"
        in prover("delta", model, "--alpha", "1", "--secret-pairs", pairs, "--initial").err
    )


def test_commands_that_print_models(model: Path, tmp_path: Path) -> None:
    target = tmp_path / "m.json"
    run = prover("convert", model, target, "--observe", "side")
    assert (run.status, run.out) == (0, f"wrote {target}\n")
    assert "related states at once" in run.err
    assert load_chain(target).labels == ("side=0", "side=1", "side=2")
    product = prover("compose", model, "--times", "2", "--observe", "seen")
    assert "(seen=false,seen=false)" in product.out
    pair = ("--from", "seen=false,side=0", "--to", "seen=true,side=1", "--theta", "1/4")
    formula = prover("encode", model, "--problem", "ld-linear", *pair, "--alpha", "1", "--observe", "seen")
    assert formula.status == 0, formula.err
