"""Runs as users write them, and looping branches against the enumeration of the tests."""

from __future__ import annotations

import pytest

from prover import zoo
from prover.errors import BadInput
from prover.program.branch import (
    AmbiguousStep,
    BrokenPath,
    EmptyPath,
    UnknownPathState,
    UnknownTransition,
    branch_of,
    looping_branches,
    run_along,
    run_on,
)
from prover.program.model import Program
from tests.program.automata import random_program
from tests.program.branches import edges_of_branches
from tests.program_examples import ABOVE, BELOW, TRUE, numeric_sparse_with_insample, program, state, step
from tests.program_oracle import runs


def numbers(model: Program, *path: int | str) -> list[int]:
    return [edge.number for edge in run_along(model, path)]


def test_paths_are_numbers_or_names() -> None:
    model = zoo.build_program("svt")
    assert numbers(model, 0, 1, 1, 2) == [0, 1, 1, 2]
    assert numbers(model, "q1", "q2", "q2", "q3") == [0, 1, 2]


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ([], EmptyPath, "empty"),
        (["q1"], EmptyPath, "empty"),
        ([0, 3], UnknownTransition, "no transition 3; the program has the transitions 0 to 2"),
        ([-1], UnknownTransition, "no transition -1"),
        ([1], BrokenPath, 'step 0 of the path begins at "q1", and transition 1 leaves "q2"'),
        ([0, 0], BrokenPath, 'step 1 of the path begins at "q2"'),
        ([0, 2, 1], BrokenPath, 'step 2 of the path begins at "q3"'),
        (["q2", "q3"], BrokenPath, 'the path begins with "q2"'),
        (["q1", "q3"], BrokenPath, 'no transition leads from there to "q3"'),
        (["q1", "q7"], UnknownPathState, '"q7", which is no state'),
    ],
)
def test_what_is_no_run_is_refused(path: list[int | str], error: type[BadInput], words: str) -> None:
    with pytest.raises(error) as caught:
        run_along(zoo.build_program("svt"), path)
    assert words in str(caught.value)


def test_a_step_between_names_must_be_unique() -> None:
    model = zoo.build_program("lyu-6")
    with pytest.raises(AmbiguousStep, match='transitions 1, 2 lead from "q2" to "q2"'):
        run_along(model, ["q1", "q2", "q2"])


def test_branches_are_those_of_the_enumeration() -> None:
    several = 0
    for seed in range(500):
        model = random_program(seed)
        found = [tuple(place.edge for place in branch) for branch in looping_branches(model)]
        assert len(set(found)) == len(found)
        # Every run assigns at its first step, so a branch without that is none.
        expected = {branch for branch in edges_of_branches(model) if any(edge.assigns for edge in branch)}
        assert set(found) == expected, seed
        several += len(found) > 1
    assert several > 50


def test_the_branch_of_a_run_has_the_cycles_that_the_run_passes() -> None:
    model = numeric_sparse_with_insample()
    (branch,) = looping_branches(model)
    assert [(place.edge.number, place.cycle) for place in branch] == [(0, None), (1, 1), (2, None)]
    for path in ([0, 2], [0, 1, 2], [0, 1, 1, 2]):
        assert branch_of(model, run_along(model, path)) == branch
    assert branch_of(model, run_along(model, [0])) == branch[:2]


def test_a_run_on_a_branch_follows_it() -> None:
    for seed in range(300):
        model = random_program(seed)
        for branch in looping_branches(model):
            run = run_on(model, branch)
            assert not run or run_along(model, [edge.number for edge in run]) == run
            assert branch_of(model, run) == branch, seed


def test_every_run_follows_the_beginning_of_a_branch() -> None:
    for seed in range(100):
        model = random_program(seed, largest=4)
        every = list(looping_branches(model))
        for run in list(runs(model, 4))[:60]:
            branch = branch_of(model, run)
            assert any(set(branch) <= set(other) for other in every), (seed, run)


def test_the_last_assignment_of_a_run_on_a_cycle_counts() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(TRUE, "q2", assign=True), step(TRUE, "q3", "oc")),
            "q2": state(step(TRUE, "q1", assign=True)),
            "q3": state(step(BELOW, "q3"), step(ABOVE, "q4", "oc")),
        }
    )
    branch = branch_of(model, run_along(model, [0, 1, 3, 1, 3, 2, 4]))
    assert [(place.edge.number, place.cycle) for place in branch] == [(0, None), (3, 1), (2, None), (4, 2)]
    without = branch_of(model, run_along(model, [0, 2]))
    assert [place.edge.number for place in without] == [0, 2, 4]
