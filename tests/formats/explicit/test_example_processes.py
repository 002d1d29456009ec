"""The examples in the PRISM language in which an attacker chooses, as Storm reads them, and JSON beside."""

import importlib.util
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.chain.unrolling.answer import InteractiveDelta
from prover.formats.convert import convert
from prover.zoo import build
from tests.commands import ROOT
from tests.formats.explicit.programs import load_process
from tests.interactive_oracle import attackers_delta as delta
from tests.interactive_oracle import gain

EXAMPLES = ROOT / "examples"
with_storm = pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)

VIEWS: dict[str, dict[str, Any]] = {
    "tapping": {"observe": "round,seen", "secret": "receiver"},
    "pin_timing": {"observe": "left,seen", "secret": "first"},
    "tag": {"observe": "phase,b,round,retries,bit", "secret": "tag"},
}
CONSTANTS = {"tapping": "ROUNDS=2", "pin_timing": "GUESSES=3", "tag": "ROUNDS=1,RETRIES=2"}
VALUES = {  # with α = 1, 6/5, 2
    "tapping": ("5/9", "8/15", "4/9"),
    "pin_timing": ("129/160", "1267/1600", "59/80"),
    "tag": ("111/256", "1073/2560", "185/512"),
}
FIXED = {"tapping": "4/9", "pin_timing": "25/32", "tag": "3/16"}
"""What the best fixed sequence gains, with α = 1."""


def of_json(name: str, alpha: str, **options: Any) -> InteractiveDelta:
    return delta(load_process(EXAMPLES / f"{name}.json"), alpha=alpha, **options)


@pytest.mark.parametrize("name", ["tapping", "tag"])
def test_values(name: str) -> None:
    for alpha, value in zip(("1", "6/5", "2"), VALUES[name], strict=True):
        answer = of_json(name, alpha)
        assert str(answer.value) == value
        assert "attackers=all" in verify(answer.certificate)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ["1", "6/5", "2"])
def test_values_of_the_pin(alpha: str) -> None:
    assert str(of_json("pin_timing", alpha).value) == VALUES["pin_timing"][("1", "6/5", "2").index(alpha)]
    zoo: Any = build("password-timing", symbols="5", guesses="3")
    assert of_json("pin_timing", alpha).value == delta(zoo, "s", "t", alpha).value


@pytest.mark.parametrize("name", ["tapping", "tag", pytest.param("pin_timing", marks=pytest.mark.slow)])
def test_adapting_gains(name: str) -> None:
    answer = of_json(name, "1", open_loop=True)
    assert answer.open_loop is not None
    assert answer.open_loop.complete
    assert str(answer.open_loop.value) == FIXED[name]
    assert answer.lower > answer.open_loop.value


def test_tapping_by_recursion() -> None:
    process = load_process(EXAMPLES / "tapping.json")
    s, t = process.relation[0]
    for alpha, value in zip((Fraction(1), Fraction(6, 5), Fraction(2)), VALUES["tapping"], strict=True):
        assert gain(process, s, t, alpha, 3) == Fraction(value)


def test_one_answer_of_a_tag() -> None:
    """Only an answer without blinding tells anything, and is wrong with probability 1/8; three blindings may
    be looked at, one of four of which is none.
    """
    unblinded = 1 - Fraction(3, 4) ** 3
    for alpha, value in zip((Fraction(1), Fraction(6, 5), Fraction(2)), VALUES["tag"], strict=True):
        assert Fraction(value) == unblinded * (Fraction(7, 8) - alpha / 8)


@with_storm
@pytest.mark.parametrize("name", VIEWS)
def test_the_json_is_that_of_the_program(name: str, tmp_path: Path) -> None:
    convert(EXAMPLES / f"{name}.prism", tmp_path / "model.json", const=CONSTANTS[name], **VIEWS[name])
    assert (tmp_path / "model.json").read_bytes() == (EXAMPLES / f"{name}.json").read_bytes()


@with_storm
@pytest.mark.parametrize(
    ("name", "const", "alpha", "value"),
    [
        ("tapping", "ROUNDS=1", "1", "1/3"),
        ("tapping", "ROUNDS=3", "1", "7/9"),
        ("tapping", "ROUNDS=3", "2", "20/27"),
        ("pin_timing", "GUESSES=1", "1", "11/20"),
        ("pin_timing", "GUESSES=2", "1", "27/40"),
        ("tag", "ROUNDS=1,RETRIES=0", "1", "3/16"),
        ("tag", "ROUNDS=1,RETRIES=1", "1", "21/64"),
        ("tag", "ROUNDS=2,RETRIES=1", "1", "285/512"),
    ],
)
def test_other_constants(name: str, const: str, alpha: str, value: str) -> None:
    process = load_process(EXAMPLES / f"{name}.prism", const=const, **VIEWS[name])
    answer = delta(process, alpha=alpha)
    assert str(answer.value) == value
    assert verify(answer.certificate)
