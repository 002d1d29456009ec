"""The checker itself tests that outputs tell runs apart, before the loss of runs passes as an observer's."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import prover
from prover.certificate.check import Rejected, check
from prover.program.model import Program
from prover.program.optimum.certificates import cost_certificate
from prover.program.optimum.measure import measure
from prover.zoo import leaking_pair, svt
from tests.certificate.samples import encode
from tests.certificate.verdicts import claimed
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

Json = Any


def alike() -> Program:
    """Two transitions that output the same letter."""
    start = state(step(TRUE, "q1", assign=True), rate=Fraction(1, 8), input=False)
    tests = step(BELOW, "end", "o"), step(ABOVE, "end2", "o")
    return program({"q0": start, "q1": state(*tests, rate=Fraction(1, 8))})


def of_runs(model: Program) -> Json:
    """What runs lose, though an observer loses less."""
    found = cost_certificate(model, measure(model))
    assert found is not None
    return json.loads(found.data)


def document(model: Program, adjacency: str = "all-differ", **claim: str) -> Json:
    certificate = prover.privacy(model, adjacency).certificate
    assert certificate is not None
    read = json.loads(certificate.data)
    read["claim"] |= claim
    return read


def test_the_loss_of_runs_is_no_observers() -> None:
    model = alike()
    read = of_runs(model)
    assert claimed(encode(read)) == "epsilon adjacency=all-differ loss=runs value=1/8"
    read["claim"]["loss"] = "observer"
    with pytest.raises(Rejected, match="claim: the output of transition 2 does not identify it"):
        check(encode(read))
    read["claim"]["lower"] = "0"
    assert claimed(encode(read)) == "epsilon adjacency=all-differ loss=observer lower=0 upper=1/8"


def test_a_loss_without_bound_is_no_observers() -> None:
    read = document(leaking_pair())
    assert read["claim"]["loss"] == "observer"
    for name in ("q2", "q3"):
        for case in read["model"]["states"][name]["transitions"]:
            case["output"] = "o"
    with pytest.raises(Rejected, match="does not identify it"):
        check(encode(read))
    read["claim"]["loss"] = "runs"
    assert claimed(encode(read)) == "not-private adjacency=all-differ loss=runs"


def test_two_numbers_look_alike() -> None:
    read = document(svt())
    first, second = read["model"]["states"]["q2"]["transitions"]
    for one, other, distinct in (("insample", "o", True), ("insample", "insampleprime", False)):
        first["output"], second["output"] = one, other
        read["model"]["states"]["q2"] |= {"rate_prime": "1", "mean_prime": "0"}
        with pytest.raises(Rejected) as caught:
            check(encode(read))
        assert ("does not identify it" in str(caught.value)) is not distinct


def test_what_cannot_be_reached_does_not_matter() -> None:
    read = document(svt())
    unreachable = read["model"]["states"]["q2"] | {
        "transitions": [
            {"assign": ["z"], "guard": [["<", "x"], [">=", "y"]], "output": "o", "to": "q9"},
            {"assign": [], "guard": [["<", "y"]], "output": "o", "to": "q2"},
        ]
    }
    read["model"]["states"]["q9"] = unreachable
    assert claimed(encode(read)) == "epsilon adjacency=all-differ loss=observer value=5/4"
    read["model"]["states"]["q2"]["transitions"][1]["to"] = "q9"
    with pytest.raises(Rejected):
        check(encode(read))


@pytest.mark.parametrize("loss", ["", "run", "Observer", None, ["runs"]])
def test_unknown_losses(loss: Json) -> None:
    read = document(svt())
    read["claim"]["loss"] = loss
    with pytest.raises(Rejected):
        check(encode(read))


def test_claims_without_a_loss_are_about_runs() -> None:
    read = document(svt())
    del read["claim"]["loss"]
    assert claimed(encode(read)) == "epsilon adjacency=all-differ loss=runs value=5/4"


@pytest.mark.parametrize("final", [[], ["q2"], ["q3", "q3"], ["q4", "q3"], "q3", [3], None])
def test_final_states_that_cannot_be(final: Json) -> None:
    read = document(svt())
    assert read["model"]["final"] == ["q3"]
    read["model"]["final"] = final
    with pytest.raises(Rejected):
        check(encode(read))


class TestMonotonic:
    def test_both_tables_count(self) -> None:
        read = document(svt(), "monotonic")
        assert check(encode(read)).startswith("epsilon adjacency=monotonic loss=observer value=")
        for way in ("increasing", "decreasing"):
            spoilt = json.loads(json.dumps(read))
            spoilt["evidence"]["table"][way] = {}
            with pytest.raises(Rejected, match="not closed"):
                check(encode(spoilt))
            del spoilt["evidence"]["table"][way]
            with pytest.raises(Rejected):
                check(encode(spoilt))
        for way in ("increasing", "decreasing"):
            swapped = json.loads(json.dumps(read))
            swapped["evidence"]["table"] = read["evidence"]["table"][way]
            with pytest.raises(Rejected):
                check(encode(swapped))

    def test_deltas_of_opposite_signs(self) -> None:
        read = document(svt())
        read["claim"]["adjacency"] = "monotonic"
        del read["evidence"]["table"]
        read["claim"]["upper"] = "inf"
        deltas = {item["delta"] for block in read["evidence"]["blocks"] for item in block["steps"]}
        assert {-1, 1} <= deltas
        with pytest.raises(Rejected, match="two deltas have opposite signs"):
            check(encode(read))
