"""States in a row that keep the least and the largest of their samples, and do not show which these are.

In place of one state there may be several that know it, as for the index of the largest. The program with
such a block is the union of programs that say which sample is the least and which is the largest, and draw
these two first. None of their runs loses less than the observer of all of them, who learns less than who sees
which samples those are (docs/theory_observer.md, *Hidden blocks*).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, permutations, product

from prover.graphs import search
from prover.program.model import Edge, Program, Test, Transition, out_edges, reachable
from prover.program.observer.words import is_bounded, orders_samples, runs_of, symbol
from prover.program.order_graph import Variables, live_variables
from prover.program.outputs import Outputs, numbers_of

_MOST_VARIABLES = 4

FEW_RUNS = 500
"""Where a program has no more, all are looked at, and states that know the extremes are no block."""

_SAMPLES = range(-1, 4)
"""Below, at, between, and above the stored values, which are 0 and 0, or 0 and 2."""

Row = tuple[str, ...]
"""The states at one place of a block."""
Places = tuple[int, ...]
"""Of the least sample, if it is kept, and of the largest one, if it is."""


@dataclass(frozen=True, slots=True)
class HiddenBlock:
    """The states at each place, the variables that hold their least and largest sample, and ``programs``.

    There is one program for each choice of the noise of these two and of the state after the block.
    """

    rows: tuple[Row, ...]
    least: tuple[str, ...]
    largest: tuple[str, ...]
    programs: tuple[Program, ...]


@dataclass(frozen=True, slots=True)
class _Search:
    """What is known of a program in which a block is searched."""

    program: Program
    leaving: Mapping[str, Sequence[Edge]]
    live: Mapping[str, Variables]
    sources: Mapping[str, set[str]]

    def cases(self, row: Row) -> list[Edge]:
        """The transitions of the states at a place."""
        return [edge for name in row for edge in self.leaving[name]]

    def live_at(self, state: str) -> Variables:
        """The variables that are tested later, before they are assigned."""
        return self.live.get(state, frozenset())


def hidden_block(program: Program, few: int = FEW_RUNS) -> HiddenBlock | None:
    """The longest hidden block of a program; None if it has none.

    Of programs with ``few`` runs or less only blocks of one state at each place count.
    """
    if not orders_samples(program):
        return None
    sources: dict[str, set[str]] = {}
    for edge in program.edges:
        sources.setdefault(edge.target, set()).add(edge.source)
    own = _Search(program, out_edges(program), live_variables(program), sources)
    widest = 1 if is_bounded(program) and runs_of(program, few) is not None else len(program.states)
    blocks = [block for name in sorted(reachable(program)) for block in _from(own, name, widest)]
    return max(blocks, key=lambda block: len(block.rows), default=None)


def _from(own: _Search, first: str, widest: int) -> Iterator[HiddenBlock]:
    """The longest blocks that begin at a state, for all kinds of variables."""
    cases = own.leaving[first]
    if len(cases) > 1 or cases[0].guard or not _is_quiet(own, cases):
        return
    kept = sorted(own.live_at(cases[0].target).intersection(cases[0].assign))
    for kinds in product((min, max), repeat=len(kept)) if 0 < len(kept) <= _MOST_VARIABLES else ():
        extremes = dict(zip(kept, kinds, strict=True))
        rows: list[Row] = [(first,)]
        while (row := _next(own, rows, extremes)) is not None and len(row) <= widest:
            rows.append(row)
        least, largest = (tuple(v for v in kept if extremes[v] is kind) for kind in (min, max))
        while len(rows) > 1:
            programs = _programs(own, rows, least, largest)
            if programs is not None:
                yield HiddenBlock(tuple(rows), least, largest, programs)
                break
            rows.pop()


def _next(own: _Search, rows: Sequence[Row], extremes: Mapping[str, Callable[[int, int], int]]) -> Row | None:
    """The states of the next place; None where the block ends."""
    before = own.cases(rows[-1])
    row = tuple(sorted({edge.target for edge in before}))
    if len({symbol(edge) for edge in before}) > 1 or not own.leaving.keys() >= {*row}:
        return None
    if own.program.initial in row or any(not own.sources[name] <= {*rows[-1]} for name in row):
        return None
    if not _is_quiet(own, own.cases(row)):
        return None
    one = len(rows) == 1
    return row if all(_keeps(own, own.leaving[name], extremes, one=one) for name in row) else None


def _is_quiet(own: _Search, edges: Sequence[Edge]) -> bool:
    """Whether transitions show no number, and draw the same noise."""
    alike = {(edge.input, *edge.rates, own.program.states[edge.source].mean) for edge in edges}
    return len(alike) == 1 and not any(numbers_of(edge.outputs) for edge in edges)


def _keeps(
    own: _Search, edges: Sequence[Edge], extremes: Mapping[str, Callable[[int, int], int]], *, one: bool
) -> bool:
    """Whether a state keeps the extremes, as far as they are tested later; after ``one`` sample these are
    equal.
    """
    if any(name not in extremes for edge in edges for _, name in edge.guard):
        return False
    for largest in (0,) if one else (0, 2):
        values = {name: 0 if kind is min else largest for name, kind in extremes.items()}
        for sample in _SAMPLES:
            taken = _taken(edges, values, sample)
            if len(taken) != 1:
                return False
            after = {name: sample if name in taken[0].assign else value for name, value in values.items()}
            later = own.live_at(taken[0].target)
            if any(after[v] != kind(values[v], sample) for v, kind in extremes.items() if v in later):
                return False
    return True


def _taken(edges: Sequence[Edge], values: Mapping[str, int], sample: int) -> list[Edge]:
    return [edge for edge in edges if all(_holds(test, sample, values) for test in edge.guard)]


def _holds(test: Test, sample: int, values: Mapping[str, int]) -> bool:
    relation, name = test
    return sample < values[name] if relation == "<" else sample >= values[name]


def _programs(own: _Search, rows: Sequence[Row], least: Row, largest: Row) -> tuple[Program, ...] | None:
    """The programs in place of the block, once for each choice of the noise of the extremes and of the end.

    None if this is no block: a run may pass it twice, what it stores is tested later, or more than the places
    of the extremes decides where it ends.
    """
    ends = {edge.target for edge in own.cases(rows[-1])}
    if rows[0][0] in {*ends, *search(sorted(ends), partial(_after, own.leaving))}:
        return None
    stored = {name for row in rows for edge in own.cases(row) for name in edge.assign}
    if any(own.live_at(end) & stored - {*least, *largest} for end in ends):
        return None
    last = _last(own, rows, least, largest)
    if last is None:
        return None
    noise = [(edge.input, *edge.rates) for edge in (own.cases(row)[0] for row in rows)]
    kinds: dict[object, tuple[tuple[int, ...], Edge]] = {}
    for first in sorted(last):
        rest = (place for place in range(len(rows)) if place not in first)
        to = last[first].target
        kind = tuple(noise[place] for place in first), to if to in own.leaving else None
        kinds.setdefault(kind, ((*first, *rest), last[first]))
    return tuple(_ordered(own.program, rows, least, largest, *kind) for kind in kinds.values())


def _after(leaving: Mapping[str, Sequence[Edge]], state: str) -> Iterator[str]:
    return (edge.target for edge in leaving.get(state, ()))


def _last(own: _Search, rows: Sequence[Row], least: Row, largest: Row) -> Mapping[Places, Edge] | None:
    """A last step for all places of the extremes; None if these do not tell what it shows and leads to."""
    many = bool(least) + bool(largest)
    cases = own.cases(rows[-1])
    if len({(symbol(edge), edge.target) for edge in cases}) == 1 and all(len(row) == 1 for row in rows):
        return dict.fromkeys(permutations(range(len(rows)), many), cases[0])
    known = {(own.leaving[rows[0][0]][0].target, (0,) * many)}
    found: dict[Places, Edge] = {}
    for place in range(1, len(rows)):
        high = 0 if place == 1 else 2
        values = dict.fromkeys(least, 0) | dict.fromkeys(largest, high)
        after: set[tuple[str, Places]] = set()
        for (state, places), sample in product(sorted(known), (-1, 1, 3)):
            (edge,) = _taken(own.leaving[state], values, sample)
            low = (place if sample < 0 else places[0],) if least else ()
            top = (place if sample >= high else places[-1],) if largest else ()
            after.add((edge.target, low + top))
            if place == len(rows) - 1:
                other = found.setdefault(low + top, edge)
                if (symbol(other), other.target) != (symbol(edge), edge.target):
                    return None
        known = after
    return found


def _ordered(
    program: Program,
    rows: Sequence[Row],
    least: Collection[str],
    largest: Collection[str],
    order: Sequence[int],
    last: Edge,
) -> Program:
    """The program in which the samples of the block are drawn in an order, the extremes first."""
    kept, tops = tuple(least), tuple(largest)
    between: tuple[Test, ...] = (*((">=", v) for v in kept[:1]), *(("<", v) for v in tops[:1]))
    cases: list[tuple[tuple[Test, ...], tuple[str, ...]]] = [((), kept or tops)]
    if kept and tops:
        cases.append((between[:1], tops))
    cases += [(between, ())] * (len(rows) - len(cases))
    following: list[tuple[Outputs, str]] = [
        (program.states[row[0]].transitions[0].output, then[0]) for row, then in pairwise(rows)
    ]
    following.append((last.outputs if len(last.outputs) > 1 else last.outputs[0], last.target))
    names = {name for row in rows for name in row}
    found = {name: state for name, state in program.states.items() if name not in names}
    for (name, *_), place, (guard, assign), (output, target) in zip(
        rows, order, cases, following, strict=True
    ):
        own = program.states[rows[place][0]]
        found[name] = replace(own, transitions=(Transition(guard, assign, output, target),))
    return Program(program.initial, found, program.final, program.noise)
