"""Bisimilarity ∼ and skewed bisimilarity ∼_α, with the evidence for both answers.

Reference: docs/theory.md, *Kernels and ranks*; Section 7 of "Asymmetric Distances for Approximate
Differential Privacy" (CONCUR 2019).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpq

from prover.chain.ld.transport import Basis, Coupling, Part, Path, coupling_of_amounts, optimal_basis
from prover.chain.model import LabelledMarkovChain

Pair = tuple[int, int]
Allowed = Callable[[int], Iterable[int]]
"""The states j with an allowed arc i → j, for a state i; all are different from i and have its label."""

Orders = Callable[[Pair], tuple[Pair, ...]]
"""The arcs that a pair stands for: itself, or both directions of an unordered one."""

_LONGEST_COMMON = 4_096  # bits
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Bisimilarity:
    """The classes of ∼ and the sets that split the label partition into them, in the order of their use."""

    classes: tuple[tuple[int, ...], ...]
    splitters: tuple[tuple[int, ...], ...]

    def class_of(self) -> dict[int, int]:
        """The number of the class of every state."""
        return {s: c for c, members in enumerate(self.classes) for s in members}


def bisimilarity(chain: LabelledMarkovChain) -> Bisimilarity:
    """Partition refinement: split by the probability of entering a class, until nothing splits.

    A set that once served as a splitter needs no second turn: only what it has been split into does. Each
    turn looks at the states with a transition into the splitter and at nothing else.
    """
    scale = _common_denominator(chain)
    entering: list[list[tuple[int, int | Fraction]]] = [[] for _ in chain.states]
    for s, row in enumerate(chain.rows):
        for t, probability in row.items():
            scaled = probability * scale
            entering[t].append((s, scaled.numerator if scaled.denominator == 1 else scaled))
    classes = _groups(range(len(chain)), chain.labels.__getitem__)
    class_of = {s: c for c, members in enumerate(classes) for s in members}
    waiting = deque(tuple(members) for members in classes)
    splitters: list[tuple[int, ...]] = []
    while waiting:
        splitter = waiting.popleft()
        mass: dict[int, int | Fraction] = {}
        for t in splitter:
            for s, weight in entering[t]:
                mass[s] = mass.get(s, 0) + weight
        split = False
        for c in sorted({class_of[s] for s in mass}):
            pieces = _groups(classes[c], lambda s, mass=mass: mass.get(s, 0))  # type: ignore[misc]
            if len(pieces) == 1:
                continue
            split = True
            waiting.extend(tuple(piece) for piece in pieces)
            classes[c] = pieces[0]
            for piece in pieces[1:]:
                class_of.update(dict.fromkeys(piece, len(classes)))
                classes.append(piece)
        if split:
            splitters.append(splitter)
    return Bisimilarity(tuple(sorted(tuple(members) for members in classes)), tuple(splitters))


def _common_denominator(chain: LabelledMarkovChain) -> int:
    """A number that makes all probabilities integers, which are quicker to add and to compare; 1 if it would
    be too long.
    """
    common = 1
    for row in chain.rows:
        common = lcm(common, *(p.denominator for p in row.values()))
        if common.bit_length() > _LONGEST_COMMON:
            return 1
    return common


def _groups(members: Iterable[int], key: Callable[[int], object]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for s in members:
        groups.setdefault(key(s), []).append(s)
    return list(groups.values())


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
        if alpha * sum(part.supplies, start=_ZERO) > sum(part.capacities, start=_ZERO):
            return Blocked(part, Basis((), frozenset(part.sources), frozenset()))
    weights: dict[Pair, fmpq] = {}
    for part in parts:
        columns = [(path, _ONE, alpha ** (len(path) - 1)) for path in _shortest_paths(part, allowed)]
        basis, amounts = optimal_basis(part, part.supplies, part.capacities, columns, _ZERO, _ONE)
        coupling = coupling_of_amounts(part, amounts, alpha)
        if coupling.behind > 0:
            return Blocked(part, basis)
        weights.update(coupling.weights)
    return Coupling(weights, _ZERO)


def _shortest_paths(part: Part, allowed: Allowed) -> list[Path]:
    """A path of fewest allowed arcs from every source to every sink that it can reach."""
    found: list[Path] = []
    for source in part.sources:
        came_from = {source: source}
        level = [source]
        missing = set(part.sinks)
        while level and missing:
            following: list[int] = []
            for i in level:
                for j in sorted(allowed(i)):
                    if j not in came_from:
                        came_from[j] = i
                        following.append(j)
            for j in sorted(missing.intersection(following)):
                path = [j]
                while path[-1] != source:
                    path.append(came_from[path[-1]])
                found.append(tuple(reversed(path)))
            missing.difference_update(following)
            level = following
    return found


def separating_potentials(blocked: Blocked, allowed: Allowed, alpha: fmpq) -> dict[int, fmpq]:
    """Potentials g ≥ 0 with g_i ≤ α g_j on all allowed arcs and Σ g_k b_k > 0; only positive ones are listed.

    The sources have their potential of the basis (1 where open; a tight path of h arcs gives g_source = α^h
    g_sink), and every other state the least potential that this forces.
    """
    basis = blocked.basis
    known = dict.fromkeys(basis.open_sources, fmpq(1)) | dict.fromkeys(basis.open_sinks, _ZERO)
    waiting = list(basis.paths)
    while waiting:
        path = next((p for p in waiting if p[0] in known or p[-1] in known), None)
        if path is None:  # paths that exhaust both their sources and their sinks: potential 0
            known[waiting[0][0]] = _ZERO
            continue
        waiting.remove(path)
        gain = alpha ** (len(path) - 1)
        if path[0] in known:
            known.setdefault(path[-1], known[path[0]] / gain)
        else:
            known[path[0]] = known[path[-1]] * gain
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
    rank = 1
    while unsettled:
        removed: list[Pair] = []
        for pair in unsettled:
            outcome = free_coupling(problems[pair], lambda i: left.get(i, ()), alpha)
            if isinstance(outcome, Blocked):
                removed.append(pair)
                blocked[pair] = outcome
            else:
                related[pair] = outcome
        gone = {arc for pair in removed for arc in orders(pair)}
        for i, j in gone:
            left[i].discard(j)
        for pair in removed:
            related.pop(pair, None)
            ranks[pair] = rank
        unsettled = [pair for pair, coupling in related.items() if not gone.isdisjoint(coupling.weights)]
        rank += 1
    return Kernel(related, ranks, blocked, orders)
