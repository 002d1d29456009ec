"""Costs whose certificates have been checked."""

from __future__ import annotations

from fractions import Fraction

from prover.exact.rational import format_rational
from prover.program.model import Program
from prover.program.optimum.budget import Budget
from prover.program.optimum.certificates import MOST_STEPS, cost_certificate
from prover.program.optimum.cost import Cost
from prover.program.optimum.measure import measure
from tests.certificate.program_judge import accepts_program
from tests.certified import Json, proved


def measured(
    program: Program, adjacency: str = "all-differ", budget: Budget | None = None, *, judged: bool = True
) -> Cost:
    """The cost of a program. Its certificate verifies and claims what the cost says, both in the checker's
    opinion and, unless ``judged`` is false because it is long, in that of the tests' judge.
    """
    cost = measure(program, adjacency, budget)
    document = certified(program, cost)
    if judged:
        assert accepts_program(document)
    assert (cost.is_infinite, cost.family != ()) in ((True, True), (False, False))
    return cost


def certified(program: Program, cost: Cost) -> Json:
    """The certificate of a cost, which verifies and claims what the cost says."""
    certificate = cost_certificate(program, cost)
    assert certificate is not None
    document = proved(certificate)
    claim = document["claim"]
    assert claim["adjacency"] == cost.adjacency
    if cost.is_infinite:
        assert claim["kind"] == "not-private"
        return document
    assert cost.lower is not None
    assert cost.witness is not None
    assert claim["kind"] == "epsilon"
    assert claim["upper"] == ("inf" if cost.upper is None else format_rational(cost.upper))
    if cost.witness.length <= MOST_STEPS:
        assert claim["lower"] == format_rational(cost.lower)
    return document


def exact(program: Program, adjacency: str = "all-differ", *, judged: bool = True) -> Fraction | None:
    """The optimum of a program, which is found; None if it is infinite."""
    cost = measured(program, adjacency, judged=judged)
    assert cost.is_exact
    return cost.upper
