"""A bound of all ratios of a program with an ε at which δ is 0, for observers who see that a run stops."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from ..losses import epsilon
from ..programs import Program
from ..reading import BadEvidence, ClaimOpen, Json, TooLarge, demand, positive, rational, record
from ..real_rates import Reals
from ..variables.orders import Order, among, known_after, orders_cost
from ..whose import ABOUT_OUTPUTS, loss_rule
from .guarded import BITS
from .scale import Scale
from .walk import MOST_CELLS

ANSWERS = "<=>"  # how a sample compares with a variable
EITHER_WAY = {"decreasing": "monotonic", "increasing": "monotonic"}


def pure_rule(program: Program, adjacency: str, scale: Scale, evidence: Json) -> Fraction:
    """A number A ≥ e^(upper·ε): all ratios are from 1/A to A, as no loss either way is above that."""
    fields = record(evidence, "alpha evidence loss upper")
    claim: dict[str, Json] = {
        "adjacency": EITHER_WAY.get(adjacency, adjacency),
        "kind": "epsilon",
        "lower": "0",
    }
    claim |= {"loss": fields["loss"], "upper": fields["upper"]}
    loss_rule(program, claim, fields["evidence"])
    epsilon(program, claim, fields["evidence"])
    ends_rule(program, told=ABOUT_OUTPUTS.isdisjoint(fields["evidence"]))
    (a, b), upper = positive(fields["alpha"]), Fraction(*rational(fields["upper"]))
    demand(a > b, BadEvidence, "alpha is not above 1")
    reals = Reals(BITS, program.budget)
    given = scale.epsilon
    loss = upper / scale.unit * reals.logarithm(1 / scale.q)[1] if given is None else upper * given
    demand(reals.logarithm(Fraction(a, b))[0] >= loss, ClaimOpen, "alpha is below e^(upper*epsilon)")
    return Fraction(a, b)


def ends_rule(program: Program, *, told: bool) -> None:
    """Who sees where runs end sees no more than transitions, or outputs if those are not ``told``: one guard
    holds, whatever is drawn, and an output tells whether its step, and the next one, read inputs.
    """
    reached = [t for t in program.transitions if t.source in program.reached]
    orders: Mapping[str, Order] = {}
    for state in sorted(program.reached):
        leaving = program.leaving(state)
        names = sorted({name for t in leaving for _, name in t.tests})
        guards = [list(zip(t.written, (name for _, name in t.tests), strict=True)) for t in leaving]
        demand(
            3 ** len(names) <= MOST_CELLS, TooLarge, f"more than {MOST_CELLS} answers of the tests of a state"
        )
        program.budget.spend(8 * 3 ** len(names) * (1 + len(leaving)) * (1 + len(names)))
        for answers in product(ANSWERS, repeat=len(names)):
            here = dict(zip(names, answers, strict=True))
            holds = sum(all(here[name] in relation for relation, name in guard) for guard in guards)
            demand(holds > 0, BadEvidence, "a run may stop as no guard holds, which its loss does not bound")
            if holds > 1:
                orders = orders or known_orders(program)
                order = orders.get(state)  # none where no run comes
                program.budget.spend(8 * len(order or ()))
                never = order is None or any(
                    ANSWERS.index(here[a]) < ANSWERS.index(here[b]) for a, b in order if {a, b} <= here.keys()
                )
                demand(never, BadEvidence, "two guards hold at once")
    kinds = {(t.seen, t.takes_input, kind_of(program, t.to)) for t in reached}
    alike = len(kinds) - len({seen for seen, *_ in kinds})
    demand(
        told or not alike, BadEvidence, "outputs do not tell where runs end, and evidence is about outputs"
    )


def known_orders(program: Program) -> Mapping[str, Order]:
    """Of each state to which the order of variables lets runs come: pairs of which every run to it knows that
    the first is at most the second."""
    known: dict[str, Order] = {program.initial: frozenset()}
    waiting = [program.initial]
    while waiting:
        state = waiting.pop()
        for t in program.leaving(state):
            program.budget.spend(orders_cost(program, known[state]))
            after, before = known_after(known[state], t), known.get(t.to)
            if after is None:
                continue
            now = among(after, t, program.variables)
            now = now if before is None else now & before
            if now != before:
                known[t.to] = now
                waiting.append(t.to)
    return known


def kind_of(program: Program, state: str) -> bool | None:
    """Whether a state reads an input; None if runs end there."""
    leaving = program.leaving(state)
    return leaving[0].takes_input if leaving else None
