"""Potentials: the dual variables of a lifting, f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ d(i,j).

Any such f bounds the lifting from below by Σ f_k b_k (weak duality), and the optimal ones attain it. They
belong to a transport basis: 1 where mass may stay behind, 0 where capacity may be left, and *tight* along
its paths, f_i = d(i,j) + α f_j for every arc, so that one end of a path says what the other has. Reference:
docs/theory.md, *The lifting as a flow*.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from flint import fmpq, fmpq_mat

from prover.chain.ld.transport import (
    Basis,
    Metric,
    Part,
    Path,
    flows,
    optimal_basis,
    path_cost,
    path_gain,
)
from prover.exact.field import FLOATS, RATIONALS, Scalar, approximately

_ZERO, _ONE = fmpq(0), fmpq(1)
_WIDE = 400  # columns from which floating point proposes a basis


@dataclass(frozen=True, slots=True)
class Potential:
    """The potential of one state: a constant, or derived from an earlier one by a tight arc.

    "to": f_state = d(state, other) + α f_other.    "from": f_state = (f_other − d(other, state)) / α.
    """

    state: int
    kind: Literal["constant", "to", "from"]
    other: int = -1
    constant: fmpq = _ZERO


Derivation = Sequence[Potential]
"""Potentials, each after the one that it is derived from."""


def in_turn(basis: Basis, known: Container[int]) -> Iterator[tuple[Path, ...]]:
    """The paths of a basis, one by one, each when the potential of one of its ends is known.

    Paths that form a cycle that no known potential reaches come together, and one by one after that.
    ``known`` is empty or holds the open states to begin with; the caller adds the ends of what it is given.
    """
    waiting = list(basis.paths)
    while waiting:
        path = next((p for p in waiting if p[0] in known or p[-1] in known), None)
        if path is None:
            yield _connected(waiting)
        else:
            waiting.remove(path)
            yield (path,)


def _connected(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The paths that are connected to the first one by their ends."""
    states = {paths[0][0]}
    while True:
        found = [p for p in paths if p[0] in states or p[-1] in states]
        grown = states | {k for p in found for k in (p[0], p[-1])}
        if grown == states:
            return tuple(found)
        states = grown


def row_potentials(basis: Basis, distance: Metric[fmpq], alpha: fmpq, one: fmpq) -> dict[int, fmpq]:
    """The potentials of sources and sinks that belong to a basis, times ``one`` (and d scaled likewise).

    Paths of the basis are tight as a whole: f_source = cost + α^arcs f_sink.
    """
    known = dict.fromkeys(basis.open_sources, one) | dict.fromkeys(basis.open_sinks, _ZERO)
    for paths in in_turn(basis, known):
        path = paths[0]
        source, sink = path[0], path[-1]
        if source in known and sink in known:
            continue
        if sink in known:
            known[source] = path_cost(path, distance, alpha) + path_gain(path, alpha) * known[sink]
        elif source in known:
            known[sink] = (known[source] - path_cost(path, distance, alpha)) / path_gain(path, alpha)
        else:
            known |= _cycle_potentials(paths, distance, alpha)
    return known


def exact_basis(
    part: Part, paths: Sequence[Path], distance: Metric[fmpq], alpha: fmpq, one: fmpq
) -> tuple[Basis, Sequence[tuple[Path, fmpq]]]:
    """An optimal basis over the given paths, in exact arithmetic, and the amounts on its paths; distances are
    multiplied by ``one``.

    Where there are many paths floating point proposes a basis; its exact amounts and potentials confirm it.
    """
    priced = [(path, path_cost(path, distance, alpha), path_gain(path, alpha)) for path in paths]
    priced = [(path, cost, gain) for path, cost, gain in priced if cost < one]
    if len(priced) >= _WIDE:
        guide = [(path, approximately(1 - cost / one), approximately(gain)) for path, cost, gain in priced]
        supplies, capacities = ([approximately(b) for b in side] for side in (part.supplies, part.capacities))
        basis, _ = optimal_basis(part, supplies, capacities, guide, FLOATS)
        amounts = flows(part, basis, alpha)
        if amounts is not None:
            f = row_potentials(basis, distance, alpha, one)
            if all(0 <= f[k] <= one for k in (*part.sources, *part.sinks)) and all(
                f[path[0]] - gain * f[path[-1]] <= cost for path, cost, gain in priced
            ):
                return basis, amounts
    columns = [(path, one - cost, gain) for path, cost, gain in priced]
    return optimal_basis(part, part.supplies, part.capacities, columns, RATIONALS)


def derivation(part: Part, basis: Basis, distance: Metric[fmpq], alpha: fmpq) -> tuple[Potential, ...]:
    """The potentials of a basis, step by step from the open states along the arcs of its paths.

    ``distance`` is asked only where paths form a cycle, whose potentials follow from a small exact system.
    If the basis is optimal every arc of its paths is tight, so that it does not matter which path a
    state in the middle of several gets its potential from. Else some path may not be tight in the end.
    """
    derived = {k: constant(k, _ONE) for k in part.sources if k in basis.open_sources}
    derived |= {k: constant(k, _ZERO) for k in part.sinks if k in basis.open_sinks}
    for paths in in_turn(basis, derived):
        path = paths[0]
        new: Iterable[Potential]
        if path[-1] in derived:
            new = [Potential(i, "to", j) for i, j in reversed([*pairwise(path)])]
        elif path[0] in derived:
            new = [Potential(j, "from", i) for i, j in pairwise(path)]
        else:
            new = [constant(k, value) for k, value in _cycle_potentials(paths, distance, alpha).items()]
        for potential in new:
            derived.setdefault(potential.state, potential)
    return tuple(derived.values())


def constant(state: int, value: fmpq) -> Potential:
    """A potential that is given outright."""
    return Potential(state, "constant", constant=value)


def _cycle_potentials(paths: Sequence[Path], distance: Metric[fmpq], alpha: fmpq) -> dict[int, fmpq]:
    """Potentials of connected tight paths without an open state: f_source − gain·f_sink = cost."""
    order = {k: c for c, k in enumerate(sorted({end for path in paths for end in (path[0], path[-1])}))}
    matrix = fmpq_mat(len(paths), len(order))
    right = fmpq_mat(len(paths), 1)
    for r, path in enumerate(paths):
        matrix[r, order[path[0]]] = _ONE
        matrix[r, order[path[-1]]] = -path_gain(path, alpha)
        right[r, 0] = path_cost(path, distance, alpha)
    solution = matrix.solve(right)
    return {k: solution[c, 0] for k, c in order.items()}


def evaluate(
    derived: Derivation, distance: Metric[Scalar], alpha: Scalar, number: Callable[[fmpq], Scalar]
) -> dict[int, Scalar]:
    """The potentials of a derivation; ``number`` is a constant in the numbers that d and α are given in.

    With floats this is a guide. With rationals, all of them times the common denominator of a table, it is
    exact and free of long greatest common divisors.
    """
    values: dict[int, Scalar] = {}
    for potential in derived:
        state, other = potential.state, potential.other
        if potential.kind == "to":
            values[state] = distance(state, other) + alpha * values[other]
        elif potential.kind == "from":
            values[state] = (values[other] - distance(other, state)) / alpha
        else:
            values[state] = number(potential.constant)
    return values


def dual_value(parts: Sequence[Part], potentials: Mapping[int, fmpq]) -> fmpq:
    """Σ f_k b_k over the states of the parts, which bounds the lifting from below; 0 where no f is given."""
    total = _ZERO
    for part in parts:
        for k, b in zip(part.sources, part.supplies, strict=True):
            total += potentials.get(k, _ZERO) * b
        for k, b in zip(part.sinks, part.capacities, strict=True):
            total -= potentials.get(k, _ZERO) * b
    return total
