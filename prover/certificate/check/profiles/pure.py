"""A bound of all ratios of a program with an ε at which δ is 0, for observers who see that a run stops."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..losses import epsilon
from ..programs import Program
from ..reading import BadEvidence, ClaimOpen, Json, TooLarge, demand, positive, rational, record
from ..real_rates import Reals
from ..whose import ABOUT_OUTPUTS, loss_rule
from .guarded import BITS
from .scale import Scale
from .walk import MOST_CELLS

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
    """Who sees where runs end sees no more than transitions, or outputs if those are not ``told``: some guard
    always holds, and an output tells whether its step, and the next one, read inputs.
    """
    reached = [t for t in program.transitions if t.source in program.reached]
    for state in program.reached:
        leaving = program.leaving(state)
        names = sorted({name for t in leaving for _, name in t.tests})
        guards = [list(zip(t.written, (name for _, name in t.tests), strict=True)) for t in leaving]
        demand(
            3 ** len(names) <= MOST_CELLS, TooLarge, f"more than {MOST_CELLS} answers of the tests of a state"
        )
        program.budget.spend(8 * 3 ** len(names) * (1 + len(leaving)) * (1 + len(names)))
        for answers in product("<=>", repeat=len(names)):
            here = dict(zip(names, answers, strict=True))
            holds = any(all(here[name] in relation for relation, name in guard) for guard in guards)
            demand(holds, BadEvidence, "a run may stop as no guard holds, which its loss does not bound")
    kinds = {(t.seen, t.takes_input, kind_of(program, t.to)) for t in reached}
    alike = len(kinds) - len({seen for seen, *_ in kinds})
    demand(
        told or not alike, BadEvidence, "outputs do not tell where runs end, and evidence is about outputs"
    )


def kind_of(program: Program, state: str) -> bool | None:
    """Whether a state reads an input; None if runs end there."""
    leaving = program.leaving(state)
    return leaving[0].takes_input if leaving else None
