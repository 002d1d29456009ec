"""The loss found by asking Z3, against tables, facts and brute force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from prover import zoo
from prover.errors import Fault
from prover.program.adjacency import POLYTOPES
from prover.program.decision.facts import decide
from prover.program.optimum.optimum import measure
from prover.program.privacy import privacy
from prover.program.smt.bisection import (
    Dearest,
    UnknownEngine,
    confirm_verdict,
    dearest_run,
    maximal_runs,
    with_dearest,
)
from tests.certified import proved
from tests.commands import prover
from tests.commands import zoo as zoo_file
from tests.program.automata import random_program
from tests.program_oracle import brute_force, runs


@pytest.mark.parametrize("adjacency", POLYTOPES)
def test_the_dearest_run_is_that_of_brute_force(adjacency: str) -> None:
    for seed in range(8):
        model = random_program(seed, largest=4)
        found = dearest_run(model, adjacency, 3)
        assert found.loss == brute_force(model, adjacency, 3), seed
        assert len(found.differences) == len(found.run)


@pytest.mark.parametrize(
    ("name", "longest", "epsilon"),
    [
        ("svt", 4, Fraction(5, 4)),
        ("numeric-sparse", 4, Fraction(7, 4)),
        ("lyu-1", 5, Fraction(1)),
        ("chain-of-tests", 4, Fraction(1)),
    ],
)
def test_published_values(name: str, longest: int, epsilon: Fraction) -> None:
    answer = privacy(zoo.build_program(name), engine="smt", longest=longest)
    assert answer.epsilon == epsilon
    assert answer.certificate is not None
    assert proved(answer.certificate)["claim"]["lower"] == str(epsilon)


def test_short_runs_give_a_lower_bound() -> None:
    answer = privacy(zoo.build_program("svt"), engine="smt", longest=3)
    assert (answer.private, answer.lower, answer.upper) == (True, Fraction(1), Fraction(5, 4))
    assert answer.certificate is not None
    assert proved(answer.certificate)["claim"]["lower"] == "1"


def test_z3_agrees_with_the_facts() -> None:
    for seed in range(150):
        model = random_program(seed)
        confirm_verdict(model, decide(model))


def test_a_wrong_verdict_is_a_fault() -> None:
    model = zoo.build_program("svt")
    with pytest.raises(Fault, match="a table without contradictions"):
        confirm_verdict(model, replace(decide(model), private=False))
    leak = zoo.build_program("leaking-pair")
    with pytest.raises(Fault, match="because of edge"):
        confirm_verdict(leak, replace(decide(leak), private=True))


def test_a_wrong_loss_is_a_fault() -> None:
    model = zoo.build_program("svt")
    found = dearest_run(model, "all-differ", 4)
    with pytest.raises(Fault, match="its shifts cost 5/4"):
        with_dearest(measure(model), Dearest(Fraction(2), found.run, found.differences, 1), model)
    with pytest.raises(Fault, match="no run loses more than 1"):
        with_dearest(replace(measure(model), upper=Fraction(1)), found, model)


def test_not_private_stays_so() -> None:
    answer = privacy(zoo.build_program("svt-star"), engine="smt")
    assert answer.private is False
    assert answer.reason == "leaking pair"


def test_maximal_runs_are_those_that_no_other_begins_with() -> None:
    for seed in range(30):
        model = random_program(seed, largest=4)
        every = {tuple(edge.number for edge in run) for run in runs(model, 4)}
        found = [tuple(edge.number for edge in run) for run in maximal_runs(model, 4)]
        assert len(set(found)) == len(found)
        begun = {run[:k] for run in every for k in range(len(run))}
        assert set(found) == every - begun


def test_the_command_asks_too(tmp_path: Path) -> None:
    svt = zoo_file(tmp_path, "svt")
    run = prover("privacy", svt, "--engine", "smt", "--longest", "4")
    assert (run.status, run.out.splitlines()[0]) == (0, "private: ε·5/4, and no smaller multiple")
    short = prover("privacy", svt, "--engine", "smt", "--longest", "2")
    assert (short.status, short.out.splitlines()[0]) == (3, "private: between ε·1/4 and ε·5/4")
    assert prover("privacy", svt, "--longest", "2").status == 2


def test_engines_have_names() -> None:
    with pytest.raises(UnknownEngine, match='unknown engine "z3"; the engines are auto, smt'):
        privacy(zoo.build_program("svt"), engine="z3")
