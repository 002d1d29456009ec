"""What is known of the optimum of a program, with the run and the closed tables that prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.program.adjacency import Adjacency
from prover.program.decision.blocks import Block
from prover.program.model import Program
from prover.program.optimum.functions import Function
from prover.program.optimum.sparse import FunctionCells
from prover.program.optimum.transfer import Scale, Values
from prover.program.optimum.witness import NO_RUN, Witness


@dataclass(frozen=True, slots=True)
class Statistics:
    """How large the last table was (values in all, and of one cell); how many rounds and tables it took."""

    values: int = 0
    widest: int = 0
    rounds: int = 0
    tables: int = 0

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.values + other.values,
            max(self.widest, other.widest),
            max(self.rounds, other.rounds),
            self.tables + other.tables,
        )


@dataclass(frozen=True, slots=True)
class Invariant:
    """An inductive invariant of a program: for each state, values that bound what can still be lost from it.

    It is a table that every step maps into itself (a closed table), without the values that are 0 everywhere.
    There is one list of values, with adjacency one-differ one for runs whose inputs have not differed yet and
    one for the others. Lists are sorted. ``scale`` says what the integers stand for.
    """

    scale: Scale
    values: Mapping[str, tuple[tuple[Values, ...], ...]]

    @property
    def layers(self) -> int:
        """The number of lists of each state."""
        return len(next(iter(self.values.values())))


@dataclass(frozen=True, slots=True)
class NodeTable:
    """The same with several variables: the functions of the cells of an order graph."""

    cells: FunctionCells
    functions: Mapping[int, Sequence[Function]]


@dataclass(frozen=True, slots=True)
class PartTables:
    """Tables of independent parts of the variables: their names, the program as they see it, and its cost."""

    parts: tuple[tuple[tuple[str, ...], Program, Cost], ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """lower ≤ optimum ≤ upper. ``upper`` is None if no finite bound was found; ``lower`` is None, and then
    ``upper`` too, if the loss has no bound.

    ``witness`` attains lower, ``table`` proves upper, and ``family`` proves that there is no bound.
    With adjacency monotonic ``sides`` are the costs of both directions, whose tables together prove upper.
    ``approx`` and ``relaxed`` are the bounds of that name, None for other adjacencies than all-differ, for
    several variables, for infinite ones, and where they would take too much. ``approx`` is never more than
    ``approx_bound``. ``spent`` are the budgets that ended the search; of an exact cost, there are none.
    """

    adjacency: str
    lower: Fraction | None
    upper: Fraction | None
    witness: Witness | None
    table: Invariant | NodeTable | PartTables | None
    statistics: Statistics
    family: tuple[Block, ...] = ()
    sides: tuple[Cost, ...] = ()
    spent: tuple[str, ...] = ()
    approx: Fraction | None = None
    relaxed: Fraction | None = None
    approx_bound: Fraction | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the optimum is known, finite or infinite."""
        return self.lower == self.upper

    @property
    def is_infinite(self) -> bool:
        """Whether the loss has no bound."""
        return self.lower is None


def unknown(adjacency: str, *spent: str) -> Cost:
    """What is known before anything is measured."""
    return Cost(adjacency, Fraction(0), None, NO_RUN, None, Statistics(), spent=spent)


def infinite(adjacency: str, family: tuple[Block, ...], statistics: Statistics | None = None) -> Cost:
    """The cost of a program whose loss has no bound."""
    return Cost(adjacency, None, None, None, None, statistics or Statistics(), family)


def better(old: Cost, new: Cost) -> Cost:
    """The better bound of each side; of equal ones the old one."""
    if new.lower is None or old.lower is None:
        return new if new.lower is None else old
    lower = new if new.lower > old.lower else old
    upper = old if new.upper is None or (old.upper is not None and old.upper <= new.upper) else new
    return replace(
        upper,
        lower=lower.lower,
        witness=lower.witness,
        statistics=replace(new.statistics, tables=old.statistics.tables + new.statistics.tables),
        spent=() if lower.lower == upper.upper else new.spent,
    )


def either_way(first: Cost, second: Cost) -> Cost:
    """The cost where inputs may move either way, from those of both ways."""
    best = max(first, second, key=lambda cost: (cost.is_infinite, cost.lower or 0))
    upper = None if first.upper is None or second.upper is None else max(first.upper, second.upper)
    over = () if best.is_infinite or best.lower == upper else {*first.spent, *second.spent}
    return replace(
        best,
        adjacency=Adjacency.MONOTONIC,
        upper=None if best.is_infinite else upper,
        table=None,
        statistics=first.statistics + second.statistics,
        sides=() if best.is_infinite else (first, second),
        spent=tuple(sorted(over)),
    )
