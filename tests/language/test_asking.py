"""Protocols that ask: what the attacker chooses, as a decision process."""

from __future__ import annotations

from fractions import Fraction

import pytest

import prover
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadValue
from prover.language import ask, flip, protocol, see
from prover.language.errors import CodeError
from prover.zoo.interactive import doors
from tests.refusals import refuses


@protocol
def two_doors(rich: bool) -> None:
    """The model of the zoo, in code."""
    left = flip("1/2")
    looks = ask("look", "left", "right")
    if looks == "look":
        see("L" if left else "R")
        opened = ask("left", "right")
    else:
        opened = looks
    if (opened == "left") == left:
        gold = flip("3/4") if rich else flip("1/4")
        see("gold" if gold else "goat")
    else:
        see("empty")


@protocol
def asks_once(secret: bool) -> None:
    chosen = ask(("only", "other"))
    see(secret if chosen == "only" else "nothing")


@protocol
def no_choice(secret: bool) -> None:
    ask("go")
    see(secret)


@protocol
def asks_twice_the_same(secret: bool) -> None:
    ask("a", "a")
    see(secret)


@protocol
def asks_nothing(secret: bool) -> None:
    ask(())
    see(secret)


@protocol
def sees_a_question(secret: bool) -> None:
    ask("a", "b")
    see("really?" if secret else "no")


@pytest.mark.parametrize("alpha", ["1", "6/5", "2"])
def test_the_zoo_in_code(alpha: str) -> None:
    system = two_doors.system(rich=[True, False])
    assert isinstance(system, LabelledMarkovDecisionProcess)
    assert {menu for menu in system.menus.values() if len(menu) > 1} == {
        ("left", "look", "right"), ("left", "right"),
    }  # fmt: skip
    assert prover.delta(system, alpha=alpha).value == prover.delta(doors(), alpha=alpha).value


def test_a_tuple_of_options() -> None:
    system = asks_once.system(secret=[True, False])
    assert prover.delta(system, alpha=1).value == 1
    assert "only, other?" in system.labels


def test_one_option_is_no_choice() -> None:
    assert isinstance(no_choice.system(secret=[True, False]), LabelledMarkovChain)
    assert isinstance(no_choice.chain(secret=[True, False]), LabelledMarkovChain)


def test_a_chain_is_asked_for() -> None:
    with pytest.raises(BadValue, match="calls ask"):
        asks_once.chain(secret=[True, False])


@pytest.mark.parametrize("wrong", [asks_twice_the_same, asks_nothing, sees_a_question])
def test_questions_that_are_wrong(wrong: object) -> None:
    with pytest.raises(CodeError):
        wrong.system(secret=[True, False])  # type: ignore[attr-defined]


def test_nobody_answers_in_a_run() -> None:
    with refuses("nobody-chooses"):
        asks_once.run(secret=True)
    with refuses("outside-a-run"):
        ask("a", "b")


def test_the_attacker_may_wait_for_a_better_moment() -> None:
    @protocol
    def meter(fever: bool) -> None:
        for _ in range(2):
            place = ask("forehead", "mouth")
            right = flip("9/10") if place == "mouth" else flip("3/5")
            see("warm" if fever == right else "cool")

    answer = prover.delta(meter.system(fever=[True, False]), alpha=2)
    # Twice in the mouth: 81/100 against 1/100 if both are warm, and no more, as 9/100 is less than 18/100.
    assert answer.value == Fraction(79, 100)
