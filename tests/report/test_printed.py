"""``print(answer)`` is what the command prints; ``repr`` is one line with the headline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import prover
from prover.accounting.account import Questions, account
from prover.accounting.mechanism import Mechanism
from prover.zoo import leaking_pair, pin_checker, randomised_response, svt
from prover.zoo.interactive import doors
from tests.commands import prover as command

ROOT = Path(__file__).parents[2]
CODE = f"{ROOT}/examples/mechanisms/leaks.py:falling"

ANSWERS: list[tuple[str, Any, tuple[str, ...]]] = [
    ("pin.json", lambda m: prover.delta(m, "0", "1", "11/10"), ("delta", "--alpha", "11/10")),
    ("response.json", lambda m: prover.delta(m, "a", "b", 1), ("delta", "--alpha", "1")),
    ("doors.json", lambda m: prover.delta(m, "s", "t", "6/5"), ("delta", "--alpha", "6/5")),
    ("pin.json", lambda m: prover.distance(m, "0", "1", "11/10"), ("distance", "--alpha", "11/10")),
    (
        "pin.json",
        lambda m: prover.distance(m, "0", "1", kind="bisimilarity"),
        ("distance", "--kind", "bisimilarity"),
    ),
    ("response.json", lambda m: prover.distances(m, "6/5"), ("distance", "--all-pairs", "--alpha", "6/5")),
    ("pin.json", lambda m: prover.epsilon_for(m, "0", "1", "1/100"), ("epsilon", "--delta", "1/100")),
    (
        "pin.json",
        lambda m: prover.curve(m, "0", "1", ["1", "3/2", "2"], bounds=True),
        ("curve", "--alpha", "1:2:3", "--csv", "points.csv"),
    ),
    ("svt.dipa", prover.privacy, ("privacy",)),
    ("leaking.dipa", prover.privacy, ("privacy",)),
    (CODE, prover.privacy, ("privacy",)),
]
"""The file of a model, a question about it in Python, and the same to the command line."""

MODELS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "pin.json": (pin_checker, ("--from", "0", "--to", "1")),
    "response.json": (randomised_response, ("--from", "a", "--to", "b")),
    "doors.json": (doors, ("--from", "s", "--to", "t")),
    "svt.dipa": (svt, ()),
    "leaking.dipa": (leaking_pair, ()),
}


@pytest.mark.family
@pytest.mark.parametrize(("file", "ask", "words"), ANSWERS)
def test_print_is_what_the_command_prints(
    file: str, ask: Any, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pair: tuple[str, ...] = ()
    if file in MODELS:
        make, pair = MODELS[file]
        prover.save(make(), file)
    pair = () if "--all-pairs" in words else pair
    answer = ask(prover.load(file))
    run = command(words[0], file, *pair, *words[1:])
    assert run.out == f"{answer}\n"
    assert repr(answer) == f"<{type(answer).__name__}: {answer.headline}>"
    assert "\n" not in answer.headline


def test_first_line_of_most_answers_is_the_headline() -> None:
    for answer in (
        prover.delta(pin_checker(), "0", "1", "11/10"),
        prover.distances(randomised_response(), "6/5"),
        prover.epsilon_for(pin_checker(), delta="1/100"),
        prover.privacy(svt()),
        prover.LossDistribution.randomised_response("1/2"),
    ):
        assert str(answer).split("\n")[0] == answer.headline


def test_an_attack_prints_as_the_command_prints_it(tmp_path: Path) -> None:
    prover.save(pin_checker(), tmp_path / "pin.json")
    run = command("delta", tmp_path / "pin.json", "--from", "0", "--to", "1", "--alpha", "11/10")
    attack = prover.delta(pin_checker(), "0", "1", "11/10").attack
    assert attack is not None
    assert f"\n{attack}\n" in run.out
    assert len(str(attack).split("\n")) == 8
    assert repr(attack) == (
        "<Attack: guess 1, not 0, if the output begins with one of infinitely many sequences of labels>"
    )


def test_a_strategy_prints_as_a_tree(tmp_path: Path) -> None:
    prover.save(doors(), tmp_path / "doors.json")
    run = command("delta", tmp_path / "doors.json", "--from", "s", "--to", "t", "--alpha", "6/5")
    answer = prover.delta(doors(), "s", "t", "6/5")
    assert isinstance(answer, prover.InteractiveDelta)
    assert f"\n{answer.strategy}\n" in run.out
    assert repr(answer.strategy) == "<Strategy: guess s with probability 3/4 under s and 1/4 under t>"


def test_inputs_print_as_a_table(tmp_path: Path) -> None:
    prover.save(svt(), tmp_path / "svt.dipa")
    run = command("privacy", tmp_path / "svt.dipa", "--witness")
    attack = prover.attack(svt())
    assert run.out == f"{prover.privacy(svt())}\n\n{attack}\n"
    assert repr(attack).startswith("<InputAttack: a loss of 99.")


def test_an_account_prints_its_mechanisms() -> None:
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=3)
    composed = account([coin], Questions())
    assert str(composed) == "3 x  randomised-response, q = 1/2, values = 2"
    assert repr(composed) == f"<Account: {composed.headline}>" == "<Account: 3 runs of 1 mechanism, exact>"
