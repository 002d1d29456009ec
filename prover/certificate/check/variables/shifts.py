"""Threshold programs of several variables: the loss, bounded by functions of the shifts of stored values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Ratio,
    RuleBroken,
    at,
    at_most,
    demand,
    each,
    record,
    typed,
)
from .comparisons import Comparisons, step_of
from .functions import ZERO, Function, scaled_tables
from .orders import Node, defined, read_nodes

WRONG_CHOICE = "by has the wrong length, or names a function that does not exist"

Ends = tuple[frozenset[int], tuple[Transition, ...]]
"""The numbers of transitions of a node after which runs do not end, and further steps after which they do."""


def nodes_rule(program: Program, adjacency: str, value: Json, upper: Ratio | None) -> None:
    """Each node's functions dominate the earlier functions of every transition, difference and later
    function.

    The key `by` of the node names the dominating functions, in the order in which this code needs them.
    """
    entries = [record(entry, "by functions order state targets") for entry in typed(value, list)]
    tables_rule(program, adjacency, entries, read_nodes(program, entries), upper)


def tables_rule(
    program: Program,
    adjacency: str,
    entries: Sequence[Mapping[str, Json]],
    nodes: Sequence[Node],
    upper: Ratio | None,
    last: Mapping[int, Ends] | None = None,
) -> None:
    """The rule of nodes that have been read. Runs may end anywhere, unless `last` says where they do not:
    then the function 0 belongs to no node."""
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    defined(program)
    tables, unit, bits = scaled_tables(program, entries, modes)
    comparisons = Comparisons(program.budget, bits)
    for number, (node, entry) in enumerate(zip(nodes, entries, strict=True)):
        with at("node", number):
            chosen, done = typed(entry["by"], list), 0
            going, ends = (last or {}).get(number, (frozenset[int](), ()))
            ways = (
                (t, delta, mode, [*tables[target][after], *([] if t.number in going else [ZERO])])
                for t, target, delta, mode, after in steps(program, adjacency, node)
            )
            last_ways = ((t, delta, mode, [ZERO]) for t in ends for delta, mode, _ in t.moves(adjacency))
            for t, delta, mode, later in chain(ways, last_ways):
                choices = chosen[done : (done := done + len(later))]
                above = dominating(tables[number][mode], choices, len(later), 0 if last is not None else -1)
                closed = comparisons.closed(step_of(t, delta, unit), node.order, above, later)
                if not closed:
                    raise RuleBroken(f"not closed under transition {t.number} with delta {delta}")
            demand(done == len(chosen), BadEvidence, "by has more numbers than there are functions")
    for function in tables[0][modes[0]]:
        demand(len(function.values) > 0, ClaimOpen, "a function of node 0 has no point")
        least = (min(function.values), unit)
        demand(upper is None or at_most(least, upper), ClaimOpen, "the functions do not prove upper")


def steps(program: Program, adjacency: str, node: Node) -> Iterator[tuple[Transition, int, int, str, str]]:
    """The transitions of a node, each with its target, a difference, and the modes before and after."""
    for t, target in zip(program.leaving(node.state), node.targets, strict=True):
        if target is not None:
            for delta, mode, after in t.moves(adjacency):
                yield t, target, delta, mode, after


def dominating(own: Sequence[Function], choices: Json, count: int, least: int = -1) -> list[Function]:
    """The chosen functions of a node, of which -1 is the function 0."""
    numbers = each(choices, int)
    fits = all(least <= number < len(own) for number in numbers)
    demand(fits and len(numbers) == count, BadEvidence, WRONG_CHOICE)
    return [ZERO if number == -1 else own[number] for number in numbers]
