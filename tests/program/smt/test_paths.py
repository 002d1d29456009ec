"""Runs as users write them, and the looping branches that they follow."""

from __future__ import annotations

import pytest

from prover import zoo
from prover.program.branches import Branch, looping_branches
from prover.program.model import Program
from prover.program.smt.paths import branch_of, run_along, run_on
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program_examples import ABOVE, BELOW, TRUE, numeric_sparse_with_insample, program, state, step
from tests.program_oracle import runs
from tests.refusals import refuses


def numbers(model: Program, *path: int | str) -> list[int]:
    return [edge.number for edge in run_along(model, path)]


def test_paths_are_numbers_or_names() -> None:
    model = zoo.build_program("svt")
    assert numbers(model, 0, 1, 1, 2) == [0, 1, 1, 2]
    assert numbers(model, "q1", "q2", "q2", "q3") == [0, 1, 2]


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ([], "empty-path", "empty"),
        (["q1"], "empty-path", "empty"),
        ([0, 3], "unknown-transition", "no transition 3; the program has the transitions 0 to 2"),
        ([-1], "unknown-transition", "no transition -1"),
        ([1], "broken-path", 'step 0 of the path begins at "q1", and transition 1 leaves "q2"'),
        ([0, 0], "broken-path", 'step 1 of the path begins at "q2"'),
        ([0, 2, 1], "broken-path", 'step 2 of the path begins at "q3"'),
        (["q2", "q3"], "broken-path", 'the path begins with "q2"'),
        (["q1", "q3"], "broken-path", 'no transition leads from there to "q3"'),
        (["q1", "q7"], "unknown-path-state", '"q7", which is no state'),
    ],
)
def test_what_is_no_run_is_refused(path: list[int | str], error: str, words: str) -> None:
    with refuses(error) as caught:
        run_along(zoo.build_program("svt"), path)
    assert words in str(caught.value)


def test_a_step_between_names_must_be_unique() -> None:
    model = zoo.build_program("lyu-6")
    with refuses("ambiguous-step", match='transitions 1, 2 lead from "q2" to "q2"'):
        run_along(model, ["q1", "q2", "q2"])


def places(branch: Branch) -> list[tuple[int, bool]]:
    return [(place.edge.number, place.on_cycle) for place in branch.steps]


def test_the_branch_of_a_run_has_the_cycles_that_the_run_passes() -> None:
    model = numeric_sparse_with_insample()
    (branch,) = looping_branches(model)
    assert places(branch) == [(0, False), (1, True), (2, False)]
    for path in ([0, 2], [0, 1, 2], [0, 1, 1, 2]):
        assert branch_of(model, run_along(model, path)) == branch
    assert places(branch_of(model, run_along(model, [0]))) == [(0, False), (1, True)]


def test_a_run_on_a_branch_follows_it() -> None:
    for seed in thinned(range(300)):
        model = random_program(seed)
        for branch in looping_branches(model):
            run = run_on(model, branch)
            assert not run or run_along(model, [edge.number for edge in run]) == run
            assert branch_of(model, run) == branch, seed


def test_every_run_follows_the_beginning_of_a_branch() -> None:
    for seed in thinned(range(100)):
        model = random_program(seed, largest=4)
        every = list(looping_branches(model))
        for run in list(runs(model, 4))[1:60]:
            branch = branch_of(model, run)
            assert any(set(branch.steps) <= set(other.steps) for other in every), (seed, run)


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
    assert places(branch) == [(0, False), (3, True), (2, False), (4, True)]
    without = branch_of(model, run_along(model, [0, 2]))
    assert [number for number, _ in places(without)] == [0, 2, 4]
