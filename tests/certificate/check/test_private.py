"""Tables of facts, by which a program is private."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, Malformed, RuleBroken
from tests.certificate.program_samples import SVT_PRIVATE, program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
COMPONENTS: Path = ("evidence", "components")
FACTS: Path = ("evidence", "facts")
START = transition("", "q1", assign=True)


def claimed(states: dict[str, Json], facts: Json, components: Json = None) -> Json:
    """About the program that starts by storing; each state is a component of its own, in order."""
    states = {"q0": state(START, takes_input=False)} | states
    numbers = {name: n for n, name in enumerate(sorted(states))} if components is None else components
    claim = {"adjacency": "all-differ", "kind": "private"}
    return certificate(claim, program(states), {"components": numbers, "facts": facts})


# Components


@pytest.mark.parametrize("components", [{"q0": 0, "q1": 1}, {"q0": 5, "q1": 6}, {"q0": 0, "q1": 10**17}])
def test_components_that_do(components: Json) -> None:
    accepted(edited(SVT_PRIVATE, {COMPONENTS: components}))


@pytest.mark.parametrize(
    ("components", "failure"),
    [
        ({"q0": 1, "q1": 0}, RuleBroken),
        ({"q0": 1, "q1": 1}, RuleBroken),  # as if it stored on a cycle
        ({"q0": 0}, BadEvidence),
        ({"q1": 0}, BadEvidence),
        ({}, BadEvidence),
        ({"end": 2, "q0": 0, "q1": 1}, BadEvidence),
        ({"q0": -1, "q1": 1}, Malformed),
        ({"q0": "0", "q1": 1}, Malformed),
        ({"q0": True, "q1": 1}, Malformed),
        ([0, 1], Malformed),
    ],
)
def test_components_that_do_not(components: Json, failure: Any) -> None:
    refused(edited(SVT_PRIVATE, {COMPONENTS: components}), failure)


def test_all_states_that_are_reached_need_a_component() -> None:
    changed = edited(SVT_PRIVATE, {COMPONENTS: {"q0": 0}, FACTS: {}})
    refused(changed, BadEvidence, "reachable")


def test_states_that_are_not_reached_need_no_component() -> None:
    apart = {
        "q1": state(transition("<", "q1")),
        "q2": state(transition(">=", "q1"), transition("<", "q2", "insample")),
    }
    accepted(claimed(apart, {"q1": ["lo1"]}, {"q0": 0, "q1": 1}))
    refused(claimed(apart, {"q1": ["lo1"]}), RuleBroken, "lower component")
    refused(claimed(apart, {"q1": ["lo1"]}, {"q0": 0, "q1": 2, "q2": 1}), RuleBroken, "disclosing")


# Facts


@pytest.mark.parametrize(
    ("facts", "failure"),
    [
        ({"q1": ["lo0", "lo1"]}, None),  # more than need be
        ({"q0": ["hi0"], "q1": ["lo1"]}, None),
        ({}, RuleBroken),
        ({"q1": ["lo0"]}, RuleBroken),
        ({"q1": ["hi1", "lo1"]}, RuleBroken),
        ({"q1": ["hi0", "lo1"]}, RuleBroken),
        ({"q1": []}, BadEvidence),
        ({"q0": [], "q1": ["lo1"]}, BadEvidence),
        ({"q1": ["lo1", "lo1"]}, BadEvidence),
        ({"q1": ["lo1", "lo0"]}, BadEvidence),
        ({"end": ["lo1"], "q1": ["lo1"]}, BadEvidence),
        ({"q1": ["lo2"]}, Malformed),
        ({"q1": "lo1"}, Malformed),
        ({"q1": [1]}, Malformed),
        ([], Malformed),
    ],
)
def test_facts(facts: Json, failure: Any) -> None:
    changed = edited(SVT_PRIVATE, {FACTS: facts})
    if failure is None:
        accepted(changed)
    else:
        refused(changed, failure)


@pytest.mark.parametrize(("guard", "word", "other"), [("<", "lo", "hi"), (">=", "hi", "lo")])
def test_facts_are_added_and_handed_on(guard: str, word: str, other: str) -> None:
    loop = {"q1": state(transition(guard, "q1"), transition("", "q2")), "q2": state(transition("", "q3"))}
    loop |= {"q3": state(transition("", "end"))}
    every = {name: [f"{word}1"] for name in ("q1", "q2", "q3")}
    accepted(claimed(loop, every))
    for name in every:
        refused(
            claimed(loop, {key: every[key] for key in every if key != name}),
            RuleBroken,
            "the next state lacks a fact",
        )
    # A step that is not on a cycle adds nothing, unless it prints.
    once = {"q1": state(transition(guard, "q2")), "q2": state(transition("", "end"))}
    accepted(claimed(once, {}))
    printed = {"q1": state(transition(guard, "q2", "insample")), "q2": state(transition("", "end"))}
    accepted(claimed(printed, {"q2": [f"{word}0"]}))
    refused(claimed(printed, {}), RuleBroken, "the next state lacks a fact")
    # Both at once contradict each other, on a cycle, from the moment that the second is added.
    mixed = {"q1": state(transition(guard, "q1")), "q2": state(transition(guard, "end"))}
    accepted(claimed(mixed, {"q1": [f"{word}1"], "q2": [f"{other}1"]}))
    refused(claimed(mixed, {"q1": sorted([f"{word}1", f"{other}1"])}), RuleBroken, "contradict")


@pytest.mark.parametrize(
    ("old", "guard", "inside", "printed", "holds"),
    [
        ("hi0", "<", True, False, False),
        ("hi1", "<", True, False, False),
        ("lo0", "<", True, False, True),
        ("lo1", "<", True, False, True),
        ("hi0", "<", False, True, True),  # lo0 and hi0 agree on 0
        ("hi1", "<", False, True, False),
        ("lo0", ">=", True, False, False),
        ("lo1", ">=", True, False, False),
        ("hi0", ">=", True, False, True),
        ("hi1", ">=", True, False, True),
        ("lo0", ">=", False, True, True),
        ("lo1", ">=", False, True, False),
        ("lo1", ">=", False, False, True),
        ("hi1", "<", False, False, True),
    ],
)
def test_contradictions(old: str, guard: str, inside: bool, printed: bool, holds: bool) -> None:
    step = transition(guard, "q1" if inside else "end", "insample" if printed else "o")
    side = "lo" if guard == "<" else "hi"
    after = {old, *([f"{side}1"] if inside else [])}
    changed = claimed({"q1": state(step)}, {"q1": sorted(after)})
    if holds:
        accepted(changed)
    else:
        refused(changed, RuleBroken, "contradict")


@pytest.mark.parametrize(
    ("guard", "kept"),
    [("<", ["hi0", "hi1"]), (">=", ["lo0", "lo1"]), ("", [])],
    ids=["below", "above", "true"],
)
def test_what_is_stored_anew_keeps_some_facts(guard: str, kept: list[str]) -> None:
    # q1 is said to have all facts, which by themselves do not contradict each other.
    every = ["hi0", "hi1", "lo0", "lo1"]
    anew = {"q1": state(transition(guard, "q2", assign=True)), "q2": state(transition("", "end"))}
    accepted(claimed(anew, {"q1": every} | ({"q2": kept} if kept else {})))
    for fact in kept:
        rest = [other for other in kept if other != fact]
        refused(claimed(anew, {"q1": every, "q2": rest}), RuleBroken, "the next state lacks a fact")


def test_what_is_stored_and_printed_is_0() -> None:
    printed = {"q1": state(transition("", "q2", "insample", assign=True)), "q2": state(transition("", "end"))}
    accepted(claimed(printed, {"q2": ["hi0", "lo0"]}))
    for fact in ("hi0", "lo0"):
        refused(claimed(printed, {"q2": [fact]}), RuleBroken, "the next state lacks a fact")


# Cycles


@pytest.mark.parametrize("output", ["insample", "insampleprime"])
def test_disclosing_cycles(output: str) -> None:
    prime = "1" if output == "insampleprime" else None
    loop = {"q1": state(transition("", "q1", output), prime=prime)}
    refused(claimed(loop, {}), RuleBroken, "disclosing")
    accepted(claimed({"q1": state(transition("", "q1", output), prime=prime, takes_input=False)}, {}))
    accepted(claimed({"q1": state(transition("", "end", output), prime=prime)}, {}))


def test_leaking_cycles() -> None:
    def cycle(guard: str, assign: bool, takes_input: bool = True) -> dict[str, Json]:
        return {
            "q1": state(transition(guard, "q2"), takes_input=takes_input),
            "q2": state(transition("", "q1", assign=assign)),
        }

    same = {"q0": 0, "q1": 1, "q2": 1}
    facts = {"q1": ["lo1"], "q2": ["lo1"]}
    accepted(claimed(cycle("", assign=True), {}, same))
    accepted(claimed(cycle("<", assign=False), facts, same))
    accepted(claimed(cycle("", assign=True, takes_input=False), {}, same))
    refused(claimed(cycle("<", assign=True), facts, same), RuleBroken, "leaking")
    refused(claimed(cycle("<", assign=True), facts), RuleBroken, "lower component")


def test_what_leaves_a_component_does_not_leak() -> None:
    # A test on a cycle, and a step out that stores; and the other way round.
    out = {
        "q1": state(transition("<", "q1"), transition(">=", "q2", assign=True)),
        "q2": state(transition("", "end")),
    }
    accepted(claimed(out, {"q1": ["lo1"], "q2": ["lo1"]}))
    accepted(claimed({"q1": state(transition("", "q1", assign=True), transition("<", "end"))}, {}))
