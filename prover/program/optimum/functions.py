"""What can still be lost, as a function of the shifts of several stored values.

A *function* φ gives the shifts x ∈ {−1, 0, 1} of some variables the cost that a run must still have, whatever
comes after; vectors that are not listed cost infinitely much, and variables that are not named do not matter.
Loops pin the shifts of the variables that they test, so that most functions have few points. Only vectors
that respect the known order count (a ≤ b there means x(a) ≤ x(b)): no strategy comes to another one. A
function *dominates* another if it is at least as large everywhere; only those that no other dominates have
to be kept (docs/theory_variables.md, *The optimum*). With one variable these are the values of
``prover.program.optimum.transfer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from prover.program.model import Edge
from prover.program.optimum.budget import Steps
from prover.program.optimum.transfer import SHIFTS
from prover.program.order_graph import Order

ShiftVector = tuple[int, ...]

_FEW = 12  # up to this many functions, comparing each with each is fastest
_OFTEN = 1_024  # steps are counted by so many
DENSE = 4
"""Up to this many variables, functions are compared as tables of all their values."""


@dataclass(frozen=True, slots=True, order=True)
class Function:
    """``points`` lists the finite values, by the shifts of ``names`` (sorted), in lexicographic order.

    Without points it is infinite, with names () it is a constant.
    """

    names: tuple[str, ...]
    points: tuple[tuple[ShiftVector, int], ...]

    @property
    def least(self) -> int | None:
        """The smallest value; None if it is infinite everywhere."""
        return min((cost for _, cost in self.points), default=None)


ZERO = Function((), (((), 0),))
"""What a run that ends can still lose."""

INFINITE = Function((), ())


@dataclass(frozen=True, slots=True)
class Box:
    """The shifts that a cell allows: ``ranges`` of some variables, and none at all if it is ``empty``."""

    ranges: Mapping[str, tuple[int, int]]
    empty: bool = False

    def allows(self, name: str, shift: int) -> bool:
        """Whether the variable may have this shift."""
        low, high = self.ranges.get(name, (-1, 1))
        return low <= shift <= high


EVERYWHERE = Box({})


@dataclass(frozen=True, slots=True)
class Transfer:
    """An edge with the difference ``delta`` of its inputs: what it tests and stores, and what the shifts −1,
    0, 1 of its sample cost. A cost of None is infinite.
    """

    edge: Edge
    delta: int
    below: frozenset[str]
    above: frozenset[str]
    stored: frozenset[str]
    costs: tuple[int | None, ...]


def respects(order: Order, names: Sequence[str], vector: ShiftVector) -> bool:
    """Whether shifts of the named variables are as the order says."""
    if not order:
        return True
    shift = dict(zip(names, vector, strict=True))
    return all(shift[a] <= shift[b] for a, b in order if a in shift and b in shift)


def by_points(step: Transfer, after: Function, box: Box, order: Order, cap: int) -> Function:
    """The function before a step, from the points of the one after it, for many names and few points."""
    if box.empty:
        return INFINITE
    kept = [k for k, name in enumerate(after.names) if name not in step.stored]
    stored = [k for k, name in enumerate(after.names) if name in step.stored]
    known = tuple(after.names[k] for k in kept)
    best: dict[ShiftVector, dict[int, int]] = {}
    for vector, cost in after.points:
        shifts = {vector[k] for k in stored}
        if len(shifts) > 1:
            continue
        by_shift = best.setdefault(tuple(vector[k] for k in kept), {})
        for shift in shifts or SHIFTS:
            own = step.costs[shift + 1]
            if own is not None and own + cost < by_shift.get(shift, cap):
                by_shift[shift] = own + cost
    free = tuple(sorted({*step.below, *step.above, *box.ranges}.difference(known)))
    names = (*known, *free)
    lower = [k for k, name in enumerate(names) if name in step.below]
    upper = [k for k, name in enumerate(names) if name in step.above]
    points: dict[ShiftVector, int] = {}
    for vector, by_shift in best.items():
        if not all(map(box.allows, known, vector)):
            continue
        for more in product(*([s for s in SHIFTS if box.allows(name, s)] for name in free)):
            full = vector + more
            low = max((full[k] for k in lower), default=-1)
            high = min((full[k] for k in upper), default=1)
            costs = [cost for shift, cost in by_shift.items() if low <= shift <= high]
            if costs and respects(order, names, full):
                points[full] = min(costs)
    return simplified(names, points, order)


def simplified(names: Sequence[str], points: Mapping[ShiftVector, int], order: Order) -> Function:
    """The function without the variables on which it does not depend, with names and points sorted."""
    if not points:
        return INFINITE
    remaining, table = list(names), dict(points)
    left, least, most = set(names), dict[str, list[str]](), dict[str, list[str]]()
    for a, b in order:
        if a in left and b in left:
            least.setdefault(b, []).append(a)
            most.setdefault(a, []).append(b)
    for name in sorted(names):
        place = remaining.index(name)
        known = ([k for k in side.get(name, ()) if k in left] for side in (least, most))
        reduced = _without(table, place, *(_places(remaining, side, place) for side in known))
        if reduced is not None:
            table = reduced
            del remaining[place]
            left.remove(name)
    ranked = sorted(range(len(remaining)), key=remaining.__getitem__)
    listed = sorted((tuple(vector[k] for k in ranked), cost) for vector, cost in table.items())
    return Function(tuple(remaining[k] for k in ranked), tuple(listed))


def _places(names: Sequence[str], chosen: Sequence[str], gone: int) -> list[int]:
    """Where some names stand, once the one at the place ``gone`` is left out."""
    return [place - (place > gone) for place in map(names.index, chosen)] if chosen else []


def _without(
    points: Mapping[ShiftVector, int], place: int, least: Sequence[int], most: Sequence[int]
) -> dict[ShiftVector, int] | None:
    """The points without the variable at a place, None if they depend on it.

    ``least`` and ``most`` are where those stand then that are known to be below it, and above.
    """
    found: dict[ShiftVector, int] = {}
    count: dict[ShiftVector, int] = {}
    for vector, cost in points.items():
        rest = vector[:place] + vector[place + 1 :]
        if found.setdefault(rest, cost) != cost:
            return None
        count[rest] = count.get(rest, 0) + 1
    for rest, number in count.items():
        low, high = max((rest[k] for k in least), default=-1), min((rest[k] for k in most), default=1)
        if number < high - low + 1:
            return None
    return found


def boxed(function: Function, box: Box, order: Order) -> Function:
    """The function with infinity wherever the box does not allow the shifts."""
    if box.empty:
        return INFINITE
    names = tuple(sorted({*function.names, *box.ranges}))
    if not box.ranges:
        return function
    new = [name for name in names if name not in function.names]
    points: dict[ShiftVector, int] = {}
    for vector, cost in function.points:
        known = dict(zip(function.names, vector, strict=True))
        if not all(box.allows(name, shift) for name, shift in known.items()):
            continue
        for more in product(*([s for s in SHIFTS if box.allows(name, s)] for name in new)):
            shifts = known | dict(zip(new, more, strict=True))
            full = tuple(shifts[name] for name in names)
            if respects(order, names, full):
                points[full] = cost
    return simplified(names, points, order)


def dominates(first: Function, second: Function, order: Order, steps: Steps | None = None) -> bool:
    """Whether ``first`` is at least as large as ``second`` at all vectors that respect the order.

    Raises Exhausted if that takes more than what is left of some ``steps``.
    """
    if not first.points:
        return True
    if steps is not None:
        steps.take(len(first.points) + len(second.points))
    known = dict(second.points)
    if first.names == second.names:
        return all(known.get(vector, cost + 1) <= cost for vector, cost in first.points)
    names = (*first.names, *(name for name in second.names if name not in first.names))
    chosen = [names.index(name) for name in second.names]
    more = len(names) - len(first.names)
    for vector, cost in first.points:
        for number, extension in enumerate(product(SHIFTS, repeat=more), start=1):
            if steps is not None and number % _OFTEN == 0:
                steps.take(_OFTEN)
            full = vector + extension
            if more and not respects(order, names, full):
                continue
            found = known.get(tuple(full[k] for k in chosen))
            if found is None or found > cost:
                return False
    return True


def maximal(functions: Iterable[Function], order: Order, steps: Steps | None = None) -> list[Function]:
    """The functions that no others dominate, without repetition, in a fixed order. Raises Exhausted."""
    different = sorted(set(functions))
    if len(different) <= _FEW:
        return _maximal_of_few(different, order, steps)
    names = tuple(sorted({name for function in different for name in function.names}))
    if len(names) <= DENSE:
        vectors = [v for v in product(SHIFTS, repeat=len(names)) if respects(order, names, v)]
        return _maximal_of_table(different, names, vectors, steps)
    by_names: dict[tuple[str, ...], list[Function]] = {}
    for function in different:
        by_names.setdefault(function.names, []).append(function)
    kept: list[Function] = []
    for own, group in by_names.items():
        kept += _maximal_of_table(group, own, sorted({v for f in group for v, _ in f.points}), steps)
    return _maximal_of_few(sorted(kept), order, steps) if len(by_names) > 1 else kept


def _maximal_of_few(functions: Sequence[Function], order: Order, steps: Steps | None) -> list[Function]:
    kept: list[Function] = []
    for candidate in functions:
        if not any(dominates(other, candidate, order, steps) for other in kept):
            kept = [other for other in kept if not dominates(candidate, other, order, steps)]
            kept.append(candidate)
    return kept


def _maximal_of_table(
    functions: Sequence[Function], names: Sequence[str], vectors: Sequence[ShiftVector], steps: Steps | None
) -> list[Function]:
    """The maximal ones of different functions, all of whose values at the vectors decide.

    Those with the largest sums come first: no later one dominates an earlier one.
    """
    import numpy as np

    if steps is not None:
        steps.take(len(functions) * len(vectors))
    infinite = 1 + max((cost for f in functions for _, cost in f.points), default=0)
    small = infinite * max(1, len(vectors)) < 2**62
    rows = []
    for function in functions:
        known = dict(function.points)
        if function.names == tuple(names):
            rows.append([known.get(vector, infinite) for vector in vectors])
        else:
            place = [names.index(name) for name in function.names]
            rows.append([known.get(tuple(vector[k] for k in place), infinite) for vector in vectors])
    table = np.array(rows, dtype=np.int64 if small else object).reshape(len(functions), len(vectors))
    left = np.argsort(-table.sum(axis=1), kind="stable")
    kept: list[int] = []
    while len(left):
        first, rest = left[0], left[1:]
        kept.append(int(first))
        left = rest[~(table[rest] <= table[first]).all(axis=1)]
    return [functions[k] for k in sorted(kept)]
