"""Closed tables of functions of the stored shift, by which no run loses more than something."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken
from tests.certificate.program_samples import NUMERIC, SVT_EPSILON, SVT_ONE, program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
TABLE: Path = ("evidence", "table")
UPPER: Path = ("claim", "upper")


def bounded(states: dict[str, Json], table: Json, upper: str, adjacency: str = "all-differ") -> Json:
    """About the program that starts by storing, at a public state of rate 1."""
    whole = program({"q0": state(transition("", "q1", assign=True), takes_input=False)} | states)
    claim = {"adjacency": adjacency, "kind": "epsilon", "lower": "0", "upper": upper}
    return certificate(claim, whole, {"table": table})


# Keys


def test_extremes_go_with_a_table_and_without_a_run() -> None:
    # Nobody sees whether q1 stores its sample, which is the larger one; then it is compared.
    unseen = transition("<", "q2"), transition(">=", "q2", assign=True)
    compared = transition("<", "end", "below"), transition(">=", "end", "above")
    three = [[str(bound)] * 3 for bound in (4, 4, 2)]
    table = {f"q{n}": [row] for n, row in enumerate(three)}
    about = edited(
        bounded({"q1": state(*unseen), "q2": state(*compared)}, table, "4"),
        {("claim", "loss"): "observer", ("evidence", "extremes"): [[1, 2]]},
    )
    accepted(about)
    refused(edited(about, {("evidence", "blocks"): []}), Malformed, "both blocks and extremes")
    refused(edited(about, {TABLE: ..., UPPER: "inf"}), Malformed, "extremes without a table")


# Shapes


@pytest.mark.parametrize(
    ("table", "failure"),
    [
        ({"q0": [["5/4", "5/4", "5/4"]]}, RuleBroken),
        ({"q1": [["inf", "inf", "1"]]}, RuleBroken),
        ({}, RuleBroken),
        ({"end": [], "q0": [["5/4", "5/4", "5/4"]], "q1": [["inf", "inf", "1"]]}, BadEvidence),
        ({"q0": [["5/4", "5/4"]]}, Malformed),
        ({"q0": [["5/4", "5/4", "5/4", "5/4"]]}, Malformed),
        ({"q0": [["5/4", "5/4", 1]]}, Malformed),
        ({"q0": [["5/4", "5/4", "-1"]]}, Malformed),
        ({"q0": [["5/4", "5/4", "10/8"]]}, Malformed),
        ({"q0": [["5/4", "5/4", "Inf"]]}, Malformed),
        ({"q0": [["5/4", "5/4", None]]}, Malformed),
        ({"q0": ["5/4"]}, Malformed),
        ({"q0": {}}, Malformed),
        ({"q0": {"unused": [], "used": []}}, Malformed),
        ([], Malformed),
        (None, Malformed),
    ],
)
def test_shapes(table: Json, failure: Any) -> None:
    refused(edited(SVT_EPSILON, {TABLE: table}), failure)


@pytest.mark.parametrize(
    ("functions", "holds"),
    [
        ([["0", "0", "0"], ["inf", "inf", "1"]], True),
        ([["0", "inf", "0"], ["2", "0", "0"], ["10", "0", "0"], ["inf", "inf", "1"]], True),
        ([["1/3", "0", "0"], ["1/2", "0", "0"], ["inf", "inf", "1"]], True),
        ([["inf", "inf", "1"], ["inf", "inf", "1"]], False),
        ([["inf", "inf", "1"], ["0", "0", "0"]], False),
        ([["10", "0", "0"], ["2", "0", "0"], ["inf", "inf", "1"]], False),  # by value, not as text
        ([["1/2", "0", "0"], ["1/3", "0", "0"], ["inf", "inf", "1"]], False),
    ],
)
def test_functions_are_sorted_by_value(functions: Json, holds: bool) -> None:
    # More functions at the end of the run only: nothing leads on from q2.
    states = {"q1": state(transition("", "end")), "q2": state(transition("", "end"))}
    about = bounded(states, {"q2": functions}, "0")
    if holds:
        accepted(about)
    else:
        refused(about, BadEvidence, "functions")


@pytest.mark.parametrize("entry", [[], {"unused": []}, {"used": []}, {"other": [], "unused": [], "used": []}])
def test_tables_of_one_differ_have_two_modes(entry: Json) -> None:
    refused(edited(SVT_ONE, {(*TABLE, "q1"): entry}), Malformed)


# The closure, for single steps: what φ' = 0 becomes before a transition of rate 1


@pytest.mark.parametrize(
    ("guard", "assign", "output", "adjacency", "functions", "tight"),
    [
        ("<", False, "o", "all-differ", [["2", "1", "0"]], True),
        (">=", False, "o", "all-differ", [["0", "1", "2"]], True),
        ("", False, "o", "all-differ", [], False),
        ("<", False, "o", "increasing", [["2", "1", "0"]], True),
        ("<", False, "o", "decreasing", [["1", "0", "0"]], True),
        (">=", False, "o", "increasing", [["0", "0", "1"]], True),
        (">=", False, "o", "decreasing", [["0", "1", "2"]], True),
        ("", False, "insample", "all-differ", [["1", "1", "1"]], True),
        ("", True, "insample", "increasing", [["1", "1", "1"]], True),
        ("<", False, "insample", "all-differ", [["inf", "1", "1"]], True),
        (">=", False, "insample", "all-differ", [["1", "1", "inf"]], True),
        ("", False, "insampleprime", "all-differ", [["5", "5", "5"]], True),
        ("<", False, "insampleprime", "all-differ", [["5", "5", "5"], ["7", "6", "5"]], True),
        ("<", True, "o", "all-differ", [["2", "1", "0"]], True),
        ("", True, "o", "all-differ", [], False),
    ],
)
def test_single_steps(
    guard: str, assign: bool, output: str, adjacency: str, functions: Json, tight: bool
) -> None:
    prime = "5" if output == "insampleprime" else None
    states = {"q1": state(transition(guard, "q2", output, assign), prime=prime)}
    states |= {"q2": state(transition("", "end"), takes_input=False)}
    # The start may take any shift, at the price of its distance from 0.
    numbers = [[10**6 if x == "inf" else int(x) for x in f] for f in functions]
    start = max([min(abs(shift) + f[shift + 1] for shift in (-1, 0, 1)) for f in numbers], default=0)
    table = {"q0": [[str(start)] * 3]} if start else {}
    table |= {"q1": functions} if functions else {}
    accepted(bounded(states, table, str(start), adjacency))
    if tight:
        last = functions[-1]
        for k, x in enumerate(last):
            if x != "0":
                less = "1000000" if x == "inf" else str(int(x) - 1) if int(x) > 1 else "999999/1000000"
                changed = [*functions[:-1], [*last[:k], less, *last[k + 1 :]]]
                refused(
                    bounded(states, table | {"q1": sorted_by_value(changed)}, "1000", adjacency), RuleBroken
                )


def sorted_by_value(functions: Json) -> Json:
    return sorted(functions, key=lambda f: [(x == "inf", 0 if x == "inf" else Fraction(x)) for x in f])


def test_differences_of_public_states_are_0() -> None:
    states = {"q1": state(transition("", "end", "insample"), takes_input=False)}
    accepted(bounded(states, {}, "0"))
    refused(bounded({"q1": state(transition("", "end", "insample"))}, {}, "0"), RuleBroken)


def test_functions_of_later_states_are_added() -> None:
    # Two tests in a row: < then >=; with shift 0 both cost 1 at most.
    states = {"q1": state(transition("<", "q2")), "q2": state(transition(">=", "end"))}
    table = {"q0": [["2", "2", "2"]], "q1": [["2", "2", "2"]], "q2": [["0", "1", "2"]]}
    accepted(bounded(states, table, "2"))
    refused(bounded(states, table, "1999999/1000000"), ClaimOpen)
    less = {"q0": [["1", "1", "1"]], "q1": [["2", "2", "2"]], "q2": [["0", "1", "2"]]}
    refused(bounded(states, less, "2"), RuleBroken, "transition 0")
    # One function of q2, that of a loop, is not heeded by q1.
    refused(
        bounded(states, table | {"q2": [["0", "1", "2"], ["3", "3", "3"]]}, "2"), RuleBroken, "transition 1"
    )


def test_some_function_dominates_at_all_shifts_at_once() -> None:
    # Pieces of two functions do not make one.
    states = {"q1": state(transition("<", "q2")), "q2": state(transition(">=", "end"))}
    pieces = {"q0": [["2", "2", "2"]], "q1": [["0", "2", "2"], ["2", "2", "0"]], "q2": [["0", "1", "2"]]}
    refused(bounded(states, pieces, "2"), RuleBroken, "transition 1")


# The claim rule


@pytest.mark.parametrize(
    ("function", "upper", "holds"),
    [
        (["5/4", "5/4", "5/4"], "5/4", True),
        (["2", "5/4", "7"], "5/4", True),
        (["5/4", "inf", "inf"], "5/4", True),
        (["3/2", "3/2", "5/4"], "5/4", True),
        (["2", "2", "2"], "5/4", False),
        (["inf", "inf", "inf"], "5/4", False),
        (["inf", "inf", "inf"], "inf", True),
        (["5001/4000", "5001/4000", "5001/4000"], "5/4", False),
    ],
)
def test_the_least_value_at_the_start_counts(function: Json, upper: str, holds: bool) -> None:
    changed = edited(SVT_EPSILON, {(*TABLE, "q0"): [function], UPPER: upper})
    if holds:
        accepted(changed)
    else:
        refused(changed, ClaimOpen, "the table does not prove upper")


def test_every_function_at_the_start_counts() -> None:
    functions = [["5/4", "5/4", "5/4"], ["2", "2", "2"]]
    refused(edited(SVT_EPSILON, {(*TABLE, "q0"): functions}), ClaimOpen, "the table does not prove upper")
    accepted(edited(SVT_EPSILON, {(*TABLE, "q0"): functions, UPPER: "2"}))


@pytest.mark.parametrize(
    ("path", "functions", "failure"),
    [
        ((*TABLE, "q1", "unused"), [["inf", "0", "1/2"]], RuleBroken),
        ((*TABLE, "q1", "used"), [], RuleBroken),
        ((*TABLE, "q1", "used"), [["inf", "inf", "inf"]], RuleBroken),
        ((*TABLE, "q0", "unused"), [], RuleBroken),
        ((*TABLE, "q0", "unused"), [["1", "1", "1"]], ClaimOpen),
        ((*TABLE, "q0", "used"), [["1", "1", "1"]], None),  # nothing was different when the run began
    ],
)
def test_one_difference_only(path: Path, functions: Json, failure: Any) -> None:
    accepted(SVT_ONE)
    changed = edited(SVT_ONE, {path: functions})
    if failure is None:
        accepted(changed)
    else:
        refused(changed, failure)


def test_second_samples_cost_their_difference() -> None:
    refused(edited(NUMERIC, {(*TABLE, "q1"): [["inf", "inf", "1"]]}), RuleBroken)
    refused(edited(NUMERIC, {("model", "states", "q1", "rate_prime"): "501/1000"}), RuleBroken)
