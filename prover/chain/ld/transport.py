"""The skewed Kantorovich lifting K(d)(μ_s, μ_t) of one pair of states, as a flow problem.

Write b = μ_s − α μ_t. The lifting is the linear program

    max Σ_k f_k b_k          over 0 ≤ f ≤ 1 with f_i − α f_j ≤ d(i,j)                 (potentials)
    min Σ_ij w_ij d(i,j) + Σ_k max(0, b_k − Σ_j w_kj + α Σ_i w_ik)   over w ≥ 0        (couplings)

A coupling moves mass from the states with b > 0, the *sources*, to the states with b < 0, the *sinks*. A
unit sent along an arc i → j costs d(i,j) and fills α units of the sink's capacity −b_j; mass may travel
over several arcs, each multiplying it by α; mass that stays behind costs 1. Arcs between different labels
cost 1 and are useless, so the problem falls apart into one *part* per label. Every coupling of a part
decomposes into *paths* from sources to sinks, and choosing the amounts on paths is a packing program with a
basis of at most as many paths as there are sources and sinks. Reference: docs/theory.md, *The lifting as a
flow*; Lemma 19 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_mat

from prover.exact.packing import solve_packing
from prover.exact.simplex import Number

Path = tuple[int, ...]
"""States from a source to a sink, two or more: (source, …, sink)."""

Distance = Callable[[int, int], Any]
"""d(i,j) for two different states of equal label."""


@dataclass(frozen=True, slots=True)
class Part:
    """The sources and sinks of one label; supplies and capacities are |b| of the states, all positive."""

    sources: tuple[int, ...]
    supplies: tuple[fmpq, ...]
    sinks: tuple[int, ...]
    capacities: tuple[fmpq, ...]


@dataclass(frozen=True, slots=True)
class Basis:
    """A vertex of a part's couplings, together with the potentials that belong to it.

    ``paths`` carry flow; sources in ``open_sources`` leave mass behind (their potential is 1), sinks in
    ``open_sinks`` have capacity left (potential 0); the others are exhausted exactly.
    """

    paths: tuple[Path, ...]
    open_sources: frozenset[int]
    open_sinks: frozenset[int]


@dataclass(frozen=True, slots=True)
class Coupling:
    """Weights w > 0 of arcs, and the mass that they leave behind (at a cost of 1 a unit)."""

    weights: Mapping[tuple[int, int], fmpq]
    behind: fmpq


@dataclass(frozen=True, slots=True)
class Step:
    """One potential: a constant (``kind`` "constant"), or derived from an earlier one by a tight arc.

    "to": f_state = d(state, other) + α f_other.    "from": f_state = (f_other − d(other, state)) / α.
    """

    state: int
    kind: str
    other: int = -1
    constant: fmpq | int = 0


def parts(
    x: Mapping[int, fmpq], y: Mapping[int, fmpq], alpha: fmpq, labels: Sequence[Any]
) -> tuple[Part, ...]:
    """The parts of the lifting of (x, y) that have a source; the others contribute nothing."""
    grouped: dict[Any, tuple[list[tuple[int, fmpq]], list[tuple[int, fmpq]]]] = {}
    for k in sorted(x.keys() | y.keys()):
        b = x.get(k, _ZERO) - alpha * y.get(k, _ZERO)
        if b != 0:
            sources, sinks = grouped.setdefault(labels[k], ([], []))
            (sources if b > 0 else sinks).append((k, abs(b)))
    return tuple(
        Part(
            tuple(k for k, _ in sources),
            tuple(b for _, b in sources),
            tuple(k for k, _ in sinks),
            tuple(b for _, b in sinks),
        )
        for sources, sinks in grouped.values()
        if sources
    )


_ZERO = fmpq(0)
_LARGEST = 2.0**300  # so that products of two or three numbers are still floats


def approximately(q: Any) -> float:
    """A float near the rational, for guides; cut at ±2^300."""
    try:
        return max(-_LARGEST, min(_LARGEST, int(q.p) / int(q.q)))
    except OverflowError:
        return _LARGEST if q > 0 else -_LARGEST


def approximate_gain(alpha: float, arcs: int) -> float:
    """α^arcs, for guides; cut at 2^300."""
    gain = 1.0
    for _ in range(arcs):
        gain = min(_LARGEST, gain * alpha)
    return gain


def path_cost(path: Path, distance: Distance, alpha: Number) -> Any:
    """Cost of one unit sent along the path: d(v0,v1) + α d(v1,v2) + α² d(v2,v3) + …"""
    cost: Any = distance(path[-2], path[-1])
    for i in range(len(path) - 3, -1, -1):
        cost = distance(path[i], path[i + 1]) + alpha * cost
    return cost


def optimal_basis(
    part: Part,
    supplies: Sequence[Number],
    capacities: Sequence[Number],
    columns: Sequence[tuple[Path, Number, Number]],
    tolerance: Number,
    one: Number,
) -> tuple[Basis, list[tuple[Path, Number]]]:
    """The best basis over the given columns (path, saving = 1 − cost, gain = α^arcs), and the amounts on
    its paths.

    Supplies and capacities are those of the part, as floats for a guide or as rationals for the truth.
    Savings may be scaled by any positive number.
    """
    if not columns:
        return Basis((), frozenset(part.sources), frozenset(part.sinks)), []
    rows = {k: r for r, k in enumerate((*part.sources, *part.sinks))}
    program = [(rows[path[0]], rows[path[-1]], saving, gain) for path, saving, gain in columns]
    vertex = solve_packing([*supplies, *capacities], program, tolerance, one)
    amounts = [(columns[c][0], amount) for c, amount in vertex.amounts.items()]
    slack = vertex.slack_rows
    basis = Basis(
        tuple(path for path, _ in amounts),
        frozenset(k for k in part.sources if rows[k] in slack),
        frozenset(k for k in part.sinks if rows[k] in slack),
    )
    return basis, amounts


def flows(part: Part, basis: Basis, alpha: fmpq) -> tuple[tuple[Path, fmpq], ...] | None:
    """The exact amounts on the basis' paths (zero amounts left out), or None if some amount or slack is
    negative.

    The rows of sources and sinks that are not open are equations, as many as there are paths.
    """
    left: dict[tuple[bool, int], fmpq] = {}
    for k, b in zip(part.sources, part.supplies, strict=True):
        left[False, k] = b
    for k, b in zip(part.sinks, part.capacities, strict=True):
        left[True, k] = b
    closed = {row for row in left if row[1] not in (basis.open_sinks if row[0] else basis.open_sources)}
    amounts: dict[Path, fmpq] = {}
    waiting = set(basis.paths)
    while waiting:
        single = _single_path_row(closed, waiting)
        if single is None:
            cycle = _solve_cycle(closed, waiting, left, alpha)
            if cycle is None:
                return None
            amounts.update(cycle)
            break
        row, path = single
        gain = alpha ** (len(path) - 1)
        amounts[path] = left[row] / gain if row[0] else left[row]
        waiting.discard(path)
        closed.discard(row)
        left[False, path[0]] -= amounts[path]
        left[True, path[-1]] -= amounts[path] * gain
    used: dict[tuple[bool, int], fmpq] = {}
    for path, amount in amounts.items():
        used[False, path[0]] = used.get((False, path[0]), _ZERO) + amount
        used[True, path[-1]] = used.get((True, path[-1]), _ZERO) + amount * alpha ** (len(path) - 1)
    supply = dict(zip(part.sources, part.supplies, strict=True))
    capacity = dict(zip(part.sinks, part.capacities, strict=True))
    if any(amount < 0 for amount in amounts.values()) or any(
        total > (capacity if sink else supply)[k] for (sink, k), total in used.items()
    ):
        return None
    return tuple((path, amounts[path]) for path in basis.paths if amounts[path] > 0)


def _single_path_row(
    closed: set[tuple[bool, int]], waiting: set[Path]
) -> tuple[tuple[bool, int], Path] | None:
    """A closed row that exactly one waiting path touches, with that path."""
    touching: dict[tuple[bool, int], list[Path]] = {}
    for path in waiting:
        for row in ((False, path[0]), (True, path[-1])):
            if row in closed:
                touching.setdefault(row, []).append(path)
    return min(((row, found[0]) for row, found in touching.items() if len(found) == 1), default=None)


def _solve_cycle(
    closed: set[tuple[bool, int]], waiting: set[Path], left: Mapping[tuple[bool, int], fmpq], alpha: fmpq
) -> dict[Path, fmpq] | None:
    """Amounts on paths that form cycles of gain other than 1, by a small system; None if it has no unique
    solution.
    """
    rows = sorted(row for row in closed if any(row in ((False, p[0]), (True, p[-1])) for p in waiting))
    paths = sorted(waiting)
    matrix = fmpq_mat(len(rows), len(paths))
    for r, row in enumerate(rows):
        for c, path in enumerate(paths):
            if row == (False, path[0]):
                matrix[r, c] = fmpq(1)
            elif row == (True, path[-1]):
                matrix[r, c] = alpha ** (len(path) - 1)
    if len(rows) != len(paths):
        return None
    try:
        solution = matrix.solve(fmpq_mat(len(rows), 1, [left[row] for row in rows]))
    except ZeroDivisionError:
        return None
    return {path: solution[c, 0] for c, path in enumerate(paths)}


def coupling_of_amounts(part: Part, amounts: Sequence[tuple[Path, fmpq]], alpha: fmpq) -> Coupling:
    """The coupling of a part that sends the given amounts along paths."""
    weights: dict[tuple[int, int], fmpq] = {}
    behind = sum(part.supplies, start=_ZERO)
    for path, amount in amounts:
        behind -= amount
        mass = amount
        for arc in pairwise(path):
            weights[arc] = weights.get(arc, _ZERO) + mass
            mass *= alpha
    return Coupling({arc: weight for arc, weight in weights.items() if weight > 0}, behind)


def coupling_of_bases(parts: Sequence[Part], bases: Sequence[Basis], alpha: fmpq) -> Coupling | None:
    """The coupling of the bases of a pair's parts, or None if one of them is infeasible."""
    weights: dict[tuple[int, int], fmpq] = {}
    behind = _ZERO
    for part, basis in zip(parts, bases, strict=True):
        amounts = flows(part, basis, alpha)
        if amounts is None:
            return None
        coupling = coupling_of_amounts(part, amounts, alpha)
        weights.update(coupling.weights)
        behind += coupling.behind
    return Coupling(weights, behind)


def row_potentials(basis: Basis, distance: Distance, alpha: fmpq, one: fmpq) -> dict[int, fmpq]:
    """The potentials of sources and sinks that belong to a basis, times ``one`` (and d scaled likewise).

    Paths of the basis are tight as a whole: f_source = cost + α^arcs f_sink.
    """
    known = dict.fromkeys(basis.open_sources, one) | dict.fromkeys(basis.open_sinks, _ZERO)
    waiting = list(basis.paths)
    while waiting:
        path = next((p for p in waiting if p[0] in known or p[-1] in known), None)
        if path is None:
            known |= _cycle_potentials(waiting, distance, alpha)
            continue
        waiting.remove(path)
        cost, gain = path_cost(path, distance, alpha), alpha ** (len(path) - 1)
        if path[-1] in known:
            known.setdefault(path[0], cost + gain * known[path[-1]])
        else:
            known[path[-1]] = (known[path[0]] - cost) / gain
    return known


def derivation(part: Part, basis: Basis, distance: Distance, alpha: fmpq) -> tuple[Step, ...]:
    """The potentials of a basis, step by step from the open rows along the arcs of its paths.

    ``distance`` is asked only where paths form a cycle, whose potentials follow from a small exact system.
    If the basis is optimal every arc of its paths is tight, so that it does not matter which path a
    state in the middle of several gets its potential from. Else some path may not be tight in the end.
    """
    steps = [Step(k, "constant", constant=1) for k in part.sources if k in basis.open_sources]
    steps += [Step(k, "constant", constant=0) for k in part.sinks if k in basis.open_sinks]
    known = {step.state for step in steps}
    waiting = list(basis.paths)
    while waiting:
        ready = next((p for p in waiting if p[0] in known or p[-1] in known), None)
        if ready is None:
            constants = _cycle_potentials(waiting, distance, alpha)
            steps += [Step(k, "constant", constant=value) for k, value in constants.items()]
            known |= constants.keys()
            continue
        waiting.remove(ready)
        arcs = list(pairwise(ready))
        if ready[-1] in known:
            new = [Step(i, "to", j) for i, j in reversed(arcs)]
        else:
            new = [Step(j, "from", i) for i, j in arcs]
        for step in new:
            if step.state not in known:
                steps.append(step)
                known.add(step.state)
    return tuple(steps)


def _cycle_potentials(waiting: Sequence[Path], distance: Distance, alpha: fmpq) -> dict[int, fmpq]:
    """Potentials of one connected set of tight paths without an open row: f_source − gain·f_sink = cost."""
    states = {waiting[0][0]}
    while True:
        component = [p for p in waiting if p[0] in states or p[-1] in states]
        grown = states | {k for p in component for k in (p[0], p[-1])}
        if grown == states:
            break
        states = grown
    order = {k: c for c, k in enumerate(sorted(states))}
    matrix = fmpq_mat(len(component), len(order))
    right = fmpq_mat(len(component), 1)
    for r, path in enumerate(component):
        matrix[r, order[path[0]]] = fmpq(1)
        matrix[r, order[path[-1]]] = -(alpha ** (len(path) - 1))
        right[r, 0] = path_cost(path, distance, alpha)
    solution = matrix.solve(right)
    return {k: solution[c, 0] for k, c in order.items()}


def evaluate(steps: Sequence[Step], distance: Distance, alpha: Number, one: Number) -> dict[int, Any]:
    """The potentials of a derivation, times ``one``; ``distance`` is scaled by ``one`` likewise.

    With floats (one = 1.0) this is a guide; with rationals, and one = the tables' common denominator,
    it is exact and free of long greatest common divisors.
    """
    values: dict[int, Any] = {}
    for step in steps:
        if step.kind == "to":
            values[step.state] = distance(step.state, step.other) + alpha * values[step.other]
        elif step.kind == "from":
            values[step.state] = (values[step.other] - distance(step.other, step.state)) / alpha
        elif isinstance(one, float):
            values[step.state] = one * approximately(fmpq(step.constant))
        else:
            values[step.state] = one * step.constant
    return values
