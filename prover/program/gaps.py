"""Where runs stop unseen: guards that leave a gap, and ends that look like going on; programs without these.

Published programs are read as if nobody saw that a run stops. Where somebody does, the program is
``completed``: what guards leave uncovered gets transitions to a final state, with an output of their own; and
if outputs do not tell whether a run is at its end, every end gets this output, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, count, product
from types import MappingProxyType

from prover.program.errors import TieOffGrid
from prover.program.model import (
    Edge,
    Program,
    State,
    Test,
    Transition,
    known_by_all,
    out_edges,
    public_numbers,
    reachable,
)
from prover.program.outputs import seen_of

Guard = tuple[Test, ...]
PossibleOrders = frozenset[str]
"""How insample may compare with a variable: some of "<", "=" and ">"."""

OUTCOMES: Mapping[str, PossibleOrders] = MappingProxyType(
    {
        "<": frozenset("<"),
        "<=": frozenset("<="),
        "=": frozenset("="),
        ">=": frozenset("=>"),
        ">": frozenset(">"),
    }
)
"""What each relation allows. Where there are no ties, < and >= stand for <= and >, too."""
ALL_OUTCOMES = frozenset("<=>")
_RELATIONS = {outcomes: relation for relation, outcomes in OUTCOMES.items()}

STUCK = "stuck"
"""The output of a run that stops, and the final state where it does; a number follows where that is taken."""


def uncovered(program: Program) -> dict[str, tuple[Guard, ...]]:
    """For the reachable states whose guards leave a gap: guards that exclude each other and fill it.

    Combinations of tests that contradict the known order of variables are no gaps: where every run to a
    state knows that x ≤ y, nothing is below x and not below y. Nor are there gaps between public numbers.
    """
    numbers = public_numbers(program)
    orders = {state: order for state, order in known_orders(program).items() if state not in numbers}
    filled = cache(complement)  # many states have the same guards
    found = {
        state: tuple(filled(tuple(case.guard for case in program.states[state].transitions), order))
        for state, order in orders.items()
    }
    return {state: guards for state, guards in found.items() if guards}


def completed(program: Program) -> Program:
    """The program with a transition for everything that guards leave uncovered; itself if that is nothing.

    It is also returned itself if ties are uncovered that no run comes to, since means differ. All of these
    transitions go to one final state, which is new, and have one output, which is new, too. If runs end where
    others with the same outputs go on, the states where they end get such a transition as well.
    """
    gaps, ends = uncovered(program), unseen_ends(program)
    if not gaps and not ends:
        return program
    targets = {*program.states, *program.final, *(edge.target for edge in program.edges)}
    final = _new(targets)
    output = _new({seen_of(edge.outputs)[0] or "" for edge in program.edges})
    states, finals = dict(program.states), program.final
    for name, guards in gaps.items():
        more = tuple(Transition(guard, (), output, final) for guard in guards)
        states[name] = replace(states[name], transitions=states[name].transitions + more)
    if ends:
        stop = State(False, Fraction(1), Fraction(0), None, None, (Transition((), (), output, final),))
        states |= dict.fromkeys(targets - states.keys(), stop)
        finals = frozenset()
    try:
        return replace(program, states=states, final=finals | {final})
    except TieOffGrid:
        return program


def ends_are_told(program: Program) -> bool:
    """Whether who sees the outputs sees where runs end, also those that come to no more inputs.

    Guards leave no gap, and every output tells whether its step reads an input, and whether the next step
    does, or the run ends.
    """
    states, reached = program.states, reachable(program)
    kinds = {
        (seen_of(edge.outputs), states[edge.source].input, _kind(states.get(edge.target)))
        for edge in program.edges
        if edge.source in reached
    }
    return not leaves_gaps(program) and len(kinds) == len({seen for seen, *_ in kinds})


def _kind(state: State | None) -> bool | None:
    """Whether a state reads an input; None for a final one."""
    return None if state is None else state.input


def leaves_gaps(program: Program) -> bool:
    """Whether the guards of a state where runs can come leave a gap, in whatever order its variables are."""
    states = (program.states[name] for name in reachable(program))
    return any(complement([case.guard for case in state.transitions]) for state in states)


def overlapping(program: Program) -> bool:
    """Whether two guards of a state may hold at once, for all that every run to it knows of its variables."""
    leaving = out_edges(program)
    pairs = [
        (state, one.guard, two.guard)
        for state in reachable(program)
        for one, two in combinations(leaving[state], 2)
        if not exclude(one.guard, two.guard)
    ]
    orders = known_orders(program) if pairs else {}
    return not all(_is_impossible(_both(one, two), orders[state]) for state, one, two in pairs)


def _both(one: Guard, two: Guard) -> Mapping[str, PossibleOrders]:
    """The case that both guards hold."""
    case: dict[str, PossibleOrders] = {}
    for relation, x in (*one, *two):
        case[x] = _left(case, (relation, x)) & OUTCOMES[relation]
    return case


MOST_PAIRS = 100_000
"""How many pairs of states are looked at that runs with the same outputs come to."""


def unseen_ends(program: Program) -> tuple[str, ...]:
    """The states from which a run ends, while another one with the same outputs may go on.

    Whether samples lead to both does not matter: who sees an end learns which run it is not. Where there are
    too many pairs of states, all states from which runs end are returned.
    """
    leaving = out_edges(program)
    found: set[str] = set()
    try:
        for first, second in alike_edges(program):
            after = [edge.target in leaving for edge in (first, second)]
            if after[0] != after[1]:
                found.add((first, second)[after[0]].source)
    except TooManyPairs:
        found = {edge.source for edge in program.edges if edge.target not in leaving}
    return tuple(sorted(found))


class TooManyPairs(Exception):
    """More pairs of states than are looked at."""


def alike_edges(program: Program) -> Iterator[tuple[Edge, Edge]]:
    """The pairs of edges with the same letters and as many numbers that come after runs with the same ones.

    Whether samples lead to both does not matter. Raises TooManyPairs.
    """
    leaving = out_edges(program)
    known = {(program.initial, program.initial)}
    waiting = list(known)
    by_symbol = cache(lambda state: _by_symbol(leaving[state]))
    while waiting:
        alike = [by_symbol(state) for state in waiting.pop()]
        for symbol in alike[0].keys() & alike[1].keys():
            for first, second in product(alike[0][symbol], alike[1][symbol]):
                yield first, second
                pair = min(first.target, second.target), max(first.target, second.target)
                if first.target in leaving and second.target in leaving and pair not in known:
                    known.add(pair)
                    waiting.append(pair)
        if len(known) > MOST_PAIRS:
            raise TooManyPairs


def _by_symbol(edges: Iterable[Edge]) -> dict[tuple[str | None, int], list[Edge]]:
    """Edges by what an observer sees of them."""
    found: dict[tuple[str | None, int], list[Edge]] = {}
    for edge in edges:
        found.setdefault(seen_of(edge.outputs), []).append(edge)
    return found


KnownOrder = frozenset[tuple[str, str]]
"""Pairs of variables (x, y) of which x ≤ y is known."""


def known_orders(program: Program) -> Mapping[str, KnownOrder]:
    """For each reachable state what every run to it knows of the order of its variables.

    A run knows the tests that its insample has passed, and what follows from these for what it stores.
    """
    return known_by_all(program, lambda order, edge: _order_after(order, edge.guard, edge.assign))


def _order_after(order: KnownOrder, guard: Guard, assign: Iterable[str]) -> KnownOrder:
    """The order after a step; insample, which the step may store, stands between what it is compared with."""
    names = {name for pair in order for name in pair} | {name for _, name in guard}
    above = {y for relation, x in guard if relation == "<" for y in names if x == y or (x, y) in order}
    below = {y for relation, x in guard if relation == ">=" for y in names if x == y or (y, x) in order}
    known = order | {(low, high) for low in below for high in above}
    stored = set(assign)
    kept = {(x, y) for x, y in known if not {x, y} & stored}
    for new in stored:
        kept |= {(new, y) for y in above - stored} | {(x, new) for x in below - stored}
        kept |= {(new, other) for other in stored if other != new}
    return frozenset(kept)


def complement(guards: Sequence[Guard], order: KnownOrder = frozenset()) -> list[Guard]:
    """Guards that exclude each other and hold where none of these does, by cases, one variable after another.

    >>> complement([(("<", "x"),)])
    [(('>=', 'x'),)]
    >>> complement([(("<=", "x"),)])
    [(('>', 'x'),)]
    """
    found: list[Guard] = []
    waiting: list[Mapping[str, PossibleOrders]] = [{}]
    while waiting:
        case = waiting.pop()
        if _is_impossible(case, order):
            continue
        possible = [guard for guard in guards if all(_left(case, test) & OUTCOMES[test[0]] for test in guard)]
        split = [[test for test in guard if not _left(case, test) <= OUTCOMES[test[0]]] for guard in possible]
        if not all(split):
            continue
        if not split:
            found.append(tuple((_RELATIONS[outcomes], x) for x, outcomes in case.items()))
            continue
        test = split[0][0]
        holds, fails = _left(case, test) & OUTCOMES[test[0]], _left(case, test) - OUTCOMES[test[0]]
        apart = [fails] if fails in _RELATIONS else [frozenset(">"), frozenset("<")]
        parts = sorted([holds, *apart], key=lambda outcomes: "<" in outcomes)
        waiting += [{**case, test[1]: outcomes} for outcomes in parts]
    return found


def exclude(first: Guard, second: Guard) -> bool:
    """Whether two guards never hold at once, whatever variables hold."""
    return any(not OUTCOMES[a] & OUTCOMES[b] for a, x in first for b, y in second if x == y)


def _left(case: Mapping[str, PossibleOrders], test: Test) -> PossibleOrders:
    """What a case leaves open of the variable of a test."""
    return case.get(test[1], ALL_OUTCOMES)


def _is_impossible(case: Mapping[str, PossibleOrders], order: KnownOrder) -> bool:
    """Whether insample is asked to be below x and not below y, where x ≤ y is known, save for one tie."""
    return any(
        case.get(x, ALL_OUTCOMES) <= OUTCOMES["<="]
        and case.get(y, ALL_OUTCOMES) <= OUTCOMES[">="]
        and not case[x] & case[y]
        for x, y in order
    )


def _new(names: set[str]) -> str:
    """A name that is not taken."""
    return next(name for k in count() if (name := STUCK + (str(k) if k else "")) not in names)
