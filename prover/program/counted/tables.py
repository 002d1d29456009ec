"""Closed tables for every number of copies of a block: what whole periods of them raise, by a given number.

Numbers are lines in the count, a pair of what each count adds and of the number at count 0, and are compared
as at counts that are large enough. The functions of the state after the block are those of its table, and
more: where the copies of a period add more than they may to some of the numbers of a function, these are
replaced by infinity (docs/theory_programs.md, *Counts*). Nobody has to prove that this ends well: the checker
reads the tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from prover.graphs import strong_components
from prover.program.counted.block_graph import BlockGraph
from prover.program.counted.model import Counted
from prover.program.model import variables
from prover.program.optimum.functions import respects
from prover.program.order_graph import FINAL
from prover.program.shifts import cost, differences_of, layers_of, price

SHIFTS = (-1, 0, 1)
_MOST_ROUNDS = 12
_PATIENCE = 4
"""So many rounds, after which numbers that still rise become infinite."""
_MOST_FUNCTIONS = 200
_MOST_VARIABLES = 3

CountLine = tuple[Fraction, Fraction]
"""What each count adds, and the number at count 0."""
LineLoss = CountLine | None
"""None is infinite."""
ShiftFunction = tuple[LineLoss, ...]
"""By the shifts of all variables, in lexicographic order; infinite at those which a node's order excludes."""
LayerOfNode = tuple[int, int]
"""A node, and whether inputs have differed where that matters."""
FunctionLists = dict[LayerOfNode, list[ShiftFunction]]

NOTHING: CountLine = (Fraction(0), Fraction(0))


ShiftStep = tuple[int, int, int, Sequence[Sequence[tuple[CountLine, int]]]]
"""The target of an arrow, the layers before and after it, and for all shifts before it the prices of those
that it may have, each with the place of the shifts after it."""


@dataclass(frozen=True, slots=True)
class RaisedTables:
    """Functions by number of copies, modulo the period; what they prove of runs that begin with so many; and
    what each copy adds to this, if the number does not exceed that of a period.
    """

    lists: tuple[FunctionLists, ...]
    starts: tuple[CountLine, ...]
    each: Fraction


def raised_tables(
    whole: Counted, own: BlockGraph, adjacency: str, layers: int, period: int, grows: Fraction
) -> RaisedTables | None:
    """Tables by which the loss grows by ``grows`` with each count; None if none are found."""
    if len(variables(whole.program)) > _MOST_VARIABLES:
        return None
    closing = _Closing(whole, own, adjacency, layers)
    kept = closing.closed(own.later, {})
    first = None if kept is None else closing.closed(own.before, kept)
    start = None if kept is None or first is None else _worst(first[0, 0])
    if kept is None or start is None or (each := grows - start[0]) < 0:
        return None
    raised, base = each * period, kept
    for _ in range(_MOST_ROUNDS):
        lists = closing.copies(period, base, kept)
        if lists is None:
            return None
        rising = [
            (layer, f)
            for layer in range(layers)
            for f in lists[-1][own.entry, layer]
            if not any(_below(f, g, raised) for g in kept[own.after, layer])
        ]
        if not rising:
            break
        kept = dict(kept)
        for layer, f in rising:
            known = kept[own.after, layer]
            wider = tuple(
                None if y is None else max(_plus(y, -raised), NOTHING)
                for y in (_unless_more(x, [g[k] for g in known], raised) for k, x in enumerate(f))
            )
            kept[own.after, layer] = _maximal([*known, wider])
    else:
        return None
    found, starts = list[FunctionLists](), list[CountLine]()
    for table in lists:
        first = closing.closed(own.before, table)
        start = None if first is None else _worst(first[0, 0])
        if first is None or start is None:
            return None
        found.append({**table, **first})
        starts.append(start)
    return RaisedTables(tuple(found), tuple(starts), each)


def vectors_of(whole: Counted) -> Sequence[tuple[int, ...]]:
    """The shifts of all variables, in the order of the values of functions."""
    return [*product(SHIFTS, repeat=len(variables(whole.program)))]


@dataclass(frozen=True)
class _Closing:
    """A program with a block, whose functions are closed node by node."""

    whole: Counted
    own: BlockGraph
    adjacency: str
    layers: int

    @cached_property
    def vectors(self) -> Sequence[tuple[int, ...]]:
        """The shifts of all variables."""
        return vectors_of(self.whole)

    @cached_property
    def zero(self) -> Mapping[int, ShiftFunction]:
        """The function 0 of every node."""
        names, graph = variables(self.whole.program), self.own.graph
        return {FINAL: (NOTHING,) * len(self.vectors)} | {
            node: tuple(NOTHING if respects(order, names, vector) else None for vector in self.vectors)
            for node, order in enumerate(graph.orders)
        }

    @cached_property
    def steps(
        self,
    ) -> Mapping[int, Sequence[ShiftStep]]:
        """The steps of every node."""
        names = variables(self.whole.program)
        place = {vector: k for k, vector in enumerate(self.vectors)}
        last, least = self.whole.rates.last.edges, self.whole.least
        found: dict[int, list[ShiftStep]] = {}
        for node, arrows in enumerate(self.own.graph.arrows):
            found[node] = []
            for arrow in arrows:
                edge = arrow.edge
                for delta in differences_of(edge, self.adjacency):
                    prices: dict[int, CountLine] = {}
                    for shift in (0,) if edge.pinned else SHIFTS:
                        if cost(edge, delta, shift) is not None:
                            start = price(edge, delta, shift)
                            more = price(last[edge.number], delta, shift) - start
                            prices[shift] = more, start - more * least
                    rows = []
                    for vector in self.vectors:
                        stored = dict(zip(names, vector, strict=True))
                        low = max((stored[v] for relation, v in edge.bounds if relation != "<"), default=-1)
                        high = min((stored[v] for relation, v in edge.bounds if relation != ">="), default=1)
                        rows.append(
                            [
                                (line, place[tuple(s if v in edge.assign else stored[v] for v in names)])
                                for s, line in prices.items()
                                if low <= s <= high
                            ]
                        )
                    for before, after in layers_of(edge, delta, self.adjacency):
                        found[node].append((arrow.target, before, after, rows))
        return found

    def copies(self, period: int, base: FunctionLists, kept: FunctionLists) -> list[FunctionLists] | None:
        """The functions of each copy of a period, the last one first, from ``kept`` on; each copy is what
        comes after the one before it."""
        lists = list[FunctionLists]()
        known = kept
        for _ in range(period):
            table = self.closed(self.own.inside, known)
            if table is None:
                return None
            lists.append({**known, **table})
            known = dict(base)
            for layer in range(self.layers):
                place = self.own.after, layer
                known[place] = _maximal([*base[place], *table[self.own.entry, layer]])
        return lists

    def closed(self, nodes: Collection[int], kept: FunctionLists) -> FunctionLists | None:
        """Closed functions of some nodes, if those of others are ``kept``; None if they are too many."""
        found: FunctionLists = {
            (node, layer): [self.zero[node]] for node in nodes for layer in range(self.layers)
        }
        arrows = self.own.graph.arrows
        for component in strong_components(
            sorted(nodes), lambda node: [a.target for a in arrows[node] if a.target in nodes]
        ):
            for rounds in range(10 * _PATIENCE):
                changed = [self._round(node, found, kept, rounds) for node in sorted(component)]
                if not any(changed):
                    break
                if any(len(found[n, x]) > _MOST_FUNCTIONS for n in component for x in range(self.layers)):
                    return None
            else:
                return None
        return found

    def _round(self, node: int, found: FunctionLists, kept: FunctionLists, rounds: int) -> bool:
        """Whether something is added to the functions of a node, as its arrows ask for it."""
        changed = False
        for target, before, after, rows in self.steps[node]:
            place = target, after
            for later in found.get(place) or kept.get(place) or [self.zero[target]]:
                f = tuple(
                    None if zero is None else _earlier(row, later)
                    for row, zero in zip(rows, self.zero[node], strict=True)
                )
                known = found[node, before]
                if any(_below(f, g) for g in known):
                    continue
                if rounds >= _PATIENCE:
                    f = tuple(_unless_more(x, [g[k] for g in known]) for k, x in enumerate(f))
                found[node, before] = _maximal([*known, f])
                changed = True
        return changed


def _earlier(row: Sequence[tuple[CountLine, int]], later: ShiftFunction) -> LineLoss:
    best: LineLoss = None
    for own, place in row:
        after = later[place]
        if after is not None:
            whole = own[0] + after[0], own[1] + after[1]
            best = whole if best is None else min(best, whole)
    return best


def _plus(x: CountLine, more: Fraction) -> CountLine:
    return x[0], x[1] + more


def _at_most(x: LineLoss, y: LineLoss, more: Fraction = Fraction(0)) -> bool:
    return y is None or (x is not None and x <= _plus(y, more))


def _below(f: ShiftFunction, g: ShiftFunction, more: Fraction = Fraction(0)) -> bool:
    """Whether a function is at most another one, plus a number."""
    return all(_at_most(x, y, more) for x, y in zip(f, g, strict=True))


def _maximal(functions: Iterable[ShiftFunction]) -> list[ShiftFunction]:
    kept: list[ShiftFunction] = []
    for f in functions:
        if not any(_below(f, g) for g in kept):
            kept = [g for g in kept if not _below(g, f)] + [f]
    return kept


def _unless_more(x: LineLoss, numbers: Iterable[LineLoss], more: Fraction = Fraction(0)) -> LineLoss:
    """A number, or infinity in place of one above all finite ones of others, plus a number."""
    top = max((y for y in numbers if y is not None), default=None)
    return x if x is not None and top is not None and x <= _plus(top, more) else None


def _worst(functions: Sequence[ShiftFunction]) -> CountLine | None:
    """What can be lost from functions on, whatever the shifts; None if that has no bound."""
    found = [min((x for x in f if x is not None), default=None) for f in functions]
    return None if None in found else max(x for x in found if x is not None)
