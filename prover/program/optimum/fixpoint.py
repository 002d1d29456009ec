"""What runs can still cost after every node, and what they must have cost before: inductive invariants.

The table of the *rest* gives each node the values of all runs from there on, but for those that others
dominate; it always holds those of the run that ends at once. A finite table that every step maps into itself,
a *closed table* or inductive invariant, proves that no run costs more than it says (docs/theory_programs.md,
*The optimum*). The table of the *past* does the same for runs up to the node: at which least cost they leave
each shift of the stored value.

The two guide each other. A run that passes a node costs min over x of past(x) + rest(x) there. Where that
cannot exceed a goal that is known to be reached, values need not be told apart, only be dominated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prover.program.adjacency import Adjacency
from prover.program.optimum.budget import Steps
from prover.program.optimum.cells import FINAL, Cells, CellStep
from prover.program.optimum.direction import Direction
from prover.program.optimum.pareto import bundled, dominates, fewer, maximal, split
from prover.program.optimum.support import Support
from prover.program.optimum.transfer import SHIFTS, Values, all_before, all_prefixed
from prover.progress import Progress, silent

ValueOrigin = tuple[CellStep, Values] | None
"""The step that some values come from, and those at its other end; None where the run ends or begins."""


@dataclass(frozen=True, slots=True)
class TableLimits:
    """What a table may cost: values a node, rounds a group of nodes, and ``steps`` in all."""

    values: int
    rounds: int
    steps: Steps = field(default_factory=Steps)


@dataclass(frozen=True, slots=True)
class Guide:
    """Values of the opposite direction that dominate all there are, and a cost that some run has."""

    values: Mapping[int, Sequence[Values]]
    goal: int


@dataclass(slots=True)
class ValueTable:
    """Values of all nodes. With ``above`` they dominate those of all runs. Otherwise each is that of a run,
    and so are, if the table is complete, those above the goal of the guide.

    It is not complete if it is ``thinned``, because there were too many values, or ``unfinished``, after too
    many rounds. ``origins`` tell where values of runs come from, at nodes that lead to each other;
    elsewhere ``origins_of`` finds that out again. No number of a node is above ``most``.
    """

    above: bool
    values: dict[int, list[Values]] = field(default_factory=dict)
    origins: dict[int, dict[Values, ValueOrigin]] = field(default_factory=dict)
    most: dict[int, int] = field(default_factory=dict)
    thinned: bool = False
    unfinished: bool = False
    rounds: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether no limit was met."""
        return not (self.thinned or self.unfinished)

    @property
    def size(self) -> int:
        """The number of values of all nodes."""
        return sum(map(len, self.values.values()))

    @property
    def widest(self) -> int:
        """The largest number of values of a node."""
        return max(map(len, self.values.values()))


def closure(
    cells: Cells,
    direction: Direction,
    limits: TableLimits,
    *,
    above: bool,
    guide: Guide | None = None,
    support: Support | None = None,
    progress: Progress = silent,
) -> ValueTable:
    """The table of a direction, thinned where a limit is met: upwards with ``above``, else downwards.

    ``support``, that of the opposite direction, tells which values are worth keeping then. Raises Exhausted.
    """
    table = ValueTable(above, {FINAL: [cells.scale.nothing]}, most={FINAL: 0})
    for done, group in enumerate(direction.groups):
        progress("cost", done, len(direction.groups))
        _Group(cells, direction, group, limits, guide, support, table).fill()
    del table.values[FINAL]
    return table


def origins_of(
    cells: Cells, table: ValueTable, node: int, wanted: Iterable[Values]
) -> Mapping[Values, ValueOrigin]:
    """Where some values of a node come from, in a table of the rest: those of runs, in their order.

    At nodes that lead to each other it is all values that ever came.
    """
    if node in table.origins:
        return table.origins[node]
    mask, cap = cells.nodes[node].mask, cells.scale.cap
    found: dict[Values, ValueOrigin] = {mask: None}
    missing = set(wanted) - {mask}
    for step in cells.nodes[node].steps:
        if not missing:
            break
        there = table.values[step.target] if step.target != FINAL else [cells.scale.nothing]
        here = _masked(all_before(step.arc, there, cap), mask)
        if not missing.isdisjoint(here):
            for values, origin in zip(here, there, strict=True):
                if values in missing:
                    found[values] = (step, origin)
                    missing.remove(values)
    return {values: found[values] for values in wanted if values in found}


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes that lead to each other, while their part of the table is filled."""

    cells: Cells
    direction: Direction
    members: tuple[int, ...]
    limits: TableLimits
    guide: Guide | None
    support: Support | None
    table: ValueTable

    def fill(self) -> None:
        """Enter the values of all members; those of the groups before them are there."""
        steps, within = self.direction.steps, set(self.members)
        inner = {node: [s for s in steps[node] if s.target in within] for node in self.members}
        inner = {node: own for node, own in inner.items() if own}
        if not inner:
            for node in self.members:
                self._fill_once(node)
            return
        for node in self.members:
            mask = self.cells.nodes[node].mask
            origins: dict[Values, ValueOrigin] = {mask: None} if node in self.direction.seeds else {}
            self.table.origins[node] = origins
            for step in steps[node]:
                if step.target not in within:
                    self._come(origins, step, self.table.values[step.target], mask)
            self.table.values[node] = self._kept(node, origins)
            self.table.most[node] = self.cells.scale.cap
        self._iterate(inner)
        for node in self.members:
            if node not in inner:  # what was left out is the origin of nothing
                origins = self.table.origins[node]
                kept = {values: origins[values] for values in self.table.values[node] if values in origins}
                self.table.origins[node] = kept

    def _fill_once(self, node: int) -> None:
        """Enter the values of a node to which the steps lead from groups before it only."""
        mask, cap = self.cells.nodes[node].mask, self.cells.scale.cap
        coming = [mask] if node in self.direction.seeds else []
        largest = max(mask)
        steps = self.direction.steps[node]
        for step in steps if largest else self._telling(steps):
            most = self.table.most[step.target]
            coming += self._carried(step, self.table.values[step.target], mask, most)
            largest = max(largest, min(cap, most + max(step.arc.costs)))
        self.table.values[node] = self._kept(node, coming)
        self.table.most[node] = largest

    def _telling(self, steps: Sequence[CellStep]) -> Iterator[CellStep]:
        """The steps without those of which another one, by the same edge, costs as much at every shift.

        All that comes by those is dominated, if nothing is infinite.
        """
        cap = self.cells.scale.cap
        for place, step in enumerate(steps):
            edge, costs = step.arc.edge.number, step.arc.costs
            if not any(
                other.arc.edge.number == edge
                and other.target == step.target
                and dominates(other.arc.costs, costs)
                and (costs != other.arc.costs or earlier < place)
                and self.table.most[step.target] + max(other.arc.costs) < cap
                for earlier, other in enumerate(steps)
                if earlier != place
            ):
                yield step

    def _iterate(self, inner: Mapping[int, list[CellStep]]) -> None:
        """Rounds until nothing new comes; each looks only at what came in the round before."""
        known = self.table.values
        news = {node: known[node] for node in self.members}
        rounds = 0
        while any(news.values()) and rounds < self.limits.rounds:
            rounds += 1
            coming: dict[int, list[Values]] = {}
            for node, steps in inner.items():
                found: dict[Values, ValueOrigin] = {}
                for step in steps:
                    self._come(found, step, news.get(step.target, ()), self.cells.nodes[node].mask)
                origins = self.table.origins[node]
                fresh = [values for values in found if values not in origins]
                if fresh:
                    origins.update((values, found[values]) for values in fresh)
                    old = set(known[node])
                    known[node] = self._kept(node, [*old, *fresh])
                    coming[node] = [values for values in known[node] if values not in old]
            news = coming
        self.table.rounds = max(self.table.rounds, rounds)
        if any(news.values()):
            self.table.unfinished = True
            if self.table.above:
                known.update((node, [self._anything(node)]) for node in self.members)

    def _anything(self, node: int) -> Values:
        """Values that dominate all that can come to a node.

        With one-differ, shifts 0 from there on cost nothing once inputs have differed, and before less than
        the cap, which is no less than any edge costs.
        """
        scale = self.cells.scale
        if self.direction.forwards or self.cells.adjacency != Adjacency.ONE_DIFFER:
            return (scale.cap,) * len(scale.shifts)
        unshifted = 0 if self.cells.nodes[node].layer else scale.cap - 1
        return tuple(scale.cap if shift else unshifted for shift in scale.shifts)

    def _come(
        self, found: dict[Values, ValueOrigin], step: CellStep, there: Sequence[Values], mask: Values
    ) -> None:
        """Enter what a step makes of each of the values at its other end."""
        here = self._carried(step, there, mask, None)
        for values, origin in zip(here, there, strict=True):
            if values not in found:
                found[values] = (step, origin)

    def _carried(
        self, step: CellStep, there: Sequence[Values], mask: Values, most: int | None
    ) -> list[Values]:
        """What a step makes of each of the values at its other end, of which no number is above ``most``."""
        self.limits.steps.take(len(there))
        carried = all_prefixed if self.direction.forwards else all_before
        return _masked(carried(step.arc, there, self.cells.scale.cap, most), mask)

    def _kept(self, node: int, values: Iterable[Values]) -> list[Values]:
        """The maximal ones of some values of a node, fewer where the guide or a limit says so."""
        kept = maximal(values)
        if self.guide:
            others, goal = self.guide.values[node], self.guide.goal
            kept, rest = split(kept, others, goal)
            if self.table.above:  # bundles neither dominate what exceeds the goal, nor are they dominated
                kept = sorted([*kept, *maximal(bundled(rest, others, goal))], reverse=True)
        most = self.limits.values
        if len(kept) <= most:
            return kept
        self.table.thinned = True
        merits = self.support.merits(node, kept) if self.support else None
        return fewer(kept, most, self.cells.scale.cap, above=self.table.above, merits=merits)


def _masked(values: list[Values], mask: Values) -> list[Values]:
    """The values, at each shift at least those of a mask."""
    if not any(mask):
        return values
    if len(mask) != len(SHIFTS):
        return [tuple(map(max, own, mask)) for own in values]
    x, y, z = mask
    return [(a if a > x else x, b if b > y else y, c if c > z else z) for a, b, c in values]
