"""Systems as functions, in which an attacker chooses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.exploration import explore
from prover.questions import delta
from tests.refusals import refuses

LIFTS = ("up", "down")


def guess(state: tuple[str, int]) -> dict[str, dict[tuple[str, int], str]]:
    """A coin that leans one way is guessed, up to three times; a right guess ends it."""
    leaning, left = state
    if left == 0 or leaning == "won":
        return {lift: {state: "1"} for lift in LIFTS}
    rows = {}
    for lift in LIFTS:
        chance = "3/4" if lift == leaning else "1/4"
        rest = "1/4" if lift == leaning else "3/4"
        rows[lift] = {("won", 0): chance, (leaning, left - 1): rest}
    return rows


def label(state: tuple[str, int]) -> str:
    return state[0] if state[0] == "won" else f"left {state[1]}"


def test_a_step_with_actions() -> None:
    process = explore([("up", 3), ("down", 3)], guess, label)
    assert isinstance(process, LabelledMarkovDecisionProcess)
    assert process.actions == ("down", "up")
    # A right first guess "up" gains 3/4 - 1/4. After a wrong one guess "down": if that is wrong, too, both
    # secrets are left with 3/16, and a right third guess "up" gains 3/16 (3/4 - 1/4).
    assert delta(process, alpha=1).value == Fraction(1, 2) + Fraction(3, 32)


def test_steps_that_are_no_distributions() -> None:
    def wrong(row: Any) -> None:
        explore([0], lambda _: row, lambda _: "a")

    for row in ({"x": {0: "1/2"}}, {"x": {0: 1}, "y": 1}, {"": {0: 1}}, {7: {0: 1}}):
        with refuses("bad-step"):
            wrong(row)


def test_menus_that_differ() -> None:
    steps: dict[int, dict[str, dict[int, int]]] = {0: {"x": {1: 1}, "y": {0: 1}}, 1: {"x": {0: 1}}}
    with refuses("menus-differ"):
        explore([0], steps.__getitem__, lambda _: "a")
