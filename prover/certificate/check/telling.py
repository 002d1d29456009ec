"""Runs that the numbers which they output tell from all others, where outputs alone do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import groupby

from .budget import bits_of
from .programs import Program, Transition
from .reading import BadClaim, BadEvidence, Json, RuleBroken, demand, items, rational

SeenToken = str | int  # a letter, or a number that is seen, over the denominator of all
SampledStep = tuple[Transition, int, bool]  # its block, and whether that is repeated


def samples_rule(program: Program, steps: Sequence[SampledStep], value: Json) -> None:
    """Whoever sees numbers close to those of these samples knows the run, however often blocks are repeated.

    Samples close to these lead along the run, as all tests are strict. And no other path from the initial
    state to a transition that is seen shows the same letters, and numbers that can be these: a number whose
    transition tests the variable of the gap is on one side of what it is shown with.
    """
    demand(bool(steps) and steps[-1][0].told != (), BadEvidence, "the last step of the run is not seen")
    whole = program.whole or program
    added = [*{x for t in whole.transitions for x in t.told or ()}]
    ratios = [*map(rational, items(value, len(steps))), *(x.as_integer_ratio() for x in added)]
    numbers, unit = program.budget.common(ratios)
    tokens = shown(steps, numbers[: len(steps)], unit)
    program.budget.spend(2 * len(steps) * (len(whole.transitions) + 1), bits_of(map(abs, numbers)) + 2)
    sources = in_order(whole)
    paths: Mapping[str, int] = {whole.initial: 1}
    for _, block in groupby(zip(steps, tokens, strict=True), lambda pair: pair[0][1:]):
        own = list(block)
        seen = [token for _, token in own if token is not None]
        paths = followed(whole, sources, paths, seen, unit)
        if own[0][0][2]:
            again = followed(whole, sources, paths, seen, unit)
            demand(again == paths, RuleBroken, "another turn may look like other paths than this one")
    demand(sum(paths.values()) == 1, RuleBroken, "another path may look like the run")


def shown(steps: Iterable[SampledStep], samples: Sequence[int], unit: int) -> list[SeenToken | None]:
    """What is seen of each step, None for nothing; the samples meet all tests, and none by a tie."""
    tokens, stored = list[SeenToken | None](), dict[str, int]()
    for (t, _, repeat), sample in zip(steps, samples, strict=True):
        demand(t.left is not None and t.right is not None, BadEvidence, "a step lacks noise on a side")
        demand(not (repeat and t.stored), BadEvidence, "a step that is repeated stores its sample")
        for relation, name in (*t.tests, *(("gap", name) for name in t.gaps)):
            demand(name in stored, BadEvidence, "a variable is used before it is stored")
            met = {"<": sample < stored[name], ">=": sample > stored[name], "gap": True}[relation]
            demand(met, RuleBroken, "a sample is not where its test asks it to be")
        number = sample - (stored[t.gaps[0]] if t.gaps else 0) + added_to(t, unit)
        tokens.append(None if t.told == () else number if t.seen[1] else t.seen[0])
        stored.update(dict.fromkeys(t.stored, sample))
    return tokens


def added_to(t: Transition, unit: int) -> int:
    """What is added to the number of a transition before it is seen."""
    return sum(x.numerator * (unit // x.denominator) for x in t.told or ())


def in_order(program: Program) -> list[str]:
    """The states that are reached, so that steps that are not seen lead to later ones."""
    unseen = {
        state: [t.to for t in program.leaving(state) if t.told == () and t.to in program.reached]
        for state in sorted(program.reached)
    }
    try:
        return list(TopologicalSorter(unseen).static_order())[::-1]
    except CycleError:
        raise BadClaim("steps that are not seen form a cycle") from None


def followed(
    program: Program, sources: Sequence[str], paths: Mapping[str, int], tokens: Iterable[SeenToken], unit: int
) -> Mapping[str, int]:
    """How many paths come to each state by a step that is seen, after paths to the given ones: 0, 1, or 2 for
    more."""
    for token in tokens:
        before, after = dict(paths), dict[str, int]()
        for state in sources:
            for t in program.leaving(state) if state in before else ():
                ahead = before if t.told == () else after
                if ahead is before or may_show(t, token, unit):
                    ahead[t.to] = min(2, ahead.get(t.to, 0) + before[state])
        paths = after
    return paths


def may_show(t: Transition, token: SeenToken, unit: int) -> bool:
    """Whether this may be seen of a transition, ties included."""
    if isinstance(token, str) or not t.seen[1]:
        return t.seen[0] == token
    least = added_to(t, unit)
    sides = {relation for relation, name in t.tests if name in t.gaps}
    return not (("<" in sides and token > least) or (">=" in sides and token < least))
