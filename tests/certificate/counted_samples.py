"""A certificate about every count: so many answers above one threshold lose 1 + c."""

from __future__ import annotations

from typing import Any

from tests.certificate.program_samples import once, program, repeat, state, step, transition
from tests.certificate.samples import certificate

Json = Any

# Transitions: 0; below 1, above 2 in the block; 3 and 4 after it. Those of the junction: 5 and 6; 7 and 8.
PROGRAM: Json = program(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("<", "q1", "below"), transition(">=", "q2", "above"), rate="1/2"),
        "q2": state(transition("<", "q2", "below"), transition(">=", "end", "above"), rate="1/2"),
    }
)
ANSWERS: Json = certificate(
    {
        "adjacency": "all-differ",
        "constant": "1",
        "each": "1",
        "first": 1,
        "kind": "counted-epsilon",
        "loss": "observer",
    },
    {
        "block": {"after": "q2", "entry": "q1", "states": ["q1"]},
        "least": 1,
        "program": PROGRAM,
        "type": "counted-program",
        "version": 1,
    },
    {
        "blocks": [
            once(step(0)),
            repeat(step(5, 1, "1/2"), step(2, -1, "1/2")),
            once(step(7, 1, "1/2"), step(3, 1, "1/2"), step(3, 1, "1/2"), step(4, -1, "1/2")),
        ],
        "table": {"q0": [["2", "2", "2"]], "q1": [["inf", "inf", "2"]], "q2": [["inf", "inf", "1"]]},
    },
)
