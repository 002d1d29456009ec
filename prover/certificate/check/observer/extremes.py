"""Stored values that larger ones, or smaller ones, replace unseen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..programs import Program
from ..reading import BadEvidence, Json, Malformed, RuleBroken, ascending, at, demand, items, typed


def extreme_pairs(program: Program, value: Json) -> tuple[set[int], set[int]]:
    """The transitions of the pairs that assign, and those that do not.

    The two of a pair lead from one state to one other, and output one letter and no number; one has the test
    < of a variable, the other >= of it, and one assigns it.
    """
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
            same = (one.source, one.to, one.seen) == (two.source, two.to, two.seen)
            demand(same and one.seen[1] == 0, RuleBroken, "the outputs or ends differ, or hold a number")
            tests = {one.tests, two.tests}
            whole = all(len(own) == 1 for own in tests) and {own[0][0] for own in tests} == {"<", ">="}
            demand(whole, RuleBroken, "the tests are not < and >= of one variable")
            demand(one.assigns != two.assigns, RuleBroken, "not exactly one of the two transitions assigns")
    storing = {n for n in named if program.transitions[n].assigns}
    return storing, set(named) - storing


def earlier_extremes(
    costs: Sequence[int], after: Iterable[tuple[int, ...]], infinite: int
) -> list[tuple[int, ...]]:
    """The least cost of a shift plus the most that is lost with one from it to the shift stored before."""
    places = range(len(costs))
    return [
        tuple(
            min(infinite, *(costs[k] + max(later[min(x, k) : max(x, k) + 1]) for k in places)) for x in places
        )
        for later in after
    ]
