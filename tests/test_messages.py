"""Messages about input that is refused: they are true of it, and what they advise is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

import prover
from prover.formats.code import function_of
from prover.formats.convert import write_json
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.lines import BadLine
from prover.formats.explicit.process import offers_differ
from prover.formats.load import load
from prover.language.errors import Unbounded
from prover.language.protocol import system_of_code
from prover.language.written import Protocol
from prover.program.smt.paths import unknown_transition
from prover.zoo import pin_checker
from tests.commands import FORKS
from tests.commands import prover as run
from tests.refusals import refuses

pytestmark = pytest.mark.filterwarnings(FORKS)

CODE = """
import prover
from prover.language import ask, flip, laplace, see

@prover.protocol
def empty(x: bool):
    see("" if x else "b")

@prover.protocol
def within(x: bool):
    see(("a", ""))

@prover.protocol
def asking(x: bool):
    see(ask("", "b"))

@prover.mechanism
def letters(queries):
    for query in queries:
        see("" if laplace(query, rate="1/4") >= 0 else "below")

@prover.protocol
def known(count=3, p="1/2"):
    see("a" if flip(p) else "b")

@prover.protocol
def alone():
    see("a")

@prover.protocol
def coins(home: bool, n=1000):
    total = 0
    for _ in range(n):
        if flip("1/2"):
            total = total * 2 + 1
    see(f"{total}")
"""


def refused(*arguments: str | Path) -> str:
    ended = run(*arguments)
    assert (ended.status, ended.out) == (2, "")
    return ended.err


@pytest.fixture
def code(tmp_path: Path) -> str:
    path = tmp_path / "c.py"
    path.write_text(CODE, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "empty",
            "an empty string cannot be seen; see a non-empty string, a whole number or a truth value",
        ),
        ("within", "a tuple with an empty string in it cannot be seen"),
        ("asking", "an empty string cannot be chosen; each option of ask must be a non-empty string"),
        (
            "known",
            "nothing is secret; write a secret as count: bool or count: range(4), or give its values, "
            "--const count=[1,2]",
        ),
        ("alone", "alone has no parameter, so nothing is secret; write a secret as answer: bool or answer"),
    ],
)
def test_protocols(name: str, words: str, code: str) -> None:
    assert words in refused("delta", f"{code}:{name}", "--alpha", "2")


def test_mechanisms(code: str) -> None:
    assert "an empty string cannot be seen; see a non-empty string" in refused("privacy", f"{code}:letters")


def test_the_advice_is_taken(code: str) -> None:
    assert run("delta", f"{code}:known", "--alpha", "2", "--const", "count=[1,2]").status == 0


def test_a_sum_that_takes_many_values_does_not_grow_without_end(code: str) -> None:
    coins = function_of(f"{code}:coins")
    assert isinstance(coins, Protocol)
    with pytest.raises(Unbounded) as raised:
        system_of_code(coins.code(), coins.starts({}), [], coins.fail, 2_000)
    assert str(raised.value).endswith(
        "there are more than 2,000 states; so far total takes 63 values: keep fewer values of variables that "
        "are still used, or do fewer rounds"
    )


@pytest.mark.parametrize("command", ["delta", "curve"])
def test_options_are_named_as_they_are_written(command: str, tmp_path: Path) -> None:
    path = tmp_path / "pin.json"
    path.write_text(write_json(pin_checker()), encoding="utf-8")
    said = refused(command, path)
    assert (
        "--alpha 2 or --epsilon 1/2" if command == "delta" else "--alpha 1:2:11 or --epsilon 0:2:11"
    ) in said
    assert "(--alpha)" in refused("distance", path)
    with refuses("alpha-or-epsilon", match=r'in Python alpha=2 or epsilon="1/2"'):
        prover.delta(pin_checker())
    with refuses("alpha-or-epsilon", match=r"such as alphas="):
        prover.curve(pin_checker(), alphas=[1], epsilons=[1])


def test_too_many_points_are_too_many(tmp_path: Path) -> None:
    path = tmp_path / "pin.json"
    path.write_text(write_json(pin_checker()), encoding="utf-8")
    said = refused("curve", path, "--alpha", "1:2:1000000000")
    assert "from 2 to 1,000 points make a grid, or 1 if both ends are equal; not 1,000,000,000" in said
    assert '"1:2:many" is not a grid; write A1:A2:POINTS' in refused("curve", path, "--alpha", "1:2:many")
    account = tmp_path / "account.toml"
    account.write_text(
        '[[mechanism]]\nknown = "randomised-response"\nepsilon = "1"\n'
        '[ask]\ndelta = "1/10"\ncurve = "x.csv"\npoints = "0:1:1000000000"\n'
    )
    assert "from 2 to 1,000 points make a grid" in refused("account", account)


def test_advice_is_in_no_syntax_of_another_format() -> None:
    messages = [
        str(offers_differ("x", ("s", ["a"]), ("t", ["b"]))),
    ]
    for message in messages:
        assert "guard" not in message
        assert "command" not in message


@pytest.mark.parametrize(
    ("states", "known"),
    [(0, "the file announces no states"), (1, "the only state is 0"), (2, "the states are 0 to 1")],
)
def test_states_that_there_are(states: int, known: str, tmp_path: Path) -> None:
    path = tmp_path / "m.tra"
    path.write_text(f"{states} 1\n5 0 1\n")
    with pytest.raises(BadLine, match=f"there is no state 5; {known}$"):
        load(path)
    drn = f"@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n{states}\n@nr_choices\n1\n@model\n"
    with pytest.raises(BadLine, match=f"there is no state 5; {known}$"):
        read_drn(f"{drn}state 5 init\n")


def test_transitions_that_there_are() -> None:
    assert str(unknown_transition(3, 0)) == "no transition 3; the program has no transition"
    assert str(unknown_transition(3, 1)) == "no transition 3; the program has the transition 0 only"
    assert str(unknown_transition(3, 3)) == "no transition 3; the program has the transitions 0 to 2"


@pytest.mark.parametrize("asked", [["--initial"], ["--secret", "x"]])
def test_one_initial_state(asked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "m.tra"
    path.write_text("2 2\n0 0 1\n1 1 1\n")
    path.with_suffix(".sta").write_text("(x)\n0:(0)\n1:(1)\n")
    said = refused("delta", path, "--alpha", "2", *asked)
    assert "there is one initial state, but there must be at least two secrets" in said
    assert "init … endinit" in said
    assert "the label init" in said
    assert "--initial, --secret, --secret-pairs" in refused("delta", path, "--alpha", "2")


def test_a_model_is_no_certificate(tmp_path: Path) -> None:
    path = tmp_path / "pin.json"
    path.write_text(write_json(pin_checker()), encoding="utf-8")
    ended = run("verify", path)
    said = "REJECTED the file has no claim, so it is not a certificate; give a model with --model\n"
    assert (ended.status, ended.out) == (1, said)
