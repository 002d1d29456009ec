"""Claims about programs with open sensitivities: what each rule accepts and rejects, and forgeries."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadModel, ClaimOpen, Malformed, Rejected, RuleBroken
from prover.certificate.check.demands import given_model
from prover.program.adjacency import Adjacency
from prover.program.optimum.measure import measure
from prover.program.pieces.certificates import pieces_certificate
from prover.program.pieces.search import Piece, at_ends
from prover.program.pieces.tables import Line
from tests.certificate.opened_judge import accepts_open
from tests.certificate.opened_samples import OPEN_SAMPLES, OPEN_TURNS
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
Edits = dict[Path, Json]
TURNS = OPEN_SAMPLES["sensitivities"]
FIRST: Path = ("evidence", "pieces", 0)
PIECE: Path = ("claim", "pieces", 0)
OWN: Path = ("model", "states", "q2", "sensitivity")


def test_the_line() -> None:
    assert accepted(TURNS) == (
        "epsilon-function adjacency=all-differ loss=observer pieces=2 bounds=0..3/4:2..2,3/4..3:2..43/8 "
        'open="t" from=0 to=3'
    )
    assert TURNS["model"]["states"]["q2"]["sensitivity"] == ["1/4", "13/4"]


def test_a_convex_bound_over_both_pieces() -> None:
    """Tables at both ends of the interval prove the line between."""
    first, last = (piece["tables"] for piece in TURNS["evidence"]["pieces"])
    document = deepcopy(TURNS)
    document["claim"]["pieces"] = [{"from": "0", "lower": ["0", "0"], "to": "3", "upper": ["2", "43/8"]}]
    document["evidence"]["pieces"] = [{"tables": [first[0], last[1]]}]
    accepted(document)
    refused(edited(document, {(*PIECE, "upper"): ["2", "21/4"]}), ClaimOpen, "does not prove upper")
    refused(edited(document, {(*PIECE, "upper"): ["15/8", "43/8"]}), ClaimOpen, "does not prove upper")


def test_other_multipliers_at_the_two_ends() -> None:
    """One run loses 2 at t = 0 and 43/8 at t = 3, and less than the line between at 3/4, where no run loses
    more than 2: its multipliers are not the same at both ends."""
    spread = OPEN_TURNS.spread
    witness = measure(spread.last).witness
    assert witness is not None
    runs = at_ends(spread, witness, "all-differ")
    assert [run.loss for run in runs] == [2, Fraction(43, 8)]
    assert measure(OPEN_TURNS.at(Fraction(3, 4))).upper == 2
    piece = Piece(Fraction(0), Fraction(3), Line(*(run.loss for run in runs)), None, runs)
    forged = json.loads(pieces_certificate(OPEN_TURNS, [piece], Adjacency.ALL_DIFFER).data)
    refused(forged, RuleBroken, "a multiplier is not the same at both ends")
    assert not accepts_open(forged)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*FIRST, "tables"): ...}, ClaimOpen, "upper is finite"),
        ({(*FIRST, "tables"): {}}, Malformed, "not of type list"),
        ({(*FIRST, "tables", 1): []}, Malformed, "not of type dict"),
        ({(*FIRST, "tables", 0, "q1", 0, 0): "0"}, RuleBroken, "not closed"),
        ({(*FIRST, "tables", 1, "q1", 0, 0): "0"}, RuleBroken, "not closed"),
        ({(*FIRST, "nodes"): []}, Malformed, "unknown key"),
        ({(*FIRST, "blocks"): ...}, ClaimOpen, "the run loses less than lower"),
        ({(*PIECE, "upper"): ["2", "15/8"]}, BadClaim, "lower is negative or above upper"),
        ({(*PIECE, "upper"): ["2", "inf"]}, Malformed, "only one end of upper is inf"),
    ],
)
def test_the_evidence(edits: Edits, failure: type[Rejected], words: str) -> None:
    refused(edited(TURNS, edits), failure, words)


def test_the_length_of_tables() -> None:
    tables = TURNS["evidence"]["pieces"][0]["tables"]
    refused(edited(TURNS, {(*FIRST, "tables"): [*tables, tables[1]]}), Malformed, "wrong length")
    both = OPEN_SAMPLES["sensitivities, monotonic"]
    refused(edited(both, {(*FIRST, "tables", 1, "increasing"): ...}), Malformed, "lacks a key")
    refused(edited(OPEN_SAMPLES["segment"], {(*FIRST, "tables"): tables}), Malformed, "unknown key")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({OWN: ["1/4", "1/4"]}, Malformed, "the same everywhere"),
        ({OWN: ["1/4", "2", "3"]}, Malformed, "wrong length"),
        ({OWN: ["0", "13/4"]}, Malformed, "not positive"),
        ({OWN: "1/4"}, Malformed, "unknown key"),
        ({("model", "sensitivity"): "1"}, Malformed, "must be left out"),
        ({("model", "sensitivity"): ["1/4", "13/4"]}, Malformed, "repeats the sensitivity"),
        ({("model", "states", "q1", "sensitivity"): "1"}, Malformed, "repeats the sensitivity"),
        ({("model", "states", "q0", "sensitivity"): ["1", "2"]}, Malformed, "not of type str"),
        ({("model", "states", "q0", "sensitivity"): "2"}, BadModel, "without an input"),
        ({("model", "states", "q0", "rate"): ["1", "2"]}, BadModel, "both rates and sensitivities"),
        ({("model", "noise"): "discrete-laplace"}, BadModel, "no multiple of the grid"),
        ({("model", "states", "q1", "transitions", 0, "assign"): ["y"]}, BadModel, "several variables"),
    ],
)
def test_the_model(edits: Edits, failure: type[Rejected], words: str) -> None:
    refused(edited(TURNS, edits), failure, words)


FIXED = OPEN_SAMPLES["fixed sensitivities"]
POINTS: Path = (*FIRST, "nodes", 1, "functions", 0, "points")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*POINTS, 0, 0): [5]}, Malformed, "a shift is not one that counts"),
        ({(*POINTS, 0, 0): [-1]}, Malformed, "a shift is not one that counts"),
        ({(*POINTS, 0, 0): [3]}, RuleBroken, "not closed"),
        ({(*POINTS, 0, 1): ["7/2", "154/64"]}, Malformed, "lowest terms"),
        ({(*POINTS, 0, 1): ["7/2", "2"]}, RuleBroken, "not closed"),
        ({OWN: "3"}, RuleBroken, "not closed"),
        ({("model", "states", "q1", "sensitivity"): "1"}, Malformed, "repeats the sensitivity"),
        ({(*FIRST, "tables"): []}, Malformed, "unknown key"),
    ],
)
def test_open_rates_and_fixed_sensitivities(edits: Edits, failure: type[Rejected], words: str) -> None:
    assert FIXED["model"]["states"]["q2"]["sensitivity"] == "5/2"
    refused(edited(FIXED, edits), failure, words)


def test_the_sensitivity_of_the_program() -> None:
    sample = OPEN_SAMPLES["one sensitivity"]
    usual: Path = ("model", "sensitivity")
    assert sample["model"]["sensitivity"] == ["1", "4"]
    refused(edited(sample, {usual: ["1", "3"]}), RuleBroken, "exceeds a rate")
    refused(edited(sample, {usual: ["1", "-4"]}), Malformed, "not positive")
    every = {("model", "states", state, "sensitivity"): "2" for state in ("q1", "q2")}
    refused(edited(sample, every | {usual: ["1", "0"]}), Malformed, "not positive")


def test_the_least_sensitivity() -> None:
    """Multipliers that only the larger sensitivity allows prove nothing for all values."""
    sample = OPEN_SAMPLES["not private"]
    fixed: Edits = {("model", "states", "q1", "rate"): "1"}
    accepted(edited(sample, fixed | {("model", "sensitivity"): ["1", "2"]}))
    refused(edited(sample, fixed | {("model", "sensitivity"): ["1/9", "2"]}), RuleBroken, "exceeds a rate")


def test_models_that_users_write() -> None:
    """Open sensitivities may be numbers and decimals; one that is that of the program is left out."""
    free: Edits = {("states", "q2", "sensitivity"): [0.25, "3.25"], ("states", "q1", "sensitivity"): 1}
    assert given_model(json.dumps(edited(TURNS["model"], free)).encode()) == encode(TURNS["model"])
    one = OPEN_SAMPLES["one sensitivity"]["model"]
    usual = edited(one, {("sensitivity",): [1, 4.0], ("states", "q1", "sensitivity"): [1, 4]})
    assert given_model(json.dumps(usual).encode()) == encode(one)


def test_the_program_at_a_value() -> None:
    """The rates of the program at t are those of all t, and its sensitivities those between."""
    middle = OPEN_TURNS.at(Fraction(3, 2)).states["q2"]
    assert (middle.rate, middle.sensitivity) == (Fraction(1, 4), Fraction(7, 4))
    assert OPEN_TURNS.at(Fraction(3, 4)).states["q2"].sensitivity is None
    assert replace(OPEN_TURNS).spread.first.noise.sensitivity == 1
