"""Whether a pair's couplings are optimal for an exact table: potentials where they are, better couplings
where not.

Floating point sorts out the comparisons that are clear by a wide margin; integers decide the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from flint import fmpq

from prover.chain.ld.paths.detours import Detours, label_detours
from prover.chain.ld.paths.free_states import LabelDistances, clear_margin, raise_free_states
from prover.chain.ld.potentials import (
    Derivation,
    Potential,
    derivation,
    evaluate,
    exact_basis,
    row_potentials,
)
from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues, Guideposts, least_free
from prover.chain.ld.transport import Basis, Part, Path
from prover.errors import Fault
from prover.exact.field import FLOATS, approximately

_ZERO = fmpq(0)


@dataclass(frozen=True, slots=True)
class Judge:
    """Says which potentials and couplings are optimal for an exact table.

    ``posts`` are the table's distances and ``slope`` is α in floating point; a comparison in which two
    numbers differ by less than ``clear`` is made again in exact numbers, times ``scale``, the table's
    denominator. What was judged once is remembered: pairs share most of their parts.
    """

    problem: Problem
    table: DistanceValues
    posts: Guideposts
    scale: fmpq
    slope: float
    clear: float
    _judged: dict[tuple[Part, Basis], tuple[Potential, ...] | None] = field(default_factory=dict)
    _improved: dict[tuple[Part, Basis], Basis] = field(default_factory=dict)
    _labels: dict[int, LabelDistances] = field(default_factory=dict)
    _detours: dict[int, Detours] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, table: DistanceValues) -> Judge:
        """The judge of a table that has every pair of the problem."""
        return cls(
            problem,
            table,
            Guideposts.of(table.floats().items()),
            fmpq(table.denominator),
            approximately(problem.alpha),
            clear_margin(problem.alpha),
        )

    def potentials(self, parts: Sequence[Part], bases: Sequence[Basis]) -> tuple[Potential, ...] | None:
        """The potentials of the given bases if they extend to all states with every constraint, else None."""
        derived: list[Potential] = []
        for part, basis in zip(parts, bases, strict=True):
            key = part, basis
            if key not in self._judged:
                self._judged[key] = self._part_potentials(part, basis)
            found = self._judged[key]
            if found is None:
                return None
            derived += found
        return tuple(derived)

    def exact_potentials(self, derived: Derivation) -> dict[int, fmpq]:
        """The potentials of a derivation, times the table's denominator."""
        return evaluate(derived, self.table.scaled, self.problem.alpha, lambda c: self.scale * c)

    def _part_potentials(self, part: Part, basis: Basis) -> tuple[Potential, ...] | None:
        derived = derivation(
            part, basis, lambda i, j: self.table.scaled(i, j) / self.scale, self.problem.alpha
        )
        if not part.sinks:
            return derived
        judged = _Potentials(self, part, derived)
        if not judged.within_bounds() or not judged.within_arcs() or not judged.tight_along(basis.paths):
            return None
        if judged.beyond_outside() or judged.within_detours(self._label_detours(part)):
            return derived
        return None

    def detoured(self) -> tuple[int, ...]:
        """The labels, as their first states, whose detours the potentials found so far had to keep."""
        return tuple(sorted(self._detours))

    def _label_detours(self, part: Part) -> Detours:
        states = self.problem.members[part.sources[0]]
        if states[0] not in self._detours:
            self._detours[states[0]] = label_detours(self._distances(states), self.problem.alpha)
        return self._detours[states[0]]

    def improve(self, parts: Sequence[Part], bases: Sequence[Basis]) -> tuple[Basis, ...]:
        """Optimal bases for the table, over all paths through all states of each label, in exact arithmetic.

        The paths of the given bases are tried first.
        """
        better = []
        for key in zip(parts, bases, strict=True):
            if key not in self._improved:
                self._improved[key] = self._improve_part(*key)
            better.append(self._improved[key])
        return tuple(better)

    def _improve_part(self, part: Part, basis: Basis) -> Basis:
        paths: list[Path] = [(i, j) for i in part.sources for j in part.sinks]
        paths += [path for path in basis.paths if len(path) > 2]
        alpha, scale = self.problem.alpha, self.scale
        while True:
            basis, _ = exact_basis(part, paths, self.table.scaled, alpha, scale)
            if not part.sinks or not self.problem.outside:
                return basis
            values = row_potentials(basis, self.table.scaled, alpha, scale)
            states = self.problem.members[part.sources[0]]
            closure = raise_free_states(values, self._distances(states), alpha)
            if not closure.violated:
                return basis
            violated = _to_a_sink(closure.violated, part, basis)
            if violated in paths:
                raise Fault(f"path {violated} is violated although it is part of the program")
            paths.append(violated)

    def _distances(self, states: tuple[int, ...]) -> LabelDistances:
        if states[0] not in self._labels:
            self._labels[states[0]] = LabelDistances.of(states, self.table, self.posts.rows)
        return self._labels[states[0]]


class _Potentials:
    """The potentials of one part as floats, and exactly as soon as a comparison is close."""

    def __init__(self, judge: Judge, part: Part, derived: Derivation) -> None:
        self.judge = judge
        self.derived = derived
        self.states = sorted({f.state for f in derived} | set(part.sinks))
        rows = judge.posts.rows
        self.floats = evaluate(derived, lambda i, j: rows[i][j], judge.slope, FLOATS.number)
        self.tight = {(f.state, f.other) for f in derived if f.kind == "to"}
        self.tight |= {(f.other, f.state) for f in derived if f.kind == "from"}
        self.constant = {f.state: f.constant for f in derived if f.kind == "constant"}
        self.constant |= {k: _ZERO for k in part.sinks if k not in self.constant and k not in self.floats}
        for k in part.sinks:
            self.floats.setdefault(k, 0.0)
        self._exact: dict[int, fmpq] = {}

    def exact(self) -> dict[int, fmpq]:
        """The exact potentials of all listed states and sinks, times the table's denominator."""
        if not self._exact:
            values = self.judge.exact_potentials(self.derived)
            self._exact = {k: values.get(k, _ZERO) for k in self.states}
        return self._exact

    def within_bounds(self) -> bool:
        """0 ≤ f ≤ 1."""
        clear = self.judge.clear
        return all(
            clear < self.floats[k] < 1 - clear
            or (
                0 <= self.constant[k] <= 1 if k in self.constant else 0 <= self.exact()[k] <= self.judge.scale
            )
            for k in self.states
        )

    def within_arcs(self) -> bool:
        """f_i ≤ d(i,j) + α f_j between listed states."""
        judge, floats = self.judge, self.floats
        beyond = [(j, judge.slope * floats[j]) for j in self.states]
        for i in self.states:
            if self.constant.get(i, 1) == 0:
                continue
            row, height = judge.posts.rows.get(i, {}), floats[i]
            for j, most in beyond:
                if i != j and row[j] + most - height < judge.clear and not self._within_arc(i, j):
                    return False
        return True

    def _within_arc(self, i: int, j: int) -> bool:
        """The same of an arc for which floating point does not settle it, unless it says no."""
        judge = self.judge
        if (i, j) in self.tight:
            return True
        slack = judge.posts.rows[i][j] + judge.slope * self.floats[j] - self.floats[i]
        return bool(
            slack > -judge.clear
            and self.exact()[i] <= judge.table.scaled(i, j) + judge.problem.alpha * self.exact()[j]
        )

    def tight_along(self, paths: Sequence[Path]) -> bool:
        """Every arc of the paths is tight; direct paths are by construction."""
        if all(len(path) == 2 for path in paths):
            return True
        alpha, scaled = self.judge.problem.alpha, self.judge.table.scaled
        return all(
            self.exact()[i] == scaled(i, j) + alpha * self.exact()[j]
            for path in paths
            for i, j in pairwise(path)
        )

    def within_detours(self, detours: Detours) -> bool:
        """f_i ≤ c + α^h f_j between listed states, for every detour from i to j of h arcs and of cost c."""
        judge, floats = self.judge, self.floats
        alpha = judge.problem.alpha
        for i in self.states:
            if self.constant.get(i, 1) == 0:
                continue
            for j in self.states:
                for way in detours.get((i, j), ()):
                    slack = way.near + way.gain * floats[j] - floats[i]
                    if slack >= judge.clear:
                        continue
                    if self.exact()[i] > way.cost + alpha**way.arcs * self.exact()[j]:
                        return False
        return True

    def beyond_outside(self) -> bool:
        """f_i ≤ m(i) + α m'(j) + α² f_j, m and m' being the least distances to and from the other states."""
        judge, floats = self.judge, self.floats
        if judge.clear == float("inf"):
            return False
        taken = frozenset(self.states)
        out = {i: least_free(judge.posts.sorted_rows[i], taken) for i in self.states}
        into = {j: least_free(judge.posts.sorted_columns[j], taken) for j in self.states}
        for i in self.states:
            leave = out[i]
            if leave is None or self.constant.get(i, 1) == 0:
                continue
            for j in self.states:
                enter = into[j]
                if i == j or enter is None:
                    continue
                bound = leave + judge.slope * enter + judge.slope**2 * floats[j]
                if bound - floats[i] < judge.clear:
                    return False
        return True


def _to_a_sink(path: Path, part: Part, basis: Basis) -> Path:
    """A violated path from a source to a sink: from the path's start back to a source, and on to a sink.

    Paths of the basis are tight, so extending a violated path along them keeps it violated.
    """
    sinks, sources = set(part.sinks), set(part.sources)
    start = next((p for p in basis.paths if p[-1] == path[0]), None)
    if path[0] not in sources and start is not None:
        path = (*start, *path[1:])
    while path[-1] not in sinks:
        onward = next(p for p in basis.paths if p[0] == path[-1])
        path = (*path, *onward[1:])
    return _without_loops(path)


def _without_loops(path: Path) -> Path:
    kept: list[int] = []
    for k in path:
        if k in kept:
            del kept[kept.index(k) :]
        kept.append(k)
    return tuple(kept)
