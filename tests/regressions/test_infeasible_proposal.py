"""One coupling that floating point proposed and that is infeasible by 10^-40 made all upper bounds trivial.

Other couplings used the pair that had none and so counted as 1; then nothing of the table was confirmed.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from prover.chain.ld.interval import enclose
from prover.chain.ld.policy_iteration import draft
from prover.chain.model import LabelledMarkovChain
from tests.chain.problems import full, prove_enclosure, solved, whole, width_of

F = Fraction
NEAR = F(10**6 + 1, 3 * 10**6 + 7)
CHAIN = LabelledMarkovChain.of(
    {
        "A": ("A", {"A": 1}),
        "B": ("m", {"B": 1}),
        "m0": ("m", {"m0": 1}),
        "m1": ("m", {"A": 1}),
        "m2": ("m", {"m0": "1/10", "m2": "3/10", "m3": "2/5", "m5": "1/5"}),
        "m3": ("m", {"A": NEAR, "m2": (1 - NEAR) / 2, "m4": (1 - NEAR) / 2}),
        "m4": ("m", {"A": 1}),
        "m5": ("m", {"A": "2/9", "m2": "1/9", "m4": "4/9", "m5": "2/9"}),
    }
)
ALPHA = 1 + F(1, 10**40)


@pytest.mark.parametrize("outside", [True, False])
def test_bounds_stay_narrow(*, outside: bool) -> None:
    sketch = draft(whole(CHAIN, ALPHA, outside=outside))
    parts = sketch.problem.parts
    assert any(sketch.couplings.of(parts[p], b) is None for p, b in sketch.guide.bases.items())
    found, d = enclose(sketch), full(CHAIN, solved(CHAIN, ALPHA).table)
    for s, t in product(range(len(CHAIN)), repeat=2):
        if (s, t) in parts:
            assert found.lower.table.value((s, t)) <= d[s][t] <= found.upper.table.value((s, t))
            assert found.upper.table.value((s, t)) < d[s][t] + F(1, 10**9)
    assert not outside or width_of(found) < F(1, 10**9)
    prove_enclosure(CHAIN, ALPHA, found)
