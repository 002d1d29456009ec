"""Horn clauses against the decision by facts."""

from __future__ import annotations

import pytest

from prover import zoo
from prover.program.decision.facts import decide
from prover.program.graph import components
from prover.program.model import Program
from prover.smt.horn import horn_answer, horn_script
from tests.program.automata import random_program
from tests.program_examples import TRUE, program, state, step, two_branches

pytestmark = pytest.mark.thorough


def is_private(model: Program) -> bool:
    return horn_answer(model.edges, components(model).number).satisfiable


@pytest.mark.parametrize("block", range(5))
def test_clauses_agree_with_facts(block: int) -> None:
    for seed in range(block * 200, block * 200 + 200):
        model = random_program(seed)
        verdict, numbers = decide(model), components(model).number
        answer = horn_answer(model.edges, numbers)
        assert answer.satisfiable is verdict.private, seed
        if verdict.facts is not None:  # the least model, so true in every model
            index = {name: k for k, name in enumerate(numbers)}
            least = {f"{fact}.{index[name]}" for name, facts in verdict.facts.items() for fact in facts}
            assert least <= set(answer.true), seed


def test_a_core_explains_a_no() -> None:
    model = zoo.build_program("svt-star")
    answer = horn_answer(model.edges, components(model).number)
    assert not answer.satisfiable
    kinds = [name.split(" ", 2)[2] for name in answer.core]
    assert kinds[0].startswith("adds lo1") or kinds[0].startswith("adds hi1")
    assert any(" against " in kind for kind in kinds)


def test_a_core_is_contradictory_by_itself() -> None:
    checked = 0
    for seed in range(200):
        model = random_program(seed)
        numbers = components(model).number
        answer = horn_answer(model.edges, numbers)
        if not answer.satisfiable:
            checked += 1
            assert answer.core
            used = {int(name.split()[1]) for name in answer.core if name.startswith("edge")}
            fewer = [edge for edge in model.edges if edge.number in used]
            assert not horn_answer(fewer, numbers).satisfiable
    assert checked > 50


def test_two_branches_do_not_mix() -> None:
    assert is_private(two_branches())


def test_the_text_is_the_same_every_time_and_names_no_state_in_its_symbols() -> None:
    model = program({"a|b ü": state(step(TRUE, "(c)", assign=True)), "(c)": state(step(TRUE, "end"))})
    numbers = components(model).number
    script = horn_script(model.edges, numbers)
    assert script == horn_script(model.edges, dict(numbers))
    assert script.isascii()
    assert is_private(model)
    body = [line for line in script.splitlines() if not line.startswith(";")]
    assert not any("a|b" in line or "(c)" in line for line in body)
