"""What runs can still cost after every cell, and what they must have cost before: inductive invariants.

The table of the *rest* gives each cell the values of all runs from there on, but for those that others
dominate; it always holds those of the run that ends at once. A finite table that every step maps into itself,
a *closed table* or inductive invariant, proves that no run costs more than it says (docs/theory_programs.md
and docs/theory_variables.md, *The optimum*). The table of the *past* does the same for runs up to the cell:
at which least cost they leave each shift of the stored value.

The two guide each other. A run that passes a cell costs min over x of past(x) + rest(x) there. Where that
cannot exceed a goal that is known to be reached, values need not be told apart, only be dominated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from prover.program.adjacency import Adjacency
from prover.program.optimum.budget import Steps
from prover.program.optimum.cells import B, CellMove, Cells, S, V
from prover.program.optimum.pareto import bundled, maximal, split
from prover.program.optimum.transfer import Values
from prover.program.order_graph import FINAL
from prover.program.shifts import is_one_sided
from prover.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Direction(Generic[S]):
    """How values travel: ``moves`` are, for each cell, those that bring values to it, with ``target`` the
    cell where these come from; groups come in the order of travel, and ``seeds`` are where values begin.
    """

    forwards: bool
    groups: Sequence[tuple[int, ...]]
    moves: Sequence[Sequence[CellMove[S]]]
    seeds: frozenset[int]


def rest_of(cells: Cells[V, S, B]) -> Direction[S]:
    """The direction that leads from what comes after a cell to the cell."""
    moves = [cell.moves for cell in cells.cells]
    return Direction(False, cells.groups, moves, frozenset(range(len(moves))))


def past_of(cells: Cells[V, S, B]) -> Direction[S]:
    """The direction that leads from what comes before a cell to the cell."""
    moves: list[list[CellMove[S]]] = [[] for _ in cells.cells]
    for number, cell in enumerate(cells.cells):
        for move in cell.moves:
            if move.target != FINAL:
                moves[move.target].append(CellMove(move.step, move.source, number))
    return Direction(True, cells.groups[::-1], moves, frozenset([cells.start]))


@dataclass(frozen=True, slots=True)
class TableLimits:
    """What a table may cost: values a cell, rounds a group of cells, and ``steps`` in all."""

    values: int
    rounds: int
    steps: Steps = field(default_factory=Steps)


@dataclass(frozen=True, slots=True)
class TableGuide:
    """Values of the opposite direction that dominate all there are, and a cost that some run has."""

    values: Mapping[int, Sequence[Values]]
    goal: int

    def kept(self, number: int, values: list[Values], *, above: bool) -> list[Values]:
        """Fewer values for a cell, which do not exceed the goal where the others do not."""
        others = self.values[number]
        kept, rest = split(values, others, self.goal)
        if above:  # bundles neither dominate what exceeds the goal, nor are they dominated
            kept = sorted([*kept, *maximal(bundled(rest, others, self.goal))], reverse=True)
        return kept


@dataclass(slots=True)
class Table(Generic[V, S]):
    """Values of all cells. With ``above`` they dominate those of all runs. Otherwise each is that of a run,
    and so are, if the table is complete, those above the goal of the guide.

    It is not complete if it is ``thinned``, because there were too many values, or ``unfinished``, after too
    many rounds. ``origins`` tell where values of runs come from, at cells that lead to each other: the move,
    and the value at its other end; None where the run ends or begins. Elsewhere ``origins_of`` finds that out
    again.
    """

    above: bool
    values: dict[int, list[V]] = field(default_factory=dict)
    origins: dict[int, dict[V, tuple[CellMove[S], V] | None]] = field(default_factory=dict)
    thinned: bool = False
    unfinished: bool = False
    rounds: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether no limit was met."""
        return not (self.thinned or self.unfinished)

    @property
    def size(self) -> int:
        """The number of values of all cells."""
        return sum(map(len, self.values.values()))

    @property
    def widest(self) -> int:
        """The largest number of values of a cell."""
        return max(map(len, self.values.values()), default=0)


def closure(
    cells: Cells[V, S, B],
    direction: Direction[S],
    limits: TableLimits,
    *,
    above: bool,
    whole: bool = True,
    guide: Callable[[int, list[V]], list[V]] | None = None,
    worth: Callable[[int, list[V]], list[int]] | None = None,
    progress: Progress = silent,
) -> Table[V, S]:
    """The table of a direction, thinned where a limit is met: upwards with ``above``, else downwards. Not
    ``whole``, it ends there, and cells are missing.

    For some values of a cell ``guide`` gives fewer that do as well, and ``worth`` what they are worth where
    there are too many. Raises Exhausted.
    """
    table: Table[V, S] = Table(above, {FINAL: [cells.kind.nothing]})
    for done, group in enumerate(direction.groups):
        if not (whole or table.is_complete):
            break
        progress("cost", done, len(direction.groups))
        _Group(cells, direction, group, limits, guide, worth, table).fill()
    del table.values[FINAL]
    return table


def origins_of(
    cells: Cells[V, S, B], table: Table[V, S], number: int, wanted: Iterable[V]
) -> Mapping[V, tuple[CellMove[S], V] | None]:
    """Where some values of a cell come from, in a table of the rest: those of runs, in their order.

    At cells that lead to each other it is all values that ever came.
    """
    if number in table.origins:
        return table.origins[number]
    cell, kind = cells.cells[number], cells.kind
    ended = kind.ended(cell)
    found: dict[V, tuple[CellMove[S], V] | None] = {ended: None}
    missing = set(wanted) - {ended}
    for move in cell.moves:
        if not missing:
            break
        there = table.values[move.target] if move.target != FINAL else [kind.nothing]
        here = kind.carried(cell, move, there, Steps(), False)
        if not missing.isdisjoint(here):
            for value, origin in zip(here, there, strict=True):
                if value in missing:
                    found[value] = (move, origin)
                    missing.remove(value)
    return {value: found[value] for value in wanted if value in found}


@dataclass(frozen=True, slots=True)
class _Group(Generic[V, S, B]):
    """Cells that lead to each other, while their part of the table is filled."""

    cells: Cells[V, S, B]
    direction: Direction[S]
    members: tuple[int, ...]
    limits: TableLimits
    guide: Callable[[int, list[V]], list[V]] | None
    worth: Callable[[int, list[V]], list[int]] | None
    table: Table[V, S]

    def fill(self) -> None:
        """Enter the values of all members; those of the groups before them are there."""
        moves, within = self.direction.moves, set(self.members)
        inner = {number: [m for m in moves[number] if m.target in within] for number in self.members}
        inner = {number: own for number, own in inner.items() if own}
        if not inner:
            for number in self.members:
                coming = self._seed(number)
                for move in moves[number]:
                    coming += self._carried(number, move, self.table.values[move.target])
                self.table.values[number] = self._kept(number, coming)
            return
        for number in self.members:
            origins: dict[V, tuple[CellMove[S], V] | None] = dict.fromkeys(self._seed(number))
            self.table.origins[number] = origins
            for move in moves[number]:
                if move.target not in within:
                    self._come(origins, number, move, self.table.values[move.target])
            self.table.values[number] = self._kept(number, list(origins))
        self._iterate(inner)
        for number in self.members:
            if number not in inner:  # what was left out is the origin of nothing
                origins = self.table.origins[number]
                kept = {value: origins[value] for value in self.table.values[number] if value in origins}
                self.table.origins[number] = kept

    def _seed(self, number: int) -> list[V]:
        """The value that begins at a cell, if there is one."""
        return [self.cells.kind.ended(self.cells.cells[number])] if number in self.direction.seeds else []

    def _iterate(self, inner: Mapping[int, list[CellMove[S]]]) -> None:
        """Rounds until nothing new comes; each looks only at what came in the round before."""
        known = self.table.values
        news = {number: known[number] for number in self.members}
        rounds = 0
        while any(news.values()) and rounds < self.limits.rounds:
            rounds += 1
            coming: dict[int, list[V]] = {}
            for number, moves in inner.items():
                found: dict[V, tuple[CellMove[S], V] | None] = {}
                for move in moves:
                    self._come(found, number, move, news.get(move.target, ()))
                origins = self.table.origins[number]
                fresh = [value for value in found if value not in origins]
                if fresh:
                    origins.update((value, found[value]) for value in fresh)
                    old = set(known[number])
                    known[number] = self._kept(number, [*old, *fresh])
                    coming[number] = [value for value in known[number] if value not in old]
            news = coming
        self.table.rounds = max(self.table.rounds, rounds)
        if any(news.values()):
            self.table.unfinished = True
            if self.table.above:
                known.update((number, [self._anything(number)]) for number in self.members)

    def _anything(self, number: int) -> V:
        """A value that dominates all that can come to a cell.

        With one-differ, shifts 0 from there on cost nothing once inputs have differed, and before less than
        the cap, which is no less than any edge costs, unless some rate is infinite.
        """
        cells = self.cells
        cell, cap = cells.cells[number], cells.scale.cap
        unshifted = 0 if cell.layer else cap - 1
        if self.direction.forwards or cells.adjacency != Adjacency.ONE_DIFFER:
            unshifted = cap
        edges = (arrow.edge for arrow in cells.graph.all_arrows)
        if unshifted < cap and any(
            edge.fixed is not None or (is_one_sided(edge) and not cell.layer) for edge in edges
        ):
            unshifted = cap
        return cells.kind.anything(cells.graph, cell, unshifted)

    def _come(
        self,
        found: dict[V, tuple[CellMove[S], V] | None],
        number: int,
        move: CellMove[S],
        there: Sequence[V],
    ) -> None:
        """Enter what a move makes of each of the values at its other end."""
        for value, origin in zip(self._carried(number, move, there), there, strict=True):
            if value not in found:
                found[value] = (move, origin)

    def _carried(self, number: int, move: CellMove[S], there: Sequence[V]) -> list[V]:
        """What a move makes of each of the values at its other end."""
        cell, forwards = self.cells.cells[number], self.direction.forwards
        return self.cells.kind.carried(cell, move, there, self.limits.steps, forwards)

    def _kept(self, number: int, values: list[V]) -> list[V]:
        """The maximal ones of some values of a cell, fewer where the guide or a limit says so."""
        cell, kind = self.cells.cells[number], self.cells.kind
        kept = kind.maximal(cell, values, self.limits.steps)
        if self.guide is not None:
            kept = self.guide(number, kept)
        most = self.limits.values
        if len(kept) <= most:
            return kept
        self.table.thinned = True
        worth = None if self.worth is None else self.worth(number, kept)
        return kind.fewer(cell, kept, most, self.table.above, worth)
