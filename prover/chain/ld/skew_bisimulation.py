"""Skewed bisimilarity ∼_α: the pairs at distance 0, with the evidence for these and for the others.

Reference: docs/theory.md, *Kernels and ranks*; Section 7 of "Asymmetric Distances for Approximate
Differential Privacy" (CONCUR 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from flint import fmpq

from prover.chain.ld.potentials import exact_basis, row_potentials
from prover.chain.ld.transport import (
    MANY_WIDE,
    Basis,
    Coupling,
    Part,
    Path,
    coupling_of_amounts,
    is_wide,
    supply,
)
from prover.chain.model import Pair
from prover.graphs import search, way_to
from prover.parallel import in_shares

Orders = Callable[[Pair], tuple[Pair, ...]]
"""The arcs that a pair stands for: itself, or both directions of an unordered one."""

_ZERO, _ONE = fmpq(0), fmpq(1)
_NOWHERE: Set[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Blocked:
    """A part whose mass cannot all travel along the allowed arcs, with an optimal basis that says so."""

    part: Part
    basis: Basis


class Allowed:
    """Arcs i → j between states of one label that mass may travel along for nothing.

    The ways that were found along them are remembered until some arcs are removed, and so are the outcomes of
    parts: many pairs ask for the same ones. If they are ``direct``, mass takes one arc only.
    """

    def __init__(self, arcs: Iterable[Pair], *, direct: bool = False) -> None:
        self.direct = direct
        self._after: dict[int, set[int]] = {}
        for i, j in arcs:
            self._after.setdefault(i, set()).add(j)
        self._connected: dict[int, set[int]] = {}
        self._ways: dict[int, dict[int, int | None]] = {}
        self._outcomes: dict[Part, Coupling | Blocked] = {}
        self._blocked: dict[Part, Blocked | None] = {}

    def __contains__(self, arc: Pair) -> bool:
        return arc[1] in self._after.get(arc[0], ())

    def remove(self, arcs: Iterable[Pair]) -> None:
        """These are allowed no longer."""
        for i, j in arcs:
            self._after[i].discard(j)
        self._ways, self._outcomes = {}, {}

    def ways(self, source: int) -> dict[int, int | None]:
        """What ``prover.graphs.search`` finds from the source, if it takes successors in their order.

        Where most states follow each other, few are left unseen soon, and only these are looked for.
        """
        if source not in self._ways:
            before: dict[int, int | None] = {source: None}
            unseen = self._connected_to(source) - {source}
            waiting = [source]
            for i in waiting:
                new = sorted(unseen & self._after.get(i, _NOWHERE))
                unseen.difference_update(new)
                before.update(dict.fromkeys(new, i))
                waiting += new
                if not unseen:
                    break
            self._ways[source] = before
        return self._ways[source]

    def _connected_to(self, source: int) -> set[int]:
        """States that include all that the source reaches: those that arcs, either way, connected it to."""
        if not self._connected:
            neighbours: dict[int, set[int]] = {}
            for i, after in self._after.items():
                neighbours.setdefault(i, set()).update(after)
                for j in after:
                    neighbours.setdefault(j, set()).add(i)
            for state in neighbours:
                if state not in self._connected:
                    found = set(search([state], neighbours.__getitem__))
                    self._connected |= dict.fromkeys(found, found)
        return self._connected.get(source, {source})

    def lengths(self, source: int) -> dict[int, int]:
        """How many arcs it takes from the source to every state that it reaches."""
        found: dict[int, int] = {}
        for j, i in self.ways(source).items():
            found[j] = 0 if i is None else found[i] + 1
        return found

    def blocked(self, part: Part, alpha: fmpq) -> Blocked | None:
        """A cheap reason why a part's mass cannot all travel: an arc multiplies it by α, at least."""
        if part not in self._blocked:
            too_much = alpha * supply([part]) > sum(part.capacities, start=_ZERO)
            basis = Basis((), frozenset(part.sources), frozenset())
            self._blocked[part] = Blocked(part, basis) if too_much else None
        return self._blocked[part]

    def outcome(self, part: Part, alpha: fmpq) -> Coupling | Blocked:
        """A coupling of the part along these arcs that leaves nothing behind, or why there is none."""
        if part not in self._outcomes:
            self._outcomes[part] = _free_part(part, self, alpha)
        return self._outcomes[part]

    def look_ahead(self, pairs: Iterable[Sequence[Part]], alpha: fmpq, jobs: int) -> None:
        """Find the outcomes of wide parts of pairs in several processes, if there are many of these."""
        hopeful = (parts for parts in pairs if all(self.blocked(part, alpha) is None for part in parts))
        new = dict.fromkeys(part for parts in hopeful for part in parts if part not in self._outcomes)
        wide = [part for part in new if is_wide(part)]
        if len(wide) >= MANY_WIDE:
            found = in_shares(lambda part: _free_part(part, self, alpha), wide, jobs)
            self._outcomes.update(zip(wide, found, strict=True))


def free_coupling(parts: Sequence[Part], allowed: Allowed, alpha: fmpq) -> Coupling | Blocked:
    """Whether all mass of a pair can travel along allowed arcs; with the evidence."""
    for part in parts:
        if (reason := allowed.blocked(part, alpha)) is not None:
            return reason
    if len(parts) == 1:
        return allowed.outcome(parts[0], alpha)
    weights: dict[Pair, fmpq] = {}
    for part in parts:
        outcome = allowed.outcome(part, alpha)
        if isinstance(outcome, Blocked):
            return outcome
        weights.update(outcome.weights)
    return Coupling(weights, _ZERO)


def _free_part(part: Part, allowed: Allowed, alpha: fmpq) -> Coupling | Blocked:
    """Arcs cost nothing, so of all paths from a source to a sink only a shortest one matters: longer ones
    fill more of the sink.
    """
    basis, amounts = exact_basis(part, _shortest_paths(part, allowed), lambda *_: _ZERO, alpha, _ONE)
    coupling = coupling_of_amounts(part, amounts, alpha)
    return Blocked(part, basis) if coupling.behind > 0 else coupling


def _shortest_paths(part: Part, allowed: Allowed) -> list[Path]:
    """A path of fewest allowed arcs from every source to every sink that it can reach, shorter ones first."""
    found: list[Path] = []
    for source in part.sources:
        if allowed.direct or all((source, sink) in allowed for sink in part.sinks):
            found += [(source, sink) for sink in part.sinks if (source, sink) in allowed]
            continue
        before = allowed.ways(source)
        paths = [tuple(way_to(sink, before)) for sink in part.sinks if sink in before]
        found += sorted(paths, key=lambda path: (len(path), path[-1]))
    return found


def source_potentials(blocked: Blocked, alpha: fmpq) -> dict[int, fmpq]:
    """The positive potentials of the sources that belong to the basis, where allowed arcs cost nothing."""
    known = row_potentials(blocked.basis, lambda *_: _ZERO, alpha, _ONE)
    return {source: known[source] for source in blocked.part.sources if known.get(source, _ZERO) > 0}


def forced_potentials(given: Mapping[int, fmpq], allowed: Allowed, alpha: fmpq) -> dict[int, fmpq]:
    """The least potentials g that are not below the given ones, with g_i ≤ α g_j on all allowed arcs: a given
    one, divided by α for every arc of a shortest way from its state. Only positive ones are listed.
    """
    potentials: dict[int, fmpq] = {}
    for source, start in given.items():
        forced = [start]
        for state, length in allowed.lengths(source).items():
            if length == len(forced):
                forced.append(forced[-1] / alpha)
            if state not in potentials or potentials[state] < forced[length]:
                potentials[state] = forced[length]
    return potentials


def separating_potentials(blocked: Blocked, allowed: Allowed, alpha: fmpq) -> dict[int, fmpq]:
    """Potentials g ≥ 0 with g_i ≤ α g_j on all allowed arcs and Σ g_k b_k > 0; only positive ones are
    listed."""
    return forced_potentials(source_potentials(blocked, alpha), allowed, alpha)


@dataclass(frozen=True, slots=True)
class Separator:
    """Positive potentials of a few states; other states have what these force on them along allowed arcs.

    In round ``rank`` they part all pairs that they gain from.
    """

    rank: int
    potentials: Mapping[int, fmpq]


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
        return Allowed(arc for pair in left for arc in self.orders(pair))


def removal_rounds(
    problems: Mapping[Pair, Sequence[Part]],
    alpha: fmpq,
    orders: Orders = lambda pair: (pair,),
    *,
    direct: bool = False,
    jobs: int = 1,
) -> Kernel:
    """The largest set R of the given pairs in which every pair has a free coupling along R.

    Round r removes the pairs that have none along what is left before it; r is their rank. With all pairs
    of a chain as the pairs, R is ∼_α without the diagonal. ``orders`` gives the arcs that a pair stands
    for; ``direct``: couplings of one arc only are meant. Up to ``jobs`` processes look at wide parts.
    """
    left = Allowed((arc for pair in problems for arc in orders(pair)), direct=direct)
    related: dict[Pair, Coupling] = {}
    ranks: dict[Pair, int] = {}
    blocked: dict[Pair, Blocked] = {}
    users: dict[Pair, list[Pair]] = {}  # the pairs whose coupling uses an arc, or did
    unsettled = sorted(problems)
    rank = 0
    while unsettled:
        rank += 1
        removed: list[Pair] = []
        if jobs > 1:
            left.look_ahead((problems[pair] for pair in unsettled), alpha, jobs)
        for pair in unsettled:
            outcome = free_coupling(problems[pair], left, alpha)
            if isinstance(outcome, Coupling):
                related[pair] = outcome
                for arc in outcome.weights:
                    users.setdefault(arc, []).append(pair)
            else:
                blocked[pair] = outcome
                removed.append(pair)
        for pair in removed:
            ranks[pair] = rank
            related.pop(pair, None)
        gone = {arc for pair in removed for arc in orders(pair)}
        left.remove(gone)
        touched = {pair for arc in gone for pair in users.pop(arc, ()) if pair in related}
        unsettled = sorted(pair for pair in touched if not gone.isdisjoint(related[pair].weights))
    return Kernel(related, ranks, blocked, orders)


def separators(
    kernel: Kernel, rows: Sequence[Mapping[int, fmpq]], members: Sequence[Sequence[int]], alpha: fmpq
) -> list[Separator]:
    """Potentials that part, round by round, all pairs that the rounds removed, for a chain with these rows;
    ``members[s]`` are the states with the label of s.

    Many pairs are blocked by one part, and its potentials part others, too: parts that block many come
    first, and only those that still have a pair to part are listed.
    """
    left: dict[int, dict[Part, list[Pair]]] = {}
    for pair, rank in kernel.ranks.items():
        left.setdefault(rank, {}).setdefault(kernel.blocked[pair].part, []).append(pair)
    into: dict[int, list[tuple[int, fmpq]]] = {}
    for s, row in enumerate(rows):
        for u, probability in row.items():
            into.setdefault(u, []).append((s, probability))
    found: list[Separator] = []
    for rank, blocked in sorted(left.items()):
        allowed = kernel.allowed_in_round(rank)
        waiting: dict[int, set[int]] = {}
        for s, t in chain.from_iterable(blocked.values()):
            waiting.setdefault(s, set()).add(t)
        for part, pairs in sorted(blocked.items(), key=lambda entry: (-len(entry[1]), entry[1][0])):
            if not any(t in waiting.get(s, _NOWHERE) for s, t in pairs):
                continue
            if part.sinks:
                given = source_potentials(kernel.blocked[pairs[0]], alpha)
                g = forced_potentials(given, allowed, alpha)
            else:  # nothing to lose: the whole label, which need not belong to the problem
                given = g = dict.fromkeys(members[part.sources[0]], _ONE)
            found.append(Separator(rank, given))
            share: dict[int, fmpq] = {}
            for u, x in g.items():
                for s, probability in into.get(u, ()):
                    share[s] = share.get(s, _ZERO) + x * probability
            for s, x in share.items():
                if s in waiting:
                    waiting[s] = {t for t in waiting[s] if t in share and alpha * share[t] >= x}
    return found
