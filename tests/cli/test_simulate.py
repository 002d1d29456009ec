"""--simulate: how often runs of code show an attack, which is as often as they should."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.commands import prover
from tests.language.test_simulation import bound

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "mechanisms"
RUNS = 1_000

GAP = """
import prover
from prover.language import Query, laplace, see

@prover.mechanism
def gap(first: Query, second: Query, third: Query, offset=3):
    top = 2 + laplace(first, rate=1)
    see("read")
    noisy = offset + third + laplace(0, rate=2)
    if noisy >= top + 1:
        see(noisy - 7)
    else:
        see("below")
    see(3 + laplace(second, rate=1) < top)
"""


GAME = """
import prover
from prover.language import ask, choose, flip, see

@prover.protocol
def game(left: bool, rounds=3):
    for n in range(rounds):
        one = ask(("a", "b", "c")) if n % 2 == 0 else ask("only")
        if one == "a":
            if flip("1/3" if left else "2/3"):
                return
            see(1)
        elif one == "b":
            see(choose((1, 2, 3), weights=("1/2", "1/4", "1/4")) if left else choose((1, 2, 3)))
        else:
            see("nothing")
    while flip("1/2"):
        see("tick" if left else "tock")

@prover.protocol
def patient(left: bool):
    while True:
        if ask("stay", "go") == "go":
            see("yes" if flip("3/5" if left else "2/5") else "no")
            return
        see("again")
"""


def simulated(*arguments: str, status: int = 0) -> None:
    run = prover(*arguments, "--simulate", str(RUNS), "--json")
    assert run.status == status, run.err
    found = json.loads(run.out)["simulation"]
    assert found["runs"] == RUNS
    for count, probability in zip(found["counts"], found["probabilities"], strict=True):
        assert abs(Fraction(count, RUNS) - Fraction(probability)) < bound(RUNS)


@pytest.mark.parametrize("name", ["above_threshold", "numeric_sparse"])
def test_mechanisms_show_the_attack_as_often_as_they_should(name: str) -> None:
    simulated("privacy", f"{FOLDER / 'sparse_vector.py'}:{name}", "--exceed", "1/3")


def test_leaks_are_seen() -> None:
    simulated("privacy", f"{FOLDER / 'leaks.py'}:shows_numbers", "--exceed", "1/2", status=1)


@pytest.mark.family
@pytest.mark.parametrize(("name", "const"), [("survey", ""), ("pin_checker", ""), ("diners", "payer=[0,1]")])
def test_protocols_show_the_words_as_often_as_they_should(name: str, const: str) -> None:
    simulated("delta", f"{FOLDER / 'protocols.py'}:{name}", "--alpha", "1", "--const", const)


def test_offsets_and_private_parameters_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "gap.py"
    path.write_text(GAP)
    simulated("privacy", f"{path}:gap", "--exceed", "1/2", "--at-epsilon", "1/2")


def test_the_table_is_shown() -> None:
    run = prover("delta", f"{FOLDER / 'protocols.py'}:survey", "--alpha", "6/5", "--simulate", "300")
    assert run.status == 0
    rows = [line.split() for line in run.out.splitlines()[-3:]]
    assert rows[0] == ["simulated", "runs", "hits", "frequency", "probability"]
    assert [row[0] for row in rows[1:]] == ["truth=False", "truth=True"]
    assert [row[-1] for row in rows[1:]] == ["0.666666…", "0.333333…"]


def test_only_code_is_run(tmp_path: Path) -> None:
    path = tmp_path / "survey.json"
    assert prover("convert", f"{FOLDER / 'protocols.py'}:survey", path).status == 0
    run = prover("delta", path, "--alpha", "6/5", "--simulate", "10")
    assert run.status == 2
    assert "FILE.py:NAME" in run.err
    run = prover("privacy", f"{FOLDER / 'sparse_vector.py'}:lyu_1", "--stuck", "--simulate", "10")
    assert run.status == 2


@pytest.mark.family
@pytest.mark.parametrize(("name", "alpha"), [("game", "1"), ("game", "3/2"), ("patient", "1")])
def test_the_attacker_of_a_game_guesses_right_as_often_as_it_should(
    tmp_path: Path, name: str, alpha: str
) -> None:
    path = tmp_path / "game.py"
    path.write_text(GAME)
    simulated("delta", f"{path}:{name}", "--alpha", alpha)


def test_processes_without_code_are_not_run() -> None:
    run = prover("delta", FOLDER.parent / "tag.json", "--alpha", "1", "--simulate", "10")
    assert run.status == 2
    assert "FILE.py:NAME" in run.err
