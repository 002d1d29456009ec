"""Threshold programs with a block that is repeated: the loss for every count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from .budget import Budget
from .losses import by_way
from .opened import OpenProgram, at_end
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
    items,
    rational,
    record,
    typed,
)
from .runs import blocks_rule
from .shown import abbreviate, listed
from .variables.ends import Closing, EndTables, bounded_start, closed_tables
from .variables.orders import defined
from .whose import loss_rule

TYPE = "counted-program"
MOST = 60  # the longest period


@dataclass(frozen=True, slots=True)
class Counted:
    """A program with its block once, the states of the block, the first of these, and the state after it.

    `least` is the count without the block. Rates are affine in the count.
    """

    rates: OpenProgram
    inside: frozenset[str]
    entry: str
    after: str
    least: int

    @property
    def program(self) -> Program:
        return self.rates.first

    def enters(self, t: Transition) -> bool:
        """Whether a transition leads into the block from outside."""
        return t.source not in self.inside and t.to in self.inside

    def arrives(self, t: Transition) -> bool:
        """Whether a copy of the block may begin after a transition."""
        return self.enters(t) or (t.source in self.inside and t.to == self.after)

    def without(self, program: Program) -> Program:
        """The program, of which transitions into the block lead to the state after it."""
        return changed(
            program, [t._replace(to=self.after) if self.enters(t) else t for t in program.transitions]
        )

    def at(self, count: int) -> tuple[Program, Program]:
        """The program at a count, and that of what each count adds to its rates."""
        return self.rates.at(Fraction(count)), self.rates.blended(lambda low, high: high - low)


def changed(program: Program, transitions: Sequence[Transition]) -> Program:
    """The program with other transitions."""
    by_state: dict[str, list[Transition]] = {}
    for t in transitions:
        by_state.setdefault(t.source, []).append(t)
    return replace(program, transitions=transitions, by_state=by_state)


def read_counted(model: Json, budget: Budget) -> Counted:
    fields = record(model, "block least program type version")
    constant(fields["type"], TYPE)
    constant(fields["version"], 1)
    block, least = record(fields["block"], "after entry states"), typed(fields["least"], int)
    demand(least >= 0, Malformed, "the least count is negative")
    written = typed(fields["program"], dict)
    demand("open" not in written, BadModel, "a count and an open parameter")
    usual = written.get("sensitivity")
    demand(usual is None or (typed(usual, str) != "1"), Malformed, "sensitivity is 1, and must be left out")
    first, last = (read_program(at_end(written, end, spread=False), budget) for end in (0, 1))
    grows = all(
        x is None or y is None or x <= y
        for t, other in zip(first.transitions, last.transitions, strict=True)
        for x, y in ((t.left, other.left), (t.right, other.right), (t.rate_prime, other.rate_prime))
    )
    demand(grows, BadModel, "a rate falls as the count grows")
    names = [typed(name, str) for name in typed(block["states"], list)]
    ascending(names, Malformed, "states of the block")
    inside, entry, after = frozenset(names), typed(block["entry"], str), typed(block["after"], str)
    demand(inside <= set(first.states), BadModel, "the block has a name that is not a state")
    demand(entry in inside, BadModel, "the block does not have its entry")
    demand(first.initial not in inside, BadModel, "the block has the initial state")
    demand(first.even, BadModel, "a count, and sensitivities of states")
    rates = OpenProgram(Fraction(least), Fraction(least + 1), first, last, sensitive=False, convex=False)
    counted = Counted(rates, inside, entry, after, least)
    into = all(t.to == entry for t in first.transitions if counted.enters(t))
    demand(into, BadModel, "a transition leads into the block past its entry")
    later = {after} | {t.to for t in first.transitions if t.source in inside and t.to not in inside}
    waiting = list(later)
    while waiting:
        new = {t.to for t in first.leaving(waiting.pop())} - later
        later |= new
        waiting += new
    demand(inside.isdisjoint(later), BadModel, "the block can be reached from what is after it")
    return counted


def loss_of_counts(claim: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    """The loss is a constant + each · c for every count c from `first` on, with a constant for each residue
    of c; what the line says of it."""
    with at("model"):
        counted = read_counted(model, budget)
    demand(typed(claim["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    with at("claim"):
        loss_rule(counted.program, claim, {})
        first, each = typed(claim["first"], int), Fraction(*rational(claim["each"]))
        constants = [Fraction(*rational(number)) for number in typed(claim["constants"], list)]
        period = len(constants)
        demand(0 < period <= MOST, Malformed, f"the period is not from 1 to {MOST}")
        demand(each >= 0, BadClaim, "each is negative")
        demand(first >= counted.least, BadClaim, "the first count is below the least one")
    with at("evidence"):
        parts = record(evidence, "blocks table")
        # By the number of copies, up to periods: what is lost at the first count, if the line goes on there.
        at_first = [constants[(counted.least + n) % period] + each * first for n in range(period)]
        with at("table"):
            defined(counted.program)
            for way, table in by_way(claim["adjacency"], parts["table"]).items():
                table_rule(counted, way, table, at_first, first, each)
        with at("blocks"):
            for n, blocks in enumerate(items(parts["blocks"], period)):
                with at("family", n):
                    lost, gained = family(counted, claim["adjacency"], blocks, n, first, period)
                    demand(gained >= each * period, ClaimOpen, "the runs lose less with each count")
                    demand(lost >= at_first[n], ClaimOpen, "the runs lose less at the first count")
    words = listed([signed(number) for number in claim["constants"]])
    return f" constants={words} each={abbreviate(claim['each'])} first={first}"


def table_rule(
    counted: Counted, adjacency: str, value: Json, at_first: Sequence[Fraction], first: int, each: Fraction
) -> None:
    """Functions by the number of copies, up to periods, which a copy raises by `raise`, and a period by so
    much for each: what runs lose is at most on the lines."""
    period, parts = len(at_first), record(value, "nodes raise")
    raised = Fraction(*rational(parts["raise"]))
    demand(raised >= 0, Malformed, "raise is negative")
    start, growing = counted.at(first)
    programs = counted.without(start), counted.without(growing)
    tables = closed_tables(programs, adjacency, items(parts["nodes"], period))
    for n, own in enumerate(tables):
        with at("list", n):
            last = n + 1 == period
            raised_rule(programs[0], counted, own, tables[0 if last else n + 1], raised * period * last)
            most = at_first[n] - raised * (first - counted.least - n), each - raised
            demand(min(most) >= 0, ClaimOpen, "the copies raise the functions by more")
            bounded_start(own, [(x.numerator, x.denominator) for x in most])


def raised_rule(
    program: Program, counted: Counted, own: EndTables, following: EndTables, more: Fraction
) -> None:
    """What is lost from the block on is at most `more` above what is lost after it with a copy more."""
    entry, after = lone(own, counted.entry), lone(following, counted.after)
    order = following.nodes[after].order
    demand(own.nodes[entry].order <= order, RuleBroken, "the order at the entry is not known before it")
    closing = Closing(program, (), (), order, {0: (-floor(more * own.units[0]), 0)}, own.bits)
    for mode, functions in own.lists[entry].items():
        for later in functions:
            rises = any(closing.under(above, later) for above in following.lists[after][mode])
            demand(rises, RuleBroken, "the block adds more to a function than raise")


def lone(tables: EndTables, state: str) -> int:
    """The number of the only node of a state."""
    found = [number for number, node in enumerate(tables.nodes) if node.state == state]
    demand(len(found) == 1, BadEvidence, "the entry, or the state after the block, has not one node")
    return found[0]


def signed(number: str) -> str:
    return f"-{abbreviate(number[1:])}" if number.startswith("-") else abbreviate(number)


def family(
    counted: Counted, adjacency: str, value: Json, copies: int, first: int, period: int
) -> tuple[Fraction, Fraction]:
    """What runs lose, as a line through the counts of so many copies and whole periods: at the first count,
    where the line may go on below these counts, and with each period.

    They are runs of a program with a junction, to which the transitions into the block and those from it to
    the state after it lead. There a run takes the first step of a copy, or that of the state after the block.
    """
    program = counted.program
    known = {*program.states, *(t.to for t in program.transitions)}  # final states have names, too
    junction = "'" * (1 + max(map(len, known)))  # longer than all of them
    own, entry, after = (
        len(program.transitions),
        program.leaving(counted.entry),
        program.leaving(counted.after),
    )
    begun = range(own, own + len(entry))
    passes, bounds = {"once": 0, "repeat": 0}, [t.bounds for t in (*program.transitions, *entry, *after)]
    for block in typed(value, list):
        for step in typed(record(block, "kind steps")["steps"], list):
            number = typed(typed(step, dict).get("transition"), int)
            demand(0 <= number < len(bounds), Malformed, "unknown transition")
            demand(typed(block["kind"], str) in passes, Malformed, "the kind of a block is unknown")
            passes[block["kind"]] += number in begun
            written = step["multipliers"] if "multipliers" in step else [step.get("multiplier")]
            for (relation, _), multiplier in zip(bounds[number], typed(written, list), strict=False):
                positive = relation == "=" or not typed(multiplier, str).startswith("-")
                demand(positive, RuleBroken, "a multiplier is negative where no turn is taken")
    demand(passes["repeat"] == period, BadEvidence, "the repeated steps do not pass the block once a count")
    started = counted.least + passes["once"]
    demand((passes["once"] - copies) % period == 0, BadEvidence, "the runs pass the block for other counts")
    least = first + (counted.least + copies - first) % period
    demand(started <= least, ClaimOpen, "the runs pass the block too often for the first count")
    at_start, growing = (joined(counted, own, junction) for own in counted.at(started))
    lost, gained = blocks_rule(at_start, adjacency, value, repeats=True, growing=(growing, period))
    return lost + gained * (first - started) / period, gained


def joined(counted: Counted, program: Program, junction: str) -> Program:
    """The program with a junction, whose transitions come after its own."""
    own = [t._replace(to=junction) if counted.arrives(t) else t for t in program.transitions]
    begun, ended = (
        [own[t.number]._replace(source=junction) for t in program.leaving(state)]
        for state in (counted.entry, counted.after)
    )
    transitions = [t._replace(number=n) for n, t in enumerate((*own, *begun, *ended))]
    return replace(changed(program, transitions), reached={*program.reached, junction})
