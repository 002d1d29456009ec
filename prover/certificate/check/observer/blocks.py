"""States in a row that keep the least and the largest of their samples, and do not show which these are.

In place of one state there may be several that know it. The program stands for several, one for each choice
of the noise of these two samples, and of where the last state leads, which draw them first. What no run of
these loses, no observer of the program loses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise, permutations

from ..programs import Program, Transition
from ..reading import BadEvidence, BadModel, Json, RuleBroken, ascending, demand, record, typed
from ..variables.orders import defined, live_variables
from .merging import with_transitions
from .quotients import noise

SAMPLES = (-1, 0, 1, 2, 3)  # below, at, between, and above the stored values, 0 and 0 or 0 and 2


Places = tuple[int, ...]  # of the least sample so far, if it is kept, and of the largest one, if it is
End = tuple[tuple[str, int], str]  # what is seen of the last step, and where it leads


def ordered(program: Program, value: Json) -> Sequence[tuple[Program, Json]]:
    """The programs in whose place the program stands, each with the evidence of its bound."""
    fields = record(value, "bounds largest least states")
    rows = [read_row(row) for row in typed(fields["states"], list)]
    least, largest = ([typed(name, str) for name in typed(fields[key], list)] for key in ("least", "largest"))
    states = [state for row in rows for state in row]
    program.budget.spend(64 * sum(len(program.leaving(q)) + 1 for q in states) * (len(program.variables) + 1))
    defined(program)
    plain = all(t.bounds == t.tests for t in program.transitions)
    demand(program.plain and program.even and plain, BadModel, "ties, gaps, or inputs that are not rounded")
    known = len(rows) > 1 and len(rows[0]) == 1 and {*states} <= {*program.reached}
    demand(known, BadEvidence, "the states are not reached ones")
    demand(len({*states}) == len(states), BadEvidence, "a state is twice in the block")
    extremes = [*least, *largest]
    demand(0 < len(extremes) == len({*extremes}), BadEvidence, "a variable twice, or none")
    cases = [[t for state in row for t in program.leaving(state)] for row in rows]
    for own, following in zip(cases, rows[1:], strict=False):
        demand({t.to for t in own} <= {*following}, RuleBroken, "a transition leaves the block")
        demand(len({t.seen for t in own}) == 1, RuleBroken, "the outputs of a state differ")
    for own in cases:
        demand(all(t.seen[1] == 0 for t in own), RuleBroken, "a number is output")
        demand(len({noise(t) for t in own}) == 1, RuleBroken, "states of a row have different noise")
    for row, before in zip(rows[1:], rows, strict=False):
        entered = {t.source for t in program.transitions if t.to in row}
        alone = entered <= {*before} and program.initial not in row
        demand(alone, RuleBroken, "the block is entered elsewhere")
    ends = {t.to for t in cases[-1]}
    demand(
        not any(reaches(program, to, states[0]) for to in sorted(ends)),
        RuleBroken,
        "the block is passed twice",
    )
    (first, *more) = cases[0]
    whole = not more and not first.tests and {*extremes} <= {*first.stored}
    demand(whole, RuleBroken, "the first state does not store its sample whatever it is")
    live = live_variables(program)
    for number, row in enumerate(rows[1:]):
        for state in row:
            kept = keeps_extremes(program.leaving(state), least, largest, live, one=number == 0)
            demand(kept, RuleBroken, "not the least and largest")
    stored = {name for own in cases for t in own for name in t.stored}
    later = {name for to in ends for name in live.get(to, ())}
    demand(later & stored <= {*extremes}, RuleBroken, "another variable is stored, and tested later")
    last = ends_by_places(program, rows, least, largest)
    programs = [
        in_order(program, cases, least, largest, order, last[places])
        for places, order in orders(program, cases, last).items()
    ]
    bounds = typed(fields["bounds"], list)
    demand(len(bounds) == len(programs), BadEvidence, "not one bound for each choice of noise")
    return list(zip(programs, bounds, strict=True))


def read_row(value: Json) -> list[str]:
    """The states at one place: one, or a list of several in order."""
    if isinstance(value, str):
        return [value]
    row = [typed(name, str) for name in typed(value, list)]
    demand(len(row) > 1, BadEvidence, "a row is a list of one state, or none")
    ascending(row, BadEvidence, "states of a row")
    return row


def reaches(program: Program, start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        new = {t.to for t in program.leaving(waiting.pop())} - seen
        seen |= new
        waiting += new
    return goal in seen


def keeps_extremes(
    cases: Sequence[Transition],
    least: Collection[str],
    largest: Collection[str],
    live: Mapping[str, Collection[str]],
    *,
    one: bool,
) -> bool:
    """Whether for all values one transition is taken, after which live variables hold the least and largest.

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
            later = live.get(taken[0].to, ())
            kept = {name: sample if name in taken[0].stored else value for name, value in values.items()}
            if any(kept[name] != min(0, sample) for name in least if name in later):
                return False
            if any(kept[name] != max(high, sample) for name in largest if name in later):
                return False
    return True


def holds(test: tuple[str, str], sample: int, values: Mapping[str, int]) -> bool:
    relation, name = test
    return sample < values[name] if relation == "<" else sample >= values[name]


def ends_by_places(
    program: Program, rows: Sequence[Sequence[str]], least: Sequence[str], largest: Sequence[str]
) -> Mapping[Places, End]:
    """What is seen last and where the block leads, which the places of the extremes alone have to decide."""
    many = (len(least) > 0) + (len(largest) > 0)
    ends = {(t.seen, t.to) for state in rows[-1] for t in program.leaving(state)}
    program.budget.spend(len(rows) ** many)
    if len(ends) == 1 and all(len(row) == 1 for row in rows):
        return dict.fromkeys(permutations(range(len(rows)), many), ends.pop())
    known = {(program.leaving(rows[0][0])[0].to, (0,) * many)}
    found = dict[Places, End]()
    for place in range(1, len(rows)):
        high, after = (0 if place == 1 else 2), set[tuple[str, Places]]()
        values = dict.fromkeys(least, 0) | dict.fromkeys(largest, high)
        for state, places in known:
            cases = program.leaving(state)
            program.budget.spend(8 * sum(len(t.tests) + 1 for t in cases))
            for sample in (-1, 1, 3):
                (t,) = (t for t in cases if all(holds(test, sample, values) for test in t.tests))
                low = (place if sample < 0 else places[0],) if least else ()
                top = (place if sample >= high else places[-1],) if largest else ()
                if place < len(rows) - 1:
                    after.add((t.to, low + top))
                else:
                    end = found.setdefault(low + top, (t.seen, t.to))
                    demand(
                        end == (t.seen, t.to), RuleBroken, "the places of the extremes do not tell the end"
                    )
        known = after
    return found


def orders(
    program: Program, cases: Sequence[Sequence[Transition]], ends: Mapping[Places, End]
) -> Mapping[Places, Sequence[int]]:
    """The places of the samples, the extremes first, once for each choice of the noise of these and of the
    state after the block."""
    found: dict[object, tuple[Places, Sequence[int]]] = {}
    for first in sorted(ends):
        rest = [place for place in range(len(cases)) if place not in first]
        to = ends[first][1]
        kind = tuple(noise(cases[place][0])[:3] for place in first), to if to in program.by_state else None
        found.setdefault(kind, (first, (*first, *rest)))
    return dict(found.values())


def in_order(
    program: Program,
    cases: Sequence[Sequence[Transition]],
    least: Sequence[str],
    largest: Sequence[str],
    order: Sequence[int],
    end: End,
) -> Program:
    """The program that draws the samples of the block in an order, of which the first are the extremes."""
    between = (*((">=", v) for v in least[:1]), *(("<", v) for v in largest[:1]))
    steps: list[tuple[tuple[tuple[str, str], ...], Sequence[str]]] = [((), least or largest)]
    if least and largest:
        steps.append((between[:1], largest))
    steps += [(between, ())] * (len(cases) - len(steps))
    by_state = {state: list(own) for state, own in program.by_state.items()}
    by_state |= {t.source: [] for own in cases for t in own}
    following = [*((own[0].seen, then[0].source) for own, then in pairwise(cases)), end]
    for own, place, (tests, stored), (seen, to) in zip(cases, order, steps, following, strict=True):
        drawn = cases[place][0]
        by_state[own[0].source] = [
            own[0]._replace(
                to=to,
                seen=seen,
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
