"""Certificates of threshold programs made by hand, and the programs that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.samples import certificate

Json = Any


def transition(guard: str, to: str, output: str = "o", assign: bool = False) -> Json:
    tests = [[guard, "x"]] if guard else []
    return {"assign": ["x"] if assign else [], "guard": tests, "output": output, "to": to}


def state(*transitions: Json, rate: str = "1", prime: str | None = None, takes_input: bool = True) -> Json:
    second = {"mean_prime": None if prime is None else "0", "rate_prime": prime}
    return {"input": takes_input, "mean": "0", "rate": rate, "transitions": list(transitions)} | second


def program(states: Mapping[str, Json]) -> Json:
    """The program whose initial state is the first one."""
    return {"initial": min(states), "states": dict(states), "type": "threshold-program", "version": 1}


def once(*steps: Json) -> Json:
    return {"kind": "once", "steps": list(steps)}


def repeat(*steps: Json) -> Json:
    return {"kind": "repeat", "steps": list(steps)}


def step(number: int, delta: int = 0, multiplier: str = "0", slope: str | None = None) -> Json:
    written = {"delta": delta, "multiplier": multiplier, "transition": number}
    return written if slope is None else written | {"slope": slope}


# Sparse vector: a public threshold; below, it goes on, above, it ends. Transitions: 0; below 1, above 2.
SVT_PROGRAM: Json = program(
    {
        "q0": state(transition("", "q1", assign=True), rate="1/4", takes_input=False),
        "q1": state(transition("<", "q1", "below"), transition(">=", "end", "above"), rate="1/2"),
    }
)
SVT_PRIVATE: Json = certificate(
    {"adjacency": "all-differ", "kind": "private"},
    SVT_PROGRAM,
    {"components": {"q0": 0, "q1": 1}, "facts": {"q1": ["lo1"]}},
)
# A shift below 1 costs without end where it loops; with shift 1, the last test costs 1, the threshold 1/4.
SVT_EPSILON: Json = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "lower": "5/4", "upper": "5/4"},
    SVT_PROGRAM,
    {
        "blocks": [once(step(0), step(1, 1, "1/2"), step(1, 1, "1/4"), step(2, -1, "1/2"))],
        "table": {"q0": [["5/4", "5/4", "5/4"]], "q1": [["inf", "inf", "1"]]},
    },
)
# With one difference the shift 0 is best: 1/2 once.
SVT_ONE: Json = certificate(
    {"adjacency": "one-differ", "kind": "epsilon", "lower": "1/2", "upper": "1/2"},
    SVT_PROGRAM,
    {
        "blocks": [once(step(0), step(1, 1, "1/2"), step(2, 0, "1/2"))],
        "table": {
            "q0": {"unused": [["1/2", "1/2", "1/2"]], "used": []},
            "q1": {"unused": [["inf", "1/2", "1"]], "used": [["inf", "0", "1/2"]]},
        },
    },
)

# Below, it goes on; above, it goes on with the opposite test. Transitions: 0; below 1, above 2; above 3.
PAIR_PROGRAM: Json = program(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("<", "q1", "below"), transition(">=", "q2", "above")),
        "q2": state(transition(">=", "q2", "above")),
    }
)
PAIR: Json = certificate(
    {"adjacency": "all-differ", "kind": "not-private"},
    PAIR_PROGRAM,
    {"blocks": [once(step(0)), repeat(step(1, 1, "1")), once(step(2)), repeat(step(3, -1, "1"))]},
)

# The threshold is printed, then stored anew where it is exceeded; then a loop. Transitions: 0, 1, loop 2.
SLOPE_PROGRAM: Json = program(
    {
        "q0": state(transition("", "q1", "insample", assign=True)),
        "q1": state(transition(">=", "q2", "o", assign=True)),
        "q2": state(transition(">=", "q2", "o"), rate="1/3"),
    }
)
# Each turn loads the second threshold with 1/3, and its own guard passes that on to the first.
SLOPE: Json = certificate(
    {"adjacency": "decreasing", "kind": "not-private"},
    SLOPE_PROGRAM,
    {"blocks": [once(step(0), step(1, 0, "0", "1/3")), repeat(step(2, -1, "1/3"))]},
)

# Numeric sparse: what exceeds the threshold is printed from a second sample.
NUMERIC: Json = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "lower": "7/4", "upper": "7/4"},
    program(
        {
            "q0": state(transition("", "q1", assign=True), rate="1/4", takes_input=False),
            "q1": state(
                transition("<", "q1", "below"),
                transition(">=", "end", "insampleprime"),
                rate="1/2",
                prime="1/2",
            ),
        }
    ),
    {
        "blocks": [once(step(0), step(1, 1, "1/2"), step(1, 1, "1/4"), step(2, -1, "1/2"))],
        "table": {"q0": [["7/4", "7/4", "7/4"]], "q1": [["inf", "inf", "3/2"]]},
    },
)

PROGRAM_SAMPLES: Mapping[str, Json] = {
    "svt-private": SVT_PRIVATE,
    "svt-epsilon": SVT_EPSILON,
    "svt-one-differ": SVT_ONE,
    "leaking-pair": PAIR,
    "slope": SLOPE,
    "numeric": NUMERIC,
}
