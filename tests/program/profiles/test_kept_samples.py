"""Programs that test a sample and store or output it, outside loops: exact sums and integrals are never above
what tables promise."""

from __future__ import annotations

import json
from fractions import Fraction
from math import exp
from random import Random

import pytest
from scipy.stats import norm

from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.noise import Gaussian
from prover.program.outputs import INSAMPLE
from prover.program.profiles import above
from prover.zoo import build_program
from tests.certified import proved
from tests.profiles import everything
from tests.program.profiles.joint import Joint
from tests.program.profiles.made import (
    delta_above,
    keeping,
    neighbours,
    of_two_variables,
    promised,
    random_program,
)
from tests.program.profiles.quadrature import delta

ALPHAS = [Fraction(number) for number in ("1/2", "1", "11/10", "3/2", "3", "8")]
ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing", "monotonic")


def kept(seed: int, *, two: bool = False, grid: bool = True) -> Program:
    program = random_program(seed, grid=grid)
    return keeping(of_two_variables(program, seed) if two else program, seed)


@pytest.mark.parametrize("seed", range(1000) if everything() else range(16))
def test_no_pair_of_inputs_exceeds_the_table(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("KNOTS", 40), ("LINES", 4), ("STEPS", 1 + seed % 2)):
        monkeypatch.setattr(above, name, number)
    random = Random(seed)
    program = kept(seed, two=seed % 4 == 3)
    adjacency = ADJACENCIES[seed % 5]
    found = delta_above(program, Adjacency(adjacency), Fraction(1), Fraction(3, 2))
    assert Fraction(proved(found.certificate)["claim"]["upper"]) == found.upper
    document = json.loads(found.certificate.data)
    bounds = {alpha: float(promised(document, alpha)) for alpha in ALPHAS}
    for _ in range(4):
        inputs, moves = neighbours(program, adjacency, 3, random)
        law = Joint(program, 1.0, inputs, moves, 3, most_steps=6).law()
        assert law.sum(axis=0) == pytest.approx([1, 1], abs=1e-6)
        for alpha, bound in bounds.items():
            assert delta(law, float(alpha)) <= bound + 1e-6, (alpha, delta(law, float(alpha)), bound)


def test_the_larger_of_two_values() -> None:
    """Noise of rate 1/2. For any two values the larger one is known to cost ε = 1 at most."""
    program = build_program("noisy-max", n="2")
    alphas = [Fraction(exp(k / 4)).limit_denominator(10**6) for k in range(4)]
    tables = above.closed_tables(program, Adjacency.ALL_DIFFER, Fraction(1), alphas)
    for alpha, most in zip(alphas, ("0.2662", "0.1872", "0.1272", "0.0658"), strict=True):
        assert tables.at(alpha).upper <= Fraction(most)
    proved(tables.at(alphas[1]).certificate)


def test_what_is_shown_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit without noise; a query is compared with it, and output if it is above. The same as an output of
    the query, of which numbers below the limit are one."""
    monkeypatch.setattr(above, "KNOTS", 80)
    for rate in (Fraction(1), Gaussian(Fraction(1))):
        limit = State(
            False, None, Fraction(0), None, None, (Transition((), ("x",), "o", "q1"),), "inf", "inf"
        )
        shown = Transition(((">=", "x"),), (), INSAMPLE, "end")
        query = State(
            True, rate, Fraction(0), None, None, (Transition((("<", "x"),), (), "low", "end"), shown)
        )
        found = delta_above(
            Program("q0", {"q0": limit, "q1": query}), Adjacency.ALL_DIFFER, Fraction(1), Fraction(1)
        )
        exact = 1 - exp(-1 / 2) if rate == 1 else 2 * norm.cdf(1 / 2) - 1
        assert exact <= found.upper <= exact + 0.03
        proved(found.certificate)
