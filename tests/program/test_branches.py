"""Looping branches: all ways through the components, against the tests' own enumeration."""

import pytest

from prover.program.branches import Branch, BranchEdge, TooManyBranches, looping_branches
from prover.program.model import Edge, Program
from prover.zoo import chain_of_tests, leaking_cycle, leaking_pair, svt
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program.branches import edges_of_branches, is_straight, straight_line
from tests.program_examples import ABOVE, BELOW, TRUE, disclosing_cycle, program, state, step, two_branches
from tests.refusals import refuses


def numbers(branch: Branch) -> list[int]:
    return [place.edge.number for place in branch.steps]


def test_they_are_those_of_the_definition() -> None:
    compared = 0
    for seed in thinned(range(400)):
        model = random_program(seed)
        found = {frozenset(numbers(branch)) for branch in looping_branches(model)}
        wanted = {frozenset(edge.number for edge in branch) for branch in edges_of_branches(model)}
        if any(edge.assigns and edge.target == model.initial for edge in model.edges[1:]):
            continue
        if not any(_assigns_on_a_cycle(branch) for branch in looping_branches(model)):
            compared += 1
            assert found == wanted, seed
        assert found <= wanted, seed
    assert compared > 40


def _assigns_on_a_cycle(branch: Branch) -> bool:
    return any(place.on_cycle and place.edge.assigns for place in branch.steps)


def test_each_is_a_way_from_the_initial_state() -> None:
    for seed in thinned(range(200)):
        model = random_program(seed)
        for branch in looping_branches(model):
            reached = {model.initial}
            for place in branch.steps:
                assert place.on_cycle or place.edge.source in reached, seed
                reached |= {place.edge.source, place.edge.target}


def test_the_sparse_vector_technique_has_one_with_a_loop() -> None:
    (branch,) = looping_branches(svt())
    assert [(place.edge.relation, place.on_cycle, place.repeats) for place in branch.steps] == [
        ("", False, False),
        ("<", True, True),
        (">=", False, False),
    ]
    assert not is_straight(branch)
    assert not branch.is_hopeless


def test_cases_make_branches() -> None:
    assert len(looping_branches(chain_of_tests(4))) == 5
    assert all(is_straight(branch) for branch in looping_branches(chain_of_tests(4)))
    assert [numbers(branch) for branch in looping_branches(two_branches())] == [[0, 1, 3], [0, 2, 4]]


def test_an_assignment_on_a_cycle_is_taken_last() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(TRUE, "q2", assign=True), step(TRUE, "q3", "out")),
            "q2": state(step(TRUE, "q1", "back")),
            "q3": state(step(BELOW, "q4")),
        }
    )
    without, with_it = looping_branches(model)
    # After the assignment at q1 the run can go on to q2 and back without another one.
    assert numbers(with_it) == [0, 3, 2, 4]
    assert [place.repeats for place in with_it.steps] == [False, True, False, False]
    assert numbers(without) == [0, 1, 3, 2, 4]
    assert [place.repeats for place in without.steps] == [False, False, True, False, False]


def test_a_run_that_begins_on_a_cycle_assigns_there() -> None:
    model = program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(step(TRUE, "q0"))})
    (branch,) = looping_branches(model)
    assert [(place.edge.number, place.repeats) for place in branch.steps] == [(0, False), (1, True)]


@pytest.mark.parametrize(("model", "leaks"), [(leaking_cycle(), True), (disclosing_cycle(), False)])
def test_cycles_that_no_strategy_pays_for(model: Program, leaks: bool) -> None:
    assert all(branch.is_hopeless for branch in looping_branches(model))
    assert all(branch.leaks is leaks for branch in looping_branches(model))


def test_a_leaking_pair_is_no_leaking_cycle() -> None:
    assert not any(branch.is_hopeless for branch in looping_branches(leaking_pair()))


def test_there_may_be_too_many() -> None:
    assert sum(len(branch.steps) for branch in looping_branches(chain_of_tests(4))) == 19
    assert len(looping_branches(chain_of_tests(4), most=19)) == 5
    with pytest.raises(TooManyBranches, match="more than 18 steps"):
        looping_branches(chain_of_tests(4), most=18)
    with pytest.raises(TooManyBranches):
        looping_branches(chain_of_tests(9_000))


def test_a_branch_begins_with_an_assignment() -> None:
    first, second = _two_edges()
    assert straight_line([first, second]).steps == (BranchEdge(first), BranchEdge(second))
    assert straight_line([first]).edges == (first,)
    with refuses("nothing-stored-first"):
        straight_line([second])
    with refuses("nothing-stored-first"):
        Branch(())


def _two_edges() -> tuple[Edge, ...]:
    return program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(step(ABOVE, "q2"))}).edges
