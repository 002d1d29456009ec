"""The exact ε of a program bounded its δ, though it is for an observer who does not see that a run stops.

With exponential noise a number at 0 is never below 0, and one at −1 is with the probability 1 − 1/e. A run
that shows "above" and otherwise stops, or ends where others go on, has the exact ε of its noise if nobody
sees the end. So prover account proved that δ = 0 at α = 3, with a certificate, and prover epsilon that no
larger ε is needed, where prover delta found δ = 1 − 1/e for every α.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import prover
from prover.accounting.programs import ProgramLosses
from prover.certificate.check import BadEvidence
from prover.formats.convert import save
from prover.program.gaps import completed
from tests.certificate.mechanisms_judge import accepts_composition
from tests.certificate.mechanisms_samples import composition
from tests.certificate.verdicts import accepted, refused
from tests.commands import prover as command

Json = Any
TRUE = 1 - Fraction(36788, 100_000)  # δ at every α, rounded down
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


@pytest.mark.parametrize("model", [STOPS, ENDS], ids=["stops", "ends"])
def test_no_bound_of_delta_ignores_the_end(model: Json) -> None:
    program = _program(model)
    assert prover.privacy(program).epsilon == 1
    assert prover.delta(program, alpha=3, at_epsilon=1).upper >= TRUE
    assert prover.epsilon_for(program, delta="1/1000", at_epsilon=1).upper is None
    for point in prover.curve(program, at_epsilon=1, epsilons=[0, 1, 2]):
        assert point.upper >= TRUE
        assert point.pure is None
    losses = ProgramLosses.of(program, at_epsilon=1)
    assert max(upper.delta(3) for _, upper in losses.bounds()) >= TRUE
    assert losses.renyi("inf").upper is None


def test_accounts_say_so(tmp_path: Path) -> None:
    save(_program(STOPS), tmp_path / "stops.json")
    path = tmp_path / "account.toml"
    path.write_text('[[mechanism]]\nmodel = "stops.json"\nat_epsilon = 1\n[ask]\nalpha = 3\n')
    run = command("account", path)
    assert "at most 0.632121" in run.out
    assert "stops.json: upper ends do not use an exact epsilon" in run.out


def test_the_exact_epsilon_counts_where_the_end_is_seen() -> None:
    """A stop that becomes an output is possible on one of the inputs only; with noise on both sides it is
    private."""
    assert prover.privacy(completed(_program(STOPS))).epsilon is None
    answer = prover.epsilon_for(_program(with_noise(STOPS)), delta="1/1000000000", at_epsilon=1)
    assert answer.upper == 1


def forged(model: Json) -> Json:
    """A claim that δ is next to nothing at α = 4, by the evidence for the exact ε."""
    proof = prover.privacy(_program(model)).certificate
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


def _program(model: Json) -> prover.Program:
    program = prover.from_dict(model)
    assert isinstance(program, prover.Program)
    return program
