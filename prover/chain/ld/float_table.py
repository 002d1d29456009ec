"""Distances in floating point, with the best couplings for them: what the guide asks again and again.

Wide parts, with many sources and sinks, keep their basis from one table to the next as long as its potentials
say that it is still the best one; the amounts on its paths do not depend on the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prover.chain.ld.problem import Problem
from prover.chain.ld.transport import (
    Basis,
    Part,
    Path,
    basis_of,
    is_wide,
    nothing_moves,
    optimal_basis,
    path_cost,
)
from prover.chain.model import Pair
from prover.exact.field import FLOATS, approximate_power, approximately
from prover.exact.packing import large_solver, solve_large

SAVING = FLOATS.tolerance  # a path must save at least this much to be worth taking
_WIDEST_LABEL = 600  # detours are looked for in labels of at most this many states

Shipped = Sequence[tuple[Path, float]]
"""The amounts on paths."""

Amounts = tuple[list[float], list[float]]
"""The supplies and the capacities of a part."""


def amounts_of(part: Part) -> Amounts:
    """The supplies and the capacities of a part in floating point."""
    return [approximately(b) for b in part.supplies], [approximately(b) for b in part.capacities]


class FloatTable:
    """Distances in floating point, by rows, with the best couplings for them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.alpha = approximately(problem.alpha)
        self.rows: dict[int, dict[int, float]] = {}
        self.detours: Mapping[Pair, tuple[Path, ...]] = {}
        self.found_detours: list[_Detour] = []
        self._labels: dict[int, _Label] = {}  # by the first state of a label
        self._place = {k: a for states in problem.complete for a, k in enumerate(states)}
        self._kept: dict[Part, tuple[Basis, Shipped]] = {}
        self._solver: Any = None  # of wide parts

    def set(self, pair: Pair, value: float) -> None:
        """d(pair) := value, in both orders if the problem is symmetric, and for all pairs of the orbit."""
        for i, j in self.problem.orders(pair):
            self.rows.setdefault(i, {})[j] = value

    def find_detours(self) -> None:
        """Look for paths of several arcs that are worth taking; the table must be complete."""
        self.detours, self._labels, self.found_detours = {}, {}, []
        for states in self.problem.complete:
            if 2 < len(states) <= _WIDEST_LABEL:
                direct = _direct(states, self.rows)
                found = _label_detours(states, direct, self.alpha)
                self.detours |= found
                listed = [(i, j, *detour) for i, j in found for detour in self._roundabout(i, j)]
                self.found_detours += listed
                self._labels[states[0]] = _Label.of(direct, listed, self._place)

    def distance(self, i: int, j: int) -> float:
        """d(i,j)."""
        return self.rows[i][j]

    def keeps(self, part: Part) -> bool:
        """Whether the basis of the part is kept, as the part is wide."""
        return is_wide(part) and self.problem.members[part.sources[0]][0] in self._labels

    def keep(self, part: Part, found: tuple[Basis, Shipped]) -> None:
        """Keep what was found elsewhere."""
        self._kept[part] = found

    def best(self, part: Part, amounts: Amounts) -> tuple[Basis, Shipped]:
        """The best basis of a part, and the amounts on its paths."""
        if not self.keeps(part):
            return self._best_of_few(part, amounts)
        label = self._labels[self.problem.members[part.sources[0]][0]]
        ways = label.between(*([self._place[k] for k in side] for side in (part.sources, part.sinks)))
        if part not in self._kept or not self._is_best(part, self._kept[part][0], ways):
            self._kept[part] = self._best_of_many(part, amounts, ways)
        return self._kept[part]

    def _best_of_few(self, part: Part, amounts: Amounts) -> tuple[Basis, Shipped]:
        choices: list[tuple[Path, float, float]] = []
        for i in part.sources:
            row = self.rows.get(i, {})
            for j in part.sinks:
                saving = 1.0 - row[j]
                if saving > SAVING:
                    choices.append(((i, j), saving, self.alpha))
                choices += self._roundabout(i, j)
        return optimal_basis(part, amounts[0], amounts[1], choices, FLOATS)

    def _roundabout(self, i: int, j: int) -> list[tuple[Path, float, float]]:
        """The detours from i to j, what a unit saves on each, and what it becomes."""
        return [
            (path, 1.0 - self._cost(path), approximate_power(self.alpha, len(path) - 1))
            for path in self.detours.get((i, j), ())
        ]

    def _cost(self, path: Path) -> float:
        return path_cost(path, self.distance, self.alpha)

    def _best_of_many(self, part: Part, amounts: Amounts, ways: _Ways) -> tuple[Basis, Shipped]:
        savings = (1.0 - ways.direct).ravel()
        cells = np.flatnonzero(savings > SAVING)
        savings, gains = savings[cells], np.full(len(cells), self.alpha)
        order = np.argsort(ways.cells, kind="stable")
        columns = np.searchsorted(cells, ways.cells[order], "right")
        cells = np.insert(cells, columns, ways.cells[order])
        if not len(cells):
            return nothing_moves(part), []
        savings = np.insert(savings, columns, ways.savings[order])
        gains = np.insert(gains, columns, ways.gains[order])
        first, second = np.divmod(cells, len(part.sinks))
        bounds = [*amounts[0], *amounts[1]]
        if self._solver is None:
            self._solver = large_solver()
        vertex = solve_large(bounds, first, second + len(part.sources), savings, gains, self._solver)
        if vertex is None:
            return self._best_of_few(part, amounts)
        long = dict(zip((columns + np.arange(len(columns))).tolist(), order.tolist(), strict=True))
        paths = {
            c: ways.paths[long[c]] if c in long else (part.sources[first[c]], part.sinks[second[c]])
            for c in vertex.amounts
        }
        return basis_of(part, vertex, paths)

    def _is_best(self, part: Part, basis: Basis, ways: _Ways) -> bool:
        """Whether the potentials of a basis still say that there is none better."""
        known = self._potentials(basis)
        if known.keys() < {*part.sources, *part.sinks}:
            return False  # there is a cycle; these are rare
        f, g = (np.array([known[k] for k in side]) for side in (part.sources, part.sinks))
        if min(f.min(), g.min()) < -SAVING or max(f.max(), g.max()) > 1.0 + SAVING:
            return False
        if (f[:, None] - self.alpha * g > ways.direct + SAVING).any():
            return False
        first, second = np.divmod(ways.cells, len(part.sinks))
        return bool((f[first] - ways.gains * g[second] <= 1.0 - ways.savings + SAVING).all())

    def _potentials(self, basis: Basis) -> dict[int, float]:
        """The potentials of a basis, as far as paths lead to them from the open states."""
        known = dict.fromkeys(basis.open_sources, 1.0) | dict.fromkeys(basis.open_sinks, 0.0)
        touching: dict[int, list[Path]] = {}
        for path in basis.paths:
            touching.setdefault(path[0], []).append(path)
            touching.setdefault(path[-1], []).append(path)
        waiting = list(known)
        for state in waiting:
            for path in touching.get(state, ()):
                source, sink = path[0], path[-1]
                gain = approximate_power(self.alpha, len(path) - 1)
                if source not in known:
                    known[source] = self._cost(path) + gain * known[sink]
                    waiting.append(source)
                elif sink not in known:
                    known[sink] = (known[source] - self._cost(path)) / gain
                    waiting.append(sink)
        return known


@dataclass(frozen=True, slots=True)
class _Ways:
    """The distances from sources to sinks, and detours from the one to the other: their cell in that table,
    what a unit saves on them, and what it becomes.
    """

    direct: Any
    cells: Any
    savings: Any
    gains: Any
    paths: Sequence[Path]


@dataclass(frozen=True, slots=True)
class _Label:
    """The distances between the states of a label, and its detours from state to state, by their places."""

    direct: Any
    starts: Any
    ends: Any
    savings: Any
    gains: Any
    paths: Sequence[Path]

    @classmethod
    def of(cls, direct: Any, detours: Sequence[_Detour], place: Mapping[int, int]) -> _Label:
        return cls(
            direct,
            np.array([place[i] for i, *_ in detours], dtype=int),
            np.array([place[j] for _, j, *_ in detours], dtype=int),
            np.array([saving for *_, saving, _ in detours]),
            np.array([gain for *_, gain in detours]),
            [path for _, _, path, _, _ in detours],
        )

    def between(self, sources: Sequence[int], sinks: Sequence[int]) -> _Ways:
        """The ways from some states to others."""
        rows, columns = np.full(len(self.direct), -1), np.full(len(self.direct), -1)
        rows[sources], columns[sinks] = np.arange(len(sources)), np.arange(len(sinks))
        first, second = rows[self.starts], columns[self.ends]
        chosen = np.flatnonzero((first >= 0) & (second >= 0))
        return _Ways(
            self.direct[np.ix_(sources, sinks)],
            first[chosen] * len(sinks) + second[chosen],
            self.savings[chosen],
            self.gains[chosen],
            [self.paths[c] for c in chosen.tolist()],
        )


_Detour = tuple[int, int, Path, float, float]
"""A pair of states, a path from the one to the other, what a unit saves on it, and what it becomes."""


def _direct(states: tuple[int, ...], rows: Mapping[int, Mapping[int, float]]) -> Any:
    """The distances between the states of a label as an array, infinite on the diagonal."""
    return np.array([[rows[i][j] if i != j else np.inf for j in states] for i in states])


def _label_detours(states: tuple[int, ...], direct: Any, alpha: float) -> dict[Pair, tuple[Path, ...]]:
    """For the pairs that have any, the paths of several arcs that are cheaper than all of fewer arcs."""
    size = len(states)
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
        gains = best < np.minimum(cheapest, 1.0) - SAVING
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
