"""Certificates of programs with registers, and forgeries of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import Rejected, check
from prover.certificate.check.demands.given import UnreadableModel, given_model
from prover.certificate.check.reading import BadClaim, BadModel, TooLarge, canonical
from prover.program.model import Program
from prover.program.privacy import privacy
from tests.certificate.registers_judge import costliest
from tests.certificate.verdicts import refused
from tests.program import registers

Json = Any
Forge = Callable[[Json], object]


def certificate(program: Program, adjacency: str = "all-differ") -> Json:
    found = privacy(program, adjacency).certificate
    assert found is not None
    check(found.data)
    return json.loads(found.data)


def claim(key: str, value: Json) -> Forge:
    return lambda made: made["claim"].__setitem__(key, value)


def transitions(made: Json) -> list[Json]:
    return [
        t for name in sorted(made["model"]["states"]) for t in made["model"]["states"][name]["transitions"]
    ]


def sums(made: Json) -> Json:
    return next(t["registers"] for t in transitions(made) if "registers" in t)


def states(made: Json, key: str) -> list[Json]:
    return [state for state in made["model"]["states"].values() if key in state]


FORGERIES: dict[str, Forge] = {
    "less": claim("upper", "7/8"),
    "more": claim("lower", "9/8"),
    "bounded only": lambda made: made.__setitem__(
        "claim", {"adjacency": "all-differ", "kind": "private", "loss": "observer"}
    ),
    "one way or the other": claim("adjacency", "monotonic"),
    "one input": claim("adjacency", "one-differ"),
    "forgotten": lambda made: [t.pop("registers", None) for t in transitions(made)],
    "around nothing": lambda made: [state.pop("center") for state in states(made, "center")],
    "around another": lambda made: states(made, "center")[0].__setitem__("center", "other"),
    "the other way round": lambda made: sums(made)["query1"].__setitem__("input", -1),
    "twice": lambda made: sums(made)["query1"].__setitem__("input", 2),
    "of the name input": lambda made: sums(made).__setitem__("input", {"input": 1}),
    "of a name of two": lambda made: sums(made).__setitem__("a+1,b", {"input": 1}),
    "without registers": lambda made: sums(made).clear(),
    "an input not read": lambda made: states(made, "center")[0]["transitions"][0].__setitem__(
        "registers", {"query1": {"input": 1}}
    ),
    "an input and a center": lambda made: states(made, "center")[0].__setitem__("input", True),
    "a sensitivity": lambda made: next(s for s in states(made, "rate") if s["input"]).__setitem__(
        "sensitivity", "2"
    ),
    "registers at the start": lambda made: made["model"]["states"][made["model"]["initial"]]["transitions"][
        0
    ].__setitem__("registers", {"query1": {"query1": 1}}),
    "a delta": lambda made: made["evidence"]["blocks"][0]["steps"][-1].__setitem__("delta", 1),
    "of outputs": lambda made: made["evidence"].__setitem__("merged", []),
}


WORDS = {
    "bounded only": "which this claim is not about",
    "twice": "a sign is neither 1 nor -1",
    "of the name input": "a register has no name of its own",
    "of a name of two": "a register has no name of its own",
    "without registers": "no register is set",
    "an input and a center": "draws around its input and a register",
    "a sensitivity": "do not go with the start, sensitivities",
    "registers at the start": "do not go with the start, sensitivities",
    "of outputs": "evidence about outputs, and registers",
}
"""Of forgeries that other rules would reject as well, what the rule about them says."""


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_rejected(name: str) -> None:
    made = certificate(registers.adaptive())
    FORGERIES[name](made)
    with pytest.raises(Rejected, match=WORDS.get(name)):
        check(canonical(made))


def test_signs_are_whole_numbers() -> None:
    made = certificate(registers.adaptive())
    sums(made)["query1"]["input"] = 0.5
    with pytest.raises(UnreadableModel, match="a sign of a register is no whole number"):
        given_model(json.dumps(made["model"]).encode())


def test_a_model_of_a_user_is_the_model() -> None:
    made = certificate(registers.adaptive())
    written = json.dumps(made["model"], indent=1).encode()
    assert given_model(written) == canonical(made["model"])


def test_other_claims_are_not_about_registers() -> None:
    made = certificate(registers.copies())
    part = {"adjacency": "all-differ", "at_epsilon": "1", "program": made["model"], "times": 1}
    made["model"] = {"parts": [part], "type": "composition", "version": 1}
    made["claim"] = {"alpha": "1", "kind": "composition", "lower": "0", "upper": "1"}
    with pytest.raises(Rejected):
        check(canonical(made))


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "increasing", "decreasing"])
@pytest.mark.parametrize(
    ("program", "loops"),
    [
        (registers.copies(count=3), False),
        (registers.partial_sum(count=3), False),
        (registers.prefix_sum(count=3), False),
        (registers.difference(), False),
        (registers.ranges(), False),
        (registers.adaptive(), True),
        (registers.smart_sum(block=2), True),
    ],
)
def test_the_second_judge_agrees(program: Program, loops: bool, adjacency: str) -> None:
    made = certificate(program, adjacency)
    found = costliest(made["model"], adjacency, 6 if loops else 12)
    assert found is not None
    if loops:
        assert made["claim"]["kind"] == "not-private" or found <= Fraction(made["claim"]["upper"])
    else:
        assert made["claim"]["lower"] == made["claim"]["upper"] == str(found)


def step(*, input: bool = True, to: str, assign: str = "", center: str = "", **sums: Json) -> Json:
    """A state with one transition, which sets registers to sums."""
    case = {"assign": [assign] if assign else [], "guard": [], "output": "u", "to": to}
    state = {"input": input, "mean": "0", "mean_prime": None, "rate": "1", "rate_prime": None}
    state["transitions"] = [case | ({"registers": sums} if sums else {})]
    return state | ({"center": center} if center else {})


ADDED = {"s": 1, "input": 1}
START = step(input=False, assign="x", to="b")


@pytest.mark.parametrize(
    ("states", "claimed", "failure", "words"),
    [
        ({"b": step(s=ADDED, to="b")}, {}, TooLarge, "registers differ in too many ways"),
        (
            {"b": step(s=ADDED, to="c"), "c": step(s=ADDED, assign="y", to="d"),
             "d": step(input=False, center="s", to="e")},
            {}, BadModel, "several variables, and larger sums",
        ),
        (
            {"b": step(s=ADDED, to="c"), "c": step(input=False, center="s", to="e")},
            {"adjacency": "monotonic"}, BadClaim, "registers, and the adjacency monotonic",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_unfolded(states: Json, claimed: Json, failure: type[Rejected], words: str) -> None:
    """Nothing is claimed but that the loss is not below 0."""
    made = certificate(registers.adaptive())
    made["model"].update(initial="a", final=["e"], states={"a": START, **states})
    made["claim"].update(lower="0", upper="inf", **claimed)
    made["evidence"] = {}
    refused(made, failure, words)


@pytest.mark.parametrize("end", [True, False])
def test_no_state_is_named_like_another_one_with_differences(end: bool) -> None:
    """Else a run might go on where it ends, or from one state to another."""
    made = certificate(registers.adaptive())
    written = json.dumps(made["model"])
    old = "end" if end else next(name for name, state in made["model"]["states"].items() if "center" in state)
    made["model"] = json.loads(written.replace(json.dumps(old), json.dumps(f"query1+1: {old}")))
    refused(made, BadModel, 'the name of a state has ": " in it')


def test_a_smaller_difference_of_a_sum_is_worst() -> None:
    made = certificate(registers.difference())
    assert made["claim"]["upper"] == "4"
    made["claim"]["adjacency"] = "increasing"  # the difference of two numbers and their sum
    with pytest.raises(Rejected):
        check(canonical(made))


@pytest.fixture(scope="module")
def growing() -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("prover.program.registers.LIMIT", 200)
        found = privacy(registers.running_sum()).certificate
    assert found is not None
    assert check(found.data).startswith("not-private adjacency=all-differ loss=observer ")
    return found.data.decode()


def test_a_part_proves_no_bound_from_above(growing: str) -> None:
    made = json.loads(growing)
    made["claim"].update(kind="epsilon", lower="0", upper="0")
    made["evidence"] = {"sums": "1", "table": {}}
    refused(made, BadClaim, "a bound from above for a part")


def test_a_part_is_one_of_the_unfolded_program() -> None:
    made = certificate(registers.adaptive())
    for state in made["model"]["states"].values():
        state.pop("center", None)
        for case in state["transitions"]:
            case.pop("registers", None)
    made["evidence"] = {"blocks": made["evidence"]["blocks"], "sums": "1"}
    refused(made, BadClaim, "sums of a program without registers")


@pytest.mark.parametrize("most", ["0", "1", "3", "-1", 2])
def test_runs_are_those_of_the_part_that_is_named(growing: str, most: Json) -> None:
    """Transitions have other numbers in another part."""
    made = json.loads(growing)
    assert made["evidence"]["sums"] == "2"
    made["evidence"]["sums"] = most
    with pytest.raises(Rejected):
        check(canonical(made))


def test_without_a_part_there_are_too_many_states(growing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prover.certificate.check.registers.MOST", 200)
    made = json.loads(growing)
    made["evidence"].pop("sums")
    refused(made, TooLarge, "registers differ in too many ways")
