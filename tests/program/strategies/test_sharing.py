"""Shared strategies: against all corners with a linear program each, and the published families."""

from fractions import Fraction
from random import Random

import pytest

from prover.program.branches import Branch, TooManyBranches, looping_branches
from prover.program.model import Program
from prover.program.optimum.measure import measure
from prover.program.smt.formulas import encode
from prover.program.strategies.possible import StoringCycle
from prover.program.strategies.sharing import SharedCost, cost_of_branches, shared_cost
from prover.program.strategies.strategy import optimum
from prover.smt.solver import SAT, UNSAT, solve
from prover.zoo import (
    chain_of_tests,
    counterexample,
    leaking_cycle,
    leaking_pair,
    lyu_4,
    partition,
    sharing_family,
    sharing_member,
    sharing_pair,
    svt,
)
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program.branches import is_straight
from tests.program.branches import straight_line as branch_along
from tests.program.sharing_oracle import least_cost, shared_cost_by_force, transitions_of
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step, two_branches
from tests.program_oracle import straight_line
from tests.refusals import refuses

pytestmark = pytest.mark.thorough


def tree(random: Random) -> Program:
    """A small tree of tests, many of which assign; its branches share what is near the root."""
    names = iter(range(1, 100))
    states = {"q0": state(step(TRUE, "q1", assign=True), rate=random.choice([1, 2]))}
    waiting = [f"q{next(names)}"]
    for _ in range(random.randint(1, 3)):
        name = waiting.pop(0)
        below, above = f"q{next(names)}", f"q{next(names)}"
        waiting += [below, above]
        outputs = [random.choice(["o", "o", "o", "insample"]), "p"]
        cases = [
            step(guard, random.choice([target, target, name]) if loops else target, output, assign=assigns)
            for guard, target, output, assigns, loops in zip(
                (BELOW, ABOVE),
                (below, above),
                outputs,
                (random.random() < 0.5, random.random() < 0.5),
                (random.random() < 0.2, random.random() < 0.2),
                strict=True,
            )
        ]
        states[name] = state(*cases, rate=random.choice([1, 2, 3]), input=True)
    return program(states)


def without_some(random: Random, model: Program) -> Program:
    """The same program with some cases left out, and some paths that end early."""
    states = {}
    for name, old in model.states.items():
        cases = [case for case in old.transitions if name == model.initial or random.random() < 0.8]
        states[name] = state(
            *(cases or old.transitions), rate=old.rate or 1, rate_prime=old.rate_prime, input=old.input
        )
    ended = random.choice(sorted(states))
    if ended != model.initial:
        del states[ended]
    return program(states)


def compare(branches: list[Branch]) -> SharedCost:
    found = cost_of_branches(branches)
    exact = shared_cost_by_force(branches)
    assert (found.lower, found.upper) == (exact, exact)
    assert found.is_infinite is (exact is None)
    if exact is not None:
        assert found.separate is not None
        assert found.value == exact >= found.separate
        order = [transitions_of([branch]) for branch in branches]
        assert len(found.transitions) == len(transitions_of(branches)) <= sum(map(len, order))
        assert least_cost(branches, transitions_of(branches), found.differences) == exact
    return found


def few_inputs(branches: list[Branch], most: int) -> bool:
    return sum(edge.input for edge in transitions_of(branches)) <= most


@pytest.mark.slow
def test_the_cost_is_that_of_all_corners() -> None:
    costlier = infinite = fractional = 0
    for seed in range(90):
        branches = list(looping_branches(tree(Random(seed))))
        if few_inputs(branches, 6):
            found = compare(branches)
            infinite += found.is_infinite
            costlier += found.value != found.separate
            fractional += any(shift.denominator > 1 for shift in found.shifts)
    assert costlier > 5
    assert infinite > 5
    assert fractional > 0


def test_the_cost_of_other_programs() -> None:
    for seed in thinned(range(300)):
        branches = list(looping_branches(random_program(seed, 4)))
        if few_inputs(branches, 5):
            compare(branches)


def test_several_programs_share_what_leaves_the_same_state() -> None:
    shared = 0
    for seed in range(40):
        random = Random(seed)
        model = tree(random)
        members = [without_some(random, model) for _ in range(random.randint(1, 3))]
        branches = [branch for member in members for branch in looping_branches(member)]
        if few_inputs(branches, 6):
            found = compare(branches)
            assert found == shared_cost(*members)
            shared += len(found.transitions) < sum(len(branch.steps) for branch in branches)
    assert shared > 10


@pytest.mark.slow
def test_the_cost_of_larger_trees() -> None:
    for seed in range(1_000, 1_600):
        branches = list(looping_branches(tree(Random(seed))))
        if few_inputs(branches, 8):
            compare(branches)


def test_a_straight_line_shares_nothing() -> None:
    for seed in thinned(range(150)):
        random = Random(seed)
        (branch,) = looping_branches(straight_line(random, random.randint(1, 7)))
        best = optimum(branch)
        assert best is not None
        found = cost_of_branches([branch])
        assert found.value == best.cost == found.separate, seed


def test_a_branch_without_assigning_cycles_has_one_strategy() -> None:
    for model in (svt(), lyu_4(3), chain_of_tests(4), partition("2,1,1")):
        found = shared_cost(model)
        assert found.value == found.separate == measure(model).upper


@pytest.mark.parametrize(("tests", "cost"), [(1, 2), (2, 3), (3, 4), (6, 7)])
def test_two_programs_that_share_their_first_step(tests: int, cost: int) -> None:
    model = sharing_pair(tests)
    found = shared_cost(model)
    assert [found.value, found.separate, measure(model).upper] == [cost, 2, 2]
    assert len(found.branches) == 2
    for branch in found.branches:
        assert [edge.relation for edge in branch.edges][1:] in (["<"] * tests, [">="] * tests)
        best = optimum(branch)
        assert best is not None
        assert best.cost == 2


@pytest.mark.parametrize(("n", "cost"), [(1, 4), (2, 12), (3, 24), (4, 40), (6, 84)])
def test_the_penalty_of_sharing_is_quadratic(n: int, cost: int) -> None:
    members = [sharing_member(n, k) for k in range(n + 1)]
    found = shared_cost(*members)
    assert found.value == cost == 2 * n**2 + 2 * n
    assert found.separate == 4 * n
    assert [measure(member).upper for member in members] == [4 * n if n > 1 else 2, *[4] * n]
    assert len(found.branches) == n + 1


@pytest.mark.parametrize(("n", "cost"), [(1, 4), (2, 12), (3, 24), (4, 40), (6, 84)])
def test_so_it_is_within_one_deterministic_program(n: int, cost: int) -> None:
    model = sharing_family(n)
    found = shared_cost(model)
    assert found.value == cost
    assert found.separate == measure(model).upper == (4 * n if n > 1 else 2)


def test_one_strategy_for_a_cycle_that_assigns_is_not_enough() -> None:
    # The last turn wants its own shift: 1, below which the test is free. Following the inputs costs 2·100.
    model = program(
        {
            "q0": state(step(TRUE, "q1", "start", assign=True)),
            "q1": state(step(TRUE, "q1", "again", assign=True), step(TRUE, "q2", "on")),
            "q2": state(step(BELOW, "q3"), rate=100),
        }
    )
    with_the_cycle = [branch for branch in looping_branches(model) if not is_straight(branch)]
    found = cost_of_branches(with_the_cycle)
    assert found.value == 200
    assert found.separate == measure(model).upper == 2
    compare(with_the_cycle)
    assert shared_cost(model).value == 200


def test_branches_that_demand_opposite_shifts_have_no_shared_strategy() -> None:
    # Each is private by itself, with a cycle that fixes the shift of the first step.
    found = shared_cost(two_branches())
    assert found.is_infinite
    assert [found.lower, found.upper, found.value, found.separate] == [None, None, None, 2]
    assert found.shifts == ()


@pytest.mark.parametrize("model", [leaking_pair(), leaking_cycle()])
def test_a_branch_that_is_not_private_has_none_either(model: Program) -> None:
    found = shared_cost(model)
    assert found.is_infinite
    assert found.separate is None


def test_a_step_on_a_cycle_follows_its_inputs_elsewhere_too() -> None:
    # The same test is on a cycle in one program and not in the other; there it forces the shift as well.
    once = program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(step(BELOW, "q2"), rate=5)})
    loop = program(
        {
            "p0": state(step(TRUE, "q1", "start", assign=True)),
            "q1": state(step(BELOW, "q1"), step(ABOVE, "q2", "p"), rate=5),
        }
    )
    branches = [*looping_branches(once), *looping_branches(loop)]
    assert compare(branches).value == 12


def test_the_search_may_end_with_an_interval() -> None:
    model = tree_of_assignments(3)
    exact = shared_cost(model).value
    assert exact is not None
    found = shared_cost(model, most=4)
    assert found.value is None
    assert not found.is_infinite
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= exact <= found.upper


def tree_of_assignments(depth: int) -> Program:
    states = {"q0": state(step(TRUE, "q1", assign=True), rate=2)}
    for k in range(1, 2**depth):
        cases = step(BELOW, f"q{2 * k}", assign=True), step(ABOVE, f"q{2 * k + 1}", "p", assign=k % 3 > 0)
        states[f"q{k}"] = state(*cases, rate=1 + k % 3)
    return program(states)


def test_the_answer_as_text() -> None:
    text = "one strategy for 2 looping branches costs 3·ε; one for each costs 2·ε"
    assert str(shared_cost(sharing_pair(2))) == text
    text = "one strategy for 2 looping branches has no finite cost; one for each costs 2·ε"
    assert str(shared_cost(two_branches())) == text
    assert str(shared_cost(leaking_pair())) == "one strategy for 1 looping branch has no finite cost"
    unfinished = str(shared_cost(tree_of_assignments(3), most=4))
    assert unfinished.startswith("one strategy for 8 looping branches costs between 4·ε and ")


def test_what_cannot_be_asked() -> None:
    with refuses("nothing-to-share"):
        shared_cost()
    with refuses("nothing-to-share"):
        cost_of_branches([])
    with pytest.raises(TooManyBranches):
        shared_cost(chain_of_tests(2_000))
    with pytest.raises(StoringCycle):
        shared_cost(svt(), counterexample("overwriting"))


def test_shared_shifts_need_not_be_integers() -> None:
    start, below, above, more, _ = chain_of_tests(2).edges
    branches = [branch_along([start, above]), branch_along([start, below, more])]
    found = compare(branches)
    assert found.value == Fraction(2, 3)
    assert {abs(shift) for shift in found.shifts} == {Fraction(1, 3)}
    assert found.separate == Fraction(1, 2)


@pytest.mark.parametrize(
    "seeds", [range(16), pytest.param(range(16, 100), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_z3_agrees_about_trees(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        model = tree(Random(seed))
        branches = looping_branches(model)
        cost = shared_cost(model).value
        if cost is not None and all(is_straight(branch) for branch in branches):
            compared += cost != 0
            paths: list[list[int | str]] = [[edge.number for edge in branch.edges] for branch in branches]
            for theta, reached in ((cost, True), (cost + Fraction(1, 1000), False)):
                script = encode(model, "shared-cost", theta=theta, paths=paths)
                assert solve(script).status == (SAT if reached else UNSAT), seed
    assert compared > len(seeds) / 4
