"""The search for the optimum: the tables, how they guide each other, and what is left when a limit is met."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.certificate.check import check
from prover.program.adjacency import POLYTOPES
from prover.program.answer import Privacy
from prover.program.decision.families import endless_family
from prover.program.decision.tokens import Cycles
from prover.program.graph import components
from prover.program.model import Program
from prover.program.optimum import refinement as search
from prover.program.optimum.budget import Budget, Steps
from prover.program.optimum.cells import divide
from prover.program.optimum.closure import TableLimits, closure, past_of, rest_of
from prover.program.optimum.cost import Invariant
from prover.program.optimum.measure import measure
from prover.program.optimum.pareto import dominates
from prover.program.optimum.refinement import enclose
from prover.program.optimum.staircases import Staircases, StairCells
from prover.program.optimum.transfer import Scale, scale_of
from prover.program.order_graph import order_graph
from prover.program.privacy import privacy
from prover.zoo import lyu_1, partition, svt
from tests.profiles import examples, thinned
from tests.program.automata import allowed, price, random_program
from tests.program.costs import exact, measured
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_oracle import differences, runs
from tests.program_strategies import programs


def layers(seed: int, size: int = 24) -> Program:
    """A program without cycles and with very many runs."""
    random = Random(seed)
    states = {"q00": state(step(TRUE, "q01", assign=True))}
    for k in range(1, size):
        targets = [f"q{k + random.randint(1, 3):02d}" for _ in range(2)]
        assign = [random.random() < 0.3 for _ in range(2)]
        transitions = [
            step(guard, target, f"o{target}", assign=stores)
            for guard, target, stores in zip((BELOW, ABOVE), targets, assign, strict=True)
        ]
        states[f"q{k:02d}"] = state(*transitions, rate=Fraction(random.randint(1, 99), 10))
    return program(states)


def cells_of(model: Program, adjacency: str) -> StairCells | None:
    """The cells of a program, if its components do not show at once that the loss has no bound."""
    parts = components(model)
    scale = scale_of(parts.edges, adjacency)
    cells = divide(order_graph(model), adjacency, Staircases(scale))
    return None if endless_family(cells.graph, Cycles(cells.graph), adjacency) else cells


@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
@pytest.mark.parametrize("seed", range(6))
def test_guided_tables_find_what_unguided_ones_find(
    seed: int, adjacency: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = layers(seed)
    monkeypatch.setattr(search, "_FEWEST", 10**6)
    monkeypatch.setattr(search, "_SMALL", 10**6)
    whole = measured(model, adjacency, Budget(values=10**6), judged=False)
    monkeypatch.setattr(search, "_FEWEST", 1)
    monkeypatch.setattr(search, "_GROWTH", 3)
    guided = measured(model, adjacency, judged=False)
    assert guided.lower == guided.upper == whole.upper == whole.lower
    assert whole.statistics.tables == 1
    assert guided.statistics.tables > 1 or adjacency == "one-differ"


@given(programs(min_states=4, max_states=8), st.sampled_from(POLYTOPES))
@examples(100)
def test_guides_of_programs_with_cycles(model: Program, adjacency: str) -> None:
    value = exact(model, adjacency)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_FEWEST", 1)
        patch.setattr(search, "_GROWTH", 2)
        assert exact(model, adjacency) == value


def test_a_table_is_made_small_where_that_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_FEWEST", 10**6)
    found = measured(layers(1), judged=False)
    assert isinstance(found.table, Invariant)
    size = sum(len(values) for (values,) in found.table.values.values())
    assert size < found.statistics.values


@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_the_past_dominates_every_run(adjacency: str) -> None:
    """The table of the past holds values as large as the least costs with which a run leaves each shift."""
    checked = 0
    for seed in range(60):
        model = random_program(seed, largest=4)
        cells = cells_of(model, adjacency)
        if cells is None:
            continue
        nodes = {state: node for node, state in enumerate(cells.graph.states)}
        table = closure(cells, past_of(cells), TableLimits(10**6, 1000), above=True)
        assert table.is_complete
        for run in runs(model, 3):
            end = run[-1].target if run else model.initial
            for deltas in differences(run, adjacency) if end in nodes else ():
                left = leaves(list(zip(run, deltas, strict=True)), cells.scale)
                node = cells.at[nodes[end]][any(deltas) if adjacency == "one-differ" else 0]
                assert any(dominates(values, left) for values in table.values[node]), seed
                checked += 1
    assert checked > 500


def leaves(run: list, scale: Scale) -> tuple[int, int, int]:  # type: ignore[type-arg]
    """The least costs, in units and up to the cap, with which a run leaves the shifts −1, 0, 1."""
    costs = {shift: Fraction(0) for shift in (-1, 0, 1)}
    infinite = Fraction(scale.cap, scale.denominator)
    for edge, delta in run:
        after = dict.fromkeys(costs, infinite)
        for stored, cost in costs.items():
            for shift in (-1, 0, 1):
                if allowed(edge, shift, stored):
                    kept = shift if edge.assigns else stored
                    after[kept] = min(after[kept], cost + price(edge, delta, shift))
        costs = after
    first, second, third = (int(costs[shift] * scale.denominator) for shift in (-1, 0, 1))
    return first, second, third


def test_every_complete_table_is_found_without_guide_or_limits() -> None:
    cells = cells_of(svt(), "all-differ")
    assert cells is not None
    table = closure(cells, rest_of(cells), TableLimits(10, 10), above=True)
    assert table.is_complete
    assert (table.size, table.widest) == (2, 1)


def test_progress_is_told() -> None:
    heard: list[tuple[str, int, int | None]] = []
    measure(lyu_1(3), progress=lambda *news: heard.append(news))
    assert heard[0] == ("cost", 0, 4)
    assert heard[-1] == ("cost", 3, 4)


def test_values_are_a_limit() -> None:
    found = measure(partition("9,8,7,6,5,4,3,2,1"), budget=Budget(values=4))
    assert found.statistics.widest <= 4


def test_rounds_are_a_limit_that_leaves_an_interval() -> None:
    # Each turn costs a little when the one difference is before it: 4000 turns until that is too costly.
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q1", assign=True), step(ABOVE, "q2", "otop"), rate="1/4000"),
        }
    )
    cost = measured(model, "one-differ", Budget(rounds=10), judged=False)
    assert cost.lower is not None
    assert Fraction(1, 500) < cost.lower < 1
    assert cost.upper == 1
    assert exact(model, "one-differ", judged=False) == 1


def test_intervals_on_the_way_narrow() -> None:
    seen: list[Privacy] = []
    exactly = privacy(layers(2, size=30), on_better=seen.append).runs.exact
    assert exactly is not None
    verdict, *intervals = seen
    assert verdict.upper is None
    assert intervals
    lower, upper = Fraction(0), 2 * exactly
    for answer in intervals:
        assert answer.certificate is not None
        bounds = f"lower={answer.runs.lower} upper={answer.runs.upper}"
        claimed = bounds if answer.runs.exact is None else f"value={answer.runs.exact}"
        assert claimed in check(answer.certificate.data)
        assert answer.runs.lower is not None
        assert answer.runs.upper is not None
        assert lower <= answer.runs.lower <= exactly <= answer.runs.upper <= upper
        lower, upper = answer.runs.lower, answer.runs.upper


def test_without_steps_there_is_a_small_table() -> None:
    cells = cells_of(layers(2, size=60), "increasing")
    assert cells is not None
    steps = Steps(0)
    found = enclose(cells, Budget(steps=steps))
    assert found.statistics.tables <= 2
    assert steps.are_over
    whole = enclose(cells, Budget())
    assert found.lower <= whole.lower == whole.upper <= found.upper
