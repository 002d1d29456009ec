"""The skewed Kantorovich lifting K(d)(μ_s, μ_t) of one pair of states, as a flow problem.

Write b = μ_s − α μ_t. The lifting is the linear program

    max Σ_k f_k b_k          over 0 ≤ f ≤ 1 with f_i − α f_j ≤ d(i,j)                 (potentials)
    min Σ_ij w_ij d(i,j) + Σ_k max(0, b_k − Σ_j w_kj + α Σ_i w_ik)   over w ≥ 0        (couplings)

A coupling moves mass from the states with b > 0, the *sources*, to the states with b < 0, the *sinks*. A
unit sent along an arc i → j costs d(i,j) and fills α units of the sink's capacity −b_j; mass may travel
over several arcs, each multiplying it by α; mass that stays behind costs 1. Arcs between different labels
cost 1 and are useless, so the problem falls apart into one *part* per label. Every coupling of a part
decomposes into *paths* from sources to sinks, and choosing the amounts on paths is a packing program with a
basis of at most as many paths as there are sources and sinks. The f are dual variables of that program:
potentials.py. Reference: docs/theory.md, *The lifting as a flow*; Lemma 19 of "Asymmetric Distances for
Approximate Differential Privacy" (CONCUR 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from flint import fmpq, fmpq_mat

from prover.exact.field import Field, Scalar
from prover.exact.packing import LARGE, Corner, solve_packing

MANY_WIDE = 500
"""Wide parts from which it pays to send them to other processes."""

Path = tuple[int, ...]
"""States from a source to a sink, two or more: (source, …, sink)."""

Metric = Callable[[int, int], Scalar]
"""d(i,j) for two different states of equal label."""

Label = TypeVar("Label", bound=Hashable)
Rational = TypeVar("Rational", Fraction, fmpq)

_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Part:
    """The sources and sinks of one label; supplies and capacities are |b| of the states, all positive."""

    sources: tuple[int, ...]
    supplies: tuple[fmpq, ...]
    sinks: tuple[int, ...]
    capacities: tuple[fmpq, ...]

    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Rationals of flint take long to hash; their numerators tell parts of the same states apart as well.
        numerators = (int(b.p) for b in (*self.supplies, *self.capacities))
        object.__setattr__(self, "_hash", hash((self.sources, self.sinks, *numerators)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Basis:
    """An extreme point of a part's couplings (a *transport basis*), with the potentials that belong to it.

    Only ``paths`` carry mass. Sources in ``open_sources`` may leave mass behind (their potential is 1), sinks
    in ``open_sinks`` may have capacity left (potential 0); the others are exhausted exactly. There are as
    many paths as exhausted states, so that these equations determine the amounts.
    """

    paths: tuple[Path, ...]
    open_sources: frozenset[int]
    open_sinks: frozenset[int]


@dataclass(frozen=True, slots=True)
class Coupling:
    """Weights w > 0 of arcs, and the mass that they leave behind (at a cost of 1 a unit)."""

    weights: Mapping[tuple[int, int], fmpq]
    behind: fmpq


def balance(x: Mapping[int, Rational], y: Mapping[int, Rational], alpha: Rational) -> dict[int, Rational]:
    """b = x − α y at the states of both, in order."""
    zero = alpha - alpha
    return {k: x.get(k, zero) - alpha * y.get(k, zero) for k in sorted(x.keys() | y.keys())}


def parts(
    x: Mapping[int, fmpq], y: Mapping[int, fmpq], alpha: fmpq, labels: Sequence[Label]
) -> tuple[Part, ...]:
    """The parts of the lifting of (x, y) that have a source; the others contribute nothing."""
    by_label: dict[Label, tuple[dict[int, fmpq], dict[int, fmpq]]] = {}
    for k, b in balance(x, y, alpha).items():
        if b != 0:
            sources, sinks = by_label.setdefault(labels[k], ({}, {}))
            if b > 0:
                sources[k] = b
            else:
                sinks[k] = -b
    return tuple(
        Part(tuple(sources), tuple(sources.values()), tuple(sinks), tuple(sinks.values()))
        for sources, sinks in by_label.values()
        if sources
    )


def supply(parts: Iterable[Part]) -> fmpq:
    """The mass of the sources of the parts."""
    return sum((b for part in parts for b in part.supplies), start=_ZERO)


def excess(part: Part) -> fmpq:
    """The mass of the sources of a part, less what its sinks have room for (which may be more)."""
    return supply([part]) - sum(part.capacities, start=_ZERO)


def gain(parts: Iterable[Part]) -> fmpq:
    """How much more mass labels get than there is room for, those labels apart that get less."""
    return sum((max(_ZERO, excess(part)) for part in parts), start=_ZERO)


def is_wide(part: Part) -> bool:
    """Whether the part takes so long that its basis is kept, and that other processes may help with many."""
    return len(part.sources) * len(part.sinks) >= LARGE


def nothing_moves(part: Part) -> Basis:
    """The basis without paths: all mass stays behind."""
    return Basis((), frozenset(part.sources), frozenset(part.sinks))


def path_cost(path: Path, distance: Metric[Scalar], alpha: Scalar) -> Scalar:
    """Cost of one unit sent along the path: d(v0,v1) + α d(v1,v2) + α² d(v2,v3) + …"""
    cost = distance(path[-2], path[-1])
    for i in range(len(path) - 3, -1, -1):
        cost = distance(path[i], path[i + 1]) + alpha * cost
    return cost


def path_gain(path: Path, alpha: fmpq) -> fmpq:
    """The capacity that one unit sent along the path fills: α for every arc."""
    return alpha ** (len(path) - 1)


def optimal_basis(
    part: Part,
    supplies: Sequence[Scalar],
    capacities: Sequence[Scalar],
    columns: Sequence[tuple[Path, Scalar, Scalar]],
    field: Field[Scalar],
) -> tuple[Basis, list[tuple[Path, Scalar]]]:
    """The best basis over the given columns (path, saving = 1 − cost, gain = α^arcs), and the amounts on
    its paths.

    Supplies and capacities are those of the part, as floats for a guide or as rationals for the truth.
    Savings may be scaled by any positive number.
    """
    if not columns:
        return nothing_moves(part), []
    rows = {k: r for r, k in enumerate((*part.sources, *part.sinks))}
    bounds = list(supplies) + list(capacities)
    program = [(rows[path[0]], rows[path[-1]], saving, gain) for path, saving, gain in columns]
    vertex = solve_packing(bounds, program, field)
    return basis_of(part, vertex, {c: columns[c][0] for c in vertex.amounts})


def basis_of(
    part: Part, vertex: Corner[Scalar], paths: Mapping[int, Path]
) -> tuple[Basis, list[tuple[Path, Scalar]]]:
    """The basis that an extreme point of a part's program stands for, and the amounts on its paths.

    Rows are the sources and then the sinks; ``paths`` has those of the vertex's columns.
    """
    amounts = [(paths[c], amount) for c, amount in vertex.amounts.items()]
    slack = vertex.slack_rows
    basis = Basis(
        tuple(path for path, _ in amounts),
        frozenset(k for r, k in enumerate(part.sources) if r in slack),
        frozenset(k for r, k in enumerate(part.sinks, start=len(part.sources)) if r in slack),
    )
    return basis, amounts


def flows(part: Part, basis: Basis, alpha: fmpq) -> tuple[tuple[Path, fmpq], ...] | None:
    """The exact amounts on the basis' paths (zero amounts left out), or None if some amount or slack is
    negative.

    Where one path alone begins or ends at an exhausted state, that state says what it carries. Paths that
    are left without such a state form cycles.
    """
    bounds = dict(zip((*part.sources, *part.sinks), (*part.supplies, *part.capacities), strict=True))
    exhausted = [k for k in bounds if k not in basis.open_sources and k not in basis.open_sinks]
    left = dict(bounds)
    amounts: dict[Path, fmpq] = {}
    waiting = set(basis.paths)
    while waiting:
        lone = _lone_path(exhausted, waiting)
        if lone is None:
            cycle = _solve_cycle(exhausted, sorted(waiting), left, alpha)
            if cycle is None:
                return None
            settled = cycle
        else:
            state, path = lone
            settled = {path: left[state] / _filled(state, path, alpha)}
        for path, amount in settled.items():
            amounts[path] = amount
            left[path[0]] -= amount
            left[path[-1]] -= amount * path_gain(path, alpha)
        waiting -= settled.keys()
    if any(amount < 0 for amount in amounts.values()) or any(rest < 0 for rest in left.values()):
        return None
    return tuple((path, amounts[path]) for path in basis.paths if amounts[path] > 0)


def _filled(state: int, path: Path, alpha: fmpq) -> fmpq:
    """What a unit on the path takes of the supply or the capacity of a state at one of its ends."""
    return _ONE if state == path[0] else path_gain(path, alpha)


def _lone_path(exhausted: Iterable[int], waiting: Iterable[Path]) -> tuple[int, Path] | None:
    """The first exhausted state at which exactly one waiting path begins or ends, with that path."""
    touching: dict[int, list[Path]] = {}
    for path in waiting:
        for end in (path[0], path[-1]):
            touching.setdefault(end, []).append(path)
    return next(((k, touching[k][0]) for k in exhausted if len(touching.get(k, ())) == 1), None)


def _solve_cycle(
    exhausted: Iterable[int], paths: Sequence[Path], left: Mapping[int, fmpq], alpha: fmpq
) -> dict[Path, fmpq] | None:
    """Amounts on paths that form cycles of gain other than 1, by a small system; None if it has no unique
    solution.
    """
    states = [k for k in exhausted if any(k in (path[0], path[-1]) for path in paths)]
    if len(states) != len(paths):
        return None
    matrix = fmpq_mat(len(states), len(paths))
    for r, state in enumerate(states):
        for c, path in enumerate(paths):
            if state in (path[0], path[-1]):
                matrix[r, c] = _filled(state, path, alpha)
    try:
        solution = matrix.solve(fmpq_mat(len(states), 1, [left[state] for state in states]))
    except ZeroDivisionError:
        return None
    return {path: solution[c, 0] for c, path in enumerate(paths)}


def coupling_of_amounts(part: Part, amounts: Sequence[tuple[Path, fmpq]], alpha: fmpq) -> Coupling:
    """The coupling of a part that sends the given amounts along paths."""
    weights: dict[tuple[int, int], fmpq] = {}
    behind = supply([part])
    for path, amount in amounts:
        behind -= amount
        mass = amount
        for arc in pairwise(path):
            weights[arc] = weights.get(arc, _ZERO) + mass
            mass *= alpha
    return Coupling({arc: weight for arc, weight in weights.items() if weight > 0}, behind)


class Couplings:
    """The couplings of bases, which are remembered: pairs share most of their parts."""

    def __init__(self, alpha: fmpq) -> None:
        self._alpha = alpha
        self._known: dict[tuple[Part, Basis], Coupling | None] = {}

    def of(self, parts: Sequence[Part], bases: Sequence[Basis]) -> Coupling | None:
        """The coupling of the bases of a pair's parts, or None if one of them is infeasible."""
        if len(parts) == 1:
            return self._of_part(parts[0], bases[0])
        weights: dict[tuple[int, int], fmpq] = {}
        behind = _ZERO
        for part, basis in zip(parts, bases, strict=True):
            coupling = self._of_part(part, basis)
            if coupling is None:
                return None
            weights.update(coupling.weights)
            behind += coupling.behind
        return Coupling(weights, behind)

    def _of_part(self, part: Part, basis: Basis) -> Coupling | None:
        key = part, basis
        if key not in self._known:
            amounts = flows(part, basis, self._alpha)
            self._known[key] = None if amounts is None else coupling_of_amounts(part, amounts, self._alpha)
        return self._known[key]
