"""The loss found by asking Z3, against tables, facts and brute force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from prover import zoo
from prover.errors import Fault
from prover.program.adjacency import POLYTOPES
from prover.program.decision.boundedness import decide
from prover.program.model import Program
from prover.program.optimum.measure import measure
from prover.program.optimum.witness import Witness
from prover.program.order_graph import order_graph
from prover.program.privacy import privacy
from prover.program.smt.bisection import (
    CostliestRun,
    confirm_verdict,
    costliest_run,
    maximal_runs,
    with_costliest,
)
from tests.certified import proved
from tests.commands import prover
from tests.commands import zoo as zoo_file
from tests.profiles import everything, thinned
from tests.program import several_examples
from tests.program.automata import random_program
from tests.program_oracle import brute_force, runs
from tests.refusals import refuses


@pytest.mark.family
@pytest.mark.parametrize("adjacency", POLYTOPES)
def test_the_costliest_run_is_that_of_brute_force(adjacency: str) -> None:
    for seed in thinned(range(8)):
        model = random_program(seed, largest=4)
        found = costliest_run(order_graph(model), adjacency, 3)
        assert found.loss == brute_force(model, adjacency, 3), seed
        assert len(found.differences) == len(found.run)


@pytest.mark.parametrize("adjacency", POLYTOPES)
def test_the_costliest_run_with_two_rates(adjacency: str) -> None:
    """Of runs that lose a finite amount, also with infinite rates."""
    for seed in range(2):
        model = several_examples.drawn(seed)
        if all(edge.input or not edge.bounds for edge in model.edges):
            found = costliest_run(order_graph(model), adjacency, 2)
            assert float(found.loss) == several_examples.brute_force(model, adjacency, 2), seed


def test_two_rates_are_asked_about() -> None:
    for rates in ((Fraction(1, 4), Fraction(1)), ("inf", Fraction(1, 2))):
        for name in ("svt", "noisy-max"):
            model = zoo.build_program(name)
            state = replace(model.states["q2"], rate=None, rate_left=rates[0], rate_right=rates[1])
            model = replace(model, states={**model.states, "q2": state})
            plain, asked = (privacy(model, engine=engine, longest=8) for engine in ("auto", "smt"))
            assert asked.runs == plain.runs
            assert asked.runs.lower == asked.runs.upper


@pytest.mark.family
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
    for seed in thinned(range(150)):
        model = random_program(seed)
        confirm_verdict(order_graph(model), decide(model).bounded)


def test_a_wrong_verdict_is_a_fault() -> None:
    model = zoo.build_program("svt")
    with pytest.raises(Fault, match="a table without contradictions"):
        confirm_verdict(order_graph(model), private=False)
    leak = zoo.build_program("leaking-pair")
    with pytest.raises(Fault, match="because of edge"):
        confirm_verdict(order_graph(leak), private=True)


def test_a_wrong_loss_is_a_fault() -> None:
    model = zoo.build_program("svt")
    found = costliest_run(order_graph(model), "all-differ", 4)
    with pytest.raises(Fault, match="its shifts cost 5/4"):
        with_costliest(measure(model), CostliestRun(Fraction(2), found.run, found.differences, 1))
    with pytest.raises(Fault, match="no run loses more than 1"):
        with_costliest(replace(measure(model), upper=Fraction(1)), found)


@pytest.mark.family
@pytest.mark.thorough
@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_the_costliest_run_of_several_variables_is_that_of_brute_force(adjacency: str) -> None:
    positive = blocked = 0
    for seed in range(20 if everything() else 5):
        model = several_examples.random_program(Random(seed))
        graph = order_graph(model)
        found = costliest_run(graph, adjacency, 4)
        assert abs(float(found.loss) - several_examples.brute_force(model, adjacency, 4)) < 1e-6, seed
        assert several_examples.is_possible(found.run)
        positive += found.loss > 0
        blocked += sum(map(len, graph.arrows)) < len([e for e in model.edges if e.source in graph.states])
    assert positive > 3
    assert blocked > 0


@pytest.mark.family
@pytest.mark.parametrize("adjacency", ["all-differ", "monotonic"])
@pytest.mark.parametrize(
    ("model", "longest", "epsilon"),
    [
        pytest.param(zoo.k_min_max(3), 6, Fraction(5, 6), marks=pytest.mark.slow),
        (zoo.num_range(), 6, Fraction(5, 4)),
        (zoo.nested_thresholds(1), 4, Fraction(1, 2)),
        (zoo.counterexample("equal"), 7, Fraction(6)),
    ],
)
def test_several_variables(model: Program, longest: int, epsilon: Fraction, adjacency: str) -> None:
    answer = privacy(model, adjacency, engine="smt", longest=longest)
    known = privacy(model, adjacency)
    assert answer.epsilon == known.epsilon
    assert adjacency != "all-differ" or answer.epsilon == epsilon
    assert answer.certificate is not None
    assert known.certificate is not None
    assert proved(answer.certificate)["claim"] == proved(known.certificate)["claim"]


def test_several_variables_that_are_not_private() -> None:
    answer = privacy(zoo.counterexample("sequence"), engine="smt")
    assert answer.private is False
    assert answer.certificate is not None
    assert proved(answer.certificate)["claim"]["kind"] == "not-private"


def test_impossible_runs_do_not_count() -> None:
    """After x < v and x >= w no sample is between v and w from above: only the order knows."""
    model = zoo.k_min_max(3)
    graph = order_graph(model)
    every = {tuple(edge.number for edge in run) for run in runs(model, 4)}
    possible = {tuple(edge.number for edge in run) for run in several_examples.runs(model, 4)}
    assert possible < every
    begun = {run[:k] for run in possible for k in range(len(run))}
    assert {tuple(edge.number for edge in run) for run in maximal_runs(graph, 4)} == possible - begun


def test_a_run_without_inputs_loses_nothing() -> None:
    found = CostliestRun(Fraction(0), (), (), 1)
    for adjacency in POLYTOPES:
        cost = with_costliest(measure(zoo.build_program("svt"), adjacency), found)
        assert cost.lower == 0
        assert cost.witness == Witness((), (), (), Fraction(0))


def test_not_private_stays_so() -> None:
    answer = privacy(zoo.build_program("svt-star"), engine="smt")
    assert answer.private is False
    assert answer.reason == "leaking pair"


def test_maximal_runs_are_those_that_no_other_begins_with() -> None:
    for seed in range(30):
        model = random_program(seed, largest=4)
        every = {tuple(edge.number for edge in run) for run in runs(model, 4)}
        found = [tuple(edge.number for edge in run) for run in maximal_runs(order_graph(model), 4)]
        assert len(set(found)) == len(found)
        begun = {run[:k] for run in every for k in range(len(run))}
        assert set(found) == every - begun


def test_the_command_asks_too(tmp_path: Path) -> None:
    svt = zoo_file(tmp_path, "svt")
    run = prover("privacy", svt, "--engine", "smt", "--longest", "4")
    assert (run.status, run.out.splitlines()[0]) == (
        0,
        "private: exactly (5/4)·ε (no smaller multiple holds)",
    )
    short = prover("privacy", svt, "--engine", "smt", "--longest", "2")
    assert (short.status, short.out.splitlines()[0]) == (3, "private: between (1/4)·ε and (5/4)·ε")
    assert prover("privacy", svt, "--longest", "2").status == 2


def test_engines_have_names() -> None:
    with refuses("unknown-engine", match='unknown engine "z3"; the engines are auto, smt'):
        privacy(zoo.build_program("svt"), engine="z3")
