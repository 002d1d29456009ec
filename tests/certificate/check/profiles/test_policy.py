"""Policies that are found prove what they claim; of forgeries, what the checker accepts is true by a judge
that shares no code with it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.reading import BadClaim, BadEvidence, BadModel, ClaimOpen, Malformed, TooLarge
from tests.certificate.check.profiles.test_forgeries import ADJACENCIES, forgeries
from tests.certificate.policy_judge import gain, is_true
from tests.certificate.policy_samples import made
from tests.certificate.samples import Path, dropped
from tests.certificate.verdicts import accepted, confirming, edited, refused
from tests.profiles import everything, thinned

Json = Any
LOWER: Path = ("claim", "lower")
SEEDS = range(24)
FEW = 20  # forgeries of each certificate


def limit(number: str, to: str) -> Json:
    """A state that stores a constant."""
    only = {"assign": ["x"], "guard": [], "output": "go", "to": to}
    nothing = {"mean_prime": None, "rate": None, "rate_left": "inf", "rate_prime": None, "rate_right": "inf"}
    return {"input": False, "mean": number, "transitions": [only], **nothing}


def compared(below: str, above: str) -> Json:
    """A state that compares an input with it."""
    cases = [("<", "no", below), (">=", "yes", above)]
    listed = [{"assign": [], "guard": [[sign, "x"]], "output": out, "to": to} for sign, out, to in cases]
    numbers = {"mean": "0", "mean_prime": None, "rate": "1/4", "rate_prime": None}
    return {"input": True, "transitions": listed, **numbers}


BY_HAND: Json = {
    "claim": {"adjacency": "all-differ", "alpha": "1", "at_epsilon": "1", "kind": "policy", "lower": "1/8"},
    "evidence": {
        "bits": 64,
        "nodes": [
            {"after": [1]},
            {"after": [2, 3], "inputs": ["-1/2", "1/2"]},
            {"after": [True, 3], "inputs": ["-1/2", "1/2"]},
            {"after": [True, False], "inputs": ["-1/2", "1/2"]},
        ],
    },
    "format": "prover-certificate",
    "model": {
        "initial": "a",
        "states": {"a": limit("0", "b"), "b": compared("b", "b")},
        "type": "threshold-program",
        "version": 1,
    },
    "version": 1,
}
"""Two numbers, −1/2 or 1/2, twice against 0; another one if both answers differ; then the majority."""


confirm = confirming(is_true)


def sharp(certificate: Json) -> Json:
    """With the largest claim of nine places."""
    return edited(certificate, {LOWER: str(Fraction(int(gain(certificate) * 10**9 - 1), 10**9))})


@pytest.mark.parametrize(("seed", "adjacency"), thinned(list(product(SEEDS, ADJACENCIES)), 3))
def test_what_is_read_off(seed: int, adjacency: str) -> None:
    certificate = made(seed, adjacency)
    if certificate is None:
        return
    accepted(certificate)
    lower = Fraction(certificate["claim"]["lower"])
    assert -1e-9 < gain(certificate) - float(lower) < 3e-9
    assert not confirm(certificate, LOWER, str(lower + Fraction(1, 10**6)))


def test_something_is_read_off() -> None:
    found = [made(seed, "all-differ") for seed in SEEDS]
    assert sum(one is not None for one in found) > len(found) / 2


@pytest.mark.parametrize("q", [None, "1/2"])
@pytest.mark.parametrize("seed", thinned(list(SEEDS), 3))
def test_forgeries_on_a_grid(seed: int, q: str | None) -> None:
    certificate = made(seed, ADJACENCIES[seed % len(ADJACENCIES)], "1", q, grid=True)
    if certificate is None:
        return
    accepted(certificate)
    assert -1e-9 < gain(certificate) - float(Fraction(certificate["claim"]["lower"])) < 3e-9
    changes = list(forgeries(certificate))
    for change in Random(seed).sample(changes, min(10_000 if everything() else FEW, len(changes))):
        confirm(certificate, *change)


def test_every_forgery_by_hand() -> None:
    certificate = sharp(BY_HAND)
    accepted(certificate)
    kept = [confirm(certificate, *change) for change in thinned([*forgeries(certificate)], 5)]
    assert 0 < sum(kept) < len(kept) / 3


@pytest.mark.parametrize("seed", thinned(list(SEEDS), 3))
def test_forgeries_of_what_is_read_off(seed: int) -> None:
    certificate = made(seed, ADJACENCIES[seed % len(ADJACENCIES)])
    if certificate is None:
        return
    changes = list(forgeries(sharp(certificate)))
    for change in Random(seed).sample(changes, min(10_000 if everything() else FEW, len(changes))):
        confirm(sharp(certificate), *change)


NODE: Path = ("evidence", "nodes", 3)
STATE: Path = ("model", "states", "b")
REFUSED: list[tuple[dict[Path, Json], type[Rejected], str]] = [
    ({LOWER: "1/2"}, ClaimOpen, "gains less"),
    ({(*NODE, "inputs"): ["-1/2", "501/1000"]}, BadClaim, "too far apart"),
    ({(*NODE, "after"): [True, 3]}, BadEvidence, "no such node after"),
    ({(*NODE, "after"): [True, 1]}, BadEvidence, "no such node after"),
    ({(*NODE, "after"): [True, 4]}, BadEvidence, "no such node after"),
    ({(*NODE, "after"): [True, 1.0]}, Malformed, ""),
    ({(*NODE, "after"): [True, False, True]}, Malformed, "wrong length"),
    ({("evidence", "nodes", 2, "after"): [True, False], (*NODE, "after"): [2, 2]}, BadEvidence, "no such"),
    ({("evidence", "nodes", 1, "after"): [2, False], ("evidence", "nodes", 2, "after"): [True, True]},
     BadEvidence, "nothing leads to"),
    ({("evidence", "nodes", 0, "inputs"): ["0", "0"]}, Malformed, "inputs that are not read"),
    ({("evidence", "nodes"): []}, BadEvidence, "no node"),
    ({("claim", "adjacency"): "one-differ"}, BadClaim, "differ otherwise"),
    ({("claim", "adjacency"): "decreasing"}, BadClaim, "differ otherwise"),
    ({("claim", "adjacency"): "monotonic", (*NODE, "inputs"): ["1/2", "-1/2"]}, BadClaim, "differ otherwise"),
    ({("claim", "steps"): 2}, BadClaim, "more inputs"),
    ({(*STATE, "transitions", 0, "output"): "yes"}, BadModel, "look alike"),
    ({(*STATE, "transitions", 0, "output"): ["no", "insample"]}, BadModel, "a number that is output"),
    ({(*STATE, "transitions", 0, "seen"): []}, BadModel, "steps that are not seen"),
    ({(*STATE, "transitions", 0, "to"): "end"}, BadEvidence, "runs have ended"),
    ({("model", "states", "a", "input"): True, ("evidence", "nodes", 0, "inputs"): ["0", "1"]},
     BadModel, "not a constant"),
    ({("model", "states", "a", "rate"): "1", ("model", "states", "a", "rate_left"): ...,
      ("model", "states", "a", "rate_right"): ...}, BadModel, "not a constant"),
    ({(*STATE, "transitions", 0, "to"): "c", ("model", "states", "c"): compared("b", "c")},
     BadEvidence, "at different states"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    changes, failure, words = REFUSED[number]
    certificate = BY_HAND
    accepted(certificate)
    for path, value in changes.items():
        certificate = dropped(certificate, path) if value is ... else edited(certificate, {path: value})
    refused(certificate, failure, words)


GRID: dict[Path, Json] = {("model", "noise"): "discrete-laplace"} | {
    ("evidence", "nodes", k, "inputs"): ["0", "1"] for k in (1, 2, 3)
}


@pytest.mark.parametrize(
    ("changes", "failure", "words"),
    [
        ({(*STATE, "transitions", 1, "guard"): [[">", "x"]]}, BadModel, "none or both hold at a tie"),
        ({(*STATE, "transitions", 1, "assign"): ["x"]}, BadModel, "tested and stored"),
        ({(*NODE, "inputs"): ["1/2", "3/2"]}, BadClaim, "inputs off the grid"),
        ({("evidence", "bits"): 0}, TooLarge, "not from 1 to 10000 bits"),
        ({("evidence", "bits"): 10_001}, TooLarge, "not from 1 to 10000 bits"),
    ],
)
def test_refusals_on_a_grid(changes: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    accepted(edited(BY_HAND, GRID))
    refused(edited(BY_HAND, GRID | changes), failure, words)


def test_different_constants_do_not_meet() -> None:
    """A node that is reached with 0 and with 1 stored."""
    states = {"a": limit("0", "b"), "b": compared("c", "d"), "c": limit("1", "d"), "d": compared("e", "e")}
    nodes = [
        {"after": [1]},
        {"after": [2, 3], "inputs": ["0", "1"]},
        {"after": [3]},
        {"after": [True, False], "inputs": ["0", "1"]},
    ]
    changes: dict[Path, Json] = {
        ("model", "states"): states, ("evidence", "nodes"): nodes, LOWER: "0", ("claim", "alpha"): "1"
    }  # fmt: skip
    refused(edited(BY_HAND, changes), BadEvidence, "numbers stored elsewhere")
