"""What certificates of costs hold, and that losses without bound are proved under every adjacency."""

from dataclasses import replace
from fractions import Fraction

import pytest

from prover.certificate.check import Rejected
from prover.program.adjacency import POLYTOPES
from prover.program.decision.families import endless_family
from prover.program.decision.tokens import Cycles
from prover.program.optimum import certificates as cost_evidence
from prover.program.optimum.certificates import cost_certificate, table_evidence
from prover.program.optimum.cost import Invariant
from prover.program.optimum.measure import measure
from prover.program.order_graph import order_graph
from prover.zoo import lyu_1, svt
from tests.certified import proved
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program.costs import certified, measured
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


def test_the_certificate_of_svt() -> None:
    cost = measure(svt())
    document = certified(svt(), cost)
    assert document["claim"] == {
        "adjacency": "all-differ",
        "kind": "epsilon",
        "loss": "observer",
        "lower": "5/4",
        "upper": "5/4",
    }
    assert document["evidence"]["table"] == {
        "q1": [["5/4", "5/4", "5/4"]],
        "q2": [["inf", "inf", "1"]],
    }
    (block,) = document["evidence"]["blocks"]
    assert [(s["transition"], s["delta"]) for s in block["steps"]] == [(0, 0), (1, 1), (1, 1), (2, -1)]


def test_one_differ_has_two_lists_a_state() -> None:
    cost = measure(svt(), "one-differ")
    assert isinstance(cost.table, Invariant)
    # No run costs more than the largest rate, 1/2: shifts that would cost more need no number.
    assert table_evidence(cost.table) == {
        "q1": {"unused": [["1/2", "1/2", "1/2"]], "used": []},
        "q2": {"unused": [["inf", "1/2", "inf"]], "used": [["inf", "0", "1/2"]]},
    }


def test_a_bound_that_is_not_proved_is_rejected() -> None:
    cost = measure(svt())
    assert cost.lower is not None
    assert cost.upper is not None
    certificate = cost_certificate(svt(), replace(cost, upper=cost.lower - Fraction(1, 100)))
    assert certificate is not None
    with pytest.raises(Rejected):
        proved(certificate)


def test_without_evidence_there_is_no_certificate() -> None:
    cost = measure(svt())
    assert cost_certificate(svt(), replace(cost, witness=None, table=None)) is None


def test_half_of_the_evidence_proves_one_bound() -> None:
    cost = measure(svt())
    upper = cost_certificate(svt(), replace(cost, witness=None))
    lower = cost_certificate(svt(), replace(cost, upper=None))
    assert upper is not None
    assert lower is not None
    assert (proved(upper)["claim"]["lower"], proved(upper)["claim"]["upper"]) == ("0", "5/4")
    assert (proved(lower)["claim"]["lower"], proved(lower)["claim"]["upper"]) == ("5/4", "inf")


@pytest.mark.family
@pytest.mark.parametrize("most", [402, 500, 700])
def test_a_run_that_is_too_long_is_shortened(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = lyu_1(200)
    cost = measure(model)
    assert cost.witness is not None
    assert cost.witness.length > most
    monkeypatch.setattr(cost_evidence, "MOST_STEPS", most)
    certificate = cost_certificate(model, cost)
    assert certificate is not None
    document = proved(certificate)
    steps = sum(len(block["steps"]) for block in document["evidence"]["blocks"])
    assert 202 <= steps <= most
    assert Fraction(0) < Fraction(document["claim"]["lower"]) < 1
    assert document["claim"]["upper"] == "1"


@pytest.mark.family
@pytest.mark.parametrize("adjacency", [a for a in POLYTOPES if a != "one-differ"])
def test_losses_without_bound_are_proved(adjacency: str) -> None:
    by_component = by_run = 0
    for seed in thinned(range(200)):
        model = random_program(seed)
        cost = measured(model, adjacency)
        if cost.is_infinite:
            graph = order_graph(model)
            found = endless_family(graph, Cycles(graph), adjacency)
            by_component += len(found) > 0
            by_run += not found
    assert by_component > 10
    assert by_run > 1


@pytest.mark.parametrize(("adjacency", "bounded"), [("increasing", False), ("decreasing", True)])
def test_a_cycle_that_compares_answers_with_public_values(adjacency: str, bounded: bool) -> None:
    # A public value is stored in every turn, and an answer is below it: if answers can rise, each turn costs.
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False),
            "q1": state(step(BELOW, "q2"), step(ABOVE, "q3", "otop")),
            "q2": state(step(TRUE, "q1", assign=True), input=False),
        }
    )
    cost = measured(model, adjacency)
    assert cost.is_infinite is not bounded
    assert measured(model, "one-differ").upper == 1
