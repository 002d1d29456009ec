"""Shifts and multipliers of single runs, against all shifts and the definition of loads."""

from fractions import Fraction
from random import Random

import pytest

from prover.errors import Fault
from prover.program.decision.blocks import Block, total
from prover.program.model import Edge, Program
from prover.program.optimum.duals import run_optimum
from prover.program.optimum.transfer import scale_of
from prover.program.optimum.weighed import Weighed
from prover.program.optimum.witness import RunPart, finite_witness
from prover.program.shifts import Shift
from tests.program.automata import allowed, price
from tests.program.automata import optimum as least_cost
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_oracle import straight_line

LINES = range(300)


def random_run(seed: int) -> list[tuple[Edge, int]]:
    random = Random(seed)
    edges = straight_line(random, random.randint(1, 9)).edges
    ordered = sorted(edges, key=lambda edge: int(edge.source[1:]))
    return [(edge, random.choice([-1, 0, 1]) if edge.input else 0) for edge in ordered]


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ"])
def test_shifts_and_multipliers_attain_the_least_cost(adjacency: str) -> None:
    for seed in LINES:
        run = random_run(seed)
        scale = scale_of([edge for edge, _ in run], adjacency)
        found = finite_witness([RunPart(((edge, delta),)) for edge, delta in run], scale)
        assert found.loss == least_cost(run), seed
        assert total([Block(repeat=False, steps=found.steps)]).constant == found.loss
        stored: Shift = 0
        cost = Fraction(0)
        for (edge, delta), shift in zip(run, found.shifts, strict=True):
            assert allowed(edge, shift, stored)
            cost += price(edge, delta, shift)
            stored = shift if edge.assigns else stored
        assert cost == found.loss


def loop() -> Program:
    return program(
        {
            "q0": state(step(TRUE, "q1", assign=True), rate=5),
            "q1": state(step(BELOW, "q1"), step(ABOVE, "q2", "otop"), rate="1/3"),
            "q2": state(step(TRUE, "q3", "insampleprime"), rate_prime="1/2"),
        }
    )


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_a_repeated_step_counts_as_often_as_it_is_repeated(count: int) -> None:
    first, below, above, last = loop().edges
    scale = scale_of(loop().edges, "all-differ")
    once = [RunPart((step,)) for step in ((first, -1), (above, -1), (last, 1))]
    found = finite_witness([once[0], RunPart(((below, 1),), count, is_loop=True), *once[1:]], scale)
    assert found.turns == ((1, 1), (1, count), (1, 1), (1, 1))
    assert found.length == count + 3
    assert found.loss == least_cost([(first, -1), *[(below, 1)] * count, (above, -1), (last, 1)])
    long = [found.steps[0], *[found.steps[1]] * count, *found.steps[2:]]
    assert total([Block(repeat=False, steps=tuple(long))]).constant == found.loss


def test_the_first_step_stores_something_and_its_guard_does_not_count() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q1", assign=True), step(ABOVE, "q2", "otop")),
        }
    )
    _, below, above = model.edges
    found = run_optimum([Weighed(below, 1, 4, 4), Weighed(above, -1, 3, 3)])
    assert found is not None
    assert found.cost == 6
    with pytest.raises(Fault):
        run_optimum([Weighed(above, -1, 3, 3), Weighed(below, 1, 4, 4)])


def test_a_run_without_valid_shifts_has_no_optimum() -> None:
    """What is stored has a shift of at least 1, and what is above it one of at most −1."""
    first, _, above, _ = loop().edges
    assert run_optimum([Weighed(first, 1, None, 2), Weighed(above, -1, 1, None)]) is None


def test_no_steps_cost_nothing() -> None:
    found = run_optimum([])
    assert found is not None
    assert found.cost == 0
