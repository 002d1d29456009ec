"""δ from below by a pair of inputs: every rule broken by hand, and numbers that are known."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    Rejected,
    TooLarge,
    budget,
)
from tests.certificate.inputs_judge import gain
from tests.certificate.program_samples import SVT_PROGRAM, program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
LOWER: Path = ("claim", "lower")
RUNS: Path = ("evidence", "runs")
STATES: Path = ("model", "states")
FINAL_STEP: Json = state(transition("", "end"), takes_input=False)
DRAWN: Json = state(transition("", "q1", assign=True), takes_input=False)
TESTED: Json = state(transition("<", "q2", "below"), transition(">=", "q2", "above"))


def pair(model: Json, inputs: list[str], neighbour: list[str], *runs: list[int], **claim: Json) -> Json:
    """A certificate at ε = 1 and α = 1, by default of nothing."""
    about = {"adjacency": "all-differ", "alpha": "1", "at_epsilon": "1", "kind": "inputs", "lower": "0"}
    evidence = {"bits": 120, "inputs": inputs, "neighbour": neighbour, "runs": list(runs)}
    return certificate(about | claim, model, evidence)


def near(number: float, parts: int) -> str:
    return str(Fraction(number) + Fraction(parts, 10**12))


def gains(document: Json, number: float) -> None:
    """As much as this number, and no more; the judge agrees."""
    assert gain(document) == pytest.approx(number, abs=1e-10)
    accepted(edited(document, {LOWER: near(number, -1)}))
    refused(edited(document, {LOWER: near(number, 1)}), ClaimOpen, "the runs gain less")


# The sparse vector technique on four inputs; the runs hit at the second or the third of them, or at none.
NONE: list[int] = [0, 1, 1, 1, 1]
RATES: dict[Path, Json] = {("states", "q0", "rate"): "1/2", ("states", "q1", "rate"): "1/4"}
SVT: Json = pair(
    edited(SVT_PROGRAM, RATES),
    ["-1", "1/2", "0", "2"],
    ["0", "-1/2", "1", "1"],
    [0, 1, 1, 1, 2],
    [0, 1, 2],
    lower="1/9",
)
# One input against a public threshold at 0 with noise of rate 1.
ONE: Json = pair(
    program({"q0": DRAWN, "q1": TESTED, "q2": FINAL_STEP}), ["1/2"], ["-1/2"], [0, 2], lower="1/5"
)
PUBLIC: Json = edited(
    ONE,
    {
        (*STATES, "q0", "rate"): None,
        (*STATES, "q0", "rate_left"): "inf",
        (*STATES, "q0", "rate_right"): "inf",
    },
)


def sides(document: Json, name: str, left: str, right: str) -> Json:
    rates = {"rate": None, "rate_left": left, "rate_right": right}
    return edited(document, {(*STATES, name, key): rate for key, rate in rates.items()})


def test_what_the_line_says() -> None:
    assert accepted(SVT) == "inputs alpha=1 adjacency=all-differ at-epsilon=1 lower=1/9"
    beyond: dict[Path, Json] = {
        ("claim", "alpha"): "6/5",
        ("claim", "epsilon"): {"alpha": "at-least", "value": "1/10"},
    }
    words = "inputs alpha=6/5 >=exp(1/10) adjacency=all-differ at-epsilon=1 lower=1/16"
    assert accepted(edited(SVT, beyond | {LOWER: "1/16"})) == words


# Of each run: hits at 1, 2, 3, 4, and none; found by quadrature elsewhere
ENDS: tuple[tuple[list[int], float, float], ...] = (
    ([0, 2], 0.418112078762164, 0.5),
    ([0, 1, 2], 0.275343197886968, 0.187920346867491),
    ([0, 1, 1, 2], 0.11130928778435, 0.139212843058578),
    ([0, 1, 1, 1, 2], 0.0927040451249835, 0.065654909889956),
    (NONE, 0.102531390441534, 0.107211900183974),
)


@pytest.mark.parametrize(("run", "p", "q"), ENDS)
def test_probabilities_of_the_sparse_vector(run: list[int], p: float, q: float) -> None:
    own = edited(SVT, {RUNS: [run]})
    if p > q:
        gains(own, p - q)
    else:
        refused(own, ClaimOpen)
        swapped: dict[Path, Json] = {
            ("evidence", "inputs"): ["0", "-1/2", "1", "1"],
            ("evidence", "neighbour"): SVT["evidence"]["inputs"],
        }
        gains(edited(own, swapped), q - p)


@pytest.mark.parametrize(("alpha", "delta"), [("1", 0.114471986254504), ("6/5", 0.0637569349030149)])
def test_delta_of_the_sparse_vector(alpha: str, delta: float) -> None:
    gains(edited(SVT, {("claim", "alpha"): alpha}), delta)


def test_one_test() -> None:
    """P[a sample around 1/2 is at least one around 0], of rate 1, is 1 − (2 + d) e^−d / 4 for d = 1/2."""
    gains(ONE, 1 - (2 + 1 / 2) * exp(-1 / 2) / 2)
    gains(edited(ONE, {("claim", "at_epsilon"): "2"}), 1 - (2 + 1) * exp(-1) / 2)


def test_means_are_added_to_inputs() -> None:
    for name, mean, inputs in (("q1", "3/2", ["-1", "-2"]), ("q0", "1/3", ["5/6", "-1/6"])):
        one, two = ([x] for x in inputs)
        edits: dict[Path, Json] = {("evidence", "inputs"): one, ("evidence", "neighbour"): two}
        gains(edited(ONE, edits | {(*STATES, name, "mean"): mean}), 1 - (2 + 1 / 2) * exp(-1 / 2) / 2)


def test_both_probabilities_are_rounded_against_the_claim() -> None:
    """They are 1 − 5/8 e^(−1/2) and 5/8 e^(−1/2), where 9/16 < e^(−1/2) < 10/16."""
    coarse = edited(ONE, {("evidence", "bits"): 4, LOWER: "7/32"})
    accepted(coarse)
    refused(edited(coarse, {LOWER: near(7 / 32, 1)}), ClaimOpen, "the runs gain less")


def test_no_noise_of_the_threshold() -> None:
    gains(PUBLIC, 1 - exp(-1 / 2))
    exact = sides(PUBLIC, "q1", "inf", "inf")
    accepted(edited(exact, {LOWER: "1"}))
    tie: dict[Path, Json] = {("evidence", "inputs"): ["0"], LOWER: "1"}
    accepted(edited(exact, tie))  # a tie passes the test >=
    refused(edited(exact, tie | {RUNS: [[0, 1]]}), ClaimOpen)
    back: dict[Path, Json] = {("evidence", "inputs"): ["-1/2"], ("evidence", "neighbour"): ["0"], LOWER: "1"}
    accepted(edited(exact, back | {RUNS: [[0, 1]]}))
    refused(
        edited(exact, {("evidence", "inputs"): ["1/2"], ("evidence", "neighbour"): ["0"], LOWER: "1/100"}),
        ClaimOpen,
    )


@pytest.mark.parametrize("guard", ["<", ">="])
@pytest.mark.parametrize(("left", "right"), [("inf", "1"), ("1", "inf"), ("1", "3"), ("3", "1")])
@pytest.mark.parametrize("name", ["q0", "q1"])
@pytest.mark.parametrize("public", [False, True])
def test_noise_of_two_sides(guard: str, left: str, right: str, name: str, public: bool) -> None:
    """At three places of the center, the judge finds the same; by hand for the noise against no noise."""
    for x in (Fraction(0), Fraction(1, 3), Fraction(-2)):
        document = sides(PUBLIC if public and name == "q1" else ONE, name, left, right)
        one, two = (x + 1, x) if guard == ">=" else (x, x + 1)
        edits: dict[Path, Json] = {("evidence", "inputs"): [str(one)], ("evidence", "neighbour"): [str(two)]}
        document = edited(document, edits | {RUNS: [[0, 1 + (guard == ">=")]]})
        found = gain(document)
        if found > 0:
            accepted(edited(document, {LOWER: near(found, -100)}))
        if found < 1:
            refused(edited(document, {LOWER: near(found, 100)}), ClaimOpen)


def test_one_sided_by_hand() -> None:
    """Noise that is never below 0: around x ≤ 0 it is at least 0 with probability e^x."""
    up = sides(
        edited(PUBLIC, {("evidence", "inputs"): ["0"], ("evidence", "neighbour"): ["-1"]}), "q1", "inf", "1"
    )
    gains(up, 1 - exp(-1))
    down = sides(
        edited(PUBLIC, {("evidence", "inputs"): ["1"], ("evidence", "neighbour"): ["0"]}), "q1", "1", "inf"
    )
    gains(down, 1 - exp(-1))
    lean = sides(
        edited(PUBLIC, {("evidence", "inputs"): ["0"], ("evidence", "neighbour"): ["-1"]}), "q1", "1", "3"
    )
    gains(lean, (1 - exp(-3)) / 4)


def test_a_gap_beside_a_test_changes_nothing() -> None:
    """The place of the guard among the bounds of shifts is then that of the gap."""
    gap: dict[Path, Json] = {(*STATES, "q1", "transitions", 1, "output"): [{"gap": "x"}, "above"]}
    gains(edited(ONE, gap), 1 - (2 + 1 / 2) * exp(-1 / 2) / 2)
    both = edited(
        ONE,
        gap | {RUNS: [[0, 1], [0, 2]], ("evidence", "inputs"): ["-1/2"], ("evidence", "neighbour"): ["1/2"]},
    )
    refused(both, ClaimOpen)
    accepted(edited(both, {LOWER: "0", RUNS: [[0, 1]]}))


# Two thresholds: the second one is stored by a state that reads an input; each is compared once.
TWICE: Json = pair(
    program(
        {
            "q0": DRAWN,
            "q1": TESTED,
            "q2": state(transition("", "q3", assign=True)),
            "q3": state(transition("<", "end", "below"), transition(">=", "end", "above"), takes_input=False),
        }
    ),
    ["1/2", "-1/4"],
    ["-1/2", "1/2"],
    [0, 2, 3, 5],
    lower="1/5",
)


def test_a_threshold_is_stored_again() -> None:
    """The factors of both are independent."""
    p = 1 - (2 + 1 / 2) * exp(-1 / 2) / 4
    r = 1 - (2 + 1 / 4) * exp(-1 / 4) / 4
    gains(TWICE, p * r - (1 - p) * (1 - p))
    gains(edited(TWICE, {RUNS: [[0, 2]]}), 2 * p - 1)
    gains(edited(TWICE, {RUNS: [[0, 2, 3]]}), 2 * p - 1)
    mean = edited(TWICE, {(*STATES, "q2", "mean"): "1", (*STATES, "q3", "mean"): "1"})
    gains(mean, p * r - (1 - p) * (1 - p))


def test_sensitivities() -> None:
    """Of the program and of states; rates are those that are written."""
    wide: dict[Path, Json] = {("evidence", "inputs"): ["1"], ("evidence", "neighbour"): ["-1"]}
    refused(edited(ONE, wide), BadClaim, "inputs too far apart")
    wider = edited(ONE, wide | {("model", "sensitivity"): "2"})
    gains(wider, 1 - 3 * exp(-1) / 2)
    gains(edited(ONE, wide | {(*STATES, "q1", "sensitivity"): "2"}), 1 - 3 * exp(-1) / 2)
    refused(edited(wider, {(*STATES, "q1", "sensitivity"): "3/2"}), BadClaim, "inputs too far apart")
    small: dict[Path, Json] = {(*STATES, "q1", "sensitivity"): "1/2"}
    refused(edited(ONE, small), BadClaim, "inputs too far apart")
    accepted(edited(ONE, small | {("evidence", "inputs"): ["0"], LOWER: "1/10"}))


@pytest.mark.parametrize(
    ("adjacency", "moved", "allowed"),
    [
        ("all-differ", (1, -1), True),
        ("increasing", (0, 1), True),
        ("increasing", (-1, 1), False),
        ("decreasing", (0, -1), True),
        ("decreasing", (-1, 1), False),
        ("monotonic", (1, 1), True),
        ("monotonic", (-1, -1), True),
        ("monotonic", (-1, 1), False),
        ("one-differ", (1, 0), True),
        ("one-differ", (0, -1), True),
        ("one-differ", (1, 1), False),
    ],
)
@pytest.mark.parametrize("unread", [False, True])
def test_which_inputs_are_neighbours(
    adjacency: str, moved: tuple[int, int], allowed: bool, unread: bool
) -> None:
    """Inputs that no run reads count as well."""
    document = edited(
        TWICE,
        {
            ("claim", "adjacency"): adjacency,
            ("evidence", "inputs"): ["0", "0"],
            ("evidence", "neighbour"): [str(d) for d in moved],
            RUNS: [[0, 1], [0, 2]] if unread else [[0, 1], [0, 2, 3, 4], [0, 2, 3, 5]],
            LOWER: "0",
        },
    )
    # these are all runs: they gain 0
    if allowed:
        accepted(document)
    else:
        refused(document, BadClaim, "inputs that differ otherwise")


ALIKE = [transition("<", "q2", "o"), transition(">=", "q2", "o")]
SAME = [transition("<", "q2", "o"), transition("<", "q2", "p")]
HALF = [transition("<", "q2", "o"), transition("", "q2", "p")]
BOTH = [transition("<", "q2", "o", assign=True), transition(">=", "q2", "p")]
CASES: Path = (*STATES, "q1", "transitions")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "at_epsilon"): "0"}, Malformed, "not positive"),
        ({("claim", "at_epsilon"): "-1"}, Malformed, "not positive"),
        ({("claim", "at_epsilon"): 1}, Malformed, "not of type str"),
        ({("claim", "alpha"): "1/2"}, BadClaim, "alpha is below 1"),
        ({LOWER: "-1"}, BadClaim, "between 0 and 1"),
        ({LOWER: "2"}, BadClaim, "between 0 and 1"),
        ({("claim", "loss"): "runs"}, Malformed, "unknown key"),
        ({("claim", "adjacency"): "none"}, Malformed, "the adjacency is unknown"),
        ({("evidence", "other"): []}, Malformed, "unknown key"),
        ({("evidence", "bits"): ...}, Malformed, "lacks a key"),
        ({("evidence", "bits"): "120"}, Malformed, "not of type int"),
        ({("evidence", "bits"): 0}, TooLarge, "not from 1 to 10000 bits"),
        ({("evidence", "bits"): 10_001}, TooLarge, "not from 1 to 10000 bits"),
        ({("evidence", "bits"): 1}, ClaimOpen, "gain less"),
        ({("evidence", "inputs"): {}}, Malformed, "not of type list"),
        ({("evidence", "inputs"): [1]}, Malformed, "not of type str"),
        ({("evidence", "inputs"): ["1/2", "0"]}, BadEvidence, "inputs of different length"),
        ({("evidence", "neighbour"): ["-1/2", "0"]}, BadEvidence, "inputs of different length"),
        ({("evidence", "neighbour"): ["-501/1000"]}, BadClaim, "inputs too far apart"),
        ({("evidence", "neighbour"): ["1501/1000"]}, BadClaim, "inputs too far apart"),
        (
            {("evidence", "inputs"): [], ("evidence", "neighbour"): []},
            BadEvidence,
            "more inputs than there are",
        ),
        ({RUNS: {}}, Malformed, "not of type list"),
        ({RUNS: []}, BadEvidence, "no run"),
        ({RUNS: [[0, 2], [0, 1]]}, BadEvidence, "runs out of order or repeated"),
        ({RUNS: [[0, 2], [0, 2]]}, BadEvidence, "runs out of order or repeated"),
        ({RUNS: [[0, 2], [0, 2, 3]]}, BadEvidence, "a run that begins another one"),
        ({RUNS: [[0], [0, 2]]}, BadEvidence, "a run that begins another one"),
        ({RUNS: [[0, True]]}, Malformed, "not of type int"),
        ({RUNS: ["02"]}, Malformed, "not of type list"),
        ({RUNS: [[]]}, BadEvidence, "an empty run, or no such transition"),
        ({RUNS: [[0, 4]]}, BadEvidence, "an empty run, or no such transition"),
        ({RUNS: [[0, 3]]}, BadEvidence, "transitions that do not follow"),
        ({RUNS: [[2]]}, BadEvidence, "transitions that do not follow"),
        ({CASES: ALIKE}, BadModel, "transitions that look alike"),
        ({CASES: SAME}, BadModel, "guards that do not exclude each other"),
        ({CASES: HALF}, BadModel, "guards that do not exclude each other"),
        ({CASES: BOTH, RUNS: [[0, 1]]}, BadModel, "a sample that is tested and stored"),
        ({LOWER: "1/2"}, ClaimOpen, "the runs gain less"),
        ({("claim", "alpha"): "3/2"}, ClaimOpen, "the runs gain less"),
        ({("evidence", "neighbour"): ["1/2"]}, ClaimOpen, "the runs gain less"),
        ({("evidence", "neighbour"): ["0"]}, ClaimOpen, "the runs gain less"),
        ({("claim", "at_epsilon"): "200001"}, TooLarge, "an exponent beyond 100000"),
    ],
)
def test_rules_that_are_broken(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    accepted(ONE)
    refused(edited(ONE, edits), failure, words)


def test_how_numbers_tell_transitions_apart() -> None:
    alike = [transition("<", "q2", "insample"), {**transition(">=", "q2"), "output": {"gap": "x"}}]
    refused(edited(ONE, {CASES: alike}), BadModel, "transitions that look alike")
    two = [transition("<", "q2", "insample"), {**transition(">=", "q2"), "output": ["o", {"gap": "x"}]}]
    accepted(edited(ONE, {CASES: two}))


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = edited(ONE, {("evidence", "bits"): 10_000})
    accepted(wide)
    monkeypatch.setattr(budget, "UNITS", 10**6)
    refused(wide, TooLarge, "the work exceeds the limit")
    accepted(ONE)
    monkeypatch.setattr(budget, "UNITS", 10**8)
    long = "1/1" + "0" * 50_000
    refused(edited(ONE, {("evidence", "inputs"): [long]}), TooLarge, "the work exceeds the limit")


def test_no_more_inputs_than_the_claim_allows() -> None:
    for most in (4, 5):
        assert f" steps={most} " in accepted(edited(SVT, {("claim", "steps"): most}))
    refused(edited(SVT, {("claim", "steps"): 3}), BadClaim, "more inputs than the claim allows")
    refused(edited(SVT, {("claim", "steps"): 0}), BadClaim, "not from 1 to 1000000 steps")
