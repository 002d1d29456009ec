"""Every rule of profile tables, broken by hand."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
    TooLarge,
    budget,
)
from tests.certificate.profile_samples import (
    DRAWN,
    FLAT,
    GAUSSIAN,
    KNOT,
    LIMITED,
    NODES,
    ONE,
    PUBLIC_CELLS,
    REGION,
    SHOWN,
    THREE_LINES,
    UNSEEN,
    cell,
    node,
    table,
)
from tests.certificate.program_samples import state, transition
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
KNOTS: Path = ("evidence", "knots")
LINES: Path = ("evidence", "regions", 0, "lines")
BOUND: Path = ("evidence", "regions", 0, "bound")
CELLS: Path = (*NODES, 0, "cells", 0)
ANCHORS: Path = (*CELLS, 0, "anchors")
UPPER: Path = ("claim", "upper")


def test_what_the_line_says() -> None:
    words = "profile-table alpha=1 adjacency=all-differ at-epsilon=1 upper"
    assert accepted(SHOWN) == f"{words}=1/2"
    assert accepted(FLAT) == f"{words}=1"
    long = "3" * 71 + "/" + "5" + "0" * 70
    assert accepted(edited(SHOWN, {UPPER: long})).endswith("(exact number of 142 digits, rounded up)")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({KNOTS: [0]}, Malformed, "not from 2"),
        ({KNOTS: list(range(10_001))}, Malformed, "10,000 knots"),
        ({KNOTS: [0, KNOT, KNOT]}, BadEvidence, "knots that do not rise"),
        ({KNOTS: [1, KNOT, 2 * KNOT]}, BadEvidence, "knots that do not rise"),
        ({KNOTS: [0, KNOT, True]}, Malformed, "a value is not of type int"),
        ({(*NODES, 1, "values"): [ONE, ONE]}, Malformed, "not as many values as knots"),
        ({(*NODES, 1, "values"): [ONE - 1, ONE - 1, ONE - 1]}, BadEvidence, "below 1 − α"),
        ({(*NODES, 1, "values"): [ONE, ONE, ONE // 2]}, BadEvidence, "not convex, or rise"),
        ({(*NODES, 1, "values"): [ONE, ONE, ONE + 1]}, BadEvidence, "not convex, or rise"),
        ({(*NODES, 1, "values"): [ONE, ONE // 2, ONE]}, BadEvidence, "not convex, or rise"),
        ({(*NODES, 1, "values"): [ONE, "1", ONE]}, Malformed, "a value is not of type int"),
        ({(*NODES, 1, "shifts"): ["1", "0"]}, BadEvidence, "an empty interval"),
        ({(*NODES, 1, "shifts"): ["0"]}, Malformed, "wrong length"),
        ({(*NODES, 1, "state"): "end"}, BadEvidence, "a node of no state"),
        ({(*NODES, 1, "state"): 1}, Malformed, "not of type str"),
        ({(*NODES, 1, "open"): True}, Malformed, "open where all inputs"),
        ({(*NODES, 1, "other"): False}, Malformed, "unknown key"),
        ({(*NODES, 1, "cells"): []}, Malformed, "cells where nothing is drawn"),
        ({(*NODES, 0, "cells"): ...}, Malformed, "cells where nothing is drawn, or none"),
        ({(*NODES, 0, "cells"): []}, Malformed, "wrong length"),
        ({(*NODES, 0, "cells"): [[], []]}, Malformed, "wrong length"),
        ({CELLS: []}, BadEvidence, "no cell"),
        ({CELLS: {}}, Malformed, "not of type list"),
        ({ANCHORS: []}, Malformed, "no anchor"),
        ({ANCHORS: {}}, Malformed, "not of type list"),
        ({ANCHORS: [[0, "shift", "0"]]}, Malformed, "no such knot"),
        ({ANCHORS: [[3, "shift", "0"]]}, Malformed, "no such knot"),
        ({ANCHORS: [[True, "shift", "0"]]}, Malformed, "not of type int"),
        ({ANCHORS: [[1, "shift", "0"], [1, "shift", "0"]]}, BadEvidence, "anchors out of order"),
        ({ANCHORS: [[2, "shift", "0"], [1, "shift", "0"]]}, BadEvidence, "anchors out of order"),
        ({ANCHORS: [[1, "stay", "0"]]}, Malformed, "neither an offset nor a shift"),
        ({ANCHORS: [[1, "shift"]]}, Malformed, "wrong length"),
        ({ANCHORS: [[1, "shift", "1"]]}, BadEvidence, "no node for a shift"),
        ({ANCHORS: [[1, "offset", "1"]]}, BadEvidence, "no node for a shift"),
        ({(*NODES, 1): ...}, BadEvidence, "no node for a shift"),
        ({(*NODES, 0): ...}, BadEvidence, "no node of the initial state"),
        ({("evidence", "regions"): []}, BadEvidence, "a region is missing"),
        ({("evidence", "regions"): [REGION, REGION]}, BadEvidence, "a region twice"),
        ({("evidence", "regions"): {}}, Malformed, "not of type list"),
        ({("evidence", "regions", 0, "exponent"): "2"}, RuleBroken, "does not exceed the exponential"),
        ({("evidence", "regions", 0, "exponent"): "1/2"}, BadEvidence, "a region is missing"),
        ({("evidence", "regions", 0, "exponent"): "-1"}, Malformed, "not positive"),
        ({BOUND: "-3"}, Malformed, "not positive"),
        ({BOUND: "27182/10000"}, Malformed, "lowest terms"),
        ({BOUND: "2718/1000"}, Malformed, "lowest terms"),
        ({BOUND: "1359/500"}, RuleBroken, "does not exceed the exponential"),
        ({LINES: []}, BadEvidence, "a region without lines"),
        ({LINES: None}, Malformed, "not of type list"),
        ({LINES: [["1/3", "0"]]}, Malformed, "not from 2"),
        ({LINES: [[f"{k}/3000", "-9"] for k in range(1, 1002)]}, Malformed, "not from 2"),
        ({LINES: [["1/3", "1/1000"], *THREE_LINES[1:]]}, RuleBroken, "crosses the curve"),
        ({LINES: [["1/2", "0"], *THREE_LINES[1:]]}, RuleBroken, "crosses the curve"),
        ({LINES: [THREE_LINES[0], ["1", "-41/100"], THREE_LINES[2]]}, RuleBroken, "crosses the curve"),
        ({LINES: [*THREE_LINES[:2], ["3", "-199/100"]]}, RuleBroken, "crosses the curve"),
        ({LINES: [["0", "0"], *THREE_LINES[1:]]}, Malformed, "not positive"),
        ({LINES: [["-1/3", "0"], *THREE_LINES[1:]]}, Malformed, "not positive"),
        ({LINES: [["1/3", "0"], ["1/3", "0"], ["3", "-2"]]}, BadEvidence, "slopes that do not rise"),
        ({LINES: [["1/3", "0"], ["1", "-9/10"], ["3", "-2"]]}, BadEvidence, "bounds nothing"),
        ({LINES: [["1/3", "0"], ["3", "-4"]]}, BadEvidence, "bounds nothing"),
        ({LINES: [["1/3", "0", "0"], ["3", "-2"]]}, Malformed, "wrong length"),
        ({("evidence", "other"): []}, Malformed, "unknown key"),
        ({("claim", "at_epsilon"): "0"}, Malformed, "not positive"),
        ({("claim", "at_epsilon"): "-1"}, Malformed, "not positive"),
        ({("claim", "at_epsilon"): "2"}, RuleBroken, "does not exceed the exponential"),
        ({("claim", "at_epsilon"): 1}, Malformed, "not of type str"),
        ({("claim", "at_epsilon"): ...}, Malformed, "lacks a key"),
        ({("claim", "alpha"): "1/2"}, BadClaim, "alpha is below 1"),
        ({UPPER: "2"}, BadClaim, "between 0 and 1"),
        ({UPPER: "-1"}, BadClaim, "between 0 and 1"),
        ({UPPER: "999/1000"}, ClaimOpen, "the bound of the table is larger"),
        ({("claim", "adjacency"): "none"}, Malformed, "the adjacency is unknown"),
        ({("claim", "adjacency"): "monotonic"}, Malformed, "lacks a key"),
        ({("claim", "adjacency"): "one-differ"}, BadEvidence, "no node for a shift"),
        ({("claim", "loss"): "runs"}, Malformed, "unknown key"),
        ({("claim", "scope"): "pair"}, Malformed, "the scope of the claim is unknown"),
    ],
)
def test_rules_that_are_broken(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    if edits.get(("claim", "adjacency")) == "one-differ":
        edits = edits | {(*NODES, 0, "open"): True}
    refused(edited(FLAT, edits), failure, words)


# Cells


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([cell("0", (1, "offset", "0"))], "do not cover"),
        ([cell("2", (1, "offset", "0"))], "do not cover"),
        ([cell("-1", (1, "offset", "0")), cell("1", (1, "offset", "0"))], "out of order"),
        ([cell("-2", (1, "offset", "0"))], "out of order"),
        ([cell("1", (1, "offset", "0")), cell("0", (1, "offset", "0"))], "out of order"),
    ],
)
def test_cells_cover_all_differences(cells: Json, words: str) -> None:
    refused(edited(UNSEEN, {(*NODES, 0, "cells"): [cells]}), BadEvidence, words)


def test_cells_in_order() -> None:
    halves = [cell("0", (1, "offset", "0")), cell("1", (1, "offset", "0"))]
    accepted(edited(UNSEEN, {(*NODES, 0, "cells"): [halves]}))


def test_a_shift_for_a_whole_cell_pays_for_both_ends() -> None:
    one_way = edited(UNSEEN, {("claim", "adjacency"): "increasing", CELLS: [cell("1", (1, "shift", "0"))]})
    refused(one_way, BadEvidence, "a region is missing")
    refused(edited(one_way, {("evidence", "regions"): [REGION]}), RuleBroken, "a step is worth more")


# What steps are worth


def least_for_one_test(certificate: Json) -> None:
    """Both ends are final, and the polygon has the vertices (.645,.215) and (.785,.355), rounded outward."""
    values = [ONE, 43 * ONE // 100 + 1, 215 * ONE // 1000 + 1]
    accepted(edited(certificate, {(*NODES, 1, "values"): values}))
    for k in (1, 2):
        less = [value - (k == j) for j, value in enumerate(values)]
        refused(edited(certificate, {(*NODES, 1, "values"): less}), RuleBroken, "a test is worth more")


def test_a_test_is_worth_more() -> None:
    once = edited(FLAT, {("model", "states", "q1", "transitions", 0, "to"): "end"})
    least_for_one_test(once)


def test_a_step_is_worth_more() -> None:
    refused(edited(SHOWN, {(*NODES, 1, "values"): [ONE, ONE // 2 - 1, 0]}), RuleBroken, "a step is worth")
    refused(edited(SHOWN, {(*NODES, 0, "values"): [ONE, ONE // 2 - 1, 0]}), RuleBroken, "a step is worth")
    refused(edited(SHOWN, {UPPER: "4999999999999999/10000000000000000"}), ClaimOpen)


def test_between_knots_and_beyond_the_last_one() -> None:
    values: dict[Path, Json] = {(*NODES, k, "values"): [ONE, ONE // 2, ONE // 4] for k in (0, 1)}
    steep = edited(SHOWN, values | {("claim", "alpha"): "3/2", UPPER: "3/8"})
    accepted(steep)
    refused(edited(steep, {UPPER: "374999999/1000000000"}), ClaimOpen)
    refused(edited(steep, {("claim", "alpha"): "9", UPPER: "2499/10000"}), ClaimOpen)
    accepted(edited(steep, {("claim", "alpha"): "9", UPPER: "1/4"}))


# Which programs


GAP = [{"gap": "x"}, "o"]


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ([transition("<", "q1"), transition("<", "end", "p")], "a test that is none of"),
        ([transition("<", "q1"), transition("", "end", "p")], "a test that is none of"),
        ([transition("", "q1"), transition("<", "end", "p")], "transitions of which one has no guard"),
        ([transition("", "q1"), transition("", "end", "p")], "transitions of which one has no guard"),
        ([transition("<", "q1") | {"output": GAP}, transition(">=", "end", "p")], "a test that is none of"),
        ([transition("", "q1") | {"output": GAP}], "a test that is none of"),
    ],
)
def test_states_without_a_rule(cases: list[Json], words: str) -> None:
    states = {"q0": DRAWN, "q1": state(*cases)}
    nodes = [node("q0", ONE, ONE, ONE, cells=PUBLIC_CELLS), node("q1", ONE, ONE, ONE)]
    refused(table(states, nodes, REGION), BadModel, words)


def leaning(left: str, right: str) -> Json:
    return edited(
        FLAT,
        {
            ("model", "states", "q1", "rate"): None,
            ("model", "states", "q1", "rate_left"): left,
            ("model", "states", "q1", "rate_right"): right,
        },
    )


def test_two_finite_rates_have_no_region() -> None:
    refused(leaning("1", "2"), BadEvidence, "noise with two rates")
    for sides in (("1", "inf"), ("inf", "1"), ("inf", "inf")):
        accepted(leaning(*sides))


def test_a_missing_guard_is_an_end_that_is_seen() -> None:
    for guard in ("<", ">="):
        cases = [transition(guard, "end", "seen")]
        least_for_one_test(edited(FLAT, {("model", "states", "q1", "transitions"): cases}))


# One input differs


OPEN_CELLS = [[cell("0", (1, "shift", "0"), (2, "shift", "0"))]]
ONE_INPUT: Json = table(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("", "q2", "insample")),
        "q2": state(transition("", "end", "insample")),
    },
    [
        node("q0", ONE, ONE // 2, ONE // 2, cells=OPEN_CELLS) | {"open": True},
        node("q1", ONE, ONE // 2, ONE // 2) | {"open": True},
        node("q2", ONE, ONE // 2, ONE // 2) | {"open": True},
        node("q2", ONE, 0, 0),
    ],
    {"bound": "3", "exponent": "1", "lines": [["1/3", "0"], ["3", "-2"]]},
    adjacency="one-differ",
    upper="1/2",
)


def test_one_input_differs_once() -> None:
    accepted(ONE_INPUT)
    refused(edited(ONE_INPUT, {("claim", "adjacency"): "all-differ"}), Malformed, "open where all inputs")
    for k in range(4):
        refused(edited(ONE_INPUT, {(*NODES, k): ...}), BadEvidence)
    for k in (0, 1, 2):
        less = {(*NODES, k, "values"): [ONE, ONE // 2 - 1, ONE // 2 - 1]}
        refused(edited(ONE_INPUT, less), RuleBroken, "a step is worth more")
    for k in (0, 1, 2):
        refused(edited(ONE_INPUT, {(*NODES, k, "open"): False}), BadEvidence)
    refused(edited(ONE_INPUT, {(*NODES, 3, "open"): True}), BadEvidence, "no node for a shift")
    refused(edited(ONE_INPUT, {(*NODES, 0, "open"): 1}), Malformed, "not of type bool")


def test_monotonic_needs_both_tables() -> None:
    both = {"decreasing": SHOWN["evidence"], "increasing": SHOWN["evidence"]}
    monotonic = edited(SHOWN, {("claim", "adjacency"): "monotonic", ("evidence",): both})
    accepted(monotonic)
    for side in both:
        refused(edited(monotonic, {("evidence", side): ...}), Malformed, "lacks a key")
        weak = edited(monotonic, {("evidence", side): FLAT["evidence"]})
        refused(weak, ClaimOpen, "the bound of the table is larger")


# At most so many inputs

LEFT: Path = (*NODES, 1, "left")
STEPS: Path = ("claim", "steps")


def test_at_most_so_many_inputs() -> None:
    line = "profile-table alpha=1 adjacency=all-differ at-epsilon=1 steps=2 upper=5/8"
    assert accepted(LIMITED) == line
    for k in (1, 2):
        values = LIMITED["evidence"]["nodes"][k]["values"]
        less = {(*NODES, k, "values"): [ONE, values[1] - 1, values[2] - 1]}
        refused(edited(LIMITED, less), RuleBroken, "a test is worth more")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({STEPS: ...}, Malformed, "unknown key"),
        ({STEPS: 1}, BadEvidence, "too few inputs left, or too many"),
        ({STEPS: 3}, BadEvidence, "no node of the initial state"),
        ({STEPS: 0}, BadClaim, "not from 1 to 1000000 steps"),
        ({STEPS: 10**6 + 1}, BadClaim, "not from 1 to 1000000 steps"),
        ({STEPS: True}, Malformed, "not of type int"),
        ({STEPS: "2"}, Malformed, "not of type int"),
        ({LEFT: ...}, Malformed, "lacks a key"),
        ({LEFT: "1"}, Malformed, "not of type int"),
        ({LEFT: 0}, BadEvidence, "too few inputs left, or too many"),
        ({LEFT: -1}, BadEvidence, "too few inputs left, or too many"),
        ({LEFT: 2}, BadEvidence, "no node for a shift"),
        ({(*NODES, 1): ...}, BadEvidence, "no node for a shift"),
        ({(*NODES, 2, "left"): 1}, BadEvidence, "no node for a shift"),
        ({(*NODES, 0, "left"): 1}, BadEvidence, "no node of the initial state"),
        ({(*NODES, 0, "left"): 3}, BadEvidence, "too few inputs left, or too many"),
    ],
)
def test_nodes_with_inputs_left(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(LIMITED, edits), failure, words)


def test_a_step_without_an_input_uses_none_up() -> None:
    """A state that only outputs leads to the same number of inputs left, and a loop of such states is closed
    as without a limit."""
    still = state(transition("", "q1"), takes_input=False)
    waits = edited(
        LIMITED, {("model", "states", "w"): still, ("model", "states", "q0", "transitions", 0, "to"): "w"}
    )
    first = LIMITED["evidence"]["nodes"][2]["values"]
    between = node("w", *first) | {"left": 2}
    nodes = [*LIMITED["evidence"]["nodes"], between]
    accepted(edited(waits, {NODES: nodes}))
    refused(edited(waits, {NODES: [*nodes[:3], between | {"left": 1}]}), BadEvidence, "no node for a shift")
    again = [transition("<", "w", "again"), transition(">=", "q1")]
    loop = edited(waits, {("model", "states", "w", "transitions"): again, NODES: nodes})
    accepted(loop)
    refused(edited(loop, {(*NODES, 3, "left"): 0}), BadEvidence, "no node for a shift")


# Gaussian noise


def test_gaussian_noise() -> None:
    assert accepted(GAUSSIAN).endswith(" steps=1 upper=19147/50000")
    twice = edited(GAUSSIAN, {("model", "sensitivity"): "2", ("model", "states", "q1", "sigma"): "2"})
    accepted(twice)


NORMAL_LINES: Path = ("evidence", "regions", 0, "lines")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("evidence", "regions", 0, "ratio"): "2"}, RuleBroken, "crosses the curve"),
        ({("evidence", "regions", 0, "ratio"): "1/2"}, RuleBroken, "crosses the curve"),
        ({("evidence", "regions", 0, "ratio"): "-1"}, Malformed, "not positive"),
        ({("evidence", "regions", 0, "bound"): "3"}, Malformed, "unknown key"),
        ({("evidence", "regions"): [GAUSSIAN["evidence"]["regions"][0]] * 2}, BadEvidence, "a region twice"),
        ({("evidence", "regions"): []}, BadEvidence, "a region is missing"),
        ({("model", "states", "q1", "sigma"): "2"}, BadEvidence, "a region is missing"),
        ({("model", "sensitivity"): "2"}, BadEvidence, "a region is missing"),
        ({(*NORMAL_LINES, 1, 1): "-191/500"}, RuleBroken, "crosses the curve"),
        ({(*NORMAL_LINES, 1, 2): "3/5"}, RuleBroken, "crosses the curve"),
        ({(*NORMAL_LINES, 1, 2): "-200"}, TooLarge, "too far out"),
        ({(*NORMAL_LINES, 1, 0): "-1"}, Malformed, "not positive"),
        ({(*NORMAL_LINES, 1, 0): "1/3"}, BadEvidence, "slopes that do not rise"),
        ({(*NORMAL_LINES, 1, 1): "-19/20"}, BadEvidence, "bounds nothing"),
        ({(*NORMAL_LINES, 1): ["1", "-2/5"]}, Malformed, "wrong length"),
        ({(*NORMAL_LINES, 0): ["3", "-211/100", "8/5"]}, BadEvidence, "slopes that do not rise"),
        ({NORMAL_LINES: [["1", "-2/5", "1/2"]]}, Malformed, "not from 2"),
        ({("model", "states", "q1", "rate"): "1"}, Malformed, "a rate beside sigma"),
        ({("model", "noise"): "discrete-laplace"}, BadModel, "Gaussian noise on a grid"),
    ],
)
def test_gaussian_regions(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(GAUSSIAN, edits), failure, words)


# Work


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "UNITS", 10**8)
    knots = list(range(0, 1_000 * 10**9, 10**9))
    anchors = [(k, "shift", f"{k}/1009") for k in range(1, 1_000)]
    primed = {"q0": state(transition("", "end", "insampleprime", assign=True), prime="1")}
    few = REGION | {"lines": THREE_LINES[::2]}
    many = table(primed, [node("q0", *[ONE] * 1_000, cells=[[cell("1", *anchors)]])], few)
    # at once, as what insampleprime tells is found once for all anchors
    refused(edited(many, {KNOTS: knots}), BadEvidence, "a region is missing")
    bare = {"q0": DRAWN, "q1": state(transition("", "q1"))}
    for count, failure in ((300, None), (1_000, TooLarge)):
        nodes = [node("q1", ONE, ONE, ONE, shifts=(str(-k), str(-k))) for k in range(count, -1, -1)]
        found = table(bare, [node("q0", ONE, ONE, ONE, cells=PUBLIC_CELLS), *nodes])
        if failure:
            refused(found, failure, "the work exceeds")
        else:
            accepted(found)


def test_long_numbers_are_work() -> None:
    tiny = "1/1" + "0" * 20_000
    lines = [[str(k), f"-{k}"] for k in range(1, 40)]
    refused(edited(FLAT, {LINES: [[tiny, "0"], *lines]}), TooLarge, "the work exceeds")
