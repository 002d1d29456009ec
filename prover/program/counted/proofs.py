"""Proofs of formulas in a count: closed tables and families of runs, with their certificate.

docs/theory_programs.md, *Counts*; docs/certificates.md, Section 4.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.counted.block_graph import BlockGraph, block_graph
from prover.program.counted.families import FamilySearch, with_rates
from prover.program.counted.model import Counted
from prover.program.counted.tables import FunctionLists, RaisedTables, raised_tables, vectors_of
from prover.program.decision.blocks import Block
from prover.program.decision.certificates import blocks_evidence, loss_claimed
from prover.program.model import Edge, variables
from prover.program.optimum.budget import Budget
from prover.program.optimum.measure import measure
from prover.program.pieces.certificates import open_nodes
from prover.program.pieces.tables import Line, OpenFunction, closed_table
from prover.program.scope import demand_placed

LineLists = Sequence[Sequence[Sequence[OpenFunction]]]
"""By node, and by whether inputs have differed where that matters."""

_RUNS = 4
"""Worst runs with fewer copies are taken apart, or with a period more."""
_MOST_LATER = 20
"""So many more counts may come before the first one for which a proof holds."""


@dataclass(frozen=True, slots=True)
class Formula:
    """The loss is (k + ``each`` · c)·ε for every count c from ``first`` on, and ``proof`` says why.

    k is the one of the ``constants`` whose number is the remainder of c divided by how many they are, the
    *period*.
    """

    constants: tuple[Fraction, ...]
    each: Fraction
    first: int
    proof: Certificate = field(repr=False, compare=False)

    def at(self, count: int) -> Fraction:
        """The loss at a count."""
        return self.constants[count % len(self.constants)] + self.each * count


def proved(
    whole: Counted,
    adjacency: Adjacency,
    constants: tuple[Fraction, ...],
    each: Fraction,
    budget: Budget,
    tries: Iterator[int],
) -> Formula | None:
    """The formula with these numbers, from some count on, if a proof of it is found.

    One of ``tries`` is taken for each choice of the steps of runs.
    """
    demand_placed(whole.program)
    own, period = block_graph(whole), len(constants)
    if own is None:
        return None
    tables: dict[str, RaisedTables] = {}
    for way in ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,):
        layers = 2 if way == Adjacency.ONE_DIFFER else 1
        found = raised_tables(whole, own, way, layers, period, each)
        if found is None:
            return None
        for copies, (growth, start) in enumerate(found.starts):
            line = growth, start - found.each * (whole.least + copies)
            if line > (each - found.each, constants[(whole.least + copies) % period]):
                return None
        tables[str(way)] = found
    families = _families(whole, own, adjacency, constants, each, budget, tries)
    if families is None:
        return None
    least = max(whole.least, *(whole.least + passed - period + 1 for _, passed in families))
    for first in range(least, least + _MOST_LATER):
        written = {
            way: _written(whole, own, way, table, first, constants, each) for way, table in tables.items()
        }
        if None not in written.values():
            table = written if adjacency == Adjacency.MONOTONIC else written[str(adjacency)]
            claim = {
                "adjacency": str(adjacency),
                "constants": [*map(format_rational, constants)],
                "each": format_rational(each),
                "first": first,
                "kind": "counted-epsilon",
                "loss": loss_claimed(whole.program),
            }
            blocks = [blocks_evidence(blocks)["blocks"] for blocks, _ in families]
            proof = encode(claim, dict(whole.model), {"blocks": blocks, "table": table})
            return Formula(constants, each, first, proof)
    return None


def _families(
    whole: Counted,
    own: BlockGraph,
    adjacency: Adjacency,
    constants: Sequence[Fraction],
    each: Fraction,
    budget: Budget,
    tries: Iterator[int],
) -> list[tuple[tuple[Block, ...], int]] | None:
    """For each number of copies, up to periods, runs that lose as much; of a monotonic adjacency, one way."""
    period = len(constants)
    costs = [measure(whole.repeated(copies), adjacency, budget) for copies in range(_RUNS + period - 1)]
    ways = [tuple(cost.sides or (cost,)) for cost in costs]
    found: list[tuple[tuple[Block, ...], int]] = []
    for copies in range(period):
        constant = constants[(whole.least + copies) % period]
        for sides in zip(*ways, strict=True):
            witnesses = [side.witness for side in sides if side.witness is not None]
            search = FamilySearch(whole, own.graph.live, str(sides[0].adjacency), period, tries)
            if len(witnesses) == len(sides) and (family := search.family(witnesses, copies, constant, each)):
                found.append(family)
                break
        else:
            return None
    return found


def _written(
    whole: Counted,
    own: BlockGraph,
    way: str,
    raised: RaisedTables,
    first: int,
    constants: Sequence[Fraction],
    each: Fraction,
) -> Mapping[str, Any] | None:
    """The tables as evidence from a count on; None if they are not closed at all counts from there on."""
    program, last = whole.program.edges, whole.rates.last.edges
    at_first, growth = list[Edge](), list[Edge]()
    for low, high in zip(program, last, strict=True):
        at_first.append(with_rates(low, high, 1, Fraction(first - whole.least)))
        growth.append(with_rates(low, high, 0, Fraction(1)))
    lists = [_open(whole, own, functions, first) for functions in raised.lists]
    lines = (
        line for many in lists for node in many for own in node for f in own for line in f.points.values()
    )
    if any(line.first < 0 for line in lines):
        return None
    nodes = []
    for copies, functions in enumerate(lists):
        ends = copies + 1 == len(lists)
        total = constants[(whole.least + copies) % len(constants)] + each * first
        goal = Line(total - raised.each * (first - whole.least - copies), each - raised.each)
        table = closed_table((at_first, growth), own.graph, functions, way, goal)
        more = raised.each * len(lists) if ends else Fraction(0)
        if table.share != 1 or not _rises(own, functions, lists[0 if ends else copies + 1], more):
            return None
        nodes.append(open_nodes(whole.program, table))
    return {"nodes": nodes, "raise": format_rational(raised.each)}


def _open(
    whole: Counted, own: BlockGraph, functions: FunctionLists, first: int
) -> list[list[list[OpenFunction]]]:
    """The functions of all nodes and layers without 0, as lines from a count on: at it, and what is added."""
    names, vectors = variables(whole.program), vectors_of(whole)
    layers = 1 + max(layer for _, layer in functions)
    return [
        [
            [
                OpenFunction(
                    names,
                    {
                        vector: Line(line[1] + line[0] * first, line[0])
                        for vector, line in zip(vectors, f, strict=True)
                        if line is not None
                    },
                )
                for f in sorted(functions[node, layer], key=lambda f: [(x is None, x or (0, 0)) for x in f])
                if any(x is None or any(x) for x in f)
            ]
            for layer in range(layers)
        ]
        for node in range(len(own.graph.states))
    ]


def _rises(own: BlockGraph, functions: LineLists, following: LineLists, more: Fraction) -> bool:
    """Whether what is lost from the block on is, from a count on, at most so much above what is lost after
    it with a copy more, where shifts are as the order of that node says."""

    def below(f: OpenFunction, g: OpenFunction) -> bool:
        return all(
            vector in f.points
            and f.points[vector].first <= line.first + more
            and f.points[vector].last <= line.last
            for vector, line in g.points.items()
        )

    pairs = zip(functions[own.entry], following[own.after], strict=True)
    return all(any(below(f, g) for g in later) for own_functions, later in pairs for f in own_functions)
