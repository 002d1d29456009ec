"""What is told of large mechanisms before a table is closed, and what remains of them without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import prover
from prover.errors import NotSupported
from prover.program.model import Program
from prover.zoo import build_program
from tests.certificate.verdicts import accepted
from tests.commands import FORKS, zoo
from tests.commands import prover as run

pytestmark = pytest.mark.filterwarnings(FORKS)


class Enough(Exception):
    """The first answer on the way is known."""


def first_told(ask: Callable[..., Any], program: Program, name: str, **asked: object) -> Any:
    """The first answer on the way, with both certificates checked."""
    told: list[Any] = []

    def tell(answer: Any) -> None:
        told.append(answer)
        raise Enough

    with pytest.raises(Enough):
        ask(program, at_epsilon=1, **asked, **{name: tell})
    for proof in (told[0].certificate, told[0].lower_certificate):
        if proof is not None:
            accepted(json.loads(proof.data))
    return told[0]


def test_chains_of_tests_have_upper_ends_at_once() -> None:
    """The exact ε is 1: randomised response with the odds e : 1."""
    program = build_program("chain-of-tests", n="120")
    delta = first_told(prover.delta, program, "on_interval", alpha=1)
    assert 0 < delta.upper - Fraction("0.462117157") < Fraction(1, 10**9)
    assert (delta.lower_certificate, delta.searched) == (None, False)
    assert "Inputs for the lower end have not been searched yet" in str(delta)
    least = first_told(prover.epsilon_for, program, "on_interval", delta="1/10")
    assert least.upper < Fraction("0.8532")
    curve = first_told(prover.curve, program, "on_curve", alphas=[1, 2, 3])
    first, second, last = (point.upper for point in curve)
    assert (first, last) == (delta.upper, Fraction(0))
    assert 0 < second - Fraction("0.193175735") < Fraction(1, 10**9)


def test_a_weak_epsilon_comes_with_inputs() -> None:
    """The exact ε is in the hundreds; two inputs tell much."""
    program = build_program("random-program", states="150")
    delta = first_told(prover.delta, program, "on_interval", alpha=1)
    assert (delta.certificate, delta.upper) == (None, 1)
    assert delta.lower > Fraction(1, 10)
    assert len(delta.attack.inputs) <= 2
    least = first_told(prover.epsilon_for, program, "on_interval", delta="1/100")
    assert least.lower > Fraction(1, 10)
    curve = first_told(prover.curve, program, "on_curve", alphas=[1, 2])
    assert curve.certificate is None
    assert curve.points[0].lower == delta.lower > curve.points[1].lower
    assert curve.lower_certificate is not None


def test_a_lower_end_alone_is_certified(tmp_path: Path) -> None:
    """Runs may stop unseen, and the table proves nothing."""
    model, proof = zoo(tmp_path, "partition"), tmp_path / "upper.cert"
    done = run("delta", model, "--at-epsilon", "1", "--alpha", "1", "--json", "--certificate", proof)
    found = json.loads(done.out)
    assert (done.status, found["upper"], found["certificate"]) == (3, "1", None)
    assert Fraction(found["lower"]) > Fraction(9, 10)
    assert "no bound below 1 was found" in done.err
    assert not proof.exists()
    accepted(json.loads((tmp_path / "upper.cert.lower").read_text()))


def test_programs_without_a_table_have_ratios_at_all_points() -> None:
    """The least and the largest of some numbers, by whether new ones lie between them."""
    program = build_program("k-min-max", k="3")
    answer = prover.curve(program, at_epsilon=1, alphas=[1, 2, 4])
    assert answer.obstacle is not None
    assert answer.certificate is not None
    assert json.loads(answer.certificate.data)["evidence"].keys() == {"pure"}
    assert [point.upper for point in answer] == sorted({point.upper for point in answer}, reverse=True)
    assert answer.lower_certificate is None


def test_programs_without_a_table_and_without_ratios_have_lower_ends() -> None:
    """States store what they compare, in loops, and the last one has a gap between its guards."""
    program = build_program("row-of-loops", states="500")
    curve = first_told(prover.curve, program, "on_curve", alphas=["5/4", 1, 2])
    first, second, last = curve
    assert 0 == last.lower < second.lower < first.lower == Fraction("0.123849119")
    assert (curve.certificate, first.upper, first.pure) == (None, 1, None)
    answer = prover.curve(program, at_epsilon=1, alphas=["5/4", 1, 2])
    assert [point.lower for point in answer] == [point.lower for point in curve]
    assert answer.points[0].lower == prover.delta(program, at_epsilon=1, alpha=1).lower
    assert answer.obstacle is not None
    with pytest.raises(NotSupported, match="in a loop"):
        prover.curve(program, at_epsilon=1, alphas=[2])


def test_the_exact_epsilon_is_told_before_the_bounds_of_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prover.program.optimum.measure.MANY", 0)
    told: list[Any] = []
    answer = prover.privacy(build_program("svt"), on_better=told.append)
    assert told[-1].epsilon == answer.epsilon == Fraction(5, 4)
    assert (told[-1].approx, answer.approx) == (None, Fraction(5, 4))
