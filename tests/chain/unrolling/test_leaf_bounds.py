"""The upper bound of a leaf: the cost of a coupling that floating point has found."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings

from prover import verify
from prover.chain.bisimulation import bisimilarity
from prover.chain.model import LabelledMarkovChain, quotient
from prover.chain.unrolling import leaf_bounds
from prover.chain.unrolling.beliefs import BeliefPairs
from prover.chain.unrolling.graph import Unrolling
from prover.chain.unrolling.leaf_bounds import cost_of, distance_table, improve
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.progress import silent
from prover.questions import delta
from prover.zoo.chains import random_chain
from tests import oracle
from tests.strategies import alphas, chains

few = settings(max_examples=settings().max_examples // 4)


@few
@given(chain=chains(max_states=6), alpha=alphas())
def test_couplings_cost_what_is_said_and_not_less_than_the_lifting(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    chain = quotient(chain, bisimilarity(chain).classes)
    roots = tuple(oracle.alike_pairs(chain))
    bounds = distance_table(chain, alpha, roots, silent)
    assert bounds is not None
    truth = oracle.ld(chain, alpha)
    for s, t in roots:
        assert truth[s][t] <= bounds.table.value((s, t)) <= 1
    graph = Unrolling(BeliefPairs(chain), alpha, roots)
    for number in range(min(6, len(graph.nodes))):
        graph.expand(number)
    for node in graph.nodes:
        if not node.is_leaf or node.circle:
            continue
        apart = node.upper
        improve(graph, node, bounds)
        assert node.lower <= node.upper <= apart
        assert node.upper == cost_of(node, graph.alpha, node.coupling, bounds) or not node.coupling
        x, y = ({s: Fraction(amount) for s, amount in z} for z in (node.belief.x, node.belief.y))
        least = oracle.lifting(truth, x, y, alpha)
        assert node.upper >= fmpq(least.numerator, least.denominator)


def test_roots_at_distance_0_cost_nothing() -> None:
    chain = LabelledMarkovChain.of(
        {"s": ("a", {"x": "3/5", "y": "2/5"}), "t": ("a", {"x": "2/5", "y": "3/5"}),
         "x": ("x", {"x": 1}), "y": ("y", {"y": 1})}
    )  # fmt: skip
    bounds = distance_table(chain, Fraction(3, 2), ((0, 1),), silent)
    assert bounds is not None
    graph = Unrolling(BeliefPairs(chain), Fraction(3, 2), [(0, 1)])
    improve(graph, graph.nodes[0], bounds)
    assert graph.nodes[0].upper == 0
    assert graph.nodes[0].guide == (0.0, 0.0)


def test_no_table_where_couplings_use_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = random_chain(states=14, labels=2, seed=3)
    s, t = [k for k in range(14) if chain.labels[k] == chain.labels[0]][:2]
    roots = ((s, t), (t, s))
    found = distance_table(chain, Fraction(2), roots, silent)
    assert found is not None
    assert len(found.couplings) > 40
    monkeypatch.setattr(leaf_bounds, "_MOST_PAIRS", 40)
    assert distance_table(chain, Fraction(2), roots, silent) is not None
    monkeypatch.setattr(leaf_bounds, "_MOST_COUPLED", 40)
    assert distance_table(chain, Fraction(2), roots, silent) is None
    names = chain.states[s], chain.states[t]
    answer = delta(chain, *names, 2, gap=0, limits=UnrollingLimits(nodes=900))
    assert (answer.origin.kind, answer.met) == ("unrolling", False)
    verify(answer.certificate)
