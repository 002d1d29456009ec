"""Shifts and multipliers of single runs, against all shifts and the definition of loads."""

from fractions import Fraction
from random import Random

import pytest

from prover.errors import Fault
from prover.program.decision.pumping import Block, total
from prover.program.model import Edge, Program
from prover.program.optimum.duals import Weighed, optimum
from prover.program.optimum.optimum import witness_of
from prover.program.optimum.transfer import arc_of, scale_of
from prover.program.optimum.witness import Turns
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
        found = witness_of([Turns((arc_of(edge, delta, scale),)) for edge, delta in run], scale)
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
    arcs = [arc_of(edge, delta, scale) for edge, delta in ((first, -1), (below, 1), (above, -1), (last, 1))]
    parts = [Turns((arcs[0],)), Turns((arcs[1],), count, is_loop=True), *(Turns((arc,)) for arc in arcs[2:])]
    found = witness_of(parts, scale)
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
    assert optimum([Weighed(below, 1, 4, 4), Weighed(above, -1, 3, 3)]).cost == 6
    with pytest.raises(Fault):
        optimum([Weighed(above, -1, 3, 3), Weighed(below, 1, 4, 4)])


def test_no_steps_cost_nothing() -> None:
    assert optimum([]).cost == 0
