"""A word that leads to several final states before it ends had more places than its certificate said."""

from __future__ import annotations

import json

from prover.program.privacy import privacy
from tests.certificate.judges import judged
from tests.certificate.verdicts import claimed
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


def test_the_certificate_is_accepted() -> None:
    own = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False),
            "q1": state(step(BELOW, "first"), step(ABOVE, "q2")),
            "q2": state(step(BELOW, "second"), step(ABOVE, "q3"), step(TRUE, "first", "p")),
            "q3": state(step(BELOW, "second"), step(ABOVE, "first", "p")),
        }
    )
    proof = privacy(own).certificate
    assert proof is not None
    assert claimed(proof.data).startswith("epsilon adjacency=all-differ loss=observer ")
    assert judged(json.loads(proof.data))
