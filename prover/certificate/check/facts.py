"""Threshold programs of one variable: tables of facts by which the loss is bounded."""

from __future__ import annotations

from collections.abc import Mapping

from .programs import Program, Transition
from .reading import BadClaim, BadEvidence, Json, Malformed, RuleBroken, ascending, at, demand, record, typed

CONTRARY = {"hi0": {"lo1"}, "hi1": {"lo0", "lo1"}, "lo0": {"hi1"}, "lo1": {"hi0", "hi1"}}

ASKED_OF = {"<": ("lo",), ">=": ("hi",), "=": ("lo", "hi"), "": ()}  # by the guard
KEPT_BY = {">=": {"lo0", "lo1"}, "<": {"hi0", "hi1"}, "=": CONTRARY.keys(), "": set[str]()}


def private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """No cycle discloses or leaks, and the facts are closed and free of contradiction."""
    demand(claim["adjacency"] == "all-differ", BadClaim, "the adjacency is not all-differ")
    fields = record(evidence, "components facts")
    component, facts = typed(fields["components"], dict), dict[str, set[str]]()
    demand(program.initial in component, BadEvidence, "the initial state has no component")
    demand(component.keys() <= set(program.states), BadEvidence, "a component has a name that is not a state")
    demand(all(typed(number, int) >= 0 for number in component.values()), Malformed, "a negative component")
    for state, words in typed(fields["facts"], dict).items():
        demand(state in component and len(typed(words, list)) > 0, BadEvidence, "facts of no state, or none")
        demand(all(typed(word, str) in CONTRARY for word in words), Malformed, "a fact is unknown")
        ascending(words, BadEvidence, "facts")
        facts[state] = set(words)
    reached = [t for t in program.transitions if t.source in component]
    for t in reached:
        if t.to in program.states:
            demand(t.to in component, BadEvidence, "a reachable state has no component")
            demand(component[t.source] <= component[t.to], RuleBroken, "a transition to a lower component")
    inside = {t.number for t in reached if component.get(t.to) == component[t.source]}
    storing = {component[t.source] for t in reached if t.assigns and t.number in inside}
    here = at()
    with here:
        for t in reached:
            here.place = "transition", t.number
            turns, stores = t.number in inside, component[t.source] in storing
            private_rule(t, turns, stores, facts, t.to in program.states)


def private_rule(
    t: Transition, inside: bool, storing: bool, facts: Mapping[str, set[str]], goes_on: bool
) -> None:
    """One transition discloses nothing, does not leak, adds no contradiction, and hands its facts on.

    Where there is no noise on a side, a step must follow its input on that side even if it is made once.
    """
    real = t.pinned or t.primed
    demand(not (inside and t.takes_input and real), RuleBroken, "there is a disclosing cycle")
    demand(not (inside and storing and t.guard), RuleBroken, "there is a leaking cycle")
    left, right, guard = t.left, t.right, t.guard
    endless = t.takes_input and (left is None or right is None)
    demand(not (endless and t.pinned), RuleBroken, "insample of an input is output without noise on a side")
    size = int(t.takes_input)
    added: set[str] = set()
    for side in ASKED_OF[guard]:
        follows = inside or (left if side == "lo" else right) is None
        added |= {f"{side}{size}"} if follows else set()
        added |= {f"{side}0"} if t.pinned else set()
    old = facts.get(t.source, set())
    free = not any(CONTRARY[fact] & (old | added) for fact in added)
    demand(free, RuleBroken, "two facts contradict each other")
    after = old | added
    if t.assigns:
        after = after.intersection(KEPT_BY[guard]) | ({"lo0", "hi0"} if t.pinned else set())
        after |= {f"lo{size}"} if left is None else set()
        after |= {f"hi{size}"} if right is None else set()
    demand(not goes_on or after <= facts.get(t.to, set()), RuleBroken, "the next state lacks a fact")
