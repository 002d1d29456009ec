"""Pairs of transitions with the same output, one of which is always taken, as one transition without a
test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..programs import Program, Transition
from ..reading import BadEvidence, Json, Malformed, RuleBroken, ascending, at, demand, items, typed
from ..variables.orders import defined


def merged(program: Program, value: Json) -> Program:
    """The program in which of each pair of transitions the first has no test and the second is missing."""
    defined(program)
    pairs = [items(pair, 2) for pair in typed(value, list)]
    numbers = [(typed(a, int), typed(b, int)) for a, b in pairs]
    ascending(numbers, BadEvidence, "pairs")
    demand(len(numbers) > 0, BadEvidence, "there are no pairs")
    named = [n for pair in numbers for n in pair]
    demand(all(0 <= n < len(program.transitions) for n in named), Malformed, "unknown transition")
    demand(len(set(named)) == len(named), BadEvidence, "a transition occurs twice in the pairs")
    program.budget.spend(4 * len(program.transitions))
    for number, (a, b) in enumerate(numbers):
        with at("pair", number):
            one, two = program.transitions[a], program.transitions[b]
            alike = two._replace(number=a, tests=one.tests, bounds=one.bounds, written=one.written) == one
            demand(alike, RuleBroken, "the two transitions differ in more than their tests")
            demand(one.bounds == one.tests and two.bounds == two.tests, RuleBroken, "a gap is output")
            whole = len(one.tests) == len(two.tests) == 1 and one.tests[0][1] == two.tests[0][1]
            covering = whole and {*one.written, *two.written} in ({"<", ">="}, {"<=", ">"})
            demand(covering, RuleBroken, "the tests are not < and >=, or <= and >, of one variable")
    first, second = {a for a, _ in numbers}, {b for _, b in numbers}
    kept = [
        t._replace(tests=(), bounds=(), written=()) if t.number in first else t
        for t in program.transitions
        if t.number not in second
    ]
    return with_transitions(program, kept)


def with_transitions(program: Program, transitions: Sequence[Transition]) -> Program:
    """The program with these transitions, numbered anew, in place of its own; they reach the same states."""
    kept = [t._replace(number=n) for n, t in enumerate(transitions)]
    by_state: dict[str, list[Transition]] = {state: [] for state in program.by_state}
    for t in kept:
        by_state[t.source].append(t)
    reached = [t for t in kept if t.source in program.reached]
    variables = {name for t in reached for name in (*t.stored, *(v for _, v in t.bounds))}
    return replace(program, transitions=kept, by_state=by_state, variables=variables)
