"""Threshold programs, and the claims about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadModel, ClaimOpen, Malformed
from prover.certificate.check.programs import reached_states
from tests.certificate.program_samples import (
    NUMERIC,
    PROGRAM_SAMPLES,
    SVT_EPSILON,
    SVT_PRIVATE,
    program,
    state,
    transition,
)
from tests.certificate.samples import WALK, Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
STATES: Path = ("model", "states")
FIRST: Path = (*STATES, "q0", "transitions", 0)
BELOW: Path = (*STATES, "q1", "transitions", 0)
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("svt-private", "private adjacency=all-differ loss=runs"),
        ("svt-epsilon", "epsilon adjacency=all-differ loss=runs value=5/4"),
        ("svt-one-differ", "epsilon adjacency=one-differ loss=runs value=1/2"),
        ("leaking-pair", "not-private adjacency=all-differ loss=runs"),
        ("slope", "not-private adjacency=decreasing loss=runs"),
        ("numeric", "epsilon adjacency=all-differ loss=runs value=7/4"),
    ],
)
def test_lines(name: str, line: str) -> None:
    assert accepted(PROGRAM_SAMPLES[name]) == line


def test_lines_of_intervals() -> None:
    assert (
        accepted(edited(SVT_EPSILON, {LOWER: "1"}))
        == "epsilon adjacency=all-differ loss=runs lower=1 upper=5/4"
    )
    assert (
        accepted(edited(SVT_EPSILON, {UPPER: "inf"}))
        == "epsilon adjacency=all-differ loss=runs lower=5/4 upper=inf"
    )


# The model


@pytest.mark.parametrize(
    ("path", "value", "failure"),
    [
        (("model", "initial"), "q2", BadModel),
        (("model", "initial"), None, Malformed),
        (("model", "initial"), "q1", BadModel),  # has two transitions
        (("model", "version"), 2, Malformed),
        (("model", "type"), "labelled-markov-chain", Malformed),
        (("model", "comment"), "", Malformed),
        (STATES, [], Malformed),
        (STATES, {}, BadModel),
        ((*STATES, "q1", "input"), 1, Malformed),
        ((*STATES, "q1", "input"), None, Malformed),
        ((*STATES, "q1", "input"), "true", Malformed),
        ((*STATES, "q1", "rate"), "0", Malformed),
        ((*STATES, "q1", "rate"), "-1/2", Malformed),
        ((*STATES, "q1", "rate"), None, Malformed),
        ((*STATES, "q1", "mean"), None, Malformed),
        ((*STATES, "q1", "mean"), "0/1", Malformed),
        ((*STATES, "q1", "rate_prime"), "1", Malformed),  # the second mean is missing
        ((*STATES, "q1", "mean_prime"), "1", Malformed),
        ((*STATES, "q1", "transitions"), [], BadModel),
        ((*STATES, "q1", "transitions"), {}, Malformed),
        ((*STATES, "q1", "comment"), "", Malformed),
        ((*BELOW, "guard"), [["<", "x"], [">=", "x"]], BadModel),
        ((*BELOW, "guard"), [["<=", "x"]], Malformed),
        ((*BELOW, "guard"), [["", "x"]], Malformed),
        ((*BELOW, "guard"), [["<"]], Malformed),
        ((*BELOW, "guard"), [["<", 1]], Malformed),
        ((*BELOW, "guard"), "<", Malformed),
        ((*BELOW, "guard"), [["<", "y"]], Malformed),  # two variables have other evidence
        ((*BELOW, "assign"), ["y"], Malformed),
        ((*BELOW, "assign"), ["x", "x"], BadModel),
        ((*BELOW, "assign"), [1], Malformed),
        ((*BELOW, "output"), None, Malformed),
        ((*BELOW, "output"), "insampleprime", BadModel),
        ((*BELOW, "to"), None, Malformed),
        ((*BELOW, "comment"), "", Malformed),
        ((*FIRST, "assign"), [], BadModel),
        ((*FIRST, "guard"), [["<", "x"]], BadModel),
    ],
)
def test_broken_models(path: Path, value: Json, failure: Any) -> None:
    refused(edited(SVT_PRIVATE, {path: value}), failure)


@pytest.mark.parametrize("output", [["insample", "insample"], ["a", "b"], ["a"], []])
def test_outputs_that_say_nothing_new(output: Json) -> None:
    refused(edited(SVT_PRIVATE, {(*BELOW, "output"): output}), BadModel, "the outputs are malformed")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*STATES, "q1", "mean"), "-7/3"),
        ((*BELOW, "output"), ""),
        ((*BELOW, "output"), "\n"),
        ((*STATES, "q1", "transitions", 1, "to"), "nowhere"),
        ((*STATES, "q1", "rate"), "9" * 5_000),
        ((*STATES, "q2"), state(transition("<", "q2", "insample"))),  # not reached from the initial state
    ],
)
def test_models_that_are_in_order(path: Path, value: Json) -> None:
    accepted(edited(SVT_PRIVATE, {path: value}))


def test_the_first_step_tests_nothing() -> None:
    takes_input: dict[Path, Json] = {(*STATES, "q0", "input"): True}
    accepted(edited(SVT_PRIVATE, takes_input))
    refused(
        edited(SVT_PRIVATE, takes_input | {(*FIRST, "guard"): [["<", "x"]]}),
        BadModel,
        "the initial state does not have exactly one transition, which assigns and has no bounds",
    )
    twice = [transition("", "q1", assign=True), transition("", "end", assign=True)]
    refused(
        edited(SVT_PRIVATE, {(*STATES, "q0", "transitions"): twice}),
        BadModel,
        "the initial state does not have exactly one transition, which assigns and has no bounds",
    )


def test_second_samples() -> None:
    second: dict[Path, Json] = {(*STATES, "q1", "rate_prime"): "2", (*STATES, "q1", "mean_prime"): "-1/2"}
    accepted(edited(SVT_PRIVATE, second))
    refused(edited(SVT_PRIVATE, second | {(*STATES, "q1", "rate_prime"): "0"}), Malformed)
    refused(edited(SVT_PRIVATE, second | {(*STATES, "q1", "mean_prime"): "x"}), Malformed)


def test_the_variable_has_any_name() -> None:
    first = {"assign": ["a variable"], "guard": [], "output": "o", "to": "q1"}
    second = {"assign": [], "guard": [["<", "a variable"]], "output": "o", "to": "q1"}
    chain = program({"q0": state(first), "q1": state(second)})
    accepted(certificate(SVT_PRIVATE["claim"], chain, SVT_PRIVATE["evidence"]))


class Counted(Mapping[str, Json]):
    """States that count how often one is looked at."""

    def __init__(self, states: Mapping[str, Json]) -> None:
        self.states, self.looks = states, 0

    def __getitem__(self, name: str) -> Json:
        self.looks += 1
        return self.states[name]

    def __iter__(self) -> Iterator[str]:
        for name in self.states:
            self.looks += 1
            yield name

    def __len__(self) -> int:
        return len(self.states)


def test_states_that_are_reached_are_looked_at_a_few_times_each() -> None:
    many = 300
    rows = {f"q{k}": state(transition("<", f"q{k + 1}"), transition(">=", "end")) for k in range(many)}
    states = Counted(rows | {"elsewhere": state(transition("", "q0"))})
    assert reached_states(states, "q0") == rows.keys()
    assert states.looks <= 5 * many


# Claims


@pytest.mark.parametrize("adjacency", ["none", "", None, ["all-differ"], 1])
def test_adjacencies(adjacency: Json) -> None:
    for sample in PROGRAM_SAMPLES.values():
        refused(edited(sample, {("claim", "adjacency"): adjacency}), Malformed)


@pytest.mark.parametrize("adjacency", ["one-differ", "increasing", "decreasing"])
def test_facts_are_about_all_differ(adjacency: str) -> None:
    refused(edited(SVT_PRIVATE, {("claim", "adjacency"): adjacency}), BadClaim)


@pytest.mark.parametrize(
    ("lower", "upper", "failure"),
    [
        ("0", "5/4", None),
        ("5/4", "2", None),
        ("5/4", "inf", None),
        ("5/4", "1000000", None),
        ("6/5", "124/100", Malformed),
        ("5001/4000", "2", ClaimOpen),
        ("1", "4999/4000", ClaimOpen),
        ("-1", "2", BadClaim),
        ("2", "1", BadClaim),
        ("inf", "inf", Malformed),
        ("0", "-inf", Malformed),
        ("0", "-1", Malformed),
        ("0", "Inf", Malformed),
        ("0", None, Malformed),
        (None, "1", Malformed),
    ],
)
def test_bounds(lower: Json, upper: Json, failure: Any) -> None:
    changed = edited(SVT_EPSILON, {LOWER: lower, UPPER: upper})
    if failure is None:
        accepted(changed)
    else:
        refused(changed, failure)


def test_one_side_alone() -> None:
    blocks: dict[Path, Json] = {("evidence", "blocks"): ...}
    table: dict[Path, Json] = {("evidence", "table"): ...}
    accepted(edited(SVT_EPSILON, blocks | {LOWER: "0"}))
    refused(edited(SVT_EPSILON, blocks), ClaimOpen, "lower")
    refused(edited(SVT_EPSILON, blocks | {LOWER: "1/1000000"}), ClaimOpen, "lower")
    accepted(edited(SVT_EPSILON, table | {UPPER: "inf"}))
    refused(edited(SVT_EPSILON, table), ClaimOpen, "upper")
    refused(edited(SVT_EPSILON, blocks | table | {LOWER: "0", UPPER: "inf"}), Malformed)


def test_keys() -> None:
    refused(edited(SVT_PRIVATE, {("claim", "scope"): "pair"}), Malformed)
    refused(edited(SVT_PRIVATE, {("claim", "scope"): ""}), Malformed)
    refused(edited(SVT_PRIVATE, {LOWER: "0"}), Malformed)
    refused(edited(SVT_EPSILON, {LOWER: ...}), Malformed)
    refused(edited(SVT_EPSILON, {("claim", "alpha"): "1"}), Malformed)
    refused(edited(SVT_EPSILON, {("evidence", "facts"): {}}), Malformed)


def test_kind_and_model_belong_together() -> None:
    refused(edited(SVT_PRIVATE, {("model",): WALK["model"]}), Malformed)
    refused(edited(WALK, {("model",): SVT_PRIVATE["model"]}), Malformed)
    refused(edited(NUMERIC, {("claim",): SVT_PRIVATE["claim"]}), Malformed)


# q1 and q2 are written alike, and so are their transitions.
ALIKE = edited(
    SVT_PRIVATE,
    {
        ("model", "states", "q2"): SVT_PRIVATE["model"]["states"]["q1"],
        ("model", "states", "q1", "transitions", 1, "to"): "q2",
        ("model", "states", "q2", "transitions", 0, "to"): "q2",
        ("evidence", "components", "q2"): 2,
        ("evidence", "facts", "q2"): ["lo1"],
    },
)


def test_states_are_written_alike() -> None:
    accepted(ALIKE)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("input",), 1),
        (("mean",), None),
        (("mean",), ["0"]),
        (("mean_prime",), False),
        (("rate",), {"1": "2"}),
        (("rate_left",), None),
        (("sensitivity",), None),
        (("center",), None),
        (("transitions", 0, "assign"), ""),
        (("transitions", 0, "assign"), [[]]),
        (("transitions", 0, "guard"), ["<x"]),
        (("transitions", 0, "guard", 0), ["<", ["x"]]),
        (("transitions", 0, "output"), ["below"]),
        (("transitions", 0, "seen"), None),
        (("transitions", 0, "registers"), {}),
        (("transitions", 0, "to"), 0),
    ],
)
def test_what_is_nearly_written_alike_is_read(place: Any, value: Any) -> None:
    failure = BadModel if place[-1] == "output" else Malformed
    refused(edited(ALIKE, {("model", "states", "q2", *place): value}), failure, "")
