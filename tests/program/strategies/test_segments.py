"""Segments, their costs, and the segment shift graph."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.program.branches import looping_branches
from prover.program.decision.boundedness import decide
from prover.program.model import Program
from prover.program.strategies.segments import (
    SegmentGraph,
    Vertex,
    segment_cost,
    segment_graph,
    segment_loss,
    segments,
)
from prover.program.strategies.strategy import optimum
from prover.zoo import leaking_cycle, leaking_pair, lyu_2, svt, svt_star, violating_path_a
from tests.profiles import thinned
from tests.program.automata import allowed, optimum_by_enumeration, price, random_program
from tests.program.segment_examples import assignment, comparing, leaf, segment
from tests.program.segment_theorems import count_shifts
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step, two_branches
from tests.program_oracle import straight_line


def test_they_begin_with_the_assignments() -> None:
    for seed in thinned(range(200)):
        for branch in looping_branches(random_program(seed)):
            found = segments(branch)
            assert tuple(place for part in found for place in part.steps) == branch.steps
            assert all(place.edge.assigns is (k == 0) for part in found for k, place in enumerate(part.steps))


def test_a_redrawn_threshold_begins_a_segment() -> None:
    (branch,) = looping_branches(lyu_2(3))
    assert [[edge.relation for edge in part.edges] for part in segments(branch)] == [["", "<", ">="]] * 3


def test_the_cost_of_a_segment_is_that_of_its_worst_path() -> None:
    for seed in thinned(range(150)):
        random = Random(seed)
        (branch,) = looping_branches(straight_line(random, random.randint(1, 5)))
        for part in segments(branch):
            edges = part.edges
            for delta, shift in product((-1, 1) if edges[0].input else (0,), (-1, 0, 1)):
                worst: Fraction | None = Fraction(0)
                for others in product(*((-1, 1) if edge.input else (0,) for edge in edges[1:])):
                    costs = [price(edges[0], delta, shift)]
                    for edge, d in zip(edges[1:], others, strict=True):
                        possible = [price(edge, d, s) for s in (-1, 0, 1) if allowed(edge, s, shift)]
                        costs += [min(possible)] if possible else []
                    if len(costs) < len(edges) or (edges[0].output == "insample" and shift):
                        worst = None
                    elif worst is not None:
                        worst = max(worst, sum(costs, Fraction(0)))
                assert segment_cost(part, delta, shift) == worst, seed


def test_a_cycle_fixes_the_shift() -> None:
    below = segment(assignment(3), leaf("<", loops=True), leaf(">=", 2))
    assert [segment_cost(below, -1, shift) for shift in (-1, 0, 1)] == [None, None, 10]
    above = segment(assignment(3), leaf(">=", loops=True), leaf("<", 2))
    assert [segment_cost(above, 1, shift) for shift in (-1, 0, 1)] == [10, None, None]
    both = segment(assignment(3), leaf(">=", loops=True), leaf("<", loops=True))
    assert segment_loss(both) is None
    assert segment_loss(below) == segment_loss(above) == 10


def test_the_loss_of_a_segment_is_its_optimum() -> None:
    for seed in thinned(range(300)):
        for branch in looping_branches(random_program(seed)):
            for part in segments(branch):
                best = optimum(part)
                assert best is not None
                assert best.cost == segment_loss(part), seed


def test_costs_of_paths_add_up_to_more_than_those_of_segments() -> None:
    # The connecting guards only forbid shifts.
    for seed in thinned(range(100)):
        random = Random(seed)
        (branch,) = looping_branches(straight_line(random, random.randint(1, 5)))
        deltas = tuple(random.choice((-1, 1)) if edge.input else 0 for edge in branch.edges)
        whole = optimum_by_enumeration(list(zip(branch.edges, deltas, strict=True)))
        best = optimum(branch)
        assert best is not None
        assert best.cost is not None
        assert whole <= best.cost
        worst = [loss for part in segments(branch) if (loss := segment_loss(part)) is not None]
        assert max(worst) <= best.cost


def names(way: tuple[Vertex, ...] | None) -> list[int | str]:
    return [number if kind == "segment" else f"shift {number}" for kind, number in way or ()]


def test_the_graph_of_a_branch_decides_its_privacy() -> None:
    refuted = 0
    for seed in thinned(range(400)):
        for branch in looping_branches(random_program(seed)):
            if not branch.is_hopeless:
                best = optimum(branch)
                assert best is not None
                contradiction = segment_graph([branch]).contradiction()
                assert (contradiction is None) is (best.cost is not None), seed
                refuted += contradiction is not None
    assert refuted > 10


def test_the_graph_of_a_program_proves_privacy_but_refutes_too_much() -> None:
    private = wrong = 0
    for seed in thinned(range(400)):
        model = random_program(seed)
        found = looping_branches(model)
        if not any(branch.is_hopeless for branch in found):
            if segment_graph(found).contradiction() is None:
                private += 1
                assert decide(model).bounded, seed
            else:
                wrong += decide(model).bounded
    assert private > 40


def test_segments_that_no_single_run_takes() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q2", "obot", assign=True), step(ABOVE, "q3", "otop", assign=True)),
            "q2": state(step(BELOW, "q2")),
            "q3": state(step(ABOVE, "q3")),
        }
    )
    assert decide(model).bounded
    graph = segment_graph(looping_branches(model))
    assert names(graph.contradiction()) == ["shift 1", 1, 0, 2, "shift -1"]
    assert all(segment_graph([branch]).contradiction() is None for branch in looping_branches(model))
    # Different paths to the cycles make different segments, where edges would be the same vertex.
    assert segment_graph(looping_branches(two_branches())).contradiction() is None


def printed(graph: SegmentGraph, first: int, terminal: set[int]) -> bool:
    """Whether 1 leads to −1 in the graph as printed: −1 has an arc to the first segment, and terminal ones
    have arcs to 1.
    """
    arcs = {vertex: {v for v in after if v[0] == "segment"} for vertex, after in graph.arcs.items()}
    printed_arcs = {vertex: after for vertex, after in arcs.items() if vertex[0] == "segment"}
    printed_arcs["shift", -1] = {("segment", first)}
    for k in terminal:
        printed_arcs[("segment", k)] = {*printed_arcs.get(("segment", k), set()), ("shift", 1)}
    reached: set[Vertex] = {("shift", 1)}
    while new := {v for vertex in reached for v in printed_arcs.get(vertex, ())} - reached:
        reached |= new
    return ("shift", -1) in reached


@pytest.mark.parametrize("model", [leaking_pair(), svt_star(), violating_path_a()])
def test_the_printed_graph_calls_everything_private(model: Program) -> None:
    branches = looping_branches(model)
    assert not decide(model).bounded
    graph = segment_graph(branches)
    assert graph.contradiction() is not None
    assert not printed(graph, 0, {len(graph.segments) - 1})


def test_the_sparse_vector_technique() -> None:
    graph = segment_graph(looping_branches(svt()))
    assert len(graph.segments) == 1
    assert graph.arcs == {("shift", 1): (("segment", 0),)}
    assert graph.contradiction() is None
    assert all(branch.is_hopeless for branch in looping_branches(leaking_cycle()))


def test_numbers_that_are_output_fix_shifts() -> None:
    stored = segment(assignment(output="insample"), leaf("<", loops=True))
    assert names(segment_graph([stored]).contradiction()) == ["shift 1", 0, "shift 0"]
    below = segment(assignment(), leaf("<", output="insample"), leaf(">=", loops=True))
    assert names(segment_graph([below]).contradiction()) == ["shift 0", 0, "shift -1"]


def zigzag(count: int) -> list[str]:
    return [("<", ">=")[k % 2] for k in range(count - 1)]


def test_a_zigzag_has_a_fibonacci_number_of_shifts() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 20:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    counts = [count_shifts(zigzag(n)) for n in range(1, 11)]
    assert counts[:5] == [2, 3, 5, 8, 13]
    # F(n+2) with F(1) = F(2) = 1; printed is F(n−1), which would be 1 for the 3 of two assignments.
    assert counts == [fibonacci[n + 1] for n in range(1, 11)]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


@pytest.mark.parametrize("shifts", [(0, 1), (-1, 0, 1)])
def test_shifts_are_counted_one_by_one(shifts: tuple[int, ...]) -> None:
    for seed in range(60):
        random = Random(seed)
        relations = [random.choice(["<", ">=", ""]) for _ in range(random.randint(0, 6))]
        fits = {"<": (-1, 0), ">=": (0, 1), "": (-1, 0, 1)}  # signs of the difference
        every = product(shifts, repeat=len(relations) + 1)
        counted = sum(
            all(sign(vector[k + 1] - vector[k]) in fits[relation] for k, relation in enumerate(relations))
            for vector in every
        )
        assert count_shifts(relations, shifts) == counted


def test_an_empty_segment_costs_nothing() -> None:
    alone = comparing(assignment(), [], [])
    assert segment_loss(alone) == 0
