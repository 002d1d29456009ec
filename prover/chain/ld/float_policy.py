"""A coupling for every pair by policy iteration in floating point: the guide of the exact engine.

Start from d = 1 off the kernel; give every pair the best coupling for d; let d be the solution of the
linear system of these couplings; repeat until d stands still. Off the kernel the values decrease to the
greatest fixed point, which is ld (docs/theory.md, Theorem A and *Policy iteration*). Nothing here is exact,
and nothing here is believed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any, TypeVar

import numpy as np

from prover.chain.ld.batches import Batch, ragged
from prover.chain.ld.float_table import Amounts, FloatTable, Shipped, amounts_of
from prover.chain.ld.problem import Problem
from prover.chain.ld.transport import MANY_WIDE, Basis, Part, is_wide, path_cost
from prover.chain.model import Pair
from prover.graphs import strong_components
from prover.parallel import in_shares
from prover.progress import Progress, silent

Key = TypeVar("Key", bound=Hashable)

_STILL = 1e-13  # values that change by less stand still
_MOST_ROUNDS = 100
_MANY_PAIRS = 2_000  # up to which it does not pay to settle pairs in an order
_FEW = 100  # pairs up to which arrays do not pay …
_SHARE = 8  # … nor do they for fewer than this part of all pairs, as they hold the whole table
_REPORTED = 1_024  # pairs from one report to the next
_DENSE = 200  # unknowns up to which the sparse solver is not worth its loading time
_MANY_UNKNOWNS = 2_000  # up to which factors are cheap …
_MANY_ENTRIES = 2  # … and so they are up to so many weights for each of them
_MOST_APPLICATIONS = 1_000
_UNMOVED = 2e-15  # relative to the largest value


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

    Where mass stays on supports, many pairs are settled one after the other, after those that their couplings
    may use, and only pairs that may use each other are iterated together. ``rounds`` are the most of these.
    """
    iteration = _Iteration(problem, fixed, slack, start or {})
    if problem.outside or len(iteration.order) < _MANY_PAIRS:
        rounds = iteration.settle(iteration.order, progress)
        return Guide(iteration.bases, iteration.values, rounds)
    rounds = 0
    for members in strong_components(iteration.order, iteration.usable):
        if len(iteration.bases) % _REPORTED < len(members):
            progress("policy iteration (pairs)", len(iteration.bases), len(iteration.order))
        alone = len(members) == 1 and members[0] not in iteration.usable(members[0])
        taken = iteration.settle_alone(members[0]) if alone else iteration.settle(members)
        rounds = max(rounds, taken)
    bases = {pair: iteration.bases[pair] for pair in iteration.order}
    return Guide(bases, {pair: iteration.values[pair] for pair in iteration.order}, rounds)


def clipped(value: float) -> float:
    """The distance that is nearest to a value."""
    return min(1.0, max(0.0, value))


def float_liftings(
    problem: Problem, values: Mapping[Pair, float], wanted: Mapping[Key, Sequence[Part]]
) -> dict[Key, tuple[float, tuple[Basis, ...]]]:
    """For other parts than the problem's own, the lifting of the given distances, and the bases that attain
    it; ``wanted`` has the parts by any keys.
    """
    table = FloatTable(problem)
    for pair, value in values.items():
        table.set(pair, clipped(value))
    table.find_detours()
    found: dict[Key, tuple[float, tuple[Basis, ...]]] = {}
    best: dict[Part, tuple[Amounts, Basis, Shipped]] = {}
    for key, parts in wanted.items():
        cost = 0.0
        bases = []
        for part in parts:
            if part not in best:
                amounts = amounts_of(part)
                best[part] = amounts, *table.best(part, amounts)
            amounts, basis, shipped = best[part]
            bases.append(basis)
            cost += sum(amounts[0])
            for path, amount in shipped:
                cost -= amount * (1.0 - path_cost(path, table.distance, table.alpha))
        found[key] = cost, tuple(bases)
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
        self.fixed = fixed
        self.index: dict[Pair, int] = {}  # the places of the pairs that are being settled
        self.table = FloatTable(problem)
        for pair in problem.parts:
            self.table.set(pair, fixed.get(pair, clipped(start.get(pair, 1.0))))
        distinct = dict.fromkeys(part for pair in self.order for part in problem.parts[pair])
        self.amounts = {part: amounts_of(part) for part in distinct}
        self.bases: dict[Pair, tuple[Basis, ...]] = {}
        self.values: dict[Pair, float] = {}

    def usable(self, pair: Pair) -> Iterator[Pair]:
        """The open pairs that couplings of the pair may use, as far as they stay on supports."""
        for part in self.problem.parts[pair]:
            for arc in product(part.sources, part.sinks):
                key = self.problem.key(arc)
                if key not in self.fixed:
                    yield key

    def settle_alone(self, pair: Pair) -> int:
        """One round for a pair that its own couplings do not use, so that its value is a sum."""
        self.index = {}
        self.table.find_detours()
        shares = [self.share(part) for part in self.problem.parts[pair]]
        total = -self.slack
        for share in shares:
            for cost in share.costs:
                total += cost
        self.bases[pair] = tuple(share.basis for share in shares)
        self.values[pair] = total
        self.table.set(pair, clipped(total))
        return 1

    def settle(self, members: Sequence[Pair], progress: Progress = silent) -> int:
        """Rounds for some pairs until these stand still; how many it took. The others keep their distance."""
        self.index = {arc: k for k, pair in enumerate(members) for arc in self.problem.orders(pair)}
        together = len(members) > max(_FEW, len(self.order) // _SHARE)
        batches = _Batches(self, members) if together else None
        for rounds in range(1, _MOST_ROUNDS + 1):
            progress("policy iteration (rounds)", rounds, None)
            self.table.find_detours()
            values = self._improved(members) if batches is None else batches.improved()
            if self._update(members, values) <= _STILL:
                break
        if batches is not None:
            self.bases.update(batches.bases())
        return rounds

    def _improved(self, members: Sequence[Pair]) -> Any:
        """One round: the best couplings for the table, and the values that these lead to."""
        rows: list[int] = []
        columns: list[int] = []
        weights: list[float] = []
        behind = np.empty(len(members))
        shares: dict[Part, _Share] = {}
        for k, pair in enumerate(members):
            bases = []
            total = -self.slack
            for part in self.problem.parts[pair]:
                if part not in shares:
                    shares[part] = self.share(part)
                share = shares[part]
                bases.append(share.basis)
                rows += [k] * len(share.columns)
                columns += share.columns
                weights += share.weights
                for cost in share.costs:
                    total += cost
            behind[k] = total
            self.bases[pair] = tuple(bases)
        return policy_values(rows, columns, weights, behind)

    def share(self, part: Part, found: tuple[Basis, Shipped] | None = None) -> _Share:
        """What the best coupling of a part for the table adds; it may have been ``found`` elsewhere."""
        basis, shipped = self.table.best(part, self.amounts[part]) if found is None else found
        share = _Share(basis)
        mass = sum(self.amounts[part][0])
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

    def _update(self, members: Sequence[Pair], values: Any) -> float:
        """Put the values into the table; the largest change."""
        self.values.update(zip(members, values.tolist(), strict=True))
        change = 0.0
        for pair in members:
            inside = clipped(self.values[pair])
            change = max(change, abs(self.table.distance(*pair) - inside))
            self.table.set(pair, inside)
        return change


class _Batches:
    """The rounds of many pairs: their small parts are arrays, and only their wide ones come one by one.

    Sums are taken in the order in which ``_Iteration`` takes them alone, so that they agree to the last bit.
    """

    def __init__(self, iteration: _Iteration, members: Sequence[Pair]) -> None:
        self.iteration, self.members = iteration, members
        table, parts = iteration.table, iteration.problem.parts
        self.parts = list(dict.fromkeys(part for pair in members for part in parts[pair]))
        self.wide = [p for p, part in enumerate(self.parts) if is_wide(part)]
        wide = set(self.wide)
        self.small = np.array([p for p in range(len(self.parts)) if p not in wide], dtype=int)
        self.batch = Batch(table, [self.parts[p] for p in self.small.tolist()], iteration.amounts)
        self.unknown = np.full(len(self.batch.slots), -1)
        for arc, k in iteration.index.items():
            self.unknown[self.batch.slots[arc]] = k
        place = {part: p for p, part in enumerate(self.parts)}
        self.has = [[place[part] for part in parts[pair]] for pair in members]
        self.pair = np.repeat(np.arange(len(members)), [len(has) for has in self.has])
        self.part = np.array([p for has in self.has for p in has], dtype=int)
        self.others: dict[int, _Share] = {}

    def improved(self) -> Any:
        """The best couplings for the table, and the values that these lead to."""
        near = self.batch.near()
        found = self.batch.solve(near)
        unknown = self.unknown[found.slot]
        known = unknown < 0
        number = np.where(known, found.weight * near[found.slot], found.weight)
        self.others = self._others(found.skipped)
        left = np.delete(np.arange(len(self.small)), found.skipped)
        added = [
            (p, column, number)
            for p, share in self.others.items()
            for column, number in (
                *zip(share.columns, share.weights, strict=True),
                *((-1, cost) for cost in share.costs),
            )
        ]
        parts, columns, numbers = zip(*added, strict=True) if added else ((), (), ())
        part = np.concatenate([self.small[found.part], self.small[left], np.array(parts, dtype=int)])
        column = np.concatenate([unknown, np.full(len(left), -1), np.array(columns, dtype=int)])
        number = np.concatenate([number, found.behind[left], np.array(numbers)])
        order = np.argsort(part, kind="stable")
        counts = np.bincount(part, minlength=len(self.parts))
        starts = np.cumsum(counts) - counts
        chosen = order[ragged(starts[self.part], counts[self.part])]
        row, column, number = np.repeat(self.pair, counts[self.part]), column[chosen], number[chosen]
        behind = np.full(len(self.members), -self.iteration.slack)
        known = column < 0
        np.add.at(behind, row[known], number[known])
        return policy_values(row[~known], column[~known], number[~known], behind)

    def _others(self, skipped: Any) -> dict[int, _Share]:
        """What the other parts add: several processes look for the wide ones, if there are many of these."""
        iteration, jobs = self.iteration, self.iteration.problem.jobs
        found: dict[int, _Share] = {}
        wide = [p for p in self.wide if jobs > 1 and iteration.table.keeps(self.parts[p])]
        if len(wide) >= MANY_WIDE:
            best = in_shares(
                lambda p: iteration.table.best(self.parts[p], iteration.amounts[self.parts[p]]), wide, jobs
            )
            for p, kept in zip(wide, best, strict=True):
                iteration.table.keep(self.parts[p], kept)
                found[p] = iteration.share(self.parts[p], kept)
        others = [*self.wide, *self.small[skipped].tolist()]
        return found | {p: iteration.share(self.parts[p]) for p in others if p not in found}

    def bases(self) -> dict[Pair, tuple[Basis, ...]]:
        """The bases of the last round."""
        bases = dict(zip(self.small.tolist(), self.batch.bases(), strict=True))
        bases |= {p: share.basis for p, share in self.others.items()}
        return {pair: tuple(bases[p] for p in has) for pair, has in zip(self.members, self.has, strict=True)}


def sparse_solve(rows: Any, columns: Any, weights: Any, behind: Any) -> Any:
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


def policy_values(rows: Any, columns: Any, weights: Any, behind: Any) -> Any:
    """What ``sparse_solve`` finds, for the weights of couplings.

    These shrink what they are applied to, so that applying them again and again until nothing moves takes a
    few dozen rounds, where factors of a large system may have millions of entries.
    """
    size = len(behind)
    if size > _MANY_UNKNOWNS and len(rows) > _MANY_ENTRIES * size:
        from scipy.sparse import csr_matrix

        applied = csr_matrix((weights, (rows, columns)), shape=(size, size))
        before = np.asarray(behind)
        for _ in range(_MOST_APPLICATIONS):
            values = applied @ before + behind
            if np.abs(values - before).max() <= _UNMOVED * np.abs(values).max():
                return values
            before = values
    return sparse_solve(rows, columns, weights, behind)
