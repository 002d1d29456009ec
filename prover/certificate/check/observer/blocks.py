"""States in a row that keep the least and the largest of their samples, and do not show which these are.

The program stands for several, one for each choice of the noise of these two samples, which draw them first.
What no run of these loses, no observer of the program loses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from ..programs import Program, Transition
from ..reading import BadEvidence, BadModel, Json, RuleBroken, demand, record, typed
from ..variables.orders import defined, live_variables
from .merging import with_transitions
from .quotients import noise

SAMPLES = (-1, 0, 1, 2, 3)  # below, at, between, and above the stored values, 0 and 0 or 0 and 2


def ordered(program: Program, value: Json) -> Sequence[tuple[Program, Json]]:
    """The programs in whose place the program stands, each with the evidence of its bound."""
    fields = record(value, "bounds largest least states")
    states, least, largest = (
        [typed(name, str) for name in typed(fields[key], list)] for key in ("states", "least", "largest")
    )
    program.budget.spend(64 * sum(len(program.leaving(q)) + 1 for q in states) * (len(program.variables) + 1))
    defined(program)
    plain = all(t.bounds == t.tests for t in program.transitions)
    demand(program.plain and program.even and plain, BadModel, "ties, gaps, or inputs that are not rounded")
    demand(
        len(states) > 1 and {*states} <= {*program.reached}, BadEvidence, "the states are not reached ones"
    )
    demand(len({*states}) == len(states), BadEvidence, "a state is twice in the block")
    extremes = [*least, *largest]
    demand(0 < len(extremes) == len({*extremes}), BadEvidence, "a variable twice, or none")
    cases = [program.leaving(state) for state in states]
    after = cases[-1][0].to
    for own, following in zip(cases, [*states[1:], after], strict=True):
        for t in own:
            demand(t.to == following, RuleBroken, "a transition leaves the block")
            demand(t.seen == own[0].seen and t.seen[1] == 0, RuleBroken, "the outputs of a state differ")
            demand(t.worst is not None, RuleBroken, "a sample of the block has no noise on a side")
    for state, before in zip(states[1:], states, strict=False):
        entered = {t.source for t in program.transitions if t.to == state}
        demand(entered == {before} and state != program.initial, RuleBroken, "the block is entered elsewhere")
    demand(not reaches(program, after, states[0]), RuleBroken, "the block is passed twice")
    (first, *more) = cases[0]
    alone = not more and not first.tests and {*extremes} <= {*first.stored}
    demand(alone, RuleBroken, "the first state does not store its sample whatever it is")
    for number, own in enumerate(cases[1:]):
        demand(keeps_extremes(own, least, largest, one=number == 0), RuleBroken, "not the least and largest")
    stored = {name for own in cases for t in own for name in t.stored}
    later = live_variables(program).get(after, set())
    demand(later & stored <= {*extremes}, RuleBroken, "another variable is stored, and tested later")
    programs = [
        in_order(program, cases, least, largest, order) for order in orders(cases, bool(least and largest))
    ]
    bounds = typed(fields["bounds"], list)
    demand(len(bounds) == len(programs), BadEvidence, "not one bound for each choice of noise")
    return list(zip(programs, bounds, strict=True))


def reaches(program: Program, start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        new = {t.to for t in program.leaving(waiting.pop())} - seen
        seen |= new
        waiting += new
    return goal in seen


def keeps_extremes(
    cases: Sequence[Transition], least: Collection[str], largest: Collection[str], *, one: bool
) -> bool:
    """Whether for all values one transition is taken, after which variables hold the least and the largest.

    With `one` sample before, these are equal.
    """
    if not {name for t in cases for _, name in t.tests} <= {*least, *largest}:
        return False
    for high in (0,) if one else (0, 2):
        values = dict.fromkeys(least, 0) | dict.fromkeys(largest, high)
        for sample in SAMPLES:
            taken = [t for t in cases if all(holds(test, sample, values) for test in t.tests)]
            if len(taken) != 1:
                return False
            kept = {name: sample if name in taken[0].stored else value for name, value in values.items()}
            if any(kept[name] != min(0, sample) for name in least):
                return False
            if any(kept[name] != max(high, sample) for name in largest):
                return False
    return True


def holds(test: tuple[str, str], sample: int, values: Mapping[str, int]) -> bool:
    relation, name = test
    return sample < values[name] if relation == "<" else sample >= values[name]


def orders(cases: Sequence[Sequence[Transition]], both: bool) -> list[Sequence[int]]:
    """The places of the samples, the extremes first, once for each choice of the noise of these."""
    found: dict[object, Sequence[int]] = {}
    for first in permutations(range(len(cases)), 2 if both else 1):
        rest = [place for place in range(len(cases)) if place not in first]
        found.setdefault(tuple(noise(cases[place][0])[:3] for place in first), (*first, *rest))
    return list(found.values())


def in_order(
    program: Program,
    cases: Sequence[Sequence[Transition]],
    least: Sequence[str],
    largest: Sequence[str],
    order: Sequence[int],
) -> Program:
    """The program that draws the samples of the block in an order, of which the first are the extremes."""
    between = (*((">=", v) for v in least[:1]), *(("<", v) for v in largest[:1]))
    steps: list[tuple[tuple[tuple[str, str], ...], Sequence[str]]] = [((), least or largest)]
    if least and largest:
        steps.append((between[:1], largest))
    steps += [(between, ())] * (len(cases) - len(steps))
    by_state = {state: list(own) for state, own in program.by_state.items()}
    for own, place, (tests, stored) in zip(cases, order, steps, strict=True):
        drawn = cases[place][0]
        by_state[own[0].source] = [
            replace(
                own[0],
                takes_input=drawn.takes_input,
                noise=drawn.noise,
                means=drawn.means,
                tests=tests,
                bounds=tests,
                written=tuple(relation for relation, _ in tests),
                stored=tuple(stored),
            )
        ]
    return with_transitions(program, [t for state in sorted(by_state) for t in by_state[state]])
