"""The graph of an unrolling, node by node: what it merges, what it leaves a leaf, what it calls balanced."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings

from prover import zoo
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling import graph as unrolling_graph
from prover.chain.unrolling.beliefs import BeliefPairs
from prover.chain.unrolling.graph import Node, Unrolling
from tests.certificate.unrolling_samples import EARLY_STATES
from tests.oracle import alike_pairs
from tests.strategies import alphas, chains

PIN = zoo.build_chain("pin-checker")
few = settings(max_examples=settings().max_examples // 4)


def pin() -> Unrolling:
    return Unrolling(BeliefPairs(PIN), Fraction(11, 10), [(0, 1), (1, 0)])


def fraction(q: fmpq) -> Fraction:
    return Fraction(int(q.p), int(q.q))


def vectors(node: Node) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """x and y, scale included."""
    scale = fraction(node.scale)
    x, y = ({s: scale * amount for s, amount in z} for z in (node.belief.x, node.belief.y))
    return x, y


def test_a_root_stands_for_its_two_states() -> None:
    graph = pin()
    one = Fraction(1)
    assert [vectors(node) for node in graph.nodes] == [({0: one}, {1: one}), ({1: one}, {0: one})]
    assert [node.choices for node in graph.nodes] == [None, None]


def test_expanding_splits_by_label_and_merges_what_is_equal_up_to_a_scalar() -> None:
    graph = pin()
    assert graph.expand(0)
    assert [(e.label, e.target, e.defining) for e in graph.nodes[0].entries] == [
        ("b", 2, True),
        ("end", 3, True),
    ]
    assert vectors(graph.nodes[2]) == ({2: Fraction(47, 100)}, {3: Fraction(53, 100)})
    assert graph.nodes[3].settled
    assert graph.expand(2)
    back, end = graph.nodes[2].entries
    assert (back.label, back.target, back.defining) == ("a", 0, False)
    assert fraction(back.factor) == Fraction(2491, 10_000)
    assert (end.label, end.target) == ("end", 4)
    assert back.chance == pytest.approx(0.53)


def test_the_bounds_of_a_leaf() -> None:
    graph = pin()
    graph.expand(1)
    node = graph.nodes[3]
    assert vectors(node) == ({4: Fraction(47, 100)}, {4: Fraction(53, 100)})
    assert node.lower == node.upper == 0
    # 53/100 in state 3 against 47/100 in state 2: nothing is shared, and 53 - 11/10 · 47 is 13/10.
    assert graph.nodes[2].guide == pytest.approx((1.3 / 53, 1.0))


@few
@given(chain=chains(max_states=5), alpha=alphas())
def test_the_masses_of_successors_add_up(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    roots = alike_pairs(chain)
    graph = Unrolling(BeliefPairs(chain), alpha, roots)
    for number in range(20):
        if number < len(graph.nodes) and graph.nodes[number].is_leaf and not graph.nodes[number].circle:
            graph.expand(number)
    for node in graph.nodes:
        entries = node.entries or node.circle
        if entries:
            total = sum(fraction(e.factor * graph.nodes[e.target].total) for e in entries)
            assert total == fraction(node.total)
        assert 0 <= node.lower <= node.upper <= node.belief.mass
    made = [e.target for node in graph.nodes for e in node.entries or node.circle if e.defining]
    assert sorted(made) == list(range(len(roots), len(graph.nodes)))


def test_a_circle_that_nothing_leaves_is_balanced() -> None:
    chain = LabelledMarkovChain.of(EARLY_STATES)
    graph = Unrolling(BeliefPairs(chain), Fraction(1), [(chain.index("s"), chain.index("t"))])
    for number in range(4):
        assert all(not node.circle for node in graph.nodes)
        assert graph.expand(number)
    assert all(node.circle and node.is_leaf and node.settled for node in graph.nodes)


def test_a_node_of_long_numbers_stays_a_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrolling_graph, "_LONGEST", 5)
    graph = pin()
    assert graph.expand(0)
    assert not graph.expand(2)
    assert graph.nodes[2].stuck
    assert graph.nodes[2].is_leaf
