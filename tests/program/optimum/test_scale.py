"""20,000 random programs of 2 to 4 variables: facts against the fixpoint, the optimum against brute force.

The fixpoint is capped by what Theorem F′ says no bounded loss reaches. Brute force are linear programs: one
for the run that is said to lose most, and others for runs and differences at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

from prover.program.adjacency import extreme_points
from prover.program.decision.blocks import total
from prover.program.decision.boundedness import Boundedness, decide
from prover.program.model import Edge, Program, out_edges, variables
from prover.program.optimum.budget import Budget, Exhausted, Steps
from prover.program.optimum.by_functions import measure
from prover.program.optimum.cells import divide
from prover.program.optimum.closure import TableLimits, closure, rest_of
from prover.program.optimum.sparse import SparseFunctions
from prover.program.optimum.transfer import prime_units, scale_of
from prover.program.optimum.witness import Witness
from tests.program.several_examples import DIFFERENCES, is_possible, price, random_program

PROGRAMS = 20_000
CHUNKS = 40
RUNS = 24
LONGEST = 60
"""The most steps of a run of which the linear program is solved."""


def fixpoint(found: Boundedness) -> bool | None:
    """Whether the table says that the loss is bounded; None if that takes too many steps."""
    graph = found.graph
    edges = list(dict.fromkeys(arrow.edge for arrow in graph.all_arrows))
    scale = scale_of(edges, "all-differ")
    names = {name for edge in edges for name in edge.assign}
    costs = sum(2 * scale.units(a.edge.rate) + prime_units(a.edge, scale) for at in graph.arrows for a in at)
    cells = divide(graph, "all-differ", SparseFunctions(replace(scale, cap=(2 * len(names) + 1) * costs + 1)))
    try:
        table = closure(cells, rest_of(cells), TableLimits(150, 20_000, Steps(500_000)), above=True)
    except Exhausted:
        return None
    start = table.values[cells.start]
    return all(function.least is not None for function in start) if table.is_complete else None


def some_runs(program: Program, random: Random) -> Iterator[list[Edge]]:
    """Possible runs of at most seven steps, at random."""
    leaving = out_edges(program)
    for _ in range(RUNS):
        run: list[Edge] = []
        for _ in range(random.randint(2, 7)):
            here = run[-1].target if run else program.initial
            after = [edge for edge in leaving.get(here, ()) if is_possible([*run, edge])]
            if not after:
                break
            run.append(random.choice(after))
        yield run


def some_differences(run: Sequence[Edge], adjacency: str, random: Random) -> list[int]:
    """Differences of the inputs of a run, at extreme points."""
    if adjacency == "one-differ":
        one = random.randrange(len(run))
        return [random.choice((-1, 1)) if k == one and edge.input else 0 for k, edge in enumerate(run)]
    return [random.choice(DIFFERENCES[adjacency]) if edge.input else 0 for edge in run]


def taken(witness: Witness) -> tuple[list[Edge], list[int]]:
    """The edges and differences of a run, its turns written out."""
    edges, deltas = [], []
    steps = iter(witness.steps)
    for length, count in witness.turns:
        block = [next(steps) for _ in range(length)]
        for _ in range(count):
            edges += [step.edge for step in block]
            deltas += [step.delta for step in block]
    return edges, deltas


def examined(seed: int) -> Counter[str]:
    """What was compared for one program."""
    random = Random(10_000_000 + seed)
    program = random_program(random)
    assert len(variables(program)) > 1
    found = decide(program)
    seen = Counter({"programs": 1, "bounded": found.bounded})
    if not found.bounded:
        assert total(found.family).slope > 0
    table = fixpoint(found)
    if table is not None:
        assert table is found.bounded, seed
        seen["fixpoints"] += 1
    others = sorted(set(DIFFERENCES) - {"all-differ"})
    adjacencies = [*(["all-differ"] if found.bounded else []), others[seed % len(others)]]
    for adjacency in adjacencies:
        cost = measure(
            found.graph, adjacency, Budget(values=300, steps=Steps(2_000_000)), bounded=found.bounded
        )
        if cost.witness is None or cost.lower is None:
            continue
        if cost.witness.steps and cost.witness.length <= LONGEST:
            edges, deltas = taken(cost.witness)
            assert is_possible(edges), seed
            allowed = [(0, *extreme_points(adjacency, edge.input)) for edge in edges]
            assert all(delta in own for delta, own in zip(deltas, allowed, strict=True)), seed
            assert abs(price(edges, deltas) - float(cost.lower)) < 1e-6, seed
            seen["witnesses"] += 1
        if cost.upper is None:
            continue
        assert cost.lower <= cost.upper, seed
        assert cost.spent or cost.lower == cost.upper, seed
        seen["optima"] += cost.lower == cost.upper
        for run in some_runs(program, random):
            assert price(run, some_differences(run, adjacency, random)) <= float(cost.upper) + 1e-6, seed
            seen["runs"] += 1
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs_at_scale(chunk: int) -> None:
    size = PROGRAMS // CHUNKS
    seen = sum((examined(seed) for seed in range(chunk * size, (chunk + 1) * size)), Counter[str]())
    assert seen["programs"] == size
    assert size // 4 < seen["bounded"] < 3 * size // 4
    assert min(seen["fixpoints"], seen["optima"], seen["witnesses"]) > size // 4
