"""Threshold programs of several variables: independent parts of these, each with nodes of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    ClaimOpen,
    Json,
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
    demand(len(entries) > 0, BadEvidence, "no parts")
    part_of: dict[str, int] = {}
    for number, entry in enumerate(entries):
        names = each(typed(entry["variables"], list), str)
        ascending(names, BadEvidence, "variables")
        demand(part_of.keys().isdisjoint(names), RuleBroken, "a variable of two parts")
        part_of.update(dict.fromkeys(names, number))
    program.budget.spend((len(entries) + 1) * len(program.transitions) * (len(program.variables) + 1))
    homes = [home(t, part_of) for t in program.transitions]
    bounds = []
    for number, entry in enumerate(entries):
        with at(f"part {number}"):
            bounds.append(rational(entry["upper"]))
            own = {t.number for t in program.transitions if homes[t.number] == number}
            nodes_rule(projection(program, own), adjacency, entry["nodes"], bounds[-1])
    numerators, unit = program.budget.common(bounds)
    total = Fraction(max(numerators) if adjacency == "one-differ" else sum(numerators), unit)
    demand(upper is None or total <= upper, ClaimOpen, "the parts are above upper")


def named(t: Transition) -> set[str]:
    return {*t.stored, *(name for _, name in t.bounds)}


def home(t: Transition, part_of: Mapping[str, int]) -> int:
    """The part whose variables a transition names; the first one if it names none."""
    parts = {part_of.get(name) for name in named(t)} or {0}
    number = parts.pop()
    if parts or number is None:
        raise RuleBroken(f"transition {t.number} is not of one part")
    return number


def erased(t: Transition) -> Transition:
    return replace(t, tests=(), stored=(), bounds=(), pinned=False, primed=False)


def projection(program: Program, own: Collection[int]) -> Program:
    """The program in which the other transitions test nothing, store nothing, and output a letter."""
    transitions = [t if t.number in own else erased(t) for t in program.transitions]
    by_state = {state: [transitions[t.number] for t in program.by_state[state]] for state in program.by_state}
    variables = {name for t in transitions if t.source in program.reached for name in named(t)}
    return replace(program, transitions=transitions, by_state=by_state, variables=variables)
