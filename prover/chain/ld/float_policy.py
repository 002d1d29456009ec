"""A coupling for every pair by policy iteration in floating point: the guide of the exact engine.

Start from d = 1 off the kernel; give every pair the best coupling for d; let d be the solution of the
linear system of these couplings; repeat until d stands still. Off the kernel the values decrease to the
greatest fixed point, which is ld (docs/theory.md, Theorem A and *Policy iteration*). Nothing here is exact,
and nothing here is believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from prover.chain.ld.problem import Pair, Problem
from prover.chain.ld.transport import (
    Basis,
    Part,
    Path,
    optimal_basis,
    path_cost,
)
from prover.exact.field import FLOATS, approximate_power, approximately
from prover.progress import Progress, silent

_SAVING = FLOATS.tolerance  # a path must save at least this much to be worth taking
_STILL = 1e-13  # values that change by less stand still
_MOST_ROUNDS = 100
_DENSE = 200  # unknowns up to which the sparse solver is not worth its loading time
_WIDEST_LABEL = 600  # detours are looked for in labels of at most this many states


@dataclass(frozen=True, slots=True)
class Guide:
    """For every open pair a basis per part, the value these lead to, and how many rounds it took."""

    bases: Mapping[Pair, tuple[Basis, ...]]
    values: Mapping[Pair, float]
    rounds: int


def guide(
    problem: Problem,
    fixed: Mapping[Pair, float],
    *,
    slack: float = 0.0,
    start: Mapping[Pair, float] | None = None,
    progress: Progress = silent,
) -> Guide:
    """Couplings and values of all pairs, nearly optimal, except those whose value is known and ``fixed``.

    With ``slack`` the operator is Γ − slack instead of Γ. Where its fixed point d is positive it satisfies
    d < Γ(d); values may come out negative. The iteration starts from d = 1, or from ``start``, which should
    be a pre-fixed point.
    """
    iteration = _Iteration(problem, fixed, slack, start or {})
    for rounds in range(1, _MOST_ROUNDS + 1):
        progress("policy iteration (rounds)", rounds, None)
        if iteration.improve() <= _STILL:
            break
    return Guide(iteration.bases, iteration.values, rounds)


def clipped(value: float) -> float:
    """The distance that is nearest to a value."""
    return min(1.0, max(0.0, value))


class FloatTable:
    """Distances in floating point, by rows, with the best couplings for them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.alpha = approximately(problem.alpha)
        self.rows: dict[int, dict[int, float]] = {}
        self.detours: Mapping[Pair, tuple[Path, ...]] = {}

    def set(self, pair: Pair, value: float) -> None:
        """d(pair) := value, in both orders if the problem is symmetric."""
        for i, j in self.problem.orders(pair):
            self.rows.setdefault(i, {})[j] = value

    def find_detours(self) -> None:
        """Look for paths of several arcs that are worth taking; the table must be complete."""
        self.detours = {}
        for states in self.problem.complete:
            if 2 < len(states) <= _WIDEST_LABEL:
                self.detours |= _label_detours(states, self.rows, self.alpha)

    def best(self, part: Part, amounts: _Amounts) -> tuple[Basis, list[tuple[Path, float]]]:
        """The best basis of a part, and the amounts on its paths."""
        choices: list[tuple[Path, float, float]] = []
        for i in part.sources:
            row = self.rows.get(i, {})
            for j in part.sinks:
                saving = 1.0 - row[j]
                if saving > _SAVING:
                    choices.append(((i, j), saving, self.alpha))
                for path in self.detours.get((i, j), ()):
                    saving = 1.0 - path_cost(path, self.distance, self.alpha)
                    choices.append((path, saving, approximate_power(self.alpha, len(path) - 1)))
        return optimal_basis(part, amounts[0], amounts[1], choices, FLOATS)

    def distance(self, i: int, j: int) -> float:
        """d(i,j)."""
        return self.rows[i][j]


_Amounts = tuple[list[float], list[float]]
"""The supplies and the capacities of a part."""


def _amounts(part: Part) -> _Amounts:
    return [approximately(b) for b in part.supplies], [approximately(b) for b in part.capacities]


def float_liftings(
    problem: Problem, values: Mapping[Pair, float], wanted: Mapping[Pair, Sequence[Part]]
) -> dict[Pair, tuple[float, tuple[Basis, ...]]]:
    """For other parts than the problem's own, the lifting of the given distances, and the bases that attain
    it.
    """
    table = FloatTable(problem)
    for pair, value in values.items():
        table.set(pair, clipped(value))
    table.find_detours()
    found: dict[Pair, tuple[float, tuple[Basis, ...]]] = {}
    best: dict[Part, tuple[_Amounts, Basis, list[tuple[Path, float]]]] = {}
    for pair, parts in wanted.items():
        cost = 0.0
        bases = []
        for part in parts:
            if part not in best:
                amounts = _amounts(part)
                best[part] = amounts, *table.best(part, amounts)
            amounts, basis, shipped = best[part]
            bases.append(basis)
            cost += sum(amounts[0])
            for path, amount in shipped:
                cost -= amount * (1.0 - path_cost(path, table.distance, table.alpha))
        found[pair] = cost, tuple(bases)
    return found


@dataclass(frozen=True, slots=True)
class _Share:
    """What a part adds to the linear system: weights of pairs, by their columns, and costs that are known."""

    basis: Basis
    columns: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)


class _Iteration:
    """The state of one policy iteration: a table of distances and a basis for every open pair."""

    def __init__(
        self, problem: Problem, fixed: Mapping[Pair, float], slack: float, start: Mapping[Pair, float]
    ) -> None:
        self.problem = problem
        self.slack = slack
        self.order = [p for p in problem.parts if p not in fixed]
        self.index = {arc: k for k, p in enumerate(self.order) for arc in problem.orders(p)}
        self.table = FloatTable(problem)
        for pair in problem.parts:
            self.table.set(pair, fixed.get(pair, clipped(start.get(pair, 1.0))))
        distinct = dict.fromkeys(part for pair in self.order for part in problem.parts[pair])
        self.amounts = {part: _amounts(part) for part in distinct}
        self.bases: dict[Pair, tuple[Basis, ...]] = {}
        self.values = dict.fromkeys(self.order, 1.0)

    def improve(self) -> float:
        """One round: best couplings for the table, then the table of these couplings; the largest change."""
        self.table.find_detours()
        rows: list[int] = []
        columns: list[int] = []
        weights: list[float] = []
        behind = np.empty(len(self.order))
        shares: dict[Part, _Share] = {}
        for k, pair in enumerate(self.order):
            bases = []
            total = -self.slack
            for part in self.problem.parts[pair]:
                if part not in shares:
                    shares[part] = self._share(part)
                share = shares[part]
                bases.append(share.basis)
                rows += [k] * len(share.columns)
                columns += share.columns
                weights += share.weights
                for cost in share.costs:
                    total += cost
            behind[k] = total
            self.bases[pair] = tuple(bases)
        return self._update(sparse_solve(rows, columns, weights, behind))

    def _share(self, part: Part) -> _Share:
        """The best coupling of a part for the table."""
        amounts = self.amounts[part]
        basis, shipped = self.table.best(part, amounts)
        share = _Share(basis)
        mass = sum(amounts[0])
        for path, amount in shipped:
            mass -= amount
            for arc in pairwise(path):
                if arc in self.index:
                    share.columns.append(self.index[arc])
                    share.weights.append(amount)
                else:
                    share.costs.append(amount * self.table.distance(*arc))
                amount *= self.table.alpha
        share.costs.append(max(0.0, mass))
        return share

    def _update(self, values: Any) -> float:
        self.values = dict(zip(self.order, values.tolist(), strict=True))
        change = 0.0
        for pair, value in self.values.items():
            inside = clipped(value)
            change = max(change, abs(self.table.distance(*pair) - inside))
            self.table.set(pair, inside)
        return change


def sparse_solve(rows: list[int], columns: list[int], weights: list[float], behind: Any) -> Any:
    """The solution x of x = W x + behind for the sparse matrix W of the given entries, in floating point.

    All ones where there is none that floating point can find.
    """
    size = len(behind)
    try:
        if size <= _DENSE:
            matrix = np.identity(size)
            np.subtract.at(matrix, (rows, columns), weights)
            return np.linalg.solve(matrix, behind)
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu

        sparse = identity(size, format="csc") - csc_matrix((weights, (rows, columns)), shape=(size, size))
        return splu(sparse).solve(behind)
    except (RuntimeError, np.linalg.LinAlgError):
        return np.ones_like(behind)


def _label_detours(
    states: tuple[int, ...], table: Mapping[int, Mapping[int, float]], alpha: float
) -> dict[Pair, tuple[Path, ...]]:
    """For the pairs that have any, the paths of several arcs that are cheaper than all of fewer arcs."""
    size = len(states)
    direct = np.array([[table[i][j] if i != j else np.inf for j in states] for i in states])
    paths: dict[Pair, list[Path]] = {}
    cheapest, longer = direct, direct
    via: list[Any] = []
    while True:
        # longer[i][j] := min_k d(i,k) + α longer[k][j], remembering k
        best = np.full((size, size), np.inf)
        middle = np.zeros((size, size), dtype=int)
        for k in range(size):
            cost = direct[:, k : k + 1] + alpha * longer[k : k + 1, :]
            better = cost < best
            best[better] = cost[better]
            middle[better] = k
        np.fill_diagonal(best, np.inf)
        via.append(middle)
        gains = best < np.minimum(cheapest, 1.0) - _SAVING
        if not gains.any():
            break
        for i, j in zip(*np.nonzero(gains), strict=True):
            path = [int(i)]
            for step in reversed(via):
                path.append(int(step[path[-1], j]))
            full = tuple(states[k] for k in (*path, int(j)))
            if len(set(full)) == len(full):
                paths.setdefault((full[0], full[-1]), []).append(full)
        longer, cheapest = np.where(gains, best, np.inf), np.minimum(cheapest, best)
    return {pair: tuple(found) for pair, found in paths.items()}
