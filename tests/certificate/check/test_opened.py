"""Claims about programs with an open parameter: what each rule accepts and rejects, and forgeries."""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Demands,
    Malformed,
    NotDemanded,
    Rejected,
    RuleBroken,
)
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands import given_model, meet
from prover.certificate.check.opened import read_open
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.pieces.certificates import of_all_values
from tests.certificate.forms import walk
from tests.certificate.opened_judge import accepts_open
from tests.certificate.opened_samples import OPEN_SAMPLES, OPEN_SEGMENT
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import accepted, confirming, edited, refused
from tests.profiles import everything

Json = Any
Edits = dict[Path, Json]
SEGMENT = OPEN_SAMPLES["segment"]
FIRST: Path = ("evidence", "pieces", 0)
PIECE: Path = ("claim", "pieces", 0)
RATE: Path = ("model", "states", "q0", "rate")
confirm = confirming(accepts_open)


@pytest.mark.parametrize("name", OPEN_SAMPLES)
def test_as_it_is(name: str) -> None:
    assert accepts_open(OPEN_SAMPLES[name])
    assert accepted(OPEN_SAMPLES[name]).split()[0] in ("epsilon-function", "not-private")


def test_the_line() -> None:
    assert accepted(SEGMENT) == (
        "epsilon-function adjacency=all-differ loss=observer pieces=2 bounds=1..2:3..4,2..4:4..4 "
        'open="t" from=1 to=4'
    )
    wider = edited(SEGMENT, {(*PIECE, "upper"): ["4", "4"], (*PIECE, "lower"): ["0", "0"]})
    assert "bounds=1..2:0..0<=4..4,2..4" in accepted(wider)
    assert "1..2:3..4<=inf," in accepted(edited(SEGMENT, {(*PIECE, "upper"): "inf"}))


def joined(nodes: Json) -> Json:
    """One piece in place of both, on which the loss is claimed to be at most the line from 3 to 4."""
    document = deepcopy(SEGMENT)
    document["claim"]["pieces"] = [{"from": "1", "lower": ["0", "0"], "to": "4", "upper": ["3", "4"]}]
    document["evidence"]["pieces"] = [{"nodes": nodes}]
    return document


def nodes(*first: Json) -> Json:
    """The nodes of the segment with the values of its tests, and these points of the first function.

    Before the first test the loss is 2, 4, 6 at the shifts −1, 0, 1, and before the second one 0, 3, 6.
    """

    def node(state: str, by: list[int], targets: list[int], points: Json = None) -> Json:
        functions = [] if points is None else [{"names": ["x"], "points": points}]
        return {"by": by, "functions": functions, "order": [], "state": state, "targets": targets}

    def both(*values: str) -> Json:
        return [[[shift], [value, value]] for shift, value in zip((-1, 0, 1), values, strict=True)]

    return [
        node("q0", [0, 0], [1], list(first)),
        node("q1", [0, 0, 0, 0], [2], both("2", "4", "6")),
        node("q2", [0, 0], [3], both("0", "3", "6")),
        node("end", [], []),
    ]


def test_a_table_by_hand() -> None:
    # Shift −1 of the threshold costs t + 2, shift 0 costs 4.
    assert "upper" not in accepted(edited(joined(nodes([[-1], ["3", "6"]])), {(*PIECE, "upper"): ["3", "6"]}))
    accepted(edited(joined(nodes([[0], ["4", "4"]])), {(*PIECE, "upper"): ["4", "4"]}))


def test_other_shifts_at_the_two_ends() -> None:
    """At t = 1 shift −1 costs 3, and at t = 4 shift 0 costs 4, but between both cost more than the line."""
    refused(joined(nodes([[-1], ["3", "4"]])), RuleBroken, "not closed under transition 0")
    refused(joined(nodes([[-1], ["3", "6"]], [[0], ["4", "4"]])), ClaimOpen, "do not prove upper")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*PIECE, "upper"): ["3", "7/2"]}, BadClaim, "lower is negative or above upper"),
        ({(*PIECE, "upper"): ["2", "4"]}, BadClaim, "lower is negative or above upper"),
        ({(*PIECE, "lower"): ["-1", "4"]}, BadClaim, "lower is negative or above upper"),
        ({(*PIECE, "lower"): ["0", "0"], (*PIECE, "upper"): ["3", "7/2"]}, ClaimOpen, "do not prove upper"),
        ({(*PIECE, "lower"): ["0", "0"], (*PIECE, "upper"): ["5/2", "4"]}, ClaimOpen, "do not prove upper"),
        ({(*PIECE, "lower"): ["7/2", "4"], (*PIECE, "upper"): ["4", "4"]}, ClaimOpen, "the run loses less"),
        ({(*PIECE, "lower"): ["3", "9/2"], (*PIECE, "upper"): "inf"}, ClaimOpen, "the run loses less"),
        ({(*PIECE, "upper"): ["3", "inf"]}, Malformed, "only one end of upper is inf"),
        ({(*PIECE, "upper"): ["3"]}, Malformed, "wrong length"),
        ({(*PIECE, "upper"): "4"}, Malformed, "not of type list"),
        ({(*PIECE, "lower"): "3"}, Malformed, "not of type list"),
        ({(*PIECE, "more"): "3"}, Malformed, "unknown key"),
        ({("claim", "pieces"): {}}, Malformed, "not of type list"),
        ({PIECE: []}, Malformed, "not of type dict"),
        ({(*PIECE, "from"): "3/2"}, BadClaim, "do not follow one another"),
        ({("claim", "pieces", 1, "from"): "3"}, BadClaim, "do not follow one another"),
        ({(*PIECE, "to"): "1"}, BadClaim, "do not follow one another"),
        ({("claim", "pieces", 1, "to"): "3"}, BadClaim, "do not cover the interval"),
        ({("claim", "pieces"): [], ("evidence", "pieces"): []}, BadClaim, "do not cover the interval"),
        ({("evidence", "pieces"): []}, Malformed, "not one evidence for each piece"),
        ({("evidence", "pieces"): {}}, Malformed, "not of type list"),
        ({("evidence", "more"): []}, Malformed, "unknown key"),
        ({(*FIRST, "table"): {}}, Malformed, "unknown key"),
        ({(*FIRST, "nodes"): ...}, ClaimOpen, "upper is finite"),
        ({(*FIRST, "blocks"): ...}, ClaimOpen, "the run loses less than lower"),
        ({("claim", "adjacency"): "any"}, Malformed, "the adjacency is unknown"),
        ({("claim", "loss"): "all"}, Malformed, "loss is neither"),
        ({("claim", "scope"): "pair"}, Malformed, "the scope"),
    ],
)
def test_the_claim(edits: Edits, failure: type[Rejected], words: str) -> None:
    refused(edited(SEGMENT, edits), failure, words)


STEPS: Path = (*FIRST, "blocks", 0, "steps")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*STEPS, 1, "multiplier"): ["1"]}, Malformed, "wrong length"),
        ({(*STEPS, 1, "multiplier"): "1"}, Malformed, "not of type list"),
        ({(*STEPS, 1, "multiplier"): ["2", "1"]}, RuleBroken, "exceeds a rate"),
        ({(*STEPS, 1, "multiplier"): ["1", "2"]}, RuleBroken, "exceeds a rate"),
        ({(*STEPS, 1, "multiplier"): ["1", "-1"]}, RuleBroken, "a multiplier is negative"),
        ({(*STEPS, 1, "slope"): "0"}, Malformed, "unknown key"),
        ({(*STEPS, 1, "slope"): ["0", "0"]}, Malformed, "unknown key"),
        ({(*STEPS, 1, "multipliers"): [["0", "0"]]}, Malformed, "unknown key"),
        ({(*STEPS, 1, "delta"): 0}, ClaimOpen, "the run loses less"),
        ({STEPS: {}}, Malformed, "not of type list"),
        ({(*FIRST, "blocks"): {}}, Malformed, "not of type list"),
        ({(*FIRST, "blocks", 0, "more"): 1}, Malformed, "unknown key"),
        ({(*FIRST, "blocks", 0, "kind"): "repeat"}, Malformed, "the kind of a block is unknown"),
    ],
)
def test_the_run(edits: Edits, failure: type[Rejected], words: str) -> None:
    refused(edited(SEGMENT, edits), failure, words)


def test_the_multipliers_of_several_tests() -> None:
    sample = OPEN_SAMPLES["several variables"]
    steps = sample["evidence"]["pieces"][0]["blocks"][0]["steps"]
    number = next(k for k, step in enumerate(steps) if "multipliers" in step)
    path: Path = (*STEPS, number, "multipliers")
    refused(edited(sample, {path: {}}), Malformed, "not of type list")
    refused(edited(sample, {(*path, 0): ["0"]}), Malformed, "wrong length")
    refused(edited(sample, {(*path, 0): ["0", "99"]}), RuleBroken, "exceeds a rate")


NODE: Path = (*FIRST, "nodes", 0)
POINT: Path = (*NODE, "functions", 0, "points", 0)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*POINT, 1): ["3"]}, Malformed, "wrong length"),
        ({(*POINT, 1): "3"}, Malformed, "not of type list"),
        ({(*POINT, 1): ["3", "-1"]}, Malformed, "a value is negative"),
        ({(*POINT, 1): ["-1", "4"]}, Malformed, "a value is negative"),
        ({(*POINT, 1): ["3", "inf"]}, Malformed, "not a rational"),
        ({(*POINT, 1): ["2", "4"]}, RuleBroken, "not closed"),
        ({(*POINT, 1): ["3", "3"]}, RuleBroken, "not closed"),
        ({(*POINT, 0): [2]}, Malformed, "a shift is not"),
        ({(*POINT, 0): ["0"]}, Malformed, "not of type int"),
        ({POINT: [[-1]]}, Malformed, "wrong length"),
        ({(*NODE, "functions", 0, "points"): {}}, Malformed, "not of type list"),
        ({(*NODE, "functions", 0, "points"): []}, ClaimOpen, "has no point"),
        ({(*NODE, "functions", 0, "names"): "x"}, Malformed, "not of type list"),
        ({(*NODE, "functions", 0, "names"): [1]}, Malformed, "not of type str"),
        ({(*NODE, "functions", 0, "more"): []}, Malformed, "unknown key"),
        ({(*NODE, "functions"): {}}, Malformed, "not of type list"),
        ({(*NODE, "by"): [0]}, BadEvidence, "by has fewer numbers"),
        ({(*NODE, "by"): [0, 0, 0]}, BadEvidence, "by has more numbers"),
        ({(*NODE, "by"): [0, 1]}, BadEvidence, "by names a function that does not exist"),
        ({(*NODE, "by"): [0, "0"]}, Malformed, "not of type int"),
        ({(*NODE, "by"): [-1, 0]}, RuleBroken, "not closed"),
        ({(*NODE, "more"): []}, Malformed, "unknown key"),
        ({(*NODE, "targets"): [None]}, RuleBroken, "no target"),
        ({(*FIRST, "nodes"): {}}, Malformed, "not of type list"),
    ],
)
def test_the_nodes(edits: Edits, failure: type[Rejected], words: str) -> None:
    refused(edited(SEGMENT, edits), failure, words)


def test_the_nodes_of_one_difference_and_of_both_ways() -> None:
    one, both = OPEN_SAMPLES["one-differ"], OPEN_SAMPLES["monotonic"]
    refused(edited(one, {(*NODE, "functions", "used"): ...}), Malformed, "lacks a key")
    refused(edited(both, {(*FIRST, "nodes", "increasing"): ...}), Malformed, "lacks a key")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({RATE: ["1", "1"]}, Malformed, "the same everywhere"),
        ({RATE: ["1", "4", "5"]}, Malformed, "wrong length"),
        ({RATE: ["1", 4]}, Malformed, "not of type str"),
        ({RATE: ["0", "4"]}, Malformed, "not positive"),
        ({RATE: ["1", "0"]}, Malformed, "not positive"),
        ({RATE: ["1", "inf"]}, Malformed, "not a rational"),
        ({("model", "states", "q0", "mean"): ["0", "1"]}, Malformed, "not of type str"),
        ({("model", "states", "q0", "center"): "r"}, BadModel, "registers"),
        ({("model", "states"): ...}, Malformed, "not of type dict"),
        ({("model", "states", "q0"): []}, Malformed, "not of type dict"),
        ({("model", "open", "name"): ""}, Malformed, "no name"),
        ({("model", "open", "name"): 1}, Malformed, "not of type str"),
        ({("model", "open", "from"): "4"}, BadModel, "is empty"),
        ({("model", "open", "from"): "5"}, BadModel, "is empty"),
        ({("model", "open", "more"): "5"}, Malformed, "unknown key"),
        ({("model", "open"): []}, Malformed, "not of type dict"),
        ({("model", "open"): ...}, BadModel, "no open parameter"),
        ({("model", "states", "q1", "transitions", 0, "output"): []}, BadModel, "the outputs are malformed"),
    ],
)
def test_the_model(edits: Edits, failure: type[Rejected], words: str) -> None:
    refused(edited(SEGMENT, edits), failure, words)


def test_two_rates() -> None:
    sample = OPEN_SAMPLES["two rates"]
    q1: Path = ("model", "states", "q1")
    assert sample["model"]["states"]["q1"]["rate_right"] == ["1", "2"]
    equal: Edits = {(*q1, "rate_right"): sample["model"]["states"]["q1"]["rate_left"]}
    refused(edited(sample, equal), Malformed, "both rates are equal")
    refused(edited(sample, {(*q1, "rate_left"): ...}), Malformed, "neither one rate nor exactly two")
    refused(edited(sample, {(*q1, "rate"): "1"}), Malformed, "neither one rate nor exactly two")


def test_outputs_that_do_not_tell_transitions_apart() -> None:
    """The loss of an observer is bounded from above by that of runs, and not from below."""
    sample = OPEN_SAMPLES["between"]
    alike: Edits = {("model", "states", "q1", "transitions", 1, "output"): "left"}
    refused(edited(sample, alike), BadClaim, "does not identify it")
    accepted(edited(sample, {**alike, ("claim", "loss"): "runs"}))
    none: Edits = {("claim", "pieces", k, "lower"): ["0", "0"] for k in range(len(sample["claim"]["pieces"]))}
    accepted(edited(sample, alike | none))


def test_other_claims() -> None:
    refused(edited(SEGMENT, {("claim", "kind"): "epsilon"}), Malformed, "lacks a key")
    epsilon = {"adjacency": "all-differ", "kind": "epsilon", "lower": "0", "upper": "inf"}
    refused(edited(SEGMENT, {("claim",): epsilon}), Malformed, 'unknown key "open"')


def test_the_least_rates() -> None:
    """Multipliers that only the greatest rates allow prove nothing for all."""
    sample = OPEN_SAMPLES["not private"]
    accepted(sample)
    lower: Edits = {("model", "states", state, "rate"): ["1/100", "9"] for state in ("q1", "q2")}
    refused(edited(sample, lower), RuleBroken, "exceeds a rate")
    words: Edits = {("evidence",): {"words": []}, ("claim", "loss"): "observer"}
    refused(edited(sample, words), BadClaim, "evidence about outputs, and an open parameter")


def test_private_for_all_values() -> None:
    least = OPEN_SEGMENT.least
    document = json.loads(of_all_values(OPEN_SEGMENT, boundedness_certificate(least, decide(least))).data)
    assert accepted(document) == 'private adjacency=all-differ loss=observer open="t" from=1 to=4'
    assert accepts_open(document)


def test_demands() -> None:
    claim = SEGMENT["claim"]
    model = encode(SEGMENT["model"])
    meet(Demands(model=model, epsilon_at_most=(4, 1), adjacency="all-differ"), claim, model)
    with pytest.raises(NotDemanded, match="above the demanded one"):
        meet(Demands(epsilon_at_most=(7, 2)), claim, model)
    unbounded = edited(SEGMENT, {("claim", "pieces", 1, "upper"): "inf"})["claim"]
    with pytest.raises(NotDemanded, match="above the demanded one"):
        meet(Demands(epsilon_at_most=(9, 1)), unbounded, model)
    with pytest.raises(NotDemanded, match="no single probability"):
        meet(Demands(at_most=(1, 1)), claim, model)


def test_programs_at_the_ends_of_pieces_are_counted() -> None:
    budget = Budget(0)
    opened = read_open(SEGMENT["model"], budget)
    before = budget.units
    opened.at(Fraction(10**40 + 1, 10**40))
    assert before - budget.units == 16 * 3 * (32 + 1 * 3)


@pytest.mark.parametrize("name", OPEN_SAMPLES)
def test_mutations(name: str) -> None:
    """What is changed at one place is rejected, or true by the judge."""
    sample = OPEN_SAMPLES[name]
    rejected = 0
    places = [(path, value) for path, value in walk(sample) if path]
    tried = Random(name).sample(places, min(len(places), 2_000 if everything() else 60))
    for path, value in tried:
        changed: Json = ...
        if isinstance(value, bool):
            changed = not value
        elif isinstance(value, int):
            changed = 1 - abs(value)
        elif isinstance(value, str) and value.replace("/", "").isdigit():
            changed = Random(value).choice(["0", "1/3", "7", "100"])
        elif isinstance(value, list):
            changed = value[1:]
        rejected += not confirm(sample, path, changed)
    assert rejected > len(tried) / 2


def test_models_that_users_write() -> None:
    """Open rates and the interval may be numbers, and decimals."""
    model = SEGMENT["model"]
    free = edited(model, {("open", "to"): 4, ("open", "from"): 1.0, ("states", "q0", "rate"): [1, "4.0"]})
    assert given_model(json.dumps(free).encode()) == encode(model)
    assert given_model(json.dumps(OPEN_SAMPLES["two rates"]["model"]).encode()) == encode(
        OPEN_SAMPLES["two rates"]["model"]
    )
