"""Threshold programs with a block that is repeated: the loss for every count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from .budget import Budget
from .losses import by_way, closed_table
from .programs import CORNERS, Program, Transition, read_program
from .reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    constant,
    demand,
    rational,
    record,
    typed,
)
from .runs import blocks_rule
from .whose import loss_rule

TYPE = "counted-program"


@dataclass(frozen=True, slots=True)
class Counted:
    """A program with its block once, the states of the block, the first of these, and the state after it.

    `least` is the count without the block.
    """

    program: Program
    inside: frozenset[str]
    entry: str
    after: str
    least: int

    def enters(self, t: Transition) -> bool:
        """Whether a transition leads into the block from outside."""
        return t.source not in self.inside and t.to in self.inside

    def arrives(self, t: Transition) -> bool:
        """Whether a copy of the block may begin after a transition."""
        return self.enters(t) or (t.source in self.inside and t.to == self.after)

    def without(self) -> list[Transition]:
        """The transitions, of which those into the block lead to the state after it."""
        return [replace(t, to=self.after) if self.enters(t) else t for t in self.program.transitions]


def read_counted(model: Json, budget: Budget) -> Counted:
    fields = record(model, "block least program type version")
    constant(fields["type"], TYPE)
    constant(fields["version"], 1)
    block, least = record(fields["block"], "after entry states"), typed(fields["least"], int)
    demand(least >= 0, Malformed, "the least count is negative")
    program = read_program(fields["program"], budget)
    names = [typed(name, str) for name in typed(block["states"], list)]
    ascending(names, Malformed, "states of the block")
    inside, entry, after = frozenset(names), typed(block["entry"], str), typed(block["after"], str)
    demand(inside <= set(program.states), BadModel, "the block has a name that is not a state")
    demand(entry in inside, BadModel, "the block does not have its entry")
    demand(program.initial not in inside, BadModel, "the block has the initial state")
    demand(len(program.variables) == 1 and program.even, BadModel, "several variables, or own sensitivities")
    counted = Counted(program, inside, entry, after, least)
    into = all(t.to == entry for t in program.transitions if counted.enters(t))
    demand(into, BadModel, "a transition leads into the block past its entry")
    later = {after} | {t.to for t in program.transitions if t.source in inside and t.to not in inside}
    waiting = list(later)
    while waiting:
        new = {t.to for t in program.leaving(waiting.pop())} - later
        later |= new
        waiting += new
    demand(inside.isdisjoint(later), BadModel, "the block can be reached from what is after it")
    return counted


def loss_of_counts(claim: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """The loss is constant + each · c for every count c from `first` on."""
    with at("model"):
        counted = read_counted(model, budget)
    demand(typed(claim["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    with at("claim"):
        loss_rule(counted.program, claim, {})
        first = typed(claim["first"], int)
        start, growth = (Fraction(*rational(claim[key])) for key in ("constant", "each"))
        demand(growth >= 0, BadClaim, "each is negative")
        demand(first >= counted.least, BadClaim, "the first count is below the least one")
        total = start + growth * first
    with at("evidence"):
        parts = record(evidence, "blocks table")
        with at("table"):
            for way, table in by_way(claim["adjacency"], parts["table"]).items():
                growing_table(counted, way, table, total - growth * (first - counted.least), growth)
        with at("blocks"):
            turns, lost, gained = growing_runs(counted, claim["adjacency"], parts["blocks"])
        demand(
            counted.least + turns <= first, ClaimOpen, "the runs pass the block too often for the first count"
        )
        demand(gained >= growth, ClaimOpen, "the runs lose less with each count")
        at_first = lost + gained * (first - counted.least - turns)
        demand(at_first >= total, ClaimOpen, "the runs lose less at the first count")


def growing_table(counted: Counted, adjacency: str, value: Json, upper: Fraction, growth: Fraction) -> None:
    """What is lost from the block on is at most `growth` more than what is lost after it, and without the
    block at most `upper`."""
    program = replace(counted.program, transitions=counted.without())
    found = closed_table(program, adjacency, value)
    raised = growth * found.unit
    for mode in found.modes:
        later, own = found.of(counted.after, mode), found.of(counted.entry, mode)
        program.budget.spend(len(program.shifts) * len(later) * len(own), found.infinite.bit_length())
        rises = all(
            any(
                all(
                    y == found.infinite or (x < found.infinite and x <= y + raised)
                    for x, y in zip(f, g, strict=True)
                )
                for g in later
            )
            for f in own
        )
        demand(rises, RuleBroken, "the block adds more to a function than each")
    worst = found.worst(program.initial)
    demand(worst is not None and worst <= upper, ClaimOpen, "the table does not prove the claim")


def growing_runs(counted: Counted, adjacency: str, value: Json) -> tuple[int, Fraction, Fraction]:
    """How often runs pass the block besides the repeated turns, what they lose, and what each turn adds.

    They are runs of a program with a junction, to which the transitions into the block and those from it to
    the state after it lead. There a run takes the first step of a copy, or that of the state after the block.
    """
    program = counted.program
    junction = counted.after + "'" * (1 + max(map(len, program.states)))  # longer than all names of states
    own = [replace(t, to=junction) if counted.arrives(t) else t for t in program.transitions]
    begun, ended = (
        [replace(own[t.number], source=junction) for t in program.leaving(state)]
        for state in (counted.entry, counted.after)
    )
    transitions = [replace(t, number=n) for n, t in enumerate((*own, *begun, *ended))]
    by_state: dict[str, list[Transition]] = {}
    for t in transitions:
        by_state.setdefault(t.source, []).append(t)
    reached = {*program.reached, junction}
    whole = replace(program, transitions=transitions, by_state=by_state, reached=reached)
    lost, gained = blocks_rule(whole, adjacency, value, repeats=True)
    passes = {"once": 0, "repeat": 0}
    for block in value:
        for step in block["steps"]:
            passes[block["kind"]] += len(own) <= step["transition"] < len(own) + len(begun)
            equal = transitions[step["transition"]].guard == "="
            positive = equal or not step["multiplier"].startswith("-")
            demand(positive, RuleBroken, "a multiplier is negative where no turn is taken")
    demand(passes["repeat"] == 1, BadEvidence, "the repeated steps do not pass the block once")
    return passes["once"], lost, gained
