"""δ of one pair of inputs, with both ends: values that are known, every rule broken by hand, and forgeries of
which the checker accepts only what a judge that shares no code with it finds true."""

from __future__ import annotations

from fractions import Fraction
from math import comb, erf, exp, sqrt
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
    Rejected,
    TooLarge,
    budget,
)
from prover.certificate.check.demands import NotDemanded, meet
from prover.certificate.check.profiles import walk
from prover.certificate.check.verdict import verified
from tests.certificate.check.profiles.test_forgeries import forgeries
from tests.certificate.pair_judge import delta, is_true
from tests.certificate.pair_samples import BY_HAND, DRAWN, FOUR, SVT, made, made_varied, pair
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import accepted, confirming, edited, refused
from tests.profiles import everything, thinned

Json = Any
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")
FEW = 20  # forgeries of each certificate of a random program
SEEDS = range(300) if everything() else range(12)
VARIED = range(2_000) if everything() else range(14)
KNOWN = {"1": 0.114471986254504, "6/5": 0.0637569349030149, "3/2": 0.0}


def between(number: float, parts: int = 12) -> dict[Path, Json]:
    near = Fraction(number)
    low, high = max(near - Fraction(1, 10**parts), Fraction(0)), near + Fraction(1, 10**parts)
    return {LOWER: str(low), UPPER: str(min(high, Fraction(1)))}


def sharp(certificate: Json) -> Json:
    return edited(certificate, between(delta(certificate), 9))


def is_exactly(certificate: Json, number: float, parts: int = 12) -> None:
    """The checker finds this number, and both ends are needed."""
    unit = Fraction(2, 10**parts)
    own = edited(certificate, between(number, parts))
    accepted(own)
    if number > 1e-6:
        refused(edited(own, {LOWER: str(Fraction(number) + unit)}), ClaimOpen, "the runs gain less")
        refused(
            edited(own, {LOWER: "0", UPPER: str(Fraction(number) - unit)}), ClaimOpen, "the runs gain more"
        )


@pytest.mark.parametrize("alpha", KNOWN)
def test_the_sparse_vector(alpha: str) -> None:
    certificate = edited(BY_HAND["svt"], {("claim", "alpha"): alpha})
    is_exactly(certificate, KNOWN[alpha])
    assert delta(certificate) == pytest.approx(KNOWN[alpha], abs=1e-10)


def test_gaussian_noise() -> None:
    for alpha, number in (("1", 0.122279554884064), ("6/5", 0.0695120251837882), ("3/2", 0.0)):
        certificate = edited(BY_HAND["gaussian"], {("claim", "alpha"): alpha})
        is_exactly(certificate, number)
        assert delta(certificate) == pytest.approx(number, abs=1e-10)


def test_gaussian_noise_against_a_constant() -> None:
    """What is stored has no noise: one answer, and no nodes."""
    sides = {"rate_left": "inf", "rate_right": "inf"}
    query = {**state(transition("<", "q1", "no"), transition(">=", "end", "yes")), "rate": None, "sigma": "3"}
    model = program({"q0": {**DRAWN, "rate": None, **sides}, "q1": query})
    number = erf(1 / 6 / sqrt(2))
    is_exactly(pair(model, ["1/2"], ["-1/2"], "0", "1"), number)


def test_exact_numbers_against_gaussian_noise() -> None:
    """The second number is the first one above the threshold if that is between both."""
    number = erf(1 / 2 / sqrt(2)) / 2
    certificate = BY_HAND["exact"]
    is_exactly(certificate, number)
    assert delta(certificate) == pytest.approx(number, abs=1e-10)
    # the second comes before the first: at least 3, less than 1
    longer: dict[Path, Json] = {("claim", "inputs"): ["1", "0", "3"], ("claim", "neighbour"): ["0", "1", "2"]}
    is_exactly(edited(certificate, longer), delta(edited(certificate, longer)), 9)
    refused(edited(certificate, {("evidence", "bits"): 301}), TooLarge, "not from 1 to 300 bits")
    cases = [transition("<", "q2", "no"), transition(">=", "end", "yes")]
    beside: dict[Path, Json] = {
        ("model", "states", "q1", "transitions"): cases,
        ("model", "states", "q2"): BY_HAND["gaussian"]["model"]["states"]["q1"],
        ("evidence", "step"): "3/4", ("evidence", "strip"): "14",
    }  # fmt: skip
    refused(edited(certificate, beside), BadModel, "a sample with rates beside Gaussian noise")


def test_the_other_direction() -> None:
    """The larger one counts; decreasing inputs are compared one way only."""
    swapped = edited(
        BY_HAND["svt"],
        {("claim", "inputs"): FOUR[1], ("claim", "neighbour"): FOUR[0], ("claim", "alpha"): "6/5"},
    )
    is_exactly(swapped, KNOWN["6/5"])
    one = pair(SVT, ["0", "1/2"], ["-1", "-1/2"], "0", "1", alpha="11/10")
    two = edited(one, {("claim", "adjacency"): "decreasing"})
    for certificate in (one, two):
        is_exactly(certificate, delta(certificate), 9)
    assert delta(one) != pytest.approx(delta(two), abs=1e-3)


@pytest.mark.parametrize("count", [3, 40])
def test_equal_queries_are_counted(count: int) -> None:
    """Both answers to the same query against a public threshold: binomial laws."""
    model = program(
        {
            "q0": {**DRAWN, "rate": None, "rate_left": "inf", "rate_right": "inf"},
            "q1": state(transition("<", "q1", "no"), transition(">=", "q1", "yes")),
        }
    )
    p, q = 1 - exp(-1 / 2) / 2, exp(-1 / 2) / 2
    laws = [
        (comb(count, k) * p**k * q ** (count - k), comb(count, k) * q**k * p ** (count - k))
        for k in range(count + 1)
    ]
    number = sum(max(0.0, one - 2 * two) for one, two in laws)
    is_exactly(pair(model, ["1/2"] * count, ["-1/2"] * count, "0", "1", alpha="2"), number, 11)


def test_one_hundred_inputs() -> None:
    """The work is a power of their number."""
    inputs = [Fraction(17 * k % 20, 4) for k in range(100)]
    neighbour = [x + (-1) ** k for k, x in enumerate(inputs)]
    certificate = pair(SVT, [str(x) for x in inputs], [str(x) for x in neighbour], "0", "1")
    certificate = edited(certificate, {("evidence", "bits"): 160})
    line = accepted(certificate)
    assert "inputs=100:" in line
    refused(edited(certificate, {UPPER: "1/100"}), ClaimOpen, "the runs gain more")


def test_states_with_many_tests_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both answers to each of two tests."""
    monkeypatch.setattr(walk, "MOST_CELLS", 4)
    accepted(BY_HAND["between"])
    monkeypatch.setattr(walk, "MOST_CELLS", 3)
    refused(BY_HAND["between"], TooLarge, "more than 3 answers of the tests of a state")


def test_the_line() -> None:
    own = edited(BY_HAND["gap"], {LOWER: "0", UPPER: "1"})
    assert accepted(own) == (
        "pair alpha=1 adjacency=all-differ at-epsilon=1 inputs=1,0 neighbour=0,0 lower=0 upper=1"
    )


def test_no_bound_of_all_inputs() -> None:
    proved = verified(encode(BY_HAND["svt"]))
    for wanted in (
        Demands(at_most=(1, 1), at_epsilon=(1, 1)),
        Demands(epsilon_at_most=(1, 1), at_epsilon=(1, 1)),
    ):
        with pytest.raises(NotDemanded, match="one pair of inputs only"):
            meet(wanted, proved.claim, proved.model)
    meet(Demands(at_epsilon=(1, 1)), proved.claim, proved.model)


QUERY: Path = ("model", "states", "q1")
STORED: Path = ("model", "states", "q0")
RATE: dict[Path, Json] = {(*QUERY, "rate"): "1/4", (*QUERY, "sigma"): ...}
STORED_RATE: dict[Path, Json] = {(*STORED, "rate"): "1/4", (*STORED, "sigma"): ...}
STATES: Path = ("model", "states")
RING: dict[Path, Json] = {
    (*STATES, "q3", "transitions", 0, "guard"): [["<", "x"], [">=", "y"]],
    (*STATES, "q3", "transitions", 1, "guard"): [[">=", "x"], [">=", "y"]],
}
"""Two samples are both compared with both of those that are stored."""
TIED: dict[Path, Json] = {(*QUERY, "transitions", 0, "guard", 0, 0): "<="}
EXACT, UNIT = Fraction(6, 35), Fraction(1, 10**60)
RULES: list[tuple[str, dict[Path, Json], type[Rejected], str]] = [
    ("svt", {("evidence", "bits"): 0}, TooLarge, "not from 1 to 10000 bits"),
    ("svt", {("evidence", "bits"): 10_001}, TooLarge, "not from 1 to 10000 bits"),
    ("svt", {("evidence", "bits"): 20}, ClaimOpen, "the runs gain less"),
    ("svt", {("evidence", "runs"): []}, Malformed, "unknown key"),
    ("svt", {("claim", "neighbour"): ["0"]}, BadClaim, "inputs of different length"),
    ("svt", {("claim", "neighbour", 3): "4"}, BadClaim, "inputs too far apart"),
    ("svt", {("claim", "adjacency"): "one-differ"}, BadClaim, "inputs that differ otherwise"),
    ("svt", {("claim", "adjacency"): "increasing"}, BadClaim, "inputs that differ otherwise"),
    ("svt", {("claim", "at_epsilon"): "0"}, Malformed, "a number is not positive"),
    ("svt", {("claim", "at_epsilon"): ..., ("claim", "q"): "1/2"}, BadClaim, "q without a grid"),
    ("svt", {("claim", "alpha"): "1/2"}, BadClaim, "alpha is below 1"),
    ("svt", {LOWER: "-1"}, BadClaim, "a number is not between 0 and 1"),
    ("svt", {UPPER: "2"}, BadClaim, "a number is not between 0 and 1"),
    ("svt", {("evidence", "bits"): ...}, Malformed, "no bits, and no q"),
    ("svt", {("model", "noise"): "discrete-laplace"}, BadClaim, "inputs off the grid"),
    ("svt", {("model", "states", "q1", "transitions", 1, "output"): "below"}, ClaimOpen, "gain less"),
    ("svt", {("model", "states", "q1", "transitions", 1, "output"): ["a", "insample"]}, BadModel, "number"),
    ("svt", {("model", "states", "q1", "transitions", 1, "guard"): []}, BadModel, "do not exclude"),
    ("gaussian", {("evidence", "step"): ...}, Malformed, "a strip or a step, not both"),
    ("gaussian", {("evidence", "step"): ..., ("evidence", "strip"): ...}, BadEvidence, "no strip"),
    ("gaussian", {("evidence", "step"): "15"}, ClaimOpen, "the runs gain less"),
    ("gaussian", {("evidence", "step"): "300"}, BadEvidence, "wider than the strip"),
    ("gaussian", {("evidence", "step"): "1/10000"}, TooLarge, "more than 20000 nodes"),
    ("gaussian", {("evidence", "strip"): "201"}, TooLarge, "a strip of more than 100 or 10"),
    ("gaussian", {("evidence", "strip"): "1/10"}, ClaimOpen, "the runs gain less"),
    ("gaussian", {("evidence", "step"): "0"}, Malformed, "a number is not positive"),
    ("gaussian", {("evidence", "bits"): 301}, TooLarge, "not from 1 to 300 bits"),
    ("gaussian", RATE, BadModel, "a sample with rates beside Gaussian noise"),
    ("gaussian", STORED_RATE, BadModel, "a sample with rates beside Gaussian noise"),
    ("gap", {("model", "states", "q1", "input"): False}, BadModel, "a cycle that reads no input"),
    ("max", {(*QUERY, "transitions", 1, "guard", 0, 0): "<"}, BadModel, "do not exclude each other"),
    ("max", {("evidence", "bits"): 20}, ClaimOpen, "gain"),
    ("max", {("model", "noise"): "discrete-laplace"}, BadClaim, "inputs off the grid"),
    ("max", {(*QUERY, "rate"): None, (*QUERY, "sigma"): "1"}, BadModel, "compared and stored"),
    ("between", RING, BadModel, "compared in a ring"),
    ("between", {(*STATES, "q2", "transitions", 1, "guard"): []}, BadModel, "do not exclude each other"),
    ("between", {(*STATES, "q1", "transitions", 0, "assign"): []}, BadModel, "before anything is stored"),
    ("hidden", {(*QUERY, "transitions", 1, "output"): ["?", "insample"]}, BadModel, "number"),
    ("grid", {("evidence", "bits"): ...}, Malformed, "no bits, and no q"),
    ("grid", {("evidence", "bits"): 2}, TooLarge, "too few bits for the noise"),
    ("grid", {("claim", "inputs", 0): "1/2"}, BadClaim, "inputs off the grid"),
    ("grid", TIED, BadModel, "do not exclude each other"),
    ("rational", {("claim", "q"): "1"}, Malformed, "q is not below 1"),
    ("rational", {("evidence", "bits"): 0}, TooLarge, "not from 1 to 10000 bits"),
    ("rational", {LOWER: str(EXACT + UNIT)}, ClaimOpen, "the runs gain less"),
    ("rational", {UPPER: str(EXACT - UNIT)}, ClaimOpen, "the runs gain more"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(RULES)))
def test_rules(number: int) -> None:
    name, edits, failure, words = RULES[number]
    own = between(delta(BY_HAND[name])) if name == "max" else {}
    accepted(edited(BY_HAND[name], own))
    refused(edited(BY_HAND[name], own | edits), failure, words)


def test_no_inputs() -> None:
    """Nothing happens at a first state that reads one; at another one the runs go on as far as they can."""
    for takes_input in (True, False):
        model = edited(SVT, {("states", "q0", "input"): takes_input})
        accepted(pair(model, [], [], "0", "1/1000"))
        assert delta(pair(model, [], [], "0", "1")) == 0


def test_too_many_runs() -> None:
    """All answers to queries that all differ."""
    model = program({"q0": DRAWN, "q1": state(transition("<", "q1", "no"), transition(">=", "q1", "yes"))})
    inputs = [str(k) for k in range(16)]
    refused(pair(model, inputs, inputs, "0", "1"), TooLarge, "more than 20000 different runs")
    accepted(pair(model, ["0"] * 16, ["0"] * 16, "0", "1"))


def test_long_numbers_cost_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few inputs of many digits do not take long."""
    monkeypatch.setattr(budget, "UNITS", 10**8)
    monkeypatch.setattr(budget, "UNITS_PER_BYTE", 0)
    inputs = [f"{'1' * 5_000}{k:03d}1/1{'0' * 5_003}" for k in range(4)]
    for name in ("svt", "gaussian"):
        accepted(BY_HAND[name])
        own = edited(BY_HAND[name], {("claim", "inputs"): inputs, ("claim", "neighbour"): inputs})
        refused(own, TooLarge, "the work exceeds the limit")


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted(BY_HAND["svt"])
    monkeypatch.setattr(budget, "UNITS", 10_000)
    refused(BY_HAND["svt"], TooLarge, "the work exceeds the limit")


confirm = confirming(is_true)


@pytest.mark.parametrize("name", BY_HAND)
def test_every_forgery_of_certificates_by_hand(name: str) -> None:
    certificate = sharp(BY_HAND[name])
    accepted(certificate)
    changes = list(forgeries(certificate))
    long = name in ("all", "between", "gaussian", "max") and not everything()
    some = Random(1).sample(changes, FEW) if long else thinned(changes, 3)
    kept = [confirm(certificate, *change) for change in some]
    assert 0 < sum(kept) < len(kept) / 3


def test_a_rational_probability() -> None:
    """Both ends are the number itself; another q has another one."""
    own = edited(BY_HAND["rational"], {LOWER: str(EXACT), UPPER: str(EXACT)})
    accepted(own)
    refused(edited(own, {("claim", "q"): "1/3"}), ClaimOpen)
    assert float(EXACT) == pytest.approx(delta(own))


def test_noise_of_which_a_tie_ends_the_run() -> None:
    """With < and > only, and with = only, the rest of the places are what no guard is for."""
    for relations in (["<", ">"], ["=", ">"], ["<=", "="], ["="]):
        cases = [transition(own, "q1" if own == "<" else "end", f"{k}") for k, own in enumerate(relations)]
        if "<=" in relations:
            cases[1]["guard"] = [[">", "x"]]
        model = {**program({"q0": DRAWN, "q1": state(*cases, rate="1/2")}), "noise": "discrete-laplace"}
        certificate = pair(model, ["0", "1"], ["1", "0"], "0", "1")
        is_exactly(certificate, delta(certificate), 9)


def test_samples_without_noise() -> None:
    """Ties of constants: what is compared and stored is at least what was held, or less."""
    still = {"rate": None, "rate_left": "inf", "rate_right": "inf"}
    cases = [transition("<", "q2", "no", assign=True), transition(">=", "q2", "yes", assign=True)]
    states = {
        "q0": {**DRAWN, **still},
        "q1": {**state(*cases), **still},
        "q2": state(transition("<", "end", "no"), transition(">=", "end", "yes")),
    }
    for inputs, neighbour in (
        (["0", "0"], ["1", "1"]),
        (["0", "0"], ["-1", "0"]),
        (["1", "0"], ["1/2", "0"]),
    ):
        certificate = pair(program(states), inputs, neighbour, "0", "1")
        is_exactly(certificate, delta(certificate), 9)


@pytest.mark.parametrize("seed", VARIED)
def test_random_programs_of_all_kinds(seed: int) -> None:
    """Several variables, samples that are compared and stored, ties, and outputs that hide transitions."""
    certificate = made_varied(seed, Fraction(8 + seed % 3, 8))
    if certificate is not None:
        confirm_and_forge(certificate, seed, FEW // 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int) -> None:
    """What the prover claims is accepted, true by the judge, and sharp; forgeries are true or refused."""
    certificate = made(seed, Fraction(4 + seed % 3, 4))
    if certificate is not None:
        confirm_and_forge(certificate, seed, FEW)


def confirm_and_forge(certificate: Json, seed: int, few: int) -> None:
    accepted(certificate)
    found = delta(certificate)
    assert abs(float(Fraction(certificate["claim"]["lower"])) - found) < 1e-9
    assert abs(float(Fraction(certificate["claim"]["upper"])) - found) < 1e-9
    unit = Fraction(1, 10**8)
    assert found < 1e-7 or not confirm(
        certificate, LOWER, str(Fraction(certificate["claim"]["lower"]) + unit)
    )
    assert found < 1e-7 or not confirm(
        certificate, UPPER, str(Fraction(certificate["claim"]["upper"]) - unit)
    )
    changes = list(forgeries(certificate))
    for change in Random(seed).sample(changes, min(few, len(changes))):
        confirm(certificate, *change)
