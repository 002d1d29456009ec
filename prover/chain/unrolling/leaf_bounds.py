"""The upper bound of a leaf of an unrolling: the lifting of an upper table of ld, by a good coupling.

Only the cost of the coupling that is found matters, so floating point may look for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product

from flint import fmpq

from prover.chain.ld.greedy import greedy_enclosure
from prover.chain.ld.interval import UpperTable, upper_table
from prover.chain.ld.policy_iteration import draft
from prover.chain.ld.problem import LargeProblem, explore
from prover.chain.ld.transport import Part, coupling_of_amounts, flows, optimal_basis, parts
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.graph import Node, Unrolling
from prover.chain.unrolling.intervals import Intervals
from prover.exact.field import FLOATS, RATIONALS, approximately
from prover.exact.fmpq import fmpq_of
from prover.progress import Progress

_MOST_PAIRS = 20_000  # from which only the roots and what their couplings use belong to the table …
_MOST_COUPLED = 50_000  # … and from which there is no table
_MOST_IN_ONE_PASS = 150_000  # pairs, which take a few seconds
_GUIDE = replace(FLOATS, tolerance=1e-12)
_ZERO, _ONE = fmpq(0), fmpq(1)


def distance_table(
    chain: LabelledMarkovChain, alpha: Fraction, roots: tuple[Pair, ...], progress: Progress
) -> UpperTable | None:
    """Certified upper bounds on ld for the pairs that the two secrets can be in at the same time.

    None where these are so many that looking for distances takes longer than unrolling goes far.
    """
    progress("upper bounds of ld", 0, None)
    together = _closure(roots, lambda pair: _steps_of_both(chain, pair), _MOST_PAIRS)
    if together is None and _closure(roots, _Coupled(chain, fmpq_of(alpha)), _MOST_COUPLED) is None:
        return None
    problem = explore(chain, alpha, (*roots, *sorted(together or ())), outside=False)
    return upper_table(draft(problem, progress), {})


def table_of_one_pass(found: Intervals, alpha: Fraction) -> UpperTable | None:
    """Upper bounds on ld that need no linear programs, for the pairs of the intervals; None where couplings
    use too many pairs.
    """
    merged = found.merged
    pairs = sorted(set(map(merged.pair, found.upper)))
    if isinstance(merged.system, LabelledMarkovDecisionProcess):
        return None
    with suppress(LargeProblem):
        problem = explore(merged.system, alpha, pairs, outside=False, most=_MOST_IN_ONE_PASS)
        return greedy_enclosure(problem, {}).upper
    return None


def _closure(
    roots: Iterable[Pair], following: Callable[[Pair], Iterable[Pair]], most: int
) -> set[Pair] | None:
    """The pairs that the roots lead to, the roots included; None if there are more than so many."""
    found, waiting = set(roots), list(roots)
    while waiting:
        for pair in following(waiting.pop()):
            if pair not in found:
                found.add(pair)
                waiting.append(pair)
        if len(found) > most:
            return None
    return found


def _steps_of_both(chain: LabelledMarkovChain, pair: Pair) -> Iterator[Pair]:
    """The pairs of equal label of which a pair can be in one a step later."""
    labels = chain.labels
    for i in chain.rows[pair[0]]:
        yield from ((i, j) for j in chain.rows[pair[1]] if labels[i] == labels[j])


class _Coupled:
    """The pairs of equal label that couplings of a pair use."""

    def __init__(self, chain: LabelledMarkovChain, alpha: fmpq) -> None:
        self._chain = chain
        self._alpha = alpha
        self._rows: dict[int, Mapping[int, fmpq]] = {}

    def __call__(self, pair: Pair) -> Iterator[Pair]:
        for part in parts(self._row(pair[0]), self._row(pair[1]), self._alpha, self._chain.labels):
            yield from product(part.sources, part.sinks)

    def _row(self, s: int) -> Mapping[int, fmpq]:
        if s not in self._rows:
            self._rows[s] = {t: fmpq_of(p) for t, p in self._chain.rows[s].items()}
        return self._rows[s]


def improve(graph: Unrolling, node: Node, bounds: UpperTable) -> None:
    """Give a leaf a better coupling if there is one along the pairs of the table."""
    if node.settled:
        return
    x = {s: fmpq(amount) for s, amount in node.belief.x}
    y = {s: fmpq(amount) for s, amount in node.belief.y}
    for part in parts(x, y, graph.alpha, graph.system.labels):  # one label, so at most one part
        weights = _coupling(part, node.belief.mass, graph.alpha, bounds)
        cost = cost_of(node, graph.alpha, weights, bounds)
        if cost < node.upper:
            node.couple(weights, cost)


def _coupling(part: Part, mass: int, alpha: fmpq, bounds: UpperTable) -> Mapping[Pair, fmpq]:
    unit, table = bounds.table.denominator, bounds.table.numerators
    arcs = [(i, j) for i in part.sources for j in part.sinks if table.get((i, j), unit) < unit]
    if not arcs:
        return {}
    savings = {arc: _ONE - fmpq(table[arc], unit) for arc in arcs}
    gain = approximately(alpha)
    guide = [(arc, approximately(savings[arc]), gain) for arc in arcs]
    supplies, capacities = (
        [approximately(amount / mass) for amount in amounts] for amounts in (part.supplies, part.capacities)
    )
    basis, _ = optimal_basis(part, supplies, capacities, guide, _GUIDE)
    amounts = flows(part, basis, alpha)
    if amounts is None:  # a tie that floating point cannot see
        exact = [(arc, savings[arc], alpha) for arc in arcs]
        amounts = tuple(optimal_basis(part, part.supplies, part.capacities, exact, RATIONALS)[1])
    return coupling_of_amounts(part, amounts, alpha).weights


def cost_of(node: Node, alpha: fmpq, weights: Mapping[Pair, fmpq], bounds: UpperTable) -> fmpq:
    """Σ w·u + Σ_k max(0, x_k − α y_k − Σ_j w_kj + α Σ_i w_ik), in units of the node's scale."""
    unit, table = bounds.table.denominator, bounds.table.numerators
    rest: dict[int, fmpq] = {s: fmpq(amount) for s, amount in node.belief.x}
    for s, amount in node.belief.y:
        rest[s] = rest.get(s, _ZERO) - alpha * amount
    cost = _ZERO
    for (i, j), weight in weights.items():
        cost += weight * fmpq(table.get((i, j), unit), unit)
        rest[i] = rest.get(i, _ZERO) - weight
        rest[j] = rest.get(j, _ZERO) + alpha * weight
    return cost + sum((left for left in rest.values() if left > 0), start=_ZERO)
