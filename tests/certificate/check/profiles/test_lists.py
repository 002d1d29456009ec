"""δ of all lists of some values: every rule broken by hand, and forgeries of which the checker accepts only
what a judge that shares no code with it finds true."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadModel,
    ClaimOpen,
    Demands,
    Malformed,
    Rejected,
    TooLarge,
    budget,
    check,
)
from prover.certificate.check.demands import NotDemanded, meet
from prover.certificate.check.profiles import lists
from prover.certificate.check.verdict import verified
from prover.errors import BadInput
from prover.program.profiles.lists import delta_of_lists
from tests.certificate.check.profiles.test_forgeries import ADJACENCIES, forgeries
from tests.certificate.lists_judge import delta, is_true
from tests.certificate.pair_samples import BY_HAND as PAIRS
from tests.certificate.pair_samples import DRAWN, SVT, drawn
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate, encode
from tests.certificate.verdicts import accepted, confirming, edited, refused
from tests.profiles import everything, thinned

Json = Any
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")
VALUES: Path = ("claim", "values")
STEPS: Path = ("claim", "steps")
FEW = 12  # forgeries of each certificate of a random program
SEEDS = range(200) if everything() else range(8)
KNOWN = {1: 0.0818879212378, 2: 0.0917468640216, 3: 0.1109133949774, 4: 0.1143550622289}


def made(model: Json, values: list[str], steps: int, **claim: str) -> Json:
    """A certificate at ε = 1 and α = 1."""
    about = {
        "adjacency": "all-differ", "alpha": "1", "at_epsilon": "1", "kind": "lists", "lower": "0",
        "steps": steps, "upper": "1", "values": values,
    }  # fmt: skip
    return certificate(about | claim, model, {"bits": 120})


SIGNS = ["-1", "0", "1"]
ALL: Json = program({"q0": DRAWN, "q1": state(transition("<", "q1", "no"), transition(">=", "q1", "yes"))})
TWO: Json = program(
    {
        "q0": DRAWN,
        "q1": state(transition("<", "q2", "no"), transition(">=", "q3", "yes")),
        "q2": state(transition("", "q3", "on"), takes_input=False),
        "q3": {**state(transition("<", "end", "no"), transition(">=", "end", "yes")), "sensitivity": "1/2"},
    }
)
"""The second number is read by one state, which some runs come to by another one."""
GAUSSIAN = PAIRS["gaussian"]
BY_HAND: dict[str, Json] = {
    "svt": made(SVT, SIGNS, 2),
    "all": made(ALL, ["0", "1/2", "1"], 2, alpha="6/5"),
    "two": made(TWO, ["0", "1/2", "1"], 2),
    "grid": edited(made(ALL, SIGNS, 1), {("model", "noise"): "discrete-laplace"}),
    "gaussian": edited(
        made(PAIRS["gaussian"]["model"], ["0", "1"], 2), {("evidence",): PAIRS["gaussian"]["evidence"]}
    ),
}


def between(number: float, parts: int = 9) -> dict[Path, Json]:
    low, high = Fraction(number) - Fraction(1, 10**parts), Fraction(number) + Fraction(1, 10**parts)
    return {LOWER: str(max(low, Fraction(0))), UPPER: str(min(high, Fraction(1)))}


def is_exactly(own: Json, number: float, parts: int = 9) -> None:
    """The checker finds this number, and both ends are needed."""
    unit = Fraction(2, 10**parts)
    accepted(edited(own, between(number, parts)))
    if number > 1e-6:
        more, less = str(Fraction(number) + unit), str(Fraction(number) - unit)
        refused(edited(own, {LOWER: more, UPPER: "1"}), ClaimOpen, "no lists gain as much")
        refused(edited(own, {LOWER: "0", UPPER: less}), ClaimOpen, "two lists gain more")


@pytest.mark.parametrize("steps", KNOWN)
def test_the_sparse_vector(steps: int) -> None:
    is_exactly(made(SVT, SIGNS, steps), KNOWN[steps], 12)


@pytest.mark.parametrize(("name", "adjacency"), thinned([*product(BY_HAND, ADJACENCIES)], 3))
def test_all_adjacencies(name: str, adjacency: str) -> None:
    own = edited(BY_HAND[name], {("claim", "adjacency"): adjacency})
    is_exactly(own, delta(own))


def test_the_line() -> None:
    assert accepted(edited(BY_HAND["svt"], {LOWER: "0", UPPER: "1"})) == (
        "lists alpha=1 adjacency=all-differ at-epsilon=1 steps=2 values=-1,0,1 lower=0 upper=1"
    )


def test_no_bound_of_all_inputs() -> None:
    proved = verified(encode(BY_HAND["svt"]))
    for wanted in (
        Demands(at_most=(1, 1), at_epsilon=(1, 1), steps=2),
        Demands(epsilon_at_most=(1, 1), at_epsilon=(1, 1), steps=2),
    ):
        with pytest.raises(NotDemanded, match="inputs of some values only"):
            meet(wanted, proved.claim, proved.model)
    meet(Demands(at_epsilon=(1, 1), steps=2), proved.claim, proved.model)
    with pytest.raises(NotDemanded, match="not about at most so many inputs"):
        meet(Demands(at_epsilon=(1, 1), steps=3), proved.claim, proved.model)


RULES: list[tuple[str, dict[Path, Json], type[Rejected], str]] = [
    ("svt", {("evidence", "bits"): 0}, TooLarge, "not from 1 to 10000 bits"),
    ("svt", {("evidence", "bits"): 10, UPPER: "23/250"}, ClaimOpen, "two lists gain more"),
    ("svt", {("evidence", "runs"): []}, Malformed, "unknown key"),
    ("svt", {VALUES: ["0", "-1", "1"]}, BadClaim, "values that do not rise"),
    ("svt", {VALUES: ["0", "0", "1"]}, BadClaim, "values that do not rise"),
    ("svt", {VALUES: ["0"]}, BadClaim, "fewer than two values"),
    ("svt", {VALUES: []}, BadClaim, "fewer than two values"),
    ("svt", {STEPS: 9}, TooLarge, "more than 10000 lists"),
    ("svt", {STEPS: 1_000_000}, TooLarge, "more than 10000 lists"),
    ("svt", {STEPS: 0}, BadClaim, "not from 1 to 1000000 steps"),
    ("svt", {STEPS: ...}, Malformed, ""),
    ("two", {STEPS: 3}, BadClaim, "no run reads as many numbers"),
    ("svt", {("claim", "inputs"): []}, Malformed, "unknown key"),
    ("svt", {("claim", "at_epsilon"): "0"}, Malformed, "a number is not positive"),
    ("svt", {("claim", "alpha"): "1/2"}, BadClaim, "alpha is below 1"),
    ("svt", {LOWER: "-1"}, BadClaim, "a number is not between 0 and 1"),
    ("svt", {UPPER: "2"}, BadClaim, "a number is not between 0 and 1"),
    ("grid", {VALUES: ["0", "1/2"]}, BadClaim, "inputs off the grid"),
    ("svt", {("model", "states", "q1", "transitions", 1, "output"): ["a", "insample"]}, BadModel, "number"),
    ("svt", {("model", "states", "q1", "transitions", 1, "guard"): []}, BadModel, "do not exclude"),
    ("gaussian", {("evidence", "step"): ...}, Malformed, "a strip or a step, not both"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(RULES)))
def test_rules(number: int) -> None:
    name, edits, failure, words = RULES[number]
    accepted(BY_HAND[name])
    refused(edited(BY_HAND[name], edits), failure, words)


def test_only_lists_that_are_near() -> None:
    """Where two states may read the second number, the least sensitivity counts."""
    second = ("model", "states", "q3", "sensitivity")
    found = [delta(edited(BY_HAND["two"], {second: size})) for size in ("1/4", "1/2", "3/4")]
    assert found[0] < found[1] == found[2]
    for size, number in zip(("1/4", "1/2", "3/4"), found, strict=True):
        is_exactly(edited(BY_HAND["two"], {second: size}), number)


def test_no_neighbours() -> None:
    accepted(edited(made(SVT, ["0", "2"], 2), {UPPER: "1/1000000"}))


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted(BY_HAND["svt"])
    monkeypatch.setattr(budget, "UNITS_PER_BYTE", 0)
    least = next(units for units in (10**k for k in range(3, 10)) if works(monkeypatch, units))
    assert least > 10**4
    monkeypatch.setattr(budget, "UNITS", 10 * least)
    refused(made(ALL, SIGNS, 5), TooLarge, "the work exceeds the limit")


def works(monkeypatch: pytest.MonkeyPatch, units: int) -> bool:
    monkeypatch.setattr(budget, "UNITS", units)
    try:
        check(encode(BY_HAND["svt"]))
    except TooLarge:
        return False
    return True


def test_many_values_take_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of them, two runs each."""
    monkeypatch.setattr(budget, "UNITS", 10**8)
    values = [str(Fraction(k, 10_000)) for k in range(9_000)]
    refused(made(SVT, values, 1), TooLarge, "the work exceeds the limit")


_confirmed = confirming(is_true)


def confirm(own: Json, path: Path, value: Json) -> bool:
    """Whether the checker accepts it; then it is true. The judge takes long for longer lists."""
    too_long = path == STEPS and isinstance(value, int) and value > 2
    return not too_long and _confirmed(own, path, value)


@pytest.mark.parametrize("name", BY_HAND)
def test_forgeries_of_certificates_by_hand(name: str) -> None:
    own = edited(BY_HAND[name], between(delta(BY_HAND[name])))
    accepted(own)
    changes = list(forgeries(own))
    if not everything():
        changes = Random(1).sample(changes, 8 if name == "gaussian" else 20)
    kept = [confirm(own, *change) for change in changes]
    assert sum(kept) < len(kept) / 3


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int) -> None:
    """What the prover claims is accepted, true by the judge, and sharp; forgeries are true or refused."""
    found, adjacency, _, _ = drawn(seed)
    alpha = Fraction(4 + seed % 3, 4)
    values = [Fraction(0), Fraction(1, 2), Fraction(1)]
    try:
        answer = delta_of_lists(found, adjacency, Fraction(1), (alpha, alpha), values, 1 + seed % 2)
    except BadInput as why:
        if why.code not in ("bad-steps", "bad-values", "endless-runs"):
            raise
        return
    own = json.loads(answer.certificate.data)
    is_exactly(own, delta(own), 8)
    accepted(own)
    changes = list(forgeries(own))
    for change in Random(seed).sample(changes, min(FEW, len(changes))):
        confirm(own, *change)


def test_the_limits_are_those_of_the_prover() -> None:
    from prover.program.profiles.lists import MOST_LISTS

    assert lists.MOST_LISTS == MOST_LISTS
