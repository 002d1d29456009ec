"""Closed tables that a copy of a block raises by at most a given number.

The functions of the state after the block are those of its table, and more: where a copy adds more than it
may to some of the numbers of a function, these are replaced by infinity (docs/theory_programs.md, *Counts*).
Nobody has to prove that this ends well: the checker reads the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from prover.exact.rational import parse_rational, rational_or_inf
from prover.program.counted.model import Counted
from prover.program.model import Edge, out_edges
from prover.program.shifts import cost, differences_of, layers_of, outright

SHIFTS = (-1, 0, 1)
_MOST_ROUNDS = 12
_PATIENCE = 4
"""So many rounds, after which numbers that still rise become infinite."""
_MOST_FUNCTIONS = 400

StepLoss = Fraction | None
"""None is infinite."""
ShiftFunction = tuple[StepLoss, ...]
FunctionLists = dict[tuple[str, int], list[ShiftFunction]]
"""By state, and by whether inputs have differed where that matters."""


def raised_table(
    whole: Counted, adjacency: str, layers: int, given: Mapping[str, Any], each: Fraction
) -> tuple[dict[str, Any], Fraction] | None:
    """A table that a copy of the block raises by at most ``each``, and what it proves without the block.

    ``given`` is a closed table in the form of certificates, of which that of the states after the block is
    kept. None if none is found.
    """
    later = whole.reached_after
    kept: FunctionLists = {
        (state, layer): _read(given.get(state), layer) for state in later for layer in range(layers)
    }
    inside, outside = set(whole.states), set(whole.program.states) - later - set(whole.states)
    for _ in range(_MOST_ROUNDS):
        table = _closed(whole, adjacency, layers, inside, kept)
        if table is None:
            return None
        rising = [
            (layer, f)
            for layer in range(layers)
            for f in table[whole.entry, layer]
            if not any(_below(f, g, each) for g in kept[whole.after, layer])
        ]
        if not rising:
            break
        for layer, f in rising:
            known = kept[whole.after, layer]
            most = [_largest(g[k] for g in known) for k in range(len(SHIFTS))]
            wider = tuple(
                None if x is None or top is None or x > top + each else max(x - each, Fraction(0))
                for x, top in zip(f, most, strict=True)
            )
            kept[whole.after, layer] = _maximal([*known, wider])
    else:
        return None
    first = _closed(whole, adjacency, layers, outside, kept)
    if first is None:
        return None
    found = {**kept, **table, **first}
    start = [_least(f) for f in found[whole.program.initial, 0]]
    if None in start:
        return None
    return _written(found, layers), max(x for x in start if x is not None)


def _closed(
    whole: Counted, adjacency: str, layers: int, states: Collection[str], kept: FunctionLists
) -> FunctionLists | None:
    """Functions of some states that are closed, if those of others are ``kept``; None if they are too many.

    Transitions into the block from outside lead to the state after it.
    """
    nothing: ShiftFunction = (Fraction(0),) * len(SHIFTS)
    table: FunctionLists = {(state, layer): [nothing] for state in states for layer in range(layers)}
    leaving = out_edges(whole.program)
    inside = set(whole.states)
    for rounds in range(10 * _PATIENCE):
        changed = False
        for state in sorted(states, reverse=True):
            for edge in leaving[state]:
                enters = state not in inside and edge.target in inside
                target = whole.after if enters else edge.target
                for delta in differences_of(edge, adjacency):
                    for before, after in layers_of(edge, delta, adjacency):
                        later = table.get((target, after), kept.get((target, after), [nothing]))
                        for value in later:
                            f = _earlier(edge, delta, value)
                            known = table[state, before]
                            if any(_below(f, g) for g in known):
                                continue
                            if rounds >= _PATIENCE:
                                f = tuple(
                                    None if x is None or not _at_most(x, _largest(g[k] for g in known)) else x
                                    for k, x in enumerate(f)
                                )
                            table[state, before] = _maximal([*known, f])
                            changed = True
                            if len(table[state, before]) > _MOST_FUNCTIONS:
                                return None
        if not changed:
            return table
    return None


def _earlier(edge: Edge, delta: int, later: ShiftFunction) -> ShiftFunction:
    """What can be lost before an edge, at each shift of the stored value."""
    found: list[StepLoss] = []
    for place, stored in enumerate(SHIFTS):
        best: StepLoss = None
        for k, shift in enumerate(SHIFTS):
            if edge.pinned and shift:
                continue
            if not {"<": shift <= stored, ">=": shift >= stored, "=": shift == stored, "": True}[
                edge.relation
            ]:
                continue
            own, after = cost(edge, delta, shift), later[k if edge.assigns else place]
            if own is not None and after is not None:
                whole = own + outright(edge, delta) + after
                best = whole if best is None else min(best, whole)
        found.append(best)
    return tuple(found)


def _at_most(x: StepLoss, y: StepLoss) -> bool:
    return y is None or (x is not None and x <= y)


def _below(f: ShiftFunction, g: ShiftFunction, more: Fraction = Fraction(0)) -> bool:
    """Whether a function is at most another one, plus a number."""
    return all(y is None or (x is not None and x <= y + more) for x, y in zip(f, g, strict=True))


def _maximal(functions: Iterable[ShiftFunction]) -> list[ShiftFunction]:
    kept: list[ShiftFunction] = []
    for f in functions:
        if not any(_below(f, g) for g in kept):
            kept = [g for g in kept if not _below(g, f)] + [f]
    return kept


def _largest(numbers: Iterable[StepLoss]) -> StepLoss:
    found = [*numbers]
    return None if None in found else max(x for x in found if x is not None)


def _least(f: ShiftFunction) -> StepLoss:
    finite = [x for x in f if x is not None]
    return min(finite) if finite else None


def _read(entry: Any, layer: int) -> list[ShiftFunction]:
    """The functions of a state in a table of certificates, and the function 0."""
    own = entry[("unused", "used")[layer]] if isinstance(entry, dict) else entry or []
    zero: ShiftFunction = (Fraction(0),) * len(SHIFTS)
    return _maximal([zero, *(tuple(None if x == "inf" else parse_rational(x) for x in f) for f in own)])


def _written(table: FunctionLists, layers: int) -> dict[str, Any]:
    """The table in the form of certificates: without the function 0, in order."""
    written: dict[str, Any] = {}
    for state in sorted({state for state, _ in table}):
        own = [
            [
                [*map(rational_or_inf, f)]
                for f in sorted(table[state, layer], key=lambda f: [(x is None, x or 0) for x in f])
                if any(x != 0 for x in f)
            ]
            for layer in range(layers)
        ]
        if any(own):
            written[state] = own[0] if layers == 1 else {"unused": own[0], "used": own[1]}
    return written
