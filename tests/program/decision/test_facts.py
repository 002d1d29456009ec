"""The decision by facts: against costs, against the four structures, against other encodings, by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from prover import zoo
from prover.program.decision.boundedness import decide
from prover.program.decision.facts import FactTable
from prover.program.model import Program
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from prover.program.privacy import privacy
from tests.profiles import everything, thinned
from tests.program.automata import bound, mirrored, random_program, worst_cost
from tests.program.branches import edges_of_branches, printed_graph, says_private
from tests.program.structures import structures
from tests.program_examples import (
    ABOVE,
    BELOW,
    TRUE,
    disclosing_cycle,
    numeric_sparse_with_insample,
    program,
    published_numeric_sparse,
    state,
    step,
    two_branches,
)

START = {"q0": state(step(TRUE, "q1", assign=True))}


def facts_of(model: Program) -> dict[str, tuple[str, ...]]:
    table = decide(model).table
    assert isinstance(table, FactTable)
    return dict(table.facts)


@pytest.mark.parametrize("block", range(10))
def test_private_means_bounded_cost(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        model = random_program(seed, largest=4)
        assert decide(model).bounded is (worst_cost(model) is not None), seed


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_private_means_bounded_cost_on_many_programs(block: int) -> None:
    for seed in range(10_000 + block * 250, 10_000 + block * 250 + 250):
        model = random_program(seed)
        assert decide(model).bounded is (worst_cost(model) is not None), seed


@pytest.mark.parametrize("block", range(10))
def test_facts_agree_with_the_four_structures(block: int) -> None:
    for seed in range(block * 500, block * 500 + 500):
        model = random_program(seed)
        verdict, found = decide(model), structures(model)
        assert verdict.bounded is (not found), seed
        if found:
            assert verdict.reason == found[0].name, seed


def test_the_random_programs_show_every_reason() -> None:
    seeds = range(5_000 if everything() else 1_500)
    kinds = Counter(decide(random_program(seed)).reason for seed in seeds)
    assert set(kinds) == {
        "privacy violating path", "leaking pair", "leaking cycle", "disclosing cycle", None
    }  # fmt: skip
    assert kinds[None] > len(seeds) // 5


def test_swapping_the_relations_keeps_verdict_and_reason() -> None:
    for seed in thinned(range(2_000)):
        model = random_program(seed)
        verdict, other = decide(model), decide(mirrored(model))
        assert (verdict.bounded, verdict.reason) == (other.bounded, other.reason), seed


def test_names_and_unreachable_states_do_not_matter() -> None:
    leak = state(step(BELOW, "zz", INSAMPLE, assign=True), step(ABOVE, "q1"))
    for seed in thinned(range(300)):
        model = random_program(seed)
        more = Program(model.initial, {**model.states, "zz": leak})
        assert decide(more).bounded is decide(model).bounded
        renamed = {name: "z" + str(9 - int(name[1:])) for name in model.states}
        states = {
            renamed[name]: state(
                *(
                    step(t.guard, renamed.get(t.target, t.target), str(t.output), bool(t.assign))
                    for t in reversed(old.transitions)
                ),
                rate=old.rate or 1,
                rate_prime=old.rate_prime,
                input=old.input,
            )
            for name, old in model.states.items()
        }
        verdict = decide(Program(renamed[model.initial], states))
        assert (verdict.bounded, verdict.reason) == (decide(model).bounded, decide(model).reason)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("svt", None),
        ("numeric-sparse", None),
        ("lyu-1", None),
        ("lyu-2", None),
        ("lyu-3", "privacy violating path"),
        ("lyu-4", None),
        ("lyu-6", "leaking pair"),
        ("numeric-svt", None),
        ("svt-star", "leaking pair"),
        ("leaking-cycle", "leaking cycle"),
        ("leaking-pair", "leaking pair"),
        ("disclosing-cycle", "disclosing cycle"),
        ("violating-path-a", "privacy violating path"),
        ("violating-path-b", "privacy violating path"),
        ("violating-path-c", "privacy violating path"),
        ("chain-of-tests", None),
        ("partition", None),
    ],
)
def test_published_programs(name: str, expected: str | None) -> None:
    found = decide(zoo.build_program(name))
    assert (found.bounded, found.reason) == (expected is None, expected)


@pytest.mark.parametrize("letter", "abc")
def test_mirror_images_of_violating_paths(letter: str) -> None:
    model = zoo.build_program(f"violating-path-{letter}", mirror="yes")
    assert decide(model).reason == "privacy violating path"


def test_the_published_numeric_sparse_is_private() -> None:
    assert facts_of(published_numeric_sparse(private_threshold=True)) == {"q1": ("lo1",)}


def test_facts_of_a_loop_and_what_hands_them_on() -> None:
    model = program(
        {
            **START,
            "q1": state(step(BELOW, "q1"), step(ABOVE, "q2", assign=True)),
            "q2": state(step(BELOW, "q3"), step(ABOVE, "q4", assign=True)),
            "q3": state(step(ABOVE, "q5", INSAMPLE, assign=False)),
            "q4": state(step(TRUE, "q5", assign=True)),
        }
    )
    answer = privacy(model)
    assert answer.reason == "privacy violating path"
    assert answer.states == ("q1", "q2", "q3", "q5")
    harmless = program({**model.states, "q3": state(step(ABOVE, "q5"))})
    assert facts_of(harmless) == dict.fromkeys(("q1", "q2", "q3", "q4"), ("lo1",))


def test_an_output_value_is_known_to_be_unshifted() -> None:
    first = {"q0": state(step(TRUE, "q1", INSAMPLE, assign=True))}
    assert facts_of(program({**first, "q1": state(step(BELOW, "end"))})) == {"q1": ("hi0", "lo0")}
    assert decide(program({**first, "q1": state(step(BELOW, "q1"))})).reason == "privacy violating path"


def test_old_facts_of_different_runs_do_not_contradict_each_other() -> None:
    model = program(
        {
            **START,
            "q1": state(step(BELOW, "q2"), step(ABOVE, "q3")),
            "q2": state(step(BELOW, "q2"), step(ABOVE, "q4")),
            "q3": state(step(ABOVE, "q3"), step(BELOW, "q4")),
            "q4": state(step(BELOW, "end"), step(ABOVE, "end", "p")),
        }
    )
    assert facts_of(model) == {"q2": ("lo1",), "q3": ("hi1",), "q4": ("hi1", "lo1")}
    assert worst_cost(model) is not None
    again = program({**model.states, "q4": state(step(BELOW, "q4"), step(ABOVE, "end"))})
    assert decide(again).reason == "leaking pair"
    assert worst_cost(again) is None


def test_public_cycles_may_output_and_assign() -> None:
    model = program(
        {
            **START,
            "q1": state(step(TRUE, "q1", INSAMPLE, assign=True), step(TRUE, "q2"), input=False),
            "q2": state(step(BELOW, "end", INSAMPLE)),
        }
    )
    assert facts_of(model) == {"q1": ("hi0", "lo0"), "q2": ("hi0", "lo0")}
    assert worst_cost(model) == 2


def test_a_public_assignment_on_a_cycle_with_a_test_leaks() -> None:
    model = program(
        {
            **START,
            "q1": state(step(TRUE, "q2", assign=True), input=False),
            "q2": state(step(BELOW, "q1")),
        }
    )
    assert decide(model).reason == "leaking cycle"
    assert worst_cost(model) is None


@pytest.mark.parametrize("output", [INSAMPLE, INSAMPLE_PRIME])
def test_disclosing_cycles(output: str) -> None:
    model = disclosing_cycle(output)
    assert decide(model).reason == "disclosing cycle"
    assert privacy(model).states == ("q1",)


# The two errors of the printed privacy constraint graphs.


def test_the_printed_graph_of_a_branch_lacks_zero() -> None:
    model = numeric_sparse_with_insample()
    assert all(says_private(printed_graph(model, branch)) for branch in edges_of_branches(model))
    assert not decide(model).bounded
    assert worst_cost(model) is None


@pytest.mark.parametrize("output", [INSAMPLE, INSAMPLE_PRIME])
def test_the_printed_graph_overlooks_disclosing_cycles(output: str) -> None:
    model = disclosing_cycle(output)
    assert all(says_private(printed_graph(model, branch)) for branch in edges_of_branches(model))
    assert not decide(model).bounded
    assert worst_cost(model) is None


def test_the_printed_graph_overlooks_leaking_cycles() -> None:
    model = program(
        {
            **START,
            "q1": state(step(TRUE, "q2", assign=True)),
            "q2": state(step(BELOW, "q1")),
        }
    )
    assert all(says_private(printed_graph(model, branch)) for branch in edges_of_branches(model))
    assert decide(model).reason == "leaking cycle"
    assert worst_cost(model) is None


def test_the_union_of_the_printed_graphs_mixes_branches() -> None:
    model = two_branches()
    graphs = [printed_graph(model, branch) for branch in edges_of_branches(model)]
    assert all(says_private(graph) for graph in graphs)
    assert not says_private(set().union(*graphs))
    assert decide(model).bounded
    assert worst_cost(model) == Fraction(2) < bound(model)
