"""The exact ε of a program bounds its δ only where the evidence is about observers who see that runs end."""

from __future__ import annotations

import json
from typing import Any

import pytest

import prover
from prover.certificate.check import BadEvidence, Rejected, TooLarge
from prover.certificate.check.budget import Budget
from prover.certificate.check.profiles.pure import ends_rule
from prover.certificate.check.programs import read_program
from tests.certificate.mechanisms_judge import accepts_composition
from tests.certificate.mechanisms_samples import composition
from tests.certificate.verdicts import accepted, refused

Json = Any
CONSTANT = {"rate": None, "rate_left": "inf", "rate_right": "inf", "rate_prime": None, "mean_prime": None}


def case(relation: str, output: str, to: str) -> Json:
    return {"assign": [], "guard": [[relation, "x"]], "output": output, "to": to}


def asking(*cases: Json) -> Json:
    """A query with exponential noise is compared with 0."""
    start = {"assign": ["x"], "guard": [], "output": "start", "to": "query"}
    more = {"assign": [], "guard": [], "output": "more", "to": "end"}
    states = {
        "limit": {"input": False, "mean": "0", **CONSTANT, "transitions": [start]},
        "query": {"input": True, "mean": "0", **CONSTANT, "rate_right": "1", "transitions": [*cases]},
        "more": {"input": False, "mean": "0", **CONSTANT, "transitions": [more]},
    }
    if not any(one["to"] == "more" for one in cases):
        del states["more"]
    return {"type": "threshold-program", "version": 1, "initial": "limit", "states": states}


def with_noise(model: Json) -> Json:
    """The same with noise on both sides of the query."""
    query = {**model["states"]["query"], "rate": "1"}
    del query["rate_left"], query["rate_right"]
    return {**model, "states": {**model["states"], "query": query}}


STOPS = asking(case(">=", "above", "end"))
ENDS = asking(case("<", "same", "end"), case(">=", "same", "more"))


def forged(model: Json) -> Json:
    """A claim that δ is next to nothing at α = 4, by the evidence for the exact ε."""
    program = prover.from_dict(model)
    assert isinstance(program, prover.Program)
    proof = prover.privacy(program).certificate
    assert proof is not None
    made = json.loads(proof.data)
    evidence = {key: own for key, own in made["evidence"].items() if key not in ("blocks", "word")}
    part = {"adjacency": "all-differ", "at_epsilon": "1", "program": model, "times": 1}
    pure = {"alpha": "3", "evidence": evidence, "loss": made["claim"]["loss"], "upper": "1"}
    return composition([part], [{"pure": pure}], alpha="4", upper="1/1000000")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (STOPS, "a run may stop as no guard holds"),
        (with_noise(STOPS), "a run may stop as no guard holds"),
        (ENDS, "outputs do not tell where runs end"),
    ],
)
def test_forged_bounds_of_runs_that_end_unseen(model: Json, words: str) -> None:
    refused(forged(model), BadEvidence, words)
    assert not accepts_composition(forged(model))


def test_bounds_of_runs_that_end_where_it_is_seen() -> None:
    told = forged(with_noise(asking(case(">=", "above", "end"), case("<", "below", "end"))))
    accepted(told)
    assert accepts_composition(told)


@pytest.mark.parametrize(
    ("count", "failure", "words"),
    [(6, BadEvidence, "a run may stop"), (7, TooLarge, "more than 1000 answers of the tests")],
)
def test_so_many_answers_of_tests_are_looked_at(count: int, failure: type[Rejected], words: str) -> None:
    """A state tests one sample against many variables, and a run may stop there."""
    names = [f"x{k}" for k in range(count)]
    store = {"input": False, "mean": "0", "mean_prime": None, "rate": "1", "rate_prime": None}
    states = {
        name: {**store, "transitions": [{"assign": [name], "guard": [], "output": "o", "to": to}]}
        for name, to in zip(names, [*names[1:], "test"], strict=True)
    }
    tests = {"assign": [], "guard": [["<", name] for name in names], "output": "o", "to": "end"}
    states["test"] = {**store, "input": True, "transitions": [tests]}
    model = {"type": "threshold-program", "version": 1, "initial": names[0], "states": states}
    program = read_program(model, Budget(10**9))
    with pytest.raises(failure, match=words):
        ends_rule(program, told=True)
