"""Noise on a grid: bounds of δ from above and from below, by hand, and every rule that they may break."""

from __future__ import annotations

from fractions import Fraction
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
)
from prover.certificate.check.profiles import lattice
from tests.certificate.check.profiles.test_inputs import PUBLIC, RUNS, STATES, gains, near
from tests.certificate.profile_samples import FLAT, NODES, ON_GRID, ONE, SHOWN_ON_GRID, STEP, on_grid
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
REGION: Path = ("evidence", "regions", 0)
FLAT_ON_GRID = ON_GRID["flat on a grid"]
GUARDS = tuple((*STATES, "q1", "transitions", k, "guard", 0, 0) for k in (0, 1))
# An integer against a public limit of 0, with noise of rate 1: 2/3 − 1/3 at q = 1/2.
LIMIT: Json = on_grid(
    edited(PUBLIC, {("evidence", "inputs"): ["0"], ("evidence", "neighbour"): ["-1"]}), lower="1/3"
)


def test_functions_beyond_the_points_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """One test makes a term, or two, of the one of what is stored."""
    noisy: dict[Path, Json] = {(*STATES, "q0", f"rate_{side}"): "2" for side in ("left", "right")}
    noisy[*STATES, "q0", "rate_right"] = "1"
    certificate = edited(LIMIT, noisy | {("claim", "lower"): "0"})
    accepted(certificate)
    monkeypatch.setattr(lattice, "MOST_TERMS", 1)
    refused(certificate, TooLarge, "a function of more than 1 terms")


def test_what_the_line_says() -> None:
    words = "profile-table alpha=1 adjacency=all-differ q=1/2 upper=166666667/500000000"
    assert accepted(SHOWN_ON_GRID) == words
    assert (
        accepted(edited(LIMIT, {("claim", "lower"): "1/4"}))
        == "inputs alpha=1 adjacency=all-differ q=1/2 lower=1/4"
    )


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "q"): "1"}, Malformed, "not below 1"),
        ({("claim", "q"): "0"}, Malformed, "not positive"),
        ({("claim", "q"): "499/1000"}, RuleBroken, "does not exceed the exponential"),
        ({("claim", "at_epsilon"): "1"}, Malformed, "unknown key"),
        ({("claim", "q"): ...}, Malformed, "lacks a key"),
        ({("model", "noise"): ...}, BadClaim, "q without a grid"),
        ({(*REGION, "bound"): "1999/1000"}, RuleBroken, "does not exceed the exponential"),
        ({(*REGION, "exponent"): "1/2"}, BadEvidence, "no multiple of the unit"),
        ({(*REGION, "exponent"): "2"}, RuleBroken, "does not exceed the exponential"),
        ({("evidence", "regions"): []}, BadEvidence, "a region is missing"),
        ({("model", "sensitivity"): "2"}, RuleBroken, "worth more than the bound"),
        ({("model", "sensitivity"): "1001"}, TooLarge, "more than 1000 steps"),
        ({(*NODES, 0, "cells", 0, 0, "until"): "1/2"}, BadEvidence, "off the grid"),
        ({(*NODES, 0, "cells", 0, 0, "anchors"): [[1, "shift", "1/2"]]}, BadEvidence, "no node"),
        ({(*NODES, 1, "values", 1): ONE // 3}, RuleBroken, "worth more than the bound"),
    ],
)  # fmt: skip
def test_rules_of_tables(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    if ("model", "sensitivity") in edits:  # two or more steps
        edits = edits | {(*REGION, "exponent"): "1", (*REGION, "bound"): "2"}
    refused(edited(SHOWN_ON_GRID, edits), failure, words)


def test_shifts_off_the_grid() -> None:
    """No kind of noise moves a sample off its grid."""
    half: dict[Path, Json] = {(*NODES, 1, "shifts"): ["-1/2", "1/2"]}
    refused(edited(FLAT_ON_GRID, half), BadEvidence, "off the grid")
    for sides in (("1", "inf"), ("inf", "1"), ("inf", "inf")):
        rates: dict[Path, Json] = dict(
            zip([(*STATES, "q1", f"rate_{side}") for side in ("left", "right")], sides, strict=True)
        )
        refused(
            edited(FLAT_ON_GRID, {**half, **rates, (*STATES, "q1", "rate"): None}),
            BadEvidence,
            "off the grid",
        )


@pytest.mark.parametrize("guards", [("<", ">="), ("<=", ">")])
def test_guards_of_which_exactly_one_holds(guards: tuple[str, str]) -> None:
    accepted(edited(FLAT_ON_GRID, dict(zip(GUARDS, guards, strict=True))))


@pytest.mark.parametrize("guards", [("<", ">"), ("<=", ">="), ("=", ">"), ("<", "="), ("=", "=")])
def test_guards_that_leave_ties_or_overlap(guards: tuple[str, str]) -> None:
    refused(edited(FLAT_ON_GRID, dict(zip(GUARDS, guards, strict=True))), BadModel)


def test_laplace_noise_has_two_relations() -> None:
    refused(edited(FLAT, {GUARDS[0]: "<="}), Malformed, "a test is unknown")


def test_cells_on_a_grid_begin_one_step_later() -> None:
    """A draw that reads an input: its differences are −1, 0 and 1."""

    def drawn(*cells: Json) -> Json:
        reading = {(*STATES, "q0", "input"): True, (*NODES, 0, "cells"): [list(cells)]}
        return edited(FLAT_ON_GRID, reading)

    def cell(until: str) -> Json:
        return {"anchors": [[1, "shift", "0"]], "until": until}

    accepted(drawn(cell("-1"), cell("0"), cell("1")))
    accepted(drawn(cell("1")))
    for wrong in (
        [cell("-1"), cell("0")],
        [cell("-1"), cell("1"), cell("2")],
        [cell("0"), cell("0"), cell("1")],
    ):
        refused(drawn(*wrong), BadEvidence)
    refused(drawn(cell("-1/2"), cell("1")), BadEvidence, "off the grid")


def test_the_bound_at_q_may_be_equal() -> None:
    """2 is e^ε exactly, where ε is that of q = 1/2; above any rational ε the bound has to be larger."""
    accepted(SHOWN_ON_GRID)
    ln2 = Fraction(6931471805599453, 10**16)
    below = {key: value for key, value in SHOWN_ON_GRID["claim"].items() if key != "q"}
    accepted(SHOWN_ON_GRID | {"claim": below | {"at_epsilon": str(ln2 - Fraction(1, 10**12))}})
    refused(SHOWN_ON_GRID | {"claim": below | {"at_epsilon": str(ln2 + Fraction(1, 10**12))}}, RuleBroken)


def test_ties_of_runs() -> None:
    """The integer is drawn 0 with probability 1/3."""
    gains(edited(LIMIT, {("claim", "lower"): "0"}), 1 / 3)
    strict: dict[Path, Json] = dict(zip(GUARDS, ("<=", ">"), strict=True))
    gains(edited(LIMIT, {**strict, ("claim", "lower"): "0"}), 1 / 3 - 1 / 6)
    neither: dict[Path, Json] = {GUARDS[0]: "<", GUARDS[1]: ">"}
    gains(edited(LIMIT, {**neither, ("claim", "lower"): "0"}), 1 / 3 - 1 / 6)
    for guards in (("<=", ">="), ("=", ">="), ("<", "=")):
        refused(edited(LIMIT, dict(zip(GUARDS, guards, strict=True))), BadModel, "do not exclude each other")


def test_means_off_the_grid() -> None:
    """A limit of 1/3 is passed by the integers from 1 on."""
    third: dict[Path, Json] = {(*STATES, "q0", "mean"): "1/3"}
    gains(edited(LIMIT, {**third, ("claim", "lower"): "0"}), 1 / 3 - 1 / 6)


def test_inputs_off_the_grid() -> None:
    half: dict[Path, Json] = {("evidence", "inputs"): ["1/2"], ("evidence", "neighbour"): ["-1/2"]}
    refused(edited(LIMIT, half), BadClaim, "inputs off the grid")
    # 1/2 + noise ≥ 0 is noise ≥ 0, −1/2 + noise ≥ 0 is noise ≥ 1
    gains(edited(LIMIT, {**half, ("model", "inputs"): "unrounded", ("claim", "lower"): "0"}), 1 / 3)


def test_few_bits_prove_little() -> None:
    accepted(edited(LIMIT, {("claim", "lower"): near(1 / 3, -1)}))
    refused(edited(LIMIT, {("evidence", "bits"): 20, ("claim", "lower"): near(1 / 3, -1)}), ClaimOpen)
    refused(edited(LIMIT, {("evidence", "bits"): 1, ("claim", "q"): "999/1000"}), TooLarge, "too few bits")


def test_runs_of_a_noisy_limit() -> None:
    """Both have noise: P[z ≤ x] for the difference of two geometric samples, summed up by hand."""
    noisy: dict[Path, Json] = {
        (*STATES, "q0", "rate"): "1", (*STATES, "q0", "rate_left"): ..., (*STATES, "q0", "rate_right"): ...
    }  # fmt: skip
    weights = {k: Fraction(1, 3) / 2 ** abs(k) for k in range(-60, 61)}
    p = sum(a * b for k, a in weights.items() for j, b in weights.items() if j >= k)
    q = sum(a * b for k, a in weights.items() for j, b in weights.items() if j - 1 >= k)
    gains(edited(LIMIT, {**noisy, ("claim", "lower"): "0"}), float(p - q))
    assert edited(LIMIT, noisy)["evidence"]["runs"] == LIMIT["evidence"]["runs"]
    refused(edited(LIMIT, {**noisy, RUNS: [[0, 3]]}), BadEvidence)


def test_a_region_has_no_use_for_lines() -> None:
    accepted(edited(SHOWN_ON_GRID, {REGION: STEP | {"lines": [["1/3", "0"], ["3", "-2"]]}}))
