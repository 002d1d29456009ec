"""Privacy of a threshold program, and its ε."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..budget import Budget
from ..noise import has_reals
from ..programs import Program, read_program
from ..reading import BadClaim, Json, at, demand, typed
from ..registers import part_of_evidence, unfolded
from ..whose import loss_rule
from .program import Rule, about_program, evidence_rule


def at_once(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> tuple[Program, str]:
    del evidence
    with at("model"):
        model, words = in_unit(fields, model, budget)
        return read_program(model, budget, registers=True), words


def in_unit(fields: Mapping[str, Json], model: Json, budget: Budget) -> tuple[Json, str]:
    """The model whose rates are multiples of the unit of the claim, and what the line says of it."""
    if "unit" not in fields:
        return model, ""
    from ..real_rates import in_units, unit_words  # here and below: each rule is read where a claim needs it

    return in_units(model, fields["unit"], budget), unit_words(fields)


def of_any_rates(
    fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget, *, registers: bool
) -> tuple[Program, str]:
    """A program whose loss has a bound if it has one for all rates, or values, that the model leaves open."""
    opened, words = "open" in typed(model, dict), ""
    with at("model"):
        reals = "unit" not in fields and has_reals(model)
        outputs = "words" in typed(evidence, dict)
        demand(not (reals and outputs), BadClaim, "evidence about outputs, and real rates")
        if reals:
            from ..real_losses import with_ones

            model = with_ones(model, budget)
        else:
            model, words = in_unit(fields, model, budget)
        if opened:  # the loss grows with rates
            from ..opened import open_words, read_open

            program = read_open(model, budget).blended(min)
            words = open_words(model) + words
        else:
            program = read_program(model, budget, registers=registers)
    demand(not (opened and outputs), BadClaim, "evidence about outputs, and an open parameter")
    return program, words


def by_unfolding(rule: Rule, program: Program, fields: Mapping[str, Json], evidence: Json) -> None:
    """The rule for the program whose states know the differences of registers."""
    with at("claim"):
        most, evidence = part_of_evidence(program, evidence)
    with at("model"):
        program = unfolded(program, fields["adjacency"], most)
    evidence_rule(rule, program, fields, evidence)


def not_private_of_any(program: Program, fields: Mapping[str, Json], evidence: Json) -> None:
    """A loss without a bound: sums of inputs that grow, or blocks of the unfolded program."""
    if typed(evidence, dict).get("sums") == "followed":
        from ..followed import growing_sums

        evidence_rule(growing_sums, program, fields, evidence)
    else:
        from ..runs import not_private

        by_unfolding(not_private, program, fields, evidence)


def private_of_any(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A bounded loss, by facts where there is one variable, and by tokens where there are several."""
    if len(program.variables) == 1:
        from ..facts import private

        evidence_rule(private, program, claim, evidence)
    else:
        from ..variables.tokens import several_private

        evidence_rule(several_private, program, claim, evidence)


def epsilon_of_any(program: Program, fields: Mapping[str, Json], evidence: Json) -> None:
    """The loss of the unfolded program, between that of a run and a closed table."""
    from ..losses import epsilon

    by_unfolding(epsilon, program, fields, evidence)


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "private": partial(about_program, partial(of_any_rates, registers=False), loss_rule, private_of_any),
    "not-private": partial(
        about_program, partial(of_any_rates, registers=True), loss_rule, not_private_of_any
    ),
    "epsilon": partial(about_program, at_once, loss_rule, epsilon_of_any),
}
