"""Support functions bound what values weigh, and tell which are worth keeping."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.program.decision.families import endless_family
from prover.program.decision.tokens import Cycles
from prover.program.graph import components
from prover.program.model import Program
from prover.program.optimum import refinement, support
from prover.program.optimum.budget import Budget
from prover.program.optimum.cells import divide
from prover.program.optimum.closure import TableLimits, closure, past_of, rest_of
from prover.program.optimum.refinement import enclose
from prover.program.optimum.staircases import Staircases, StairCells
from prover.program.optimum.transfer import scale_of
from prover.program.order_graph import order_graph
from prover.zoo import random_program
from tests.profiles import examples
from tests.program_strategies import programs

ONE_WAY = ("increasing", "decreasing")


def cells_of(model: Program, adjacency: str) -> StairCells:
    parts = components(model)
    return divide(order_graph(model), adjacency, Staircases(scale_of(parts.edges, adjacency)))


def bounded(model: Program, adjacency: str) -> bool:
    """Whether no component shows at once that the loss has no bound."""
    cells = cells_of(model, adjacency)
    return not endless_family(cells.graph, Cycles(cells.graph), adjacency)


def holds_for_tables(model: Program, adjacency: str) -> int:
    """Holds the support functions against complete tables; the number of values compared."""
    cells = cells_of(model, adjacency)
    compared = 0
    for direction in (past_of(cells), rest_of(cells)):
        table = closure(cells, direction, TableLimits(10**6, 1000), above=True)
        found = support.support(cells, direction)
        assert found.bits == 0
        for node, front in table.values.items():
            for values in front:
                weighed = sum(weight * number for weight, number in zip(found.weights, values, strict=True))
                assert (weighed <= found.most[node]).all()
                compared += 1
    return compared


@pytest.mark.parametrize("adjacency", ONE_WAY)
@pytest.mark.parametrize("seed", range(3))
def test_no_value_weighs_more(seed: int, adjacency: str) -> None:
    assert holds_for_tables(random_program(states=20, storing="3/10", seed=seed), adjacency) > 50


@given(programs(min_states=3, max_states=6), st.sampled_from(ONE_WAY))
@examples(40)
def test_no_value_weighs_more_where_there_are_cycles(model: Program, adjacency: str) -> None:
    if bounded(model, adjacency):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(support, "_ROUNDS", 1000)
            holds_for_tables(model, adjacency)


@pytest.mark.parametrize("adjacency", ONE_WAY)
def test_worth_bound_what_runs_cost(adjacency: str) -> None:
    """The worth of values, divided by the parts of weights, is at least what they cost with any past."""
    cells = cells_of(random_program(states=25, storing="3/10", seed=5), adjacency)
    past, rest = (
        closure(cells, direction, TableLimits(10**6, 1000), above=True).values
        for direction in (past_of(cells), rest_of(cells))
    )
    found = support.support(cells, past_of(cells))
    parts = int(found.weights.sum(axis=0)[0])
    for node, front in rest.items():
        for values, worth in zip(front, found.worth(node, front), strict=True):
            costs = [min(a + b for a, b in zip(values, own, strict=True)) for own in past[node]]
            assert parts * max(costs) <= worth


def test_long_numbers_are_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = cells_of(random_program(states=25, storing="3/10", seed=5), "increasing")
    whole = support.support(cells, past_of(cells))
    monkeypatch.setattr(support, "_BITS", 10)
    short = support.support(cells, past_of(cells))
    assert short.bits == cells.scale.cap.bit_length() - 10 > 0
    values = [(Random(1).randrange(cells.scale.cap),) * 3 for _ in range(5)]
    for node in whole.most:
        if node >= 0:
            for a, b in zip(whole.worth(node, values), short.worth(node, values), strict=True):
                assert abs(a - (b << short.bits)) < (1 << short.bits) * support._PARTS * 100


@pytest.mark.parametrize("adjacency", ONE_WAY)
def test_few_values_that_are_worth_most_find_a_run_that_costs_nearly_as_much_as_any(adjacency: str) -> None:
    cells = cells_of(random_program(states=120, seed=2), adjacency)
    optimum = enclose(cells, Budget()).lower
    limits = TableLimits(8, 1000)
    lowers = []
    for worth in (None, support.support(cells, past_of(cells)).worth):
        table = closure(cells, rest_of(cells), limits, above=False, worth=worth)
        lowers.append(min(refinement._attained(cells, table)))
    alike, costliest = lowers
    assert alike < costliest <= optimum
    assert 100 * costliest >= 99 * optimum
