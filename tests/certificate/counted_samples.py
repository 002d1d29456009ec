"""Certificates about every count: so many answers above one threshold lose 1 + c, with other rates 2c."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.program_samples import once, program, repeat, state, step, transition
from tests.certificate.samples import certificate
from tests.certificate.verdicts import edited

Json = Any


def function(points: Mapping[tuple[int, ...], str], more: str = "0") -> Json:
    """A function whose numbers all grow by the same with each count."""
    listed = [[list(x), [value, more]] for x, value in points.items()]
    return {"names": ["x"] * len(next(iter(points))), "points": listed}


def node(state: str, targets: list[int], by: list[int], *functions: Json) -> Json:
    return {"by": by, "functions": list(functions), "order": [], "state": state, "targets": targets}


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
        "constants": ["1"],
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
            [
                once(step(0)),
                repeat(step(5, 1, "1/2"), step(2, -1, "1/2")),
                once(step(7, 1, "1/2"), step(3, 1, "1/2"), step(3, 1, "1/2"), step(4, -1, "1/2")),
            ]
        ],
        "table": {
            "nodes": [
                [
                    node("q0", [1], [0, -1], function({(): "2"})),
                    node("q2", [1, 3], [0, 0, 0, 0, 0, 0], function({(1,): "1"})),
                    node("q1", [2, 1], [0, 0, 0, 0, 0, 0, 0, 0], function({(1,): "2"})),
                    node("end", [], []),
                ]
            ],
            "raise": "1",
        },
    },
)

# The same, two copies at a time: with an odd number of them, there is one more to begin with.
_ONE_MORE = [step(5, 1, "1/2"), step(2, -1, "1/2")]
_START, _TURN, _END = ANSWERS["evidence"]["blocks"][0]
TWICE: Json = edited(
    ANSWERS,
    {
        ("claim", "constants"): ["1", "1"],
        ("evidence", "blocks"): [
            [_START, repeat(*_ONE_MORE, *_ONE_MORE), _END],
            [once(step(0), *_ONE_MORE), repeat(*_ONE_MORE, *_ONE_MORE), _END],
        ],
        ("evidence", "table", "nodes"): [
            ANSWERS["evidence"]["table"]["nodes"][0],
            [
                node("q0", [1], [0, -1], function({(): "3"})),
                node("q2", [1, 3], [0, 0, 0, 0, 0, 0], function({(1,): "2"})),
                node("q1", [2, 1], [0, 0, 0, 0, 0, 0, 0, 0], function({(1,): "3"})),
                node("end", [], []),
            ],
        ],
    },
)

# The rate of the threshold is the count, so that each count asks for three answers below the threshold.
_THREE = [step(number, 1, "1/2") for number in (1, 1)]
GROWING: Json = edited(
    ANSWERS,
    {
        ("claim", "constants"): ["0"],
        ("claim", "each"): "2",
        ("model", "program", "states", "q0", "rate"): ["1", "2"],
        ("evidence", "blocks", 0, 1): repeat(step(5, 1, "1/2"), *_THREE, step(2, -1, "1/2")),
        ("evidence", "table", "nodes", 0, 0): node("q0", [1], [0, -1], function({(): "2"}, "1")),
    },
)
