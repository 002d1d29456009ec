"""Certificates about discrete noise, sensitivity and two rates: what is accepted, and what forgers try."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check.reading import BadClaim, BadModel, ClaimOpen, Malformed, Rejected, RuleBroken
from prover.formats.dipa import read_dipa
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise, Rate
from prover.program.privacy import privacy
from prover.zoo import build_program, svt
from tests.certificate import samples
from tests.certificate.judges import judged
from tests.certificate.noise_samples import OWN, TIES, leaning
from tests.certificate.program_samples import SVT_PRIVATE, program, transition
from tests.certificate.program_samples import state as state_of
from tests.certificate.variables_samples import EXACT, bounded
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
F = Fraction


def rated(model: Program, name: str, left: Rate, right: Rate) -> Program:
    state = replace(model.states[name], rate=None, rate_left=left, rate_right=right)
    return replace(model, states={**model.states, name: state})


def certificate(model: Program) -> Json:
    proof = privacy(model).certificate
    assert proof is not None
    return json.loads(proof.data)


@pytest.fixture(scope="module")
def wide() -> Json:
    return certificate(replace(svt(), noise=Noise(DISCRETE_LAPLACE, F(1, 2), F(3))))


@pytest.fixture(scope="module")
def exponential() -> Json:
    return certificate(rated(svt(), "q1", "inf", F(1, 4)))


@pytest.fixture(scope="module")
def noiseless() -> Json:
    return certificate(rated(svt(), "q2", "inf", "inf"))


def changed(made: Json, change: Callable[[Json], object]) -> Json:
    other = copy.deepcopy(made)
    change(other["model"])
    return other


def test_what_is_accepted(wide: Json, exponential: Json, noiseless: Json) -> None:
    assert accepted(wide) == "epsilon adjacency=all-differ loss=observer value=15/4"
    assert accepted(exponential) == "epsilon adjacency=all-differ loss=observer value=5/4"
    assert accepted(noiseless) == "not-private adjacency=all-differ loss=observer"


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (lambda m: m.pop("sensitivity"), RuleBroken),
        (lambda m: m.update(sensitivity="2"), RuleBroken),
        (lambda m: m.update(sensitivity="6"), RuleBroken),
        (lambda m: m.update(sensitivity="1"), Malformed),
        (lambda m: m.update(sensitivity="-3"), Malformed),
        (lambda m: m.update(sensitivity="0"), Malformed),
        (lambda m: m.update(sensitivity=3), Malformed),
        (lambda m: m.update(grid="2"), BadModel),
        (lambda m: m["states"]["q2"]["transitions"][0].update(guard=[[["<"], "x"]]), Malformed),
        (lambda m: m.update(grid="2/3"), BadModel),
        (lambda m: m.update(grid="6"), BadModel),
        (lambda m: m.update(grid="1"), Malformed),
        (lambda m: m.pop("noise"), BadModel),
        (lambda m: m.update(noise="laplace"), Malformed),
        (lambda m: m.update(noise="gauss"), Malformed),
        (lambda m: m.update(inputs="rounded"), Malformed),
        (lambda m: m["states"]["q1"].update(sensitivity="1"), BadModel),
        (lambda m: m["states"]["q2"].update(sensitivity="3"), Malformed),
    ],
)
def test_noise_grid_and_sensitivity_that_are_changed(
    wide: Json, change: Callable[[Json], object], failure: type[Rejected]
) -> None:
    refused(changed(wide, change), failure)


@pytest.mark.parametrize(
    ("state", "change", "failure"),
    [
        ("q1", lambda s: s.pop("sensitivity"), ClaimOpen),
        ("q1", lambda s: s.update(sensitivity="2"), ClaimOpen),
        ("q1", lambda s: s.update(sensitivity="4"), RuleBroken),
        ("q1", lambda s: s.update(sensitivity="1"), Malformed),
        ("q1", lambda s: s.update(sensitivity="0"), Malformed),
        ("q1", lambda s: s.update(sensitivity="-3"), Malformed),
        ("q1", lambda s: s.update(sensitivity=3), Malformed),
        ("q2", lambda s: s.pop("sensitivity"), RuleBroken),
        ("q2", lambda s: s.update(sensitivity="1/3"), ClaimOpen),
        ("q2", lambda s: s.update(sensitivity="3"), Malformed),  # fewer shifts
        ("q0", lambda s: s.update(sensitivity="3"), BadModel),
    ],
)
def test_sensitivities_of_states_that_are_changed(
    state: str, change: Callable[[Json], object], failure: type[Rejected]
) -> None:
    assert accepted(OWN) == "epsilon adjacency=all-differ loss=runs value=29/4"
    refused(changed(OWN, lambda model: change(model["states"][state])), failure)


def test_sensitivities_of_states_are_for_one_variable_and_no_observer() -> None:
    def twice(model: Json) -> None:
        model["states"]["q0"]["transitions"][0]["assign"] = ["x", "y"]

    refused(changed(OWN, twice), BadModel, "several variables, and sensitivities of states")

    def on_grid(model: Json) -> None:
        model["noise"] = "discrete-laplace"

    refused(changed(OWN, on_grid), BadModel, "the grid does not divide a sensitivity")
    hidden = copy.deepcopy(OWN)
    hidden["claim"]["loss"] = "observer"
    hidden["evidence"]["merged"] = []
    refused(hidden, BadModel, "evidence about outputs, and sensitivities of states")


def test_a_grid_that_divides_the_sensitivity_as_well_is_that_of_another_model(wide: Json) -> None:
    """The claim is true of that model, too; its identity is another one, which the line shows."""
    assert accepted(changed(wide, lambda model: model.pop("grid"))) == accepted(wide)


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (lambda s: s.pop("rate_left"), Malformed),
        (lambda s: s.pop("rate_right"), Malformed),
        (lambda s: s.update(rate="1/4"), Malformed),
        (lambda s: s.update(rate_left="1/4"), Malformed),
        (lambda s: s.update(rate_left="0"), Malformed),
        (lambda s: s.update(rate_left=None), Malformed),
        (lambda s: s.update(rate_left="infinite"), Malformed),
        (lambda s: s.update(rate_right="inf"), RuleBroken),
        (lambda s: s.update(rate_right="1/2"), RuleBroken),
        (lambda s: s.update(rate_left="1/4", rate_right="inf"), RuleBroken),
    ],
)
def test_rates_that_are_changed(
    exponential: Json, change: Callable[[Json], object], failure: type[Rejected]
) -> None:
    refused(changed(exponential, lambda model: change(model["states"]["q1"])), failure)


def test_noise_that_is_there_stops_a_run_from_vanishing(noiseless: Json) -> None:
    def noisy(model: Json) -> None:
        model["states"]["q2"].update(rate_left="1000", rate_right="2000")

    refused(changed(noiseless, noisy), RuleBroken, "the load y of a step exceeds a rate")


def test_tests_with_ties_are_for_discrete_noise(wide: Json) -> None:
    def tied(model: Json) -> None:
        for case in model["states"]["q2"]["transitions"]:
            case["guard"][0][0] = {"<": "<=", ">=": ">"}[case["guard"][0][0]]

    loose = changed(wide, tied)
    assert accepted(loose) == accepted(wide)

    def plain(model: Json) -> None:
        del model["noise"], model["grid"]

    refused(changed(loose, plain), Malformed)


def test_unrounded_inputs_may_not_show(wide: Json) -> None:
    assert accepted(changed(wide, lambda model: model.update(inputs="unrounded"))) == accepted(wide)

    def stored(model: Json) -> None:
        model["inputs"] = "unrounded"
        model["states"]["q1"]["input"] = True

    refused(
        changed(wide, stored),
        BadModel,
        "unrounded inputs go with one variable, without tests =, and are not assigned or output",
    )


def test_samples_of_other_grids_are_never_equal() -> None:
    refused(edited(TIES, {("model", "states", "q1", "mean"): "1/2"}), BadModel, "never equal")


def test_equality_is_asked_of_one_variable() -> None:
    two = edited(TIES, {("model", "states", "q0", "transitions", 0, "assign"): ["x", "y"]})
    refused(two, BadModel, "several variables, and a test = or both <= and >=")


def test_a_number_that_is_output_once_needs_noise_on_both_sides() -> None:
    shown = transition("", "q1", "insample", assign=True)
    states = {"q0": state_of(shown), "q1": state_of(transition("", "end"))}
    evidence = {"components": {"q0": 0, "q1": 1}, "facts": {"q1": ["hi0", "lo0"]}}
    made = samples.certificate(SVT_PRIVATE["claim"], program(states), evidence)
    assert accepted(made).startswith("private")
    made = edited(made, {("model",): leaning(made["model"], "q0", "inf", "1")})
    made = edited(made, {("evidence", "facts", "q1"): ["hi0", "lo0", "lo1"]})
    refused(made, RuleBroken, "insample of an input is output without noise on a side")


def test_facts_of_one_sided_noise_are_asked_for() -> None:
    model = rated(svt(), "q1", "inf", F(1, 4))
    made = json.loads(boundedness_certificate(model, decide(model)).data)
    assert made["claim"]["kind"] == "private"
    assert "lo0" in made["evidence"]["facts"]["q2"]
    made["evidence"]["facts"]["q2"].remove("lo0")
    refused(made, RuleBroken, "the next state lacks a fact")


@pytest.mark.parametrize("name", ["m-range", "two-range", "nested-thresholds"])
def test_tokens_of_noise_on_one_side_are_asked_for(name: str) -> None:
    """Without noise at the states that read inputs each of these programs shows its inputs."""
    model = build_program(name)
    proof = boundedness_certificate(model, decide(model))
    assert proof is not None
    made = json.loads(proof.data)
    assert accepted(made).startswith("private")

    def noiseless(model: Json) -> None:
        for state in model["states"].values():
            if state["input"]:
                state.update(rate=None, rate_left="inf", rate_right="inf")

    refused(changed(made, noiseless), RuleBroken, "tokens")


UP, DOWN, NONE, BOTH = ("inf", "5"), ("5", "inf"), ("inf", "inf"), ("5", "6")


@pytest.mark.parametrize(
    ("first", "second", "clear"),
    [
        (UP, UP, True),
        (DOWN, DOWN, True),
        (NONE, BOTH, True),
        (BOTH, NONE, True),
        (UP, DOWN, False),
        (DOWN, UP, False),
        (NONE, UP, False),
        (NONE, NONE, False),
    ],
)
def test_public_samples_are_on_one_side_or_there_is_one(
    first: tuple[str, str], second: tuple[str, str], clear: bool
) -> None:
    """Else means decide which runs are possible. The loads of the run are allowed in any case."""
    made = certificate(build_program("num-range"))
    made["claim"]["upper"] = "inf"
    del made["evidence"]["nodes"]
    states = [state for _, state in sorted(made["model"]["states"].items()) if not state["input"]]
    for state, (left, right) in zip(states, (first, second), strict=True):
        state.update(rate=None, rate_left=left, rate_right=right)
    assert judged(made) is clear
    if clear:
        assert accepted(made).startswith("epsilon adjacency=all-differ loss=observer lower=5/4 upper=inf")
    else:
        refused(
            made,
            BadClaim,
            "public samples have no noise on a side, so whether a run is possible may depend on the means",
        )


def test_the_same_public_sample_may_not_be_drawn_twice() -> None:
    """One state without noise is two samples of a run if the run comes back to it."""
    model = build_program("num-range")
    first = next(name for name, state in model.states.items() if not state.input)
    made = certificate(model)
    made["claim"]["upper"] = "inf"
    del made["evidence"]["nodes"]
    made["model"]["states"][first].update(rate=None, rate_left="inf", rate_right="inf")
    assert judged(made)
    again = json.loads(json.dumps(made))
    last = max(again["model"]["states"])
    for case in again["model"]["states"][last]["transitions"]:
        if case["to"] not in again["model"]["states"]:
            case["to"] = first
    assert not judged(again)
    refused(
        again,
        BadClaim,
        "public samples have no noise on a side, so whether a run is possible may depend on the means",
    )


def test_what_a_sample_demands_of_itself_may_not_be_left_out() -> None:
    """Nor may noise be taken away on the side of a step where tokens say nothing of it."""
    made = bounded(EXACT)
    assert accepted(made).startswith("private")
    refusals = 0
    for node in made["evidence"]["nodes"]:
        for tokens in list(node["tokens"]):
            other = copy.deepcopy(made)
            number = made["evidence"]["nodes"].index(node)
            other["evidence"]["nodes"][number]["tokens"].remove(tokens)
            refused(other, RuleBroken, "does not list tokens of a move")
            refusals += 1
    assert refusals > 3
    other = copy.deepcopy(made)
    other["model"]["states"]["q2"].update(rate=None, rate_left="1", rate_right="inf")
    refused(other, RuleBroken, "tokens")


BORDERS = """
(p: non-input, inf, 0): a := insample; output u; goto q
(q: non-input, inf, 10): if (insample >= a) then b := insample; output u; goto r
(r, 1, 0): if (insample < a && insample < b) then output low; goto s
           elseif (insample >= a && insample < b) then output middle; goto s
           elseif (insample >= a && insample >= b) then output high; goto s
(s, 1, 0): output v; goto e
final e;
"""


def test_public_numbers_come_first_and_increase() -> None:
    made = certificate(read_dipa(BORDERS.encode(), "borders"))
    assert judged(made)
    assert accepted(made).startswith("epsilon adjacency=all-differ loss=observer value=1")


@pytest.mark.parametrize(
    "change",
    [
        lambda states: states["q"].update(mean="0"),
        lambda states: states["q"].update(mean="-1"),
        lambda states: states["p"].update(mean="10"),
        lambda states: states["q"]["transitions"][0].update(guard=[]),
        lambda states: states["q"]["transitions"][0].update(guard=[["<", "a"]]),
        lambda states: states["s"]["transitions"][0].update(to="q"),
        lambda states: states["s"]["transitions"][0].update(to="p"),
        lambda states: states["q"].update(rate=None, rate_left="inf", rate_right="1"),
        lambda states: (
            states["s"].update(input=False, rate=None, rate_left="inf", rate_right="1")
            or states["s"]["transitions"][0].update(assign=["c"])
        ),
    ],
)
def test_public_numbers_in_another_order(change: Callable[[Json], object]) -> None:
    """Then means decide which runs are possible, and no lower bound holds without looking at them."""
    made = certificate(read_dipa(BORDERS.encode(), "borders"))
    made["claim"]["upper"] = "inf"
    made["evidence"].pop("nodes", None)
    change(made["model"]["states"])
    assert not judged(made)
    refused(
        made,
        BadClaim,
        "public samples have no noise on a side, so whether a run is possible may depend on the means",
    )
