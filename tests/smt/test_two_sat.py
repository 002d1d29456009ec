"""2-SAT for looping branches against the decision for the programs that they make up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from prover import zoo
from prover.program.decision.boundedness import decide
from prover.program.model import Program
from prover.smt.propositional import PropositionalAnswer, ask
from prover.smt.two_sat import BranchStep, branch_script
from tests.program.automata import random_program
from tests.program.branches import branches
from tests.program_examples import disclosing_cycle, numeric_sparse_with_insample, two_branches
from tests.refusals import refuses

pytestmark = pytest.mark.thorough

START = BranchStep("", True, "o", True, None)


def item(relation: str, output: str = "o", *, assigns: bool = False, cycle: int | None = None) -> BranchStep:
    return BranchStep(relation, assigns, output, True, cycle)


def branch_answer(steps: Sequence[BranchStep]) -> PropositionalAnswer:
    """What Z3 says about the clauses of a branch."""
    return ask(branch_script(steps))


def shifts(answer: PropositionalAnswer, count: int) -> tuple[int, ...]:
    """The shifts of the ``count`` steps of a branch in a satisfiable answer."""
    true = set(answer.true)
    return tuple((f"a.{i}" in true) + (f"b.{i}" in true) - 1 for i in range(count))


def are_good(steps: Sequence[BranchStep], chosen: Sequence[int]) -> bool:
    """Whether shifts make a strategy of bounded cost for a branch without leaking or disclosing cycles."""
    at = 0
    for i, (part, shift) in enumerate(zip(steps, chosen, strict=True)):
        if part.output == "insample" and shift != 0:
            return False
        if part.relation == "<" and (shift > chosen[at] or (part.cycle is not None and chosen[at] != 1)):
            return False
        if part.relation == ">=" and (shift < chosen[at] or (part.cycle is not None and chosen[at] != -1)):
            return False
        at = i if part.assigns else at
    return True


def is_private(model: Program) -> bool:
    return all(branch_answer(branch).satisfiable for branch in branches(model))


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [range(100), pytest.param(range(100, 600), marks=pytest.mark.slow)],
    ids=str,
)
def test_a_program_is_private_if_its_branches_are(seeds: range) -> None:
    for seed in seeds:
        model = random_program(seed, largest=4)
        assert is_private(model) is decide(model).bounded, seed


@pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 400), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_satisfying_assignments_are_strategies_and_unsatisfiable_branches_have_none(seeds: range) -> None:
    found = {True: 0, False: 0}
    for seed in seeds:
        for branch in branches(random_program(seed, largest=4)):
            answer = branch_answer(branch)
            refused = any(" on a cycle" in name for name in answer.core)
            if answer.satisfiable:
                assert are_good(branch, shifts(answer, len(branch))), seed
                found[True] += 1
            elif not refused and len(branch) <= 6:
                assert not any(are_good(branch, chosen) for chosen in product((-1, 0, 1), repeat=len(branch)))
                found[False] += 1
    assert min(found.values()) > len(seeds) / 10


def test_the_core_of_numeric_sparse_that_outputs_insample() -> None:
    (branch,) = branches(numeric_sparse_with_insample())
    assert branch_answer(branch).core == (
        "step 1, tests <, is on cycle 1",
        "step 2, tests >=, outputs insample",
    )


def test_cores_name_leaking_and_disclosing_cycles() -> None:
    (branch,) = branches(disclosing_cycle())
    assert branch_answer(branch).core == ("step 1 discloses its input on a cycle",)
    leaking = [START, item("", assigns=True, cycle=1), item("<", cycle=1)]
    assert branch_answer(leaking).core == ("step 2 tests on a cycle that assigns",)


def test_zero_counts() -> None:
    """Chains from 1 to 0 and from 0 to -1, which the printed graph does not see."""
    rising = [START, item("<", cycle=1), item(">=", "insample", assigns=True)]
    assert not branch_answer(rising).satisfiable
    assert branch_answer([START, item("<", cycle=1), item(">=", assigns=True)]).satisfiable
    after = [START, item("<", "insample"), item(">=", cycle=1)]
    assert not branch_answer(after).satisfiable
    assert branch_answer([START, item("<", "insample"), item("<", cycle=1)]).satisfiable


def test_shifts_of_a_chain() -> None:
    chain = [START, item("<", cycle=1), item(">=", assigns=True), item(">=", assigns=True)]
    assert shifts(branch_answer(chain), 4)[0] == 1
    assert shifts(branch_answer(chain), 4)[2:] == (1, 1)
    assert not branch_answer([*chain, item(">=", cycle=2)]).satisfiable
    assert branch_answer([*chain, item("<", cycle=2)]).satisfiable


def test_branches_are_judged_one_by_one() -> None:
    both = branches(two_branches())
    assert [branch_answer(branch).satisfiable for branch in both] == [True, True]
    mixed = [*both[0], *both[1][1:]]
    assert not branch_answer(mixed).satisfiable


def test_published_programs() -> None:
    names = ["svt", "numeric-sparse", "lyu-1", "lyu-2", "lyu-3", "lyu-4", "lyu-6", "svt-star"]
    for model in map(zoo.build_program, names):
        assert is_private(model) is decide(model).bounded


def test_a_test_needs_a_stored_value() -> None:
    with refuses("nothing-stored", match="step 0"):
        branch_script([item("<")])


def test_the_text_says_what_the_answers_mean() -> None:
    script = branch_script([START, item("<", cycle=1)])
    assert script.startswith("; sat: the looping branch is private (all-differ); unsat: it is not\n")
    assert "(assert (! (and (=> b.1 a.1) (=> a.1 a.0) (=> b.1 b.0) b.0) :named" in script
