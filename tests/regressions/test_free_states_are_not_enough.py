"""A linear formula that spared the potentials of states with b = 0 by a sufficient condition was too strong.

It demanded f_i <= d(i,u) + alpha d(u',j) + alpha^2 f_j for u different from u', too; that made ld too small.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.chain.distance import distance
from prover.chain.model import LabelledMarkovChain
from prover.chain.smt.formulas import encode
from prover.smt.solver import SAT, UNSAT, solve
from tests.certified import verified

STATES: dict[str, tuple[str, dict[str, str]]] = {
    "s00": ("l1", {"s00": "3/13", "s09": "10/13"}),
    "s01": ("l1", {"s06": "7/16", "s10": "9/16"}),
    "s02": ("l1", {"s05": "8/17", "s08": "9/17"}),
    "s03": ("l0", {"s00": "6/7", "s04": "1/7"}),
    "s04": ("l1", {"s05": "1/2", "s07": "1/2"}),
    "s05": ("l0", {"s02": "1/4", "s08": "3/4"}),
    "s06": ("l0", {"s03": "1/4", "s11": "3/4"}),
    "s07": ("l0", {"s02": "3/4", "s05": "1/4"}),
    "s08": ("l1", {"s05": "1/2", "s08": "1/2"}),
    "s09": ("l0", {"s02": "7/16", "s07": "9/16"}),
    "s10": ("l1", {"s05": "1/2", "s09": "1/2"}),
    "s11": ("l0", {"s02": "8/15", "s07": "7/15"}),
}
ALPHA, VALUE = Fraction(6, 5), Fraction(22090481, 34611200)


def test_the_value_is_proved() -> None:
    chain = LabelledMarkovChain.of(STATES)
    assert verified(distance(chain, "s00", "s01", ALPHA)).value == VALUE


@pytest.mark.slow  # Z3 takes from seconds to minutes for it, depending on what it was asked before
def test_the_formula_reaches_the_value() -> None:
    chain = LabelledMarkovChain.of(STATES)
    for strict, status in ((False, SAT), (True, UNSAT)):
        script = encode(
            chain, "ld-linear", alpha=ALPHA, source="s00", target="s01", theta=VALUE, strict=strict
        )
        assert solve(script).status == status
