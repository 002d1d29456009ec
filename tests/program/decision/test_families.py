"""Families of runs: expanded turn by turn, their totals are compared with minima over all shifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from prover import zoo
from prover.errors import Fault
from prover.program.adjacency import extreme_points
from prover.program.decision.blocks import NOTHING, Block, Linear, RunStep, total, under
from prover.program.decision.boundedness import decide
from prover.program.model import Edge
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from tests.profiles import thinned
from tests.program.automata import is_run, optimum, optimum_by_enumeration, random_program
from tests.program_examples import ABOVE, BELOW, TRUE, disclosing_cycle, program, state, step
from tests.refusals import refuses

Expanded = list[tuple[Edge, int, Fraction]]


def expanded(blocks: Sequence[Block], turns: int) -> Expanded:
    """The run with N turns of each repeated block: edges, differences, multipliers as numbers."""
    run = []
    for block in blocks:
        for _ in range(turns if block.repeat else 1):
            for item in block.steps:
                dual = item.duals[0] if item.duals else NOTHING
                number = dual.constant + turns * dual.slope
                run.append((item.edge, item.delta, number))
    return run


def proved(run: Expanded) -> Fraction:
    """What the multipliers of a single run prove, by definition; fails if they prove nothing."""
    loads = [Fraction(0)] * len(run)
    at = -1
    for i, (edge, _, multiplier) in enumerate(run):
        assert multiplier >= 0
        assert edge.relation or multiplier == 0
        if multiplier:
            sign = {"<": 1, ">=": -1}[edge.relation]
            loads[i] += sign * multiplier
            loads[at] -= sign * multiplier
        if edge.assigns:
            at = i
    answer = Fraction(0)
    for (edge, delta, _), load in zip(run, loads, strict=True):
        assert delta in (0, *extreme_points("all-differ", edge.input))
        if edge.output == INSAMPLE:
            answer += edge.rate * abs(delta)
        else:
            assert abs(load) <= edge.rate
            answer += load * delta
        if edge.output == INSAMPLE_PRIME and edge.rate_prime is not None:
            answer += edge.rate_prime * abs(delta)
    return answer


@pytest.mark.family
@pytest.mark.parametrize("block", range(10))
def test_every_no_has_a_family_that_grows(block: int) -> None:
    found = 0
    for seed in range(block * 400, block * 400 + 400):
        model = random_program(seed)
        verdict = decide(model)
        if verdict.bounded:
            continue
        found += 1
        blocks = verdict.family
        loss = total(blocks)
        assert loss.slope > 0
        assert all(part.steps for part in blocks)
        costs = []
        for turns in (1, 2, 3):
            run = expanded(blocks, turns)
            assert is_run(model, [edge for edge, _, _ in run]), seed
            assert proved(run) == loss.constant + turns * loss.slope, seed
            costs.append(optimum([(edge, delta) for edge, delta, _ in run]))
            assert costs[-1] >= proved(run), seed
        assert costs[2] > costs[0], seed
    assert found > 100


@pytest.mark.thorough
def test_the_cost_by_recursion_is_that_by_enumeration() -> None:
    compared = 0
    for seed in thinned(range(600)):
        verdict = decide(random_program(seed))
        if not verdict.bounded:
            blocks = verdict.family
            run = [(edge, delta) for edge, delta, _ in expanded(blocks, 2)]
            if len(run) <= 6:
                compared += 1
                assert optimum(run) == optimum_by_enumeration(run)
    assert compared > 30


def test_the_growth_is_what_the_rates_allow() -> None:
    """With rates 1/2 and 1/3 on the two cycles of a pair, 1/3 of each is lost again in every turn."""
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), rate=7),
            "q1": state(step(BELOW, "q1"), step(ABOVE, "q2", "p"), rate="1/2"),
            "q2": state(step(ABOVE, "q2"), rate="1/3"),
        }
    )
    blocks = decide(model).family
    assert total(blocks) == Linear(Fraction(0), Fraction(2, 3))
    assert [part.repeat for part in blocks] == [False, True, False, True]


def test_a_cycle_that_tests_and_assigns_at_once_takes_two_turns() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q2", assign=True), rate="2/5"),
            "q2": state(step(TRUE, "q1"), input=False, rate=3),
        }
    )
    blocks = decide(model).family
    assert total(blocks).slope == Fraction(4, 5)
    (block,) = [part for part in blocks if part.repeat]
    assert [
        (item.edge.source, item.delta, item.duals[0].constant if item.duals else 0) for item in block.steps
    ] == [
        ("q1", -1, 0),
        ("q2", 0, 0),
        ("q1", 1, Fraction(2, 5)),
        ("q2", 0, 0),
    ]


def test_a_public_assignment_limits_a_leaking_cycle_too() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(TRUE, "q2", assign=True), input=False, rate="1/5"),
            "q2": state(step(ABOVE, "q1"), rate=4),
        }
    )
    blocks = decide(model).family
    assert total(blocks).slope == Fraction(1, 5)


def test_a_value_that_is_output_carries_any_load() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", INSAMPLE, assign=True), rate="1/100"),
            "q1": state(step(ABOVE, "q1"), rate=5),
        }
    )
    blocks = decide(model).family
    assert total(blocks).slope == 5


@pytest.mark.parametrize(("output", "growth"), [(INSAMPLE, 1), (INSAMPLE_PRIME, 2)])
def test_disclosing_cycles_lose_the_rate_of_what_they_output(output: str, growth: int) -> None:
    model = disclosing_cycle(output)
    loop = replace(model.states["q1"], rate_prime=Fraction(2))
    blocks = decide(program({**model.states, "q1": loop})).family
    assert total(blocks).slope == growth


def test_other_adjacencies_have_smaller_differences() -> None:
    family = decide(zoo.build_program("violating-path-c")).family
    increasing = under(family, "increasing")
    assert total(increasing).slope > 0
    assert all(item.delta >= 0 for block in increasing for item in block.steps)
    assert not under(family, "decreasing")  # an L-cycle loses nothing where inputs only fall
    assert not under(family, "one-differ")
    with refuses("unknown-adjacency"):
        under(family, "all")


@pytest.mark.parametrize(
    ("where", "multiplier"),
    [
        ((0, 0), Linear(Fraction(1))),  # the guard is true
        ((1, 0), Linear(Fraction(9))),  # more than the rate
        ((0, 1), Linear(slope=Fraction(1))),  # grows, but nothing answers it
    ],
)
def test_wrong_multipliers_are_noticed(where: tuple[int, int], multiplier: Linear) -> None:
    edges = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q2")),
            "q2": state(step(ABOVE, "q2")),
        }
    ).edges
    blocks = [Block(False, (RunStep(edges[0]), RunStep(edges[1]))), Block(True, (RunStep(edges[2]),))]
    assert total(blocks) == Linear()
    b, k = where
    steps = list(blocks[b].steps)
    steps[k] = replace(steps[k], duals=(multiplier,))
    blocks[b] = Block(blocks[b].repeat, tuple(steps))
    with pytest.raises(Fault, match="transition"):
        total(blocks)


def test_a_multiplier_may_not_reach_into_an_earlier_repeated_block() -> None:
    edges = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(TRUE, "q1", assign=True), step(BELOW, "end")),
        }
    ).edges
    after = RunStep(edges[2], duals=(Linear(Fraction(1)),))
    with pytest.raises(Fault, match="transition 2 may not have a multiplier"):
        total([Block(False, (RunStep(edges[0]),)), Block(True, (RunStep(edges[1]),)), Block(False, (after,))])
