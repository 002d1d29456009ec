"""Values of inner nodes: exact where wanted, else short and sound, whatever floating point says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings

from prover import zoo
from prover.chain.ld import float_policy
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling import values as engine
from prover.chain.unrolling.beliefs import BeliefPairs
from prover.chain.unrolling.float_graph import FloatGraph
from prover.chain.unrolling.graph import Node, Unrolling
from prover.chain.unrolling.guide import GuideGraph, guide_graph
from prover.chain.unrolling.plan import NO_PLAN, STOP
from prover.chain.unrolling.values import GraphValues, components, settled_nodes
from prover.exact.refinement import TooLong
from tests.oracle import alike_pairs
from tests.strategies import absorbed_chains, alphas

few = settings(max_examples=settings().max_examples // 4)


def pin_graph() -> Unrolling:
    """The PIN checker, until nothing is left to be expanded."""
    return expanded(zoo.build_chain("pin-checker"), Fraction(1), [(0, 1)], 50)


def expanded(
    chain: LabelledMarkovChain, alpha: Fraction, roots: Sequence[tuple[int, int]], most: int
) -> Unrolling:
    graph = Unrolling(BeliefPairs(chain), alpha, roots)
    for number in range(most):
        if number < len(graph.nodes):
            node = graph.nodes[number]
            if node.is_open:
                graph.expand(number)
    return graph


def solved(nodes: Sequence[Node], *, exact: bool, below: bool) -> list[fmpq]:
    order = components(nodes)
    values = GraphValues(nodes, order, [exact] * len(nodes), chooses=False)
    taken = [STOP if node.is_leaf else 0 for node in nodes]
    return values.solve(lambda node: node.lower if below else node.upper, taken, below=below).values


def holds(nodes: Sequence[Node], values: Sequence[fmpq], *, below: bool) -> bool:
    """The inequalities that a checker confirms."""
    for number, node in enumerate(nodes):
        if not node.is_leaf:
            total = sum((e.factor * values[e.target] for e in node.entries), start=fmpq(0))
            if not (values[number] <= total if below else values[number] >= total):
                return False
    return True


def test_a_cycle_is_solved_exactly() -> None:
    nodes = pin_graph().nodes
    assert components(nodes) == [[0, 1]]
    assert all(settled_nodes(nodes, components(nodes)))
    for below in (True, False):
        assert solved(nodes, exact=True, below=below)[0] == fmpq(200, 2503)


def test_a_cycle_is_rounded_outward() -> None:
    nodes = pin_graph().nodes
    low, high = (solved(nodes, exact=False, below=below) for below in (True, False))
    assert low[0] < fmpq(200, 2503) < high[0]
    assert high[0] - low[0] < fmpq(1, 10**12)
    assert max(int(v.q).bit_length() for v in (low[0], high[0])) < 80
    assert holds(nodes, low, below=True)
    assert holds(nodes, high, below=False)


@few
@given(chain=absorbed_chains(), alpha=alphas())
def test_rounded_values_are_sound_and_close(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    nodes = expanded(chain, alpha, alike_pairs(chain), 40).nodes
    for below in (True, False):
        truth, found = (solved(nodes, exact=exact, below=below) for exact in (True, False))
        assert holds(nodes, found, below=below)
        for exact, value, node in zip(truth, found, nodes, strict=True):
            assert value <= exact if below else value >= exact
            assert abs(value - exact) <= fmpq(1, 2**40) * node.total


def wrong(rows: Any, columns: Any, weights: Any, behind: Any) -> Any:
    """A linear solver that has lost its way."""
    del rows, columns, weights
    return np.full_like(behind, 0.7)


def test_wrong_guesses_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = pin_graph().nodes
    monkeypatch.setattr(float_policy, "sparse_solve", wrong)
    assert solved(nodes, exact=False, below=True)[0] == fmpq(200, 2503)

    def too_long(*_: object) -> list[fmpq]:
        raise TooLong("a number")

    monkeypatch.setattr(engine, "solve", too_long)
    assert solved(nodes, exact=False, below=True)[0] == 0
    found = solved(nodes, exact=True, below=False)  # 0.7 is sound from above, as it happens
    assert holds(nodes, found, below=False)
    assert fmpq(200, 2503) < found[0] <= 1


@pytest.mark.parametrize("make", [guide_graph, FloatGraph])  # without arrays, and with them
def test_the_guides(make: Callable[..., GuideGraph]) -> None:
    graph = pin_graph()
    guide = make(graph.nodes, chooses=False)
    below, above = guide.plans((NO_PLAN, NO_PLAN))
    assert below.values[0] == pytest.approx(200 / 2503)
    assert above.values == pytest.approx(below.values)
    # Every second round the run is back with probability 47/100 · 53/100.
    assert guide.visits(above, [0])[0] == pytest.approx(1 / 0.7509)
