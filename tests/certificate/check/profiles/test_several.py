"""Several variables, each state comparing with one of them: rules broken by hand, and forgeries."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from random import Random
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, BadModel, Malformed, Rejected, RuleBroken
from tests.certificate.check.profiles.test_forged_inputs import confirm as confirm_inputs
from tests.certificate.check.profiles.test_forgeries import ADJACENCIES, accepted, confirm, forgeries
from tests.certificate.check.profiles.test_inputs import RUNS, STATES, gains, pair
from tests.certificate.inputs_judge import gain
from tests.certificate.inputs_samples import SEEDS
from tests.certificate.inputs_samples import made as made_inputs
from tests.certificate.profile_judge import accepts_table
from tests.certificate.profile_samples import NODES, ONE, PUBLIC_CELLS, REGION, made, node, table
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted as established
from tests.certificate.verdicts import edited, refused
from tests.profiles import everything

Json = Any
STILL = ["0", "0"]
FEW = 40 if everything() else 12  # forgeries of each certificate of a random program


def about(name: str, guard: str, to: str, output: str) -> Json:
    return transition("", to, output) | {"guard": [[guard, name]]}


def drawn(name: str, to: str) -> Json:
    return state({**transition("", to), "assign": [name]}, takes_input=False)


# Two limits are drawn; one query is compared with x, and the next one with y.
LIMITS: Json = {
    "q0": drawn("x", "q1"),
    "q1": drawn("y", "q2"),
    "q2": state(about("x", "<", "q3", "below"), about("x", ">=", "end", "above")),
    "q3": state(about("y", "<", "end", "below"), about("y", ">=", "end", "above")),
}
TWO: Json = table(
    LIMITS,
    [
        node("q0", ONE, ONE, ONE, cells=PUBLIC_CELLS) | {"shifts": {}},
        node("q1", ONE, ONE, ONE, cells=PUBLIC_CELLS) | {"shifts": {"x": STILL}},
        node("q2", ONE, ONE, ONE) | {"shifts": {"x": STILL, "y": STILL}},
        node("q3", ONE, ONE, ONE) | {"shifts": {"y": STILL}},
    ],
    REGION,
)
QUERIES: Json = pair(program(LIMITS), ["1/2", "0"], ["-1/2", "1"], [0, 1, 2, 4])


def test_a_table_of_two_variables() -> None:
    assert accepted(TWO)
    assert accepts_table(TWO)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*NODES, 2, "shifts"): STILL}, Malformed, "not of type dict"),
        ({(*NODES, 2, "shifts"): {"x": STILL, "z": STILL}}, BadEvidence, "a shift of no variable"),
        ({(*NODES, 2, "shifts"): {"y": STILL}}, BadEvidence, "no shift of a variable that is tested"),
        ({(*NODES, 2, "shifts"): {"x": STILL}}, BadEvidence, "no node for a shift"),
        ({(*NODES, 3, "shifts"): {"y": ["1", "1"]}}, BadEvidence, "no node for a shift"),
        ({(*NODES, 3, "shifts"): {"x": ["1", "1"], "y": STILL}}, BadEvidence, "no node for a shift"),
        ({(*NODES, 2, "shifts", "x"): ["1", "0"]}, BadEvidence, "an empty interval"),
        ({(*NODES, 2, "values"): [ONE, ONE - 1, ONE - 2]}, RuleBroken, "a test is worth more"),
        (
            {(*STATES, "q2", "transitions", 1, "guard"): [[">=", "y"]]},
            BadModel,
            "several variables at a state",
        ),
        (
            {(*STATES, "q2", "transitions", 0, "guard"): [["<", "x"], ["<", "y"]]},
            BadModel,
            "a test that is none of < and >=",
        ),
        ({(*STATES, "q1", "transitions", 0, "assign"): ["x"]}, BadModel, "not assigned on every path"),
    ],
)
def test_rules_of_tables(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(TWO, edits), failure, words)


def test_a_node_that_names_fewer_variables_is_for_all_shifts_of_the_others() -> None:
    """y may be drawn with any shift where it is looked at no more."""
    once: Json = {**LIMITS, "q2": state(about("x", "<", "end", "below"), about("x", ">=", "end", "above"))}
    del once["q3"]
    shifted = [[{"anchors": [[1, "shift", "3"]], "until": "0"}]]
    far = {"bound": "21", "exponent": "3", "lines": [["1/21", "0"], ["21", "-20"]]}
    nodes = [*TWO["evidence"]["nodes"][:2], node("q2", ONE, ONE, ONE) | {"shifts": {"x": STILL}}]
    nodes[1] = nodes[1] | {"cells": shifted}
    assert accepted(table(once, nodes, REGION, far))
    assert not accepted(table(LIMITS, [*nodes, TWO["evidence"]["nodes"][3]], REGION, far))


def test_one_sample_in_two_variables_has_one_shift() -> None:
    both = {**LIMITS, "q0": state({**transition("", "q2"), "assign": ["x", "y"]}, takes_input=False)}
    del both["q1"]
    nodes = [TWO["evidence"]["nodes"][k] for k in (0, 2, 3)]
    assert accepted(table(both, nodes, REGION))
    apart = [nodes[0], nodes[1] | {"shifts": {"x": STILL, "y": ["1", "1"]}}, nodes[2]]
    refused(table(both, apart, REGION), BadEvidence, "no node for a shift")


def test_the_probability_of_a_run_is_a_product() -> None:
    """Two answers against two limits that are drawn apart, and against one that is drawn once."""

    def above(x: float) -> float:
        """P[x + noise ≥ noise] of two samples of rate 1."""
        return 1 - exp(-abs(x)) * (1 / 2 + abs(x) / 4) if x > 0 else exp(-abs(x)) * (1 / 2 + abs(x) / 4)

    p, q = (1 - above(0.5)) * (1 - above(0)), (1 - above(-0.5)) * (1 - above(1))
    swapped = {("evidence", "inputs"): ["-1/2", "1"], ("evidence", "neighbour"): ["1/2", "0"]}
    number = {(*RUNS, 0): [0, 1, 2, 4]}
    assert gain(edited(QUERIES, number)) == pytest.approx(p - q, abs=1e-9)
    if p > q:
        gains(edited(QUERIES, number), p - q)
    else:
        gains(edited(QUERIES, number | swapped), q - p)


def test_runs_through_a_state_that_compares_with_two() -> None:
    edits: dict[Path, Json] = {(*STATES, "q3", "transitions", 1, "guard"): [[">=", "x"]]}
    refused(edited(QUERIES, edits), BadModel, "several variables at a state")
    at_once: dict[Path, Json] = {(*STATES, "q3", "transitions", 0, "guard"): [["<", "x"], ["<", "y"]]}
    refused(edited(QUERIES, at_once), BadModel, "several variables at a state")
    refused(edited(QUERIES, {(*STATES, "q1", "transitions", 0, "assign"): ["x"]}), BadModel, "every path")


@pytest.mark.parametrize("name", ["table", "inputs"])
def test_every_forgery_by_hand(name: str) -> None:
    certificate, judged = (TWO, confirm) if name == "table" else (QUERIES, confirm_inputs)
    if name == "inputs":
        certificate = edited(QUERIES, {("claim", "lower"): "0"})
    changes = list(forgeries(certificate))
    some = changes if everything() else Random(1).sample(changes, 200)
    kept = [judged(certificate, *change) for change in some]
    assert sum(kept) < len(kept) / 2


@pytest.mark.parametrize("q", [None, "1/2"])
@pytest.mark.parametrize("seed", range(300) if everything() else range(8))
def test_forgeries_of_random_programs(seed: int, q: str | None) -> None:
    certificate = made(seed, ADJACENCIES[seed % 5], most=seed % 3 or None, q=q, two=True)
    assert accepted(certificate)
    assert accepts_table(certificate)
    changes = list(forgeries(certificate))
    for change in Random(seed).sample(changes, min(FEW, len(changes))):
        confirm(certificate, *change)


@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_inputs_of_random_programs(number: int) -> None:
    certificate = made_inputs(SEEDS[number], ADJACENCIES[number % 5], "1", grid=number % 2 == 0, two=True)
    if certificate is None:
        return
    established(certificate)
    assert -1e-9 < gain(certificate) - float(Fraction(certificate["claim"]["lower"])) < 3e-9
    changes = list(forgeries(certificate))
    for change in Random(number).sample(changes, min(FEW, len(changes))):
        confirm_inputs(certificate, *change)
