"""Threshold programs of several variables: independent parts of these, each with nodes of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    demand,
    each,
    rational,
    record,
    typed,
)
from .shifts import nodes_rule


def parts_rule(program: Program, adjacency: str, value: Json, upper: Fraction | None) -> None:
    """No transition names variables of two parts; the bounds of all projections sum up to at most upper.

    Where one input differs, one part alone loses something, and the largest bound counts.
    """
    entries = [record(entry, "nodes upper variables") for entry in typed(value, list)]
    demand(len(entries) > 0, BadEvidence, "there are no parts")
    part_of: dict[str, int] = {}
    for number, entry in enumerate(entries):
        names = each(typed(entry["variables"], list), str)
        ascending(names, BadEvidence, "variables")
        demand(part_of.keys().isdisjoint(names), RuleBroken, "a variable is in two parts")
        part_of.update(dict.fromkeys(names, number))
    program.budget.spend((len(entries) + 1) * len(program.transitions) * (len(program.variables) + 1))
    homes = [home(t, part_of) for t in program.transitions]
    others = [erased(t) for t in program.transitions]
    bounds = []
    for number, entry in enumerate(entries):
        with at("part", number):
            bounds.append(rational(entry["upper"]))
            demand(bounds[-1][0] >= 0, Malformed, "upper is negative")
            transitions = [
                t if home == number else other
                for t, other, home in zip(program.transitions, others, homes, strict=True)
            ]
            nodes_rule(projection(program, transitions), adjacency, entry["nodes"], bounds[-1])
    numerators, unit = program.budget.common(bounds)
    total = Fraction(max(numerators) if adjacency == "one-differ" else sum(numerators), unit)
    demand(upper is None or total <= upper, ClaimOpen, "the parts do not prove upper")


def named(t: Transition) -> set[str]:
    return {*t.stored, *(name for _, name in t.bounds)}


def home(t: Transition, part_of: Mapping[str, int]) -> int:
    """The part whose variables a transition names; the first one if it names none."""
    parts = {part_of.get(name) for name in named(t)} or {0}
    number = parts.pop()
    if parts or number is None:
        raise RuleBroken(f"the variables of transition {t.number} are not in one part")
    return number


def erased(t: Transition) -> Transition:
    """A transition of another part, which tests nothing, stores nothing, and outputs a letter."""
    return t._replace(tests=(), stored=(), bounds=(), pinned=False, primed=False)


def projection(program: Program, transitions: Sequence[Transition]) -> Program:
    """The program with these transitions in place of its own."""
    by_state = {state: [transitions[t.number] for t in program.by_state[state]] for state in program.by_state}
    variables = {name for t in transitions if t.source in program.reached for name in named(t)}
    return replace(program, transitions=transitions, by_state=by_state, variables=variables)
