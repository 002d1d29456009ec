"""Whether a pair's couplings are optimal for an exact table: potentials where they are, better couplings
where not.

Floating point sorts out the comparisons that are clear by a wide margin; integers decide the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flint import fmpq

from prover.chain.ld.potentials import Derivation, Potential, derivation, evaluate, row_potentials
from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues, Guideposts, least_free
from prover.chain.ld.transport import Basis, Metric, Part, Path, optimal_basis, path_cost, path_gain
from prover.errors import Fault
from prover.exact.field import FLOATS, RATIONALS, approximately

_CLEAR = 1e-9  # rounding errors are a thousand times smaller …
_STEEPEST_ALPHA = 1000  # … as long as α does not magnify them
_ZERO = fmpq(0)


class UnsettledPart(Fault):
    """Adding violated paths to a part did not end."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Says which potentials and couplings are optimal for an exact table.

    ``posts`` are the table's distances and ``slope`` is α in floating point; a comparison in which two
    numbers differ by less than ``clear`` is made again in exact numbers, times ``scale``, the table's
    denominator.
    """

    problem: Problem
    table: DistanceValues
    posts: Guideposts
    scale: fmpq
    slope: float
    clear: float

    @classmethod
    def of(cls, problem: Problem, table: DistanceValues) -> Judge:
        """The judge of a table that has every twin of the problem."""
        steep = problem.alpha > _STEEPEST_ALPHA
        return cls(
            problem,
            table,
            Guideposts.of(table.floats().items()),
            fmpq(table.denominator),
            approximately(problem.alpha),
            float("inf") if steep else _CLEAR,
        )

    def potentials(self, parts: Sequence[Part], bases: Sequence[Basis]) -> tuple[Potential, ...] | None:
        """The potentials of the given bases if they satisfy every constraint over all states, else None."""
        derived: list[Potential] = []
        for part, basis in zip(parts, bases, strict=True):
            found = self._part_potentials(part, basis)
            if found is None:
                return None
            derived += found
        return tuple(derived)

    def exact_potentials(self, derived: Derivation) -> dict[int, fmpq]:
        """The potentials of a derivation, times the table's denominator."""
        return evaluate(derived, self.table.scaled, self.problem.alpha, lambda c: self.scale * c)

    def _part_potentials(self, part: Part, basis: Basis) -> tuple[Potential, ...] | None:
        derived = derivation(part, basis, self._exact_distance, self.problem.alpha)
        if not part.sinks:
            return derived
        judged = _Potentials(self, part, derived)
        if not judged.within_bounds() or not judged.within_arcs() or not judged.tight_along(basis.paths):
            return None
        if judged.within_detours():
            return derived
        closure = raise_free_states(judged.exact(), self.within, self.table.scaled, self.problem.alpha)
        return None if closure.violated else (*derived, *closure.derivation())

    def improve(self, parts: Sequence[Part], bases: Sequence[Basis]) -> tuple[Basis, ...]:
        """Optimal bases for the table, over all paths through all states of each label, in exact arithmetic.

        The paths of the given bases are tried first.
        """
        return tuple(self._improve_part(part, basis) for part, basis in zip(parts, bases, strict=True))

    def _improve_part(self, part: Part, basis: Basis) -> Basis:
        paths: list[Path] = [(i, j) for i in part.sources for j in part.sinks]
        paths += [path for path in basis.paths if len(path) > 2]
        alpha, scale = self.problem.alpha, self.scale
        while True:
            columns = []
            for path in paths:
                saving = scale - path_cost(path, self.table.scaled, alpha)
                if saving > 0:
                    columns.append((path, saving, path_gain(path, alpha)))
            basis, _ = optimal_basis(part, part.supplies, part.capacities, columns, RATIONALS)
            if not part.sinks or not self.problem.outside:
                return basis
            values = row_potentials(basis, self.table.scaled, alpha, scale)
            closure = raise_free_states(values, self.within, self.table.scaled, alpha)
            if not closure.violated:
                return basis
            violated = _to_a_sink(closure.violated, part, basis)
            if violated in paths:
                raise UnsettledPart(f"path {violated} is violated although it is part of the program")
            paths.append(violated)

    def within(self, i: int, value: fmpq) -> Iterator[int]:
        """The states k with d(i,k) below ``value`` (which is scaled), and maybe a few more."""
        limit = int(value.p) / int(self.scale.p * value.q) + self.clear
        for distance, k in self.posts.sorted_rows.get(i, ()):
            if distance > limit:
                return
            yield k

    def _exact_distance(self, i: int, j: int) -> fmpq:
        return self.table.scaled(i, j) / self.scale


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
        for i in self.states:
            if self.constant.get(i, 1) == 0:
                continue
            for j in self.states:
                if i == j or (i, j) in self.tight:
                    continue
                slack = judge.posts.rows[i][j] + judge.slope * floats[j] - floats[i]
                if slack < judge.clear and not (
                    slack > -judge.clear
                    and self.exact()[i] <= judge.table.scaled(i, j) + judge.problem.alpha * self.exact()[j]
                ):
                    return False
        return True

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

    def within_detours(self) -> bool:
        """f_i ≤ m(i) + α m'(j) + α² f_j, m and m' being the least distances to and from the other states."""
        judge, floats = self.judge, self.floats
        if judge.clear == float("inf"):
            return False
        out = {i: next(least_free(judge.posts.sorted_rows[i], self.states), None) for i in self.states}
        into = {j: next(least_free(judge.posts.sorted_columns[j], self.states), None) for j in self.states}
        for i in self.states:
            for j in self.states:
                leave, enter = out[i], into[j]
                if i == j or leave is None or enter is None or self.constant.get(i, 1) == 0:
                    continue
                bound = leave[0] + judge.slope * enter[0] + judge.slope**2 * floats[j]
                if bound - floats[i] < judge.clear:
                    return False
        return True


@dataclass(frozen=True, slots=True)
class Closure:
    """The free states whose potential must be raised above 0, each with the state that demands it.

    If that would raise a fixed state too, ``violated`` is the path that does so: it leads from a fixed state
    to a fixed state and costs less than their potentials allow. Else it is empty.
    """

    raised: Mapping[int, int]
    violated: Path = ()

    def derivation(self) -> tuple[Potential, ...]:
        """The raised potentials, each after the one it comes from."""
        derived: dict[int, Potential] = {}
        for k in sorted(self.raised):
            demanded = [k]
            while (other := self.raised[demanded[-1]]) in self.raised and other not in derived:
                demanded.append(other)
            for state in reversed(demanded):
                derived.setdefault(state, Potential(state, "from", self.raised[state]))
        return tuple(derived.values())


def raise_free_states(
    fixed: Mapping[int, fmpq],
    within: Callable[[int, fmpq], Iterable[int]],
    scaled: Metric[fmpq],
    alpha: fmpq,
) -> Closure:
    """The least potentials of the free states that the fixed ones force, f_k = max_i (f_i − d(i,k)) / α.

    Taken to a fixed point, as free states force each other. ``within(i, f)`` are states that include all k
    with d(i,k) < f.
    """
    values = dict(fixed)
    came_from: dict[int, int] = {}
    frontier = [i for i in sorted(fixed) if values[i] > 0]
    while frontier:
        changed: set[int] = set()
        for i in frontier:
            for k in within(i, values[i]):
                demand = (values[i] - scaled(i, k)) / alpha
                if demand <= values.get(k, _ZERO):
                    continue
                if k in fixed:
                    path = [k, i]
                    while path[-1] not in fixed:
                        path.append(came_from[path[-1]])
                    return Closure(came_from, tuple(reversed(path)))
                values[k] = demand
                came_from[k] = i
                changed.add(k)
        frontier = sorted(changed)
    return Closure(came_from)


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
