"""Horn clauses against the decision by facts, and by tokens where there are several variables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover import zoo
from prover.program.decision.boundedness import decide
from prover.program.decision.facts import FactTable
from prover.program.decision.tokens import TokenTable
from prover.program.model import Program
from prover.program.order_graph import order_graph
from prover.program.smt import horn
from prover.program.smt.horn import horn_answer, horn_script
from prover.smt.solver import SAT, UNSAT, solve
from prover.zoo.several import BOUNDED, UNBOUNDED
from tests.profiles import thinned
from tests.program.automata import leaning, random_program
from tests.program.several_examples import drawn, forked_program
from tests.program.several_examples import random_program as random_several
from tests.program_examples import TRUE, program, state, step, two_branches
from tests.refusals import refuses
from tests.smt.second_opinion import confirm, other_solvers


def is_private(model: Program) -> bool:
    return horn_answer(order_graph(model)).satisfiable


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [range(200), range(200, 400), pytest.param(range(400, 1000), marks=pytest.mark.slow)],
    ids=str,
)
def test_clauses_agree_with_facts(seeds: range) -> None:
    for seed in thinned(seeds):
        model = random_program(seed)
        verdict = decide(model)
        answer = horn_answer(order_graph(model))
        assert answer.satisfiable is verdict.bounded, seed
        if isinstance(verdict.table, FactTable):  # the least model, so true in every model
            index = {name: k for k, name in enumerate(sorted(verdict.table.components))}
            least = {f"{fact}.{index[name]}" for name, facts in verdict.table.facts.items() for fact in facts}
            assert least <= set(answer.true), seed


@pytest.mark.thorough
@pytest.mark.parametrize("count", [16, pytest.param(120, marks=pytest.mark.slow)])
def test_clauses_agree_with_tokens(count: int) -> None:
    seen = {(private, single): 0 for private in (True, False) for single in (True, False)}
    models = [random_several(Random(seed)) for seed in range(count)]
    models += [forked_program(Random(seed)) for seed in range(count)]
    for seed, model in enumerate(models):
        found = decide(model)
        assert horn_answer(found.graph).satisfiable is found.bounded, seed
        single = isinstance(found.table, TokenTable) and found.table.single
        seen[found.bounded, single] += 1
    assert seen[True, True] > count / 2
    assert seen[False, False] > count / 6
    assert seen[True, False] > 0  # only pairs of tokens tell


@pytest.mark.parametrize("seeds", [range(16), pytest.param(range(16, 400), marks=pytest.mark.slow)], ids=str)
def test_clauses_know_what_noise_on_one_side_demands(seeds: range) -> None:
    """Programs of one variable, and of several, none of which compares without input."""
    seen = Counter[bool]()
    for seed in seeds:
        if seed % 2:
            model = leaning(random_program(seed, 4), seed)
            graph, private = order_graph(model), decide(model).bounded
        else:
            model = drawn(seed)
            found = decide(model)
            graph, private = found.graph, found.bounded
        if all(edge.input or not edge.bounds for edge in model.edges):
            assert horn_answer(graph).satisfiable is private, seed
            seen[private] += 1
    assert min(seen.values()) > len(seeds) / 6


def test_a_number_without_noise_on_a_side_is_named() -> None:
    model = program({"q": state(step(TRUE, "end", "insample", assign=True))})
    bare = replace(model.states["q"], rate=None, rate_left="inf", rate_right=Fraction(1))
    answer = horn_answer(order_graph(replace(model, states={"q": bare})))
    assert answer.core == ("edge 0 outputs a number without noise on a side",)


@pytest.mark.family
@pytest.mark.parametrize("shows", BOUNDED + UNBOUNDED)
def test_no_shortcut_is_taken(shows: str) -> None:
    """Programs that refute rules which look simpler: for each of them some wrong formula would say so."""
    script = horn_script(order_graph(zoo.counterexample(shows)))
    found = solve(script)
    assert found.status == (SAT if shows in BOUNDED else UNSAT)
    assert confirm(script, found).confirmed is (found.status == SAT or bool(other_solvers()))


@pytest.mark.parametrize(("name", "private"), [("num-range", True), ("k-min-max", True), ("m-range", True)])
def test_programs_of_the_zoo(name: str, private: bool) -> None:
    assert is_private(zoo.build_program(name)) is private


def test_a_range_that_outputs_its_values_on_a_cycle() -> None:
    answer = horn_answer(order_graph(zoo.num_range("insample")))
    assert not answer.satisfiable


def test_a_core_explains_a_no() -> None:
    answer = horn_answer(order_graph(zoo.build_program("svt-star")))
    assert not answer.satisfiable
    kinds = [name.split(" ", 2)[2] for name in answer.core]
    assert kinds[0].startswith("adds lo1") or kinds[0].startswith("adds hi1")
    assert any(" against " in kind for kind in kinds)


def test_a_core_explains_where_two_loops_meet() -> None:
    answer = horn_answer(order_graph(zoo.counterexample("sequence")))
    assert not answer.satisfiable
    assert any(" to " in name and " adds " in name for name in answer.core), "a pair is made"
    assert any(" excludes " in name for name in answer.core), "and comes together"


@pytest.mark.slow
@pytest.mark.parametrize("count", [15, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variables", ["one", "several"])
def test_a_core_is_contradictory_by_itself(variables: str, count: int) -> None:
    checked = 0
    for seed in range(count):
        model = random_program(seed) if variables == "one" else random_several(Random(seed))
        script = horn_script(order_graph(model))
        answer = horn_answer(order_graph(model))
        if not answer.satisfiable:
            checked += 1
            fewer = [
                line
                for line in script.splitlines()
                if not line.startswith("(assert ") or line.split("|")[1] in answer.core
            ]
            assert solve("\n".join(fewer)).status == UNSAT
    assert checked > count / 6


def test_too_many_facts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horn, "MOST_FACTS", 50)
    with refuses("too-many-facts", match="would have 60 variables for this program, more than 50"):
        horn_script(order_graph(zoo.counterexample()))


def test_two_branches_do_not_mix() -> None:
    assert is_private(two_branches())


def test_the_text_is_the_same_every_time_and_names_no_state_in_its_symbols() -> None:
    model = program({"a|b ü": state(step(TRUE, "(c)", assign=True)), "(c)": state(step(TRUE, "end"))})
    script = horn_script(order_graph(model))
    assert script == horn_script(order_graph(model))
    assert script.isascii()
    assert is_private(model)
    body = [line for line in script.splitlines() if not line.startswith(";")]
    assert not any("a|b" in line or "(c)" in line for line in body)
