"""States in a row that keep the least and the largest of their samples, and do not show which these are.

The program with such a block is the union of programs that say which sample is the least and which is the
largest, and draw these two first. None of their runs loses less than the observer of all of them, who learns
less than who sees which samples those are (docs/theory_observer.md, *Hidden blocks*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations, product

from prover.graphs import search
from prover.program.model import Edge, Program, State, Test, Transition, out_edges, reachable
from prover.program.observer.words import orders_samples, symbol
from prover.program.order_graph import Variables, live_variables
from prover.program.outputs import numbers_of
from prover.program.shifts import is_one_sided

_MOST_VARIABLES = 4

_SAMPLES = range(-1, 4)
"""Below, at, between, and above the stored values, which are 0 and 0, or 0 and 2."""


@dataclass(frozen=True, slots=True)
class HiddenBlock:
    """States in a row, the variables that hold their least and their largest sample, and the ``programs``.

    There is one program for each choice of the noise of these two.
    """

    states: tuple[str, ...]
    least: tuple[str, ...]
    largest: tuple[str, ...]
    programs: tuple[Program, ...]


def hidden_block(program: Program) -> HiddenBlock | None:
    """The longest hidden block of a program; None if it has none."""
    if not orders_samples(program):
        return None
    leaving, live = out_edges(program), live_variables(program)
    sources: dict[str, set[str]] = {}
    for edge in program.edges:
        sources.setdefault(edge.target, set()).add(edge.source)
    names = sorted(reachable(program))
    blocks = [block for name in names for block in _from(program.initial, leaving, live, sources, name)]
    best = max(blocks, key=lambda block: len(block[0]), default=None)
    if best is None:
        return None
    states, least, largest = best
    orders = _orders(program, states, both=bool(least and largest))
    programs = tuple(_ordered(program, *best, order) for order in orders)
    return HiddenBlock(states, least, largest, programs)


def _from(
    initial: str,
    leaving: Mapping[str, Sequence[Edge]],
    live: Mapping[str, Variables],
    sources: Mapping[str, set[str]],
    first: str,
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """The longest block that begins at a state, with its variables."""
    cases = leaving[first]
    if len(cases) > 1 or cases[0].guard or not _is_quiet(cases):
        return
    kept = sorted(live.get(cases[0].target, frozenset()).intersection(cases[0].assign))
    for kinds in product((min, max), repeat=len(kept)) if 0 < len(kept) <= _MOST_VARIABLES else ():
        extremes = dict(zip(kept, kinds, strict=True))
        states, state = [first], cases[0].target
        while (
            state in leaving
            and state != initial
            and sources[state] == {states[-1]}
            and _keeps(leaving[state], extremes, one=len(states) == 1)
        ):
            states.append(state)
            state = leaving[state][0].target
        if len(states) == 1 or first in search([state], partial(_after, leaving)):
            continue
        later = live.get(state, frozenset())
        stored = {name for own in states for edge in leaving[own] for name in edge.assign}
        if later & stored <= extremes.keys():
            least, largest = (tuple(v for v in kept if extremes[v] is kind) for kind in (min, max))
            yield tuple(states), least, largest


def _after(leaving: Mapping[str, Sequence[Edge]], state: str) -> Iterator[str]:
    return (edge.target for edge in leaving.get(state, ()))


def _is_quiet(edges: Sequence[Edge]) -> bool:
    """Whether transitions look alike, show no number, lead to one state, and have noise on both sides."""
    alike = len({(edge.target, symbol(edge)) for edge in edges}) == 1
    return alike and not any(numbers_of(edge.outputs) or is_one_sided(edge) for edge in edges)


def _keeps(edges: Sequence[Edge], extremes: Mapping[str, Callable[[int, int], int]], *, one: bool) -> bool:
    """Whether a state keeps the extremes and does not show it; after ``one`` sample these are equal."""
    if not _is_quiet(edges):
        return False
    if any(name not in extremes for edge in edges for _, name in edge.guard):
        return False
    for largest in (0,) if one else (0, 2):
        values = {name: 0 if kind is min else largest for name, kind in extremes.items()}
        for sample in _SAMPLES:
            taken = [edge for edge in edges if all(_holds(test, sample, values) for test in edge.guard)]
            if len(taken) != 1:
                return False
            after = {name: sample if name in taken[0].assign else value for name, value in values.items()}
            if any(after[name] != kind(values[name], sample) for name, kind in extremes.items()):
                return False
    return True


def _holds(test: Test, sample: int, values: Mapping[str, int]) -> bool:
    relation, name = test
    return sample < values[name] if relation == "<" else sample >= values[name]


def _orders(program: Program, states: Sequence[str], *, both: bool) -> list[tuple[int, ...]]:
    """The places of the samples, extremes first, once for each choice of the noise of the extremes."""
    noise = [(program.states[name].input, *program.states[name].rates) for name in states]
    orders: dict[object, tuple[int, ...]] = {}
    for first in permutations(range(len(states)), 2 if both else 1):
        rest = (place for place in range(len(states)) if place not in first)
        orders.setdefault(tuple(noise[place] for place in first), (*first, *rest))
    return list(orders.values())


def _ordered(
    program: Program,
    states: Sequence[str],
    least: tuple[str, ...],
    largest: tuple[str, ...],
    order: Sequence[int],
) -> Program:
    """The program in which the samples of the block are drawn in an order, the extremes first."""
    between: tuple[Test, ...] = (*((">=", v) for v in least[:1]), *(("<", v) for v in largest[:1]))
    cases: list[tuple[tuple[Test, ...], tuple[str, ...]]] = [((), least or largest)]
    if least and largest:
        cases.append((between[:1], largest))
    cases += [(between, ())] * (len(states) - len(cases))
    found: dict[str, State] = {}
    for name, place, (guard, assign) in zip(states, order, cases, strict=True):
        (target, output), *_ = ((case.target, case.output) for case in program.states[name].transitions)
        own = program.states[states[place]]
        found[name] = replace(own, transitions=(Transition(guard, assign, output, target),))
    return Program(program.initial, {**program.states, **found}, program.final, program.noise)
