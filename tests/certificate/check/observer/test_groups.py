"""The bound from above of what an observer learns: runs in groups that are seen as one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.budget import Budget
from prover.certificate.check.observer.groups import linear_extensions
from prover.certificate.check.observer.samples import closed
from prover.certificate.check.reading import BadClaim, BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# Two values, one after the other; nobody is told which is larger. Transitions: 0; below 1, above 2.
SILENT_PROGRAM = program(
    {
        "q0": state(transition("", "q1", assign=True)),
        "q1": state(transition("<", "end"), transition(">=", "end"), rate="2"),
    }
)


def line(steps: int) -> Json:
    """Nodes of a program that compares nothing: nothing is lost."""
    nodes = [
        {"by": [-1, -1], "functions": [], "order": [], "state": str(k), "targets": [k + 1]}
        for k in range(steps)
    ]
    return [*nodes, {"by": [], "functions": [], "order": [], "state": str(steps), "targets": []}]


def group(steps: int, *runs: list[int]) -> Json:
    return {"nodes": line(steps), "order": [], "runs": list(runs), "sequence": list(range(steps))}


SILENT = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "0"},
    SILENT_PROGRAM,
    {"groups": [group(1, [0]), group(2, [0, 1], [0, 2])]},
)
CLAIM = "epsilon adjacency=all-differ loss=observer value=0"
GROUPS: Path = ("evidence", "groups")
PAIR: Path = (*GROUPS, 1)
CASES: Path = ("model", "states", "q1", "transitions")


def test_a_union() -> None:
    assert accepted(SILENT) == CLAIM


@pytest.mark.parametrize(
    "edits",
    [
        {(*PAIR, "sequence"): [1, 0]},
        {(*PAIR, "runs"): [[0, 2], [0, 1]]},
        {GROUPS: [group(2, [0, 1], [0, 2]), group(1, [0])]},
    ],
)
def test_other_evidence_that_does_as_well(edits: dict[Path, Json]) -> None:
    assert accepted(edited(SILENT, edits)) == CLAIM


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "loss"): "runs"}, BadClaim, "evidence about outputs is for observers only"),
        ({GROUPS: [group(1, [0])]}, BadEvidence, "a possible run is in no group"),
        ({GROUPS: [group(1, [0]), group(2, [0, 1])]}, BadEvidence, "a possible run is in no group"),
        (
            {GROUPS: [group(2, [0, 1], [0, 2])]},
            BadEvidence,
            "a run is listed, but one of its beginnings is not",
        ),
        ({GROUPS: []}, BadEvidence, "a possible run is in no group"),
        ({(*PAIR, "runs"): [[0, 1], [0, 2], [0, 2]]}, BadEvidence, "listed twice"),
        ({(*PAIR, "runs"): []}, BadEvidence, "a possible run is in no group"),
        ({GROUPS: [group(1, [0]), group(2, [0, 1], [0, 2]), group(1)]}, BadEvidence, "there are no runs"),
        ({(*PAIR, "runs"): [[0, 1], [0, 3]]}, Malformed, "unknown transition"),
        ({(*PAIR, "order"): [[0, 1]]}, RuleBroken, "a run does not obey the order"),
        ({(*PAIR, "order"): [[0, 2]]}, BadEvidence, "an order of unknown steps"),
        ({(*PAIR, "order"): [[1, 0], [0, 1]]}, BadEvidence, "pairs of an order are out of order or repeated"),
        ({GROUPS: [group(2, [0, 1], [0, 2], [0])]}, RuleBroken, "the runs have different lengths"),
        ({(*CASES, k, "output"): ["o", {"gap": "x"}] for k in (0, 1)}, BadModel, "a gap is output"),
        ({(*PAIR, "sequence"): [0, 0]}, BadEvidence, "not a sequence of all steps"),
        ({(*PAIR, "sequence"): [0]}, BadEvidence, "not a sequence of all steps"),
        ({(*PAIR, "nodes"): line(1)}, BadEvidence, "not one target for each transition"),
        ({("claim", "adjacency"): "monotonic"}, Malformed, ""),
        ({("evidence", "table"): {}}, Malformed, "groups and other bounds"),
        (
            {("claim", "lower"): "1", ("claim", "upper"): "1"},
            BadClaim,
            "the output of transition 2 does not identify it",
        ),
    ],
)
def test_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(SILENT, edits), failure, words)


def test_a_run_of_probability_0() -> None:
    """With two names of one number nothing is below the one and not below the other."""
    both = transition("<", "end") | {"guard": [["<", "x"], [">=", "y"]]}
    start = transition("", "q1") | {"assign": ["x", "y"]}
    model = program({"q0": state(start), "q1": state(both)})
    made = edited(SILENT, {("model",): model, GROUPS: [group(1, [0]), group(2, [0, 1])]})
    refused(made, BadEvidence, "the run has probability 0")


def split() -> Json:
    """The two runs in groups of their own: the bound is that of runs."""
    found = edited(SILENT, {GROUPS: [group(1, [0]), group(2, [0, 1]), group(2, [0, 2])]})
    return deepcopy(edited(found, {(*GROUPS, 1, "order"): [[1, 0]], (*GROUPS, 2, "order"): [[0, 1]]}))


def test_single_runs_have_their_own_order() -> None:
    refused(split(), RuleBroken, "not closed")
    refused(
        edited(split(), {(*GROUPS, 1, "order"): []}), RuleBroken, "the order is not that of the run's tests"
    )
    refused(
        edited(split(), {(*GROUPS, 1, "order"): [[0, 1]]}),
        RuleBroken,
        "the order is not that of the run's tests",
    )
    above = {"names": ["x0"], "points": [[[-1], "4"], [[0], "2"], [[1], "0"]]}
    below = {"names": ["x0"], "points": [[[-1], "0"], [[0], "2"], [[1], "4"]]}
    two = {"names": [], "points": [[[], "2"]]}
    made = split()
    for number, last in ((1, above), (2, below)):
        nodes = made["evidence"]["groups"][number]["nodes"]
        nodes[1] |= {"functions": [last], "by": [0, 0]}
        nodes[0] |= {"functions": [two], "by": [0, 0, 0, 0]}
    refused(made, ClaimOpen, "the functions do not prove upper")
    made["claim"]["upper"] = "2"
    assert accepted(made) == CLAIM.replace("value=0", "lower=0 upper=2")


class TestSteps:
    """What has to be the same at each step of the runs of a group."""

    def late(self, **other: Json) -> Json:
        """The second value is compared, and a third one drawn, with noise that may depend on that."""
        model = deepcopy(SILENT_PROGRAM)
        model["states"]["q1"]["transitions"] = [transition("<", "q2"), transition(">=", "q3")]
        model["states"]["q2"] = state(transition("", "end"), rate="1", prime="1")
        model["states"]["q3"] = state(transition("", "end"), rate="1", prime="1") | other
        groups = [group(1, [0]), group(2, [0, 1], [0, 2]), group(3, [0, 1, 3], [0, 2, 4])]
        return deepcopy(edited(SILENT, {("model",): model, GROUPS: groups}))

    def test_the_same_noise(self) -> None:
        assert accepted(self.late()) == CLAIM
        assert accepted(self.late(rate_prime="2", mean_prime="1")) == CLAIM  # which nobody sees

    @pytest.mark.parametrize(
        "other",
        [{"rate": "2"}, {"mean": "1"}, {"input": False}, {"transitions": [transition("", "end", "p")]}],
    )
    def test_other_noise(self, other: Json) -> None:
        refused(self.late(**other), RuleBroken, "the steps of two runs differ")

    @pytest.mark.parametrize(
        ("output", "words"), [("insample", "a step outputs insample"), ("insampleprime", "not closed")]
    )
    def test_numbers(self, output: str, words: str) -> None:
        made = self.late()
        for name in ("q2", "q3"):
            made["model"]["states"][name]["transitions"][0]["output"] = output
        refused(made, RuleBroken, words)
        made["model"]["states"]["q3"]["transitions"][0]["output"] = "insampleprime"
        made["model"]["states"]["q2"]["transitions"][0]["output"] = "insample"
        refused(made, RuleBroken, "the steps of two runs differ")

    @pytest.mark.parametrize("part", ["rate_prime", "mean_prime"])
    def test_the_noise_of_second_samples(self, part: str) -> None:
        made = self.late()
        for name in ("q2", "q3"):
            made["model"]["states"][name]["transitions"][0]["output"] = "insampleprime"
        nodes = made["evidence"]["groups"][2]["nodes"]
        nodes[2] |= {"functions": [{"names": [], "points": [[[], "1"]]}], "by": [0, 0]}
        for k in (1, 0):
            nodes[k] |= {"functions": [{"names": [], "points": [[[], "1"]]}], "by": [0, 0, 0, 0]}
        made["claim"]["upper"] = "1"
        assert accepted(made) == CLAIM.replace("value=0", "lower=0 upper=1")
        made["model"]["states"]["q3"][part] = "2"
        refused(made, RuleBroken, "the steps of two runs differ")


class TestNoise:
    """Two rates, and ties."""

    def test_both_sides_have_to_be_the_same(self) -> None:
        made = TestSteps().late(rate=None, rate_left="inf", rate_right="1")
        refused(made, RuleBroken, "the steps of two runs differ")
        made["model"]["states"]["q2"] |= {"rate": None, "rate_left": "inf", "rate_right": "1"}
        assert accepted(made) == CLAIM
        made["model"]["states"]["q2"] |= {"rate_right": "2"}
        refused(made, RuleBroken, "the steps of two runs differ")

    @pytest.mark.parametrize("relations", [("<=", ">"), ("<", ">="), ("<", ">"), ("<=", ">="), ("=", ">=")])
    def test_ties(self, relations: tuple[str, str]) -> None:
        made = deepcopy(edited(SILENT, {("model", "noise"): "discrete-laplace"}))
        for case, relation in zip(made["model"]["states"]["q1"]["transitions"], relations, strict=True):
            case["guard"] = [[relation, "x"]]
        if relations == ("<=", ">"):
            assert accepted(made) == CLAIM
        elif "=" not in relations and len({*relations} & {"<", ">="}) == 1:  # ties take none, or both
            refused(made, RuleBroken, "no row decides all ties")
        elif relations == ("<", ">="):
            assert accepted(made) == CLAIM
            refused(
                edited(made, {("model", "inputs"): "unrounded"}),
                BadModel,
                "unrounded inputs go with one variable, without tests =, and are not assigned or output",
            )
        else:
            refused(made, BadModel, "a test is =")


def test_runs_that_overlap() -> None:
    """The numbers of linear extensions add up, but the same ones are counted twice."""
    model = deepcopy(SILENT_PROGRAM)
    model["states"]["q1"]["transitions"] = [transition("<", "end"), transition("<", "end2")]
    made = edited(SILENT, {("model",): model})
    refused(made, RuleBroken, "two runs overlap")


def test_unions_that_are_not_convex() -> None:
    """Of three values the second and the third are not on one side of the first."""
    model = deepcopy(SILENT_PROGRAM)
    model["states"]["q1"]["transitions"] = [transition("<", "q2"), transition(">=", "q3")]
    model["states"]["q2"] = state(transition("<", "end", "same"), transition(">=", "end", "differ"))
    model["states"]["q3"] = state(transition("<", "end", "differ"), transition(">=", "end", "same"))
    groups = [group(1, [0]), group(2, [0, 1], [0, 2]), group(3, [0, 1, 4], [0, 2, 5])]
    groups.append(group(3, [0, 1, 3], [0, 2, 6]))
    refused(
        edited(SILENT, {("model",): model, GROUPS: groups}),
        RuleBroken,
        "the runs do not have all linear extensions of the order",
    )


def test_tests_of_variables_without_a_value() -> None:
    model = deepcopy(SILENT_PROGRAM)
    model["states"]["q1"]["transitions"][0]["guard"] = [["<", "y"]]
    refused(
        edited(SILENT, {("model",): model}),
        BadModel,
        "a test uses a variable that is not assigned on every path to it",
    )


def test_loops_have_no_end() -> None:
    model = deepcopy(SILENT_PROGRAM)
    for case in model["states"]["q1"]["transitions"]:
        case["to"] = "q1"
    refused(edited(SILENT, {("model",): model}), BadEvidence, "a possible run is in no group")


@pytest.mark.parametrize(
    ("steps", "order", "count"),
    [
        (0, [], 1),
        (3, [], 6),
        (3, [(0, 2), (1, 2)], 2),
        (4, [(0, 1), (2, 3)], 6),
        (4, [(0, 1), (1, 2), (2, 3)], 1),
    ],
)
def test_linear_extensions(steps: int, order: list[tuple[int, int]], count: int) -> None:
    assert linear_extensions(Budget(0), closed(order, steps)) == count
