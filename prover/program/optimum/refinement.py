"""Enclosing the largest cost of a run of a graph of cells, from both sides, until both meet.

The tables of the rest are made with few values a cell, once rounded up and once thinned out. Where that does
not suffice, support functions tell which values are worth keeping, and a thinned out table of those finds a
run that costs nearly as much as any. Then tables of the rest guide the table of the past, and this guides the
next tables of the rest, which may have more values but need to tell apart only runs that could cost more than
what is known to be reached. With enough values the answer is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from prover.program.optimum.budget import Budget, Exhausted, table_sizes
from prover.program.optimum.closure import (
    Direction,
    Table,
    TableGuide,
    TableLimits,
    closure,
    origins_of,
    past_of,
    rest_of,
)
from prover.program.optimum.cost import Statistics
from prover.program.optimum.staircases import StairCells
from prover.program.optimum.transfer import SHIFTS, Arc, Values
from prover.progress import Progress, silent

if TYPE_CHECKING:
    from prover.program.optimum.support import Support

_FEWEST = 32
_GROWTH = 4
_CLOSE = 1000
"""A guide whose goal is less than the optimum by such a part leaves hardly any value that is not needed."""
_LARGE = 4_096
"""If so many values do not suffice for a first table, a costly run is looked for before the next."""
_SMALL = 4  # a table with this many values a cell is not worth another try


@dataclass(frozen=True, slots=True)
class _Worth:
    """What tells which values of a table are worth keeping: of the rest those that go well with the ``past``,
    and the other way round. None where nothing does.
    """

    past: Support | None = None
    rest: Support | None = None


_UNKNOWN = _Worth()

StairTable = Table[Values, Arc]


@dataclass(frozen=True, slots=True)
class CostEnclosure:
    """lower ≤ largest cost ≤ upper, in units; ``upper`` is the cap if no finite bound was found.

    ``attained`` are values of the start in the table ``below``, those of a run that costs lower, unless that
    is 0. ``above`` is a closed table that proves upper. ``is_infinite`` says that there is no bound at all,
    ``is_complete`` that more values would not tell more, and
    ``ended`` that steps were over.
    """

    lower: int
    upper: int
    attained: Values
    below: StairTable
    above: StairTable
    is_infinite: bool
    is_complete: bool
    statistics: Statistics
    ended: bool = False

    @property
    def spent(self) -> tuple[str, ...]:
        """The budgets without which there could be more to say."""
        tables = () if self.is_complete else (self.above, self.below)
        named = {"steps": self.ended}
        named["values"] = any(table.thinned for table in tables)
        named["rounds"] = any(table.unfinished for table in tables)
        return tuple(sorted(name for name, over in named.items() if over))


def enclose(
    cells: StairCells,
    budget: Budget,
    progress: Progress = silent,
    on_better: Callable[[CostEnclosure], None] = lambda _: None,
) -> CostEnclosure:
    """The largest cost of a run from the start, exact or enclosed as closely as the budget allows.

    ``on_better`` is called with every enclosure on the way.
    """
    limits = TableLimits(min(_FEWEST, budget.values), budget.rounds)
    found = _from_both_sides(cells, None, limits, _UNKNOWN, progress)
    worth, goal, first = _UNKNOWN, 0, _FEWEST * _GROWTH
    try:
        for most in table_sizes(budget.values, first, _GROWTH) if budget.values > _FEWEST else ():
            if found.is_complete:
                break
            on_better(found)
            limits = TableLimits(most, budget.rounds, budget.steps)
            hard = most > first or found.above.size > _LARGE
            if hard and worth is _UNKNOWN and len(cells.scale.shifts) == len(SHIFTS):
                from prover.program.optimum.support import support

                worth = _Worth(support(cells, past_of(cells)), support(cells, rest_of(cells)))
                few = replace(limits, values=min(first, most))
                found = _better(found, _searched(cells, found, few, worth, progress))
                if found.is_complete or most <= first < budget.values:
                    continue
            goal = found.lower
            guide = _guide(cells, found, limits, worth)
            found = _better(found, _from_both_sides(cells, guide, limits, worth, progress))
        if found.lower < found.upper or found.above.widest <= _SMALL:
            return found
        close = worth is not _UNKNOWN and _CLOSE * (found.lower - goal) <= found.lower
        return found if close else _with_small_table(cells, found, limits)
    except Exhausted:
        return replace(found, ended=True)


def _table(
    cells: StairCells,
    direction: Direction[Arc],
    limits: TableLimits,
    guide: TableGuide | None,
    support: Support | None = None,
    progress: Progress = silent,
    *,
    above: bool,
) -> StairTable:
    return closure(
        cells,
        direction,
        limits,
        above=above,
        guide=None if guide is None else partial(guide.kept, above=above),
        worth=None if support is None else support.worth,
        progress=progress,
    )


def _from_both_sides(
    cells: StairCells, guide: TableGuide | None, limits: TableLimits, worth: _Worth, progress: Progress
) -> CostEnclosure:
    """What tables of the rest show; with a guide, lower is only meant if it is above the goal."""

    rest = rest_of(cells)
    above = _table(cells, rest, limits, guide, worth.past, progress, above=True)
    below = above
    if not above.is_complete:
        below = _table(cells, rest, limits, guide, worth.past, progress, above=False)
    upper = max(map(min, above.values[cells.start]))
    attained = _attained(cells, below)
    lower = min(attained)
    infinite = lower == cells.scale.cap
    complete = infinite or lower >= upper or not above.thinned
    tables = 1 + (below is not above) + (guide is not None)
    statistics = Statistics(above.size, above.widest, above.rounds, tables)
    return CostEnclosure(lower, upper, attained, below, above, infinite, complete, statistics)


def _attained(cells: StairCells, below: StairTable) -> Values:
    """Values of a costliest run of those that a table has."""
    of_runs = origins_of(cells, below, cells.start, below.values[cells.start])
    return max(of_runs, key=min, default=cells.scale.nothing)


def _searched(
    cells: StairCells, old: CostEnclosure, limits: TableLimits, worth: _Worth, progress: Progress
) -> CostEnclosure:
    """The same bound from above, and what runs cost that seem to be worth a look."""
    below = _table(cells, rest_of(cells), limits, None, worth.past, progress, above=False)
    attained = _attained(cells, below)
    lower = min(attained)
    infinite = lower == cells.scale.cap
    statistics = Statistics(below.size, below.widest, below.rounds, 1)
    return CostEnclosure(lower, old.upper, attained, below, old.above, infinite, infinite, statistics)


def _guide(
    cells: StairCells, found: CostEnclosure, limits: TableLimits, worth: _Worth = _UNKNOWN
) -> TableGuide:
    """The table of the past, as far as costs above what is known to be reached are concerned."""
    guide = TableGuide(found.above.values, found.lower)
    past = _table(cells, past_of(cells), limits, guide, worth.rest, above=True)
    return TableGuide(past.values, found.lower)


def _better(old: CostEnclosure, new: CostEnclosure) -> CostEnclosure:
    """The better bound of each side."""
    statistics = replace(
        new.statistics,
        rounds=max(old.statistics.rounds, new.statistics.rounds),
        tables=old.statistics.tables + new.statistics.tables,
    )
    lower, upper = (new if new.lower > old.lower else old), (new if new.upper < old.upper else old)
    return CostEnclosure(
        lower.lower,
        upper.upper,
        lower.attained,
        lower.below,
        upper.above,
        new.is_infinite,
        new.is_complete or lower.lower >= upper.upper,
        statistics,
    )


def _with_small_table(cells: StairCells, found: CostEnclosure, limits: TableLimits) -> CostEnclosure:
    """The same bounds, proved by a table with fewer values if one is found."""
    above = _table(cells, rest_of(cells), limits, _guide(cells, found, limits), above=True)
    if max(map(min, above.values[cells.start])) > found.upper or above.size >= found.above.size:
        return found
    return replace(found, above=above)
