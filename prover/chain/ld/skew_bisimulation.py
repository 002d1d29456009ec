"""Skewed bisimilarity ∼_α: the pairs at distance 0, with the evidence for these and for the others.

Reference: docs/theory.md, *Kernels and ranks*; Section 7 of "Asymmetric Distances for Approximate
Differential Privacy" (CONCUR 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from prover.chain.ld.potentials import row_potentials
from prover.chain.ld.transport import (
    Basis,
    Coupling,
    Part,
    Path,
    coupling_of_amounts,
    optimal_basis,
    path_gain,
    supply,
)
from prover.exact.field import RATIONALS
from prover.graphs import search, way_to

Pair = tuple[int, int]
Allowed = Callable[[int], Iterable[int]]
"""The states j with an allowed arc i → j, for a state i; all are different from i and have its label."""

Orders = Callable[[Pair], tuple[Pair, ...]]
"""The arcs that a pair stands for: itself, or both directions of an unordered one."""

_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Blocked:
    """A part whose mass cannot all travel along the allowed arcs, with an optimal basis that says so."""

    part: Part
    basis: Basis


def free_coupling(parts: Sequence[Part], allowed: Allowed, alpha: fmpq) -> Coupling | Blocked:
    """Whether all mass of a pair can travel along allowed arcs; with the evidence.

    Arcs cost nothing, so of all paths from a source to a sink only a shortest one matters: longer ones fill
    more of the sink.
    """
    for part in parts:  # an arc multiplies mass by α, so this is a cheap reason for "no"
        if alpha * supply([part]) > sum(part.capacities, start=_ZERO):
            return Blocked(part, Basis((), frozenset(part.sources), frozenset()))
    weights: dict[Pair, fmpq] = {}
    for part in parts:
        columns = [(path, _ONE, path_gain(path, alpha)) for path in _shortest_paths(part, allowed)]
        basis, amounts = optimal_basis(part, part.supplies, part.capacities, columns, RATIONALS)
        coupling = coupling_of_amounts(part, amounts, alpha)
        if coupling.behind > 0:
            return Blocked(part, basis)
        weights.update(coupling.weights)
    return Coupling(weights, _ZERO)


def _shortest_paths(part: Part, allowed: Allowed) -> list[Path]:
    """A path of fewest allowed arcs from every source to every sink that it can reach, shorter ones first."""
    found: list[Path] = []
    for source in part.sources:
        before = search([source], lambda i: sorted(allowed(i)), wanted=part.sinks)
        paths = [tuple(way_to(sink, before)) for sink in part.sinks if sink in before]
        found += sorted(paths, key=lambda path: (len(path), path[-1]))
    return found


def separating_potentials(blocked: Blocked, allowed: Allowed, alpha: fmpq) -> dict[int, fmpq]:
    """Potentials g ≥ 0 with g_i ≤ α g_j on all allowed arcs and Σ g_k b_k > 0; only positive ones are listed.

    The sources have their potential of the basis, where allowed arcs cost nothing, and every other state the
    least potential that this forces.
    """
    known = row_potentials(blocked.basis, lambda *_: _ZERO, alpha, _ONE)
    potentials = {k: known[k] for k in blocked.part.sources if known.get(k, _ZERO) > 0}
    frontier = sorted(potentials)
    while frontier:
        raised: set[int] = set()
        for i in frontier:
            carried = potentials[i] / alpha
            for j in allowed(i):
                if potentials.get(j, _ZERO) < carried:
                    potentials[j] = carried
                    raised.add(j)
        frontier = sorted(raised)
    return potentials


@dataclass(frozen=True, slots=True)
class Kernel:
    """The largest set of pairs that support each other: couplings for these, ranks and evidence for the
    others.

    A pair of rank r was removed in round r = 1, 2, …; all pairs whose rank is not below r were allowed then.
    """

    related: Mapping[Pair, Coupling]
    ranks: Mapping[Pair, int]
    blocked: Mapping[Pair, Blocked]
    orders: Orders

    def allowed_in_round(self, rank: int) -> Allowed:
        """The arcs that were left when round ``rank`` began."""
        left = [*self.related, *(pair for pair, removed in self.ranks.items() if removed >= rank)]
        arcs: dict[int, list[int]] = {}
        for pair in left:
            for i, j in self.orders(pair):
                arcs.setdefault(i, []).append(j)
        return lambda i: arcs.get(i, ())


def removal_rounds(
    problems: Mapping[Pair, Sequence[Part]], alpha: fmpq, orders: Orders = lambda pair: (pair,)
) -> Kernel:
    """The largest set R of the given pairs in which every pair has a free coupling along R.

    Round r removes the pairs that have none along what is left before it; r is their rank. With all twins
    of a chain as the pairs, R is ∼_α without the diagonal. ``orders`` gives the arcs that a pair stands
    for.
    """
    left: dict[int, set[int]] = {}
    for pair in problems:
        for i, j in orders(pair):
            left.setdefault(i, set()).add(j)
    related: dict[Pair, Coupling] = {}
    ranks: dict[Pair, int] = {}
    blocked: dict[Pair, Blocked] = {}
    unsettled = sorted(problems)
    rank = 0
    while unsettled:
        rank += 1
        removed: list[Pair] = []
        for pair in unsettled:
            outcome = free_coupling(problems[pair], lambda i: left.get(i, ()), alpha)
            if isinstance(outcome, Coupling):
                related[pair] = outcome
            else:
                blocked[pair] = outcome
                removed.append(pair)
        for pair in removed:
            ranks[pair] = rank
            related.pop(pair, None)
        gone = {arc for pair in removed for arc in orders(pair)}
        for i, j in gone:
            left[i].discard(j)
        unsettled = [pair for pair, coupling in related.items() if not gone.isdisjoint(coupling.weights)]
    return Kernel(related, ranks, blocked, orders)
