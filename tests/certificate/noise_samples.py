"""Certificates about discrete noise, two rates, ties and sensitivities, made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.program_samples import (
    SVT_EPSILON,
    SVT_PRIVATE,
    SVT_PROGRAM,
    once,
    program,
    state,
    step,
    transition,
)
from tests.certificate.samples import certificate, replaced

Json = Any


def leaning(model: Json, name: str, left: str, right: str) -> Json:
    """The program with two rates at a state."""
    sides = {"rate": None, "rate_left": left, "rate_right": right}
    return replaced(model, ("states", name), model["states"][name] | sides)


# All numbers of sparse vector, times 3.
WIDE: Json = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "lower": "15/4", "upper": "15/4"},
    SVT_PROGRAM | {"grid": "1/2", "noise": "discrete-laplace", "sensitivity": "3"},
    {
        "blocks": [once(step(0), step(1, 1, "3/2"), step(1, 1, "3/4"), step(2, -1, "3/2"))],
        "table": {"q0": [["15/4", "15/4", "15/4"]], "q1": [["inf", "inf", "3"]]},
    },
)
# The threshold has noise upwards only, and its shift is upwards only, as it was.
UPWARDS = leaning(SVT_PROGRAM, "q0", "inf", "1/4")
UPWARDS_EPSILON: Json = replaced(SVT_EPSILON, ("model",), UPWARDS)
UPWARDS_PRIVATE: Json = certificate(
    SVT_PRIVATE["claim"], UPWARDS, {"components": {"q0": 0, "q1": 1}, "facts": {"q1": ["lo0", "lo1"]}}
)
# Rates of the sides that no optimal shift uses do not matter: queries are moved up, and the threshold.
BOTH_SIDES: Json = replaced(SVT_EPSILON, ("model",), leaning(UPWARDS, "q1", "2", "1/2"))
# Queries without noise: what is below cannot be above a moment later.
VANISHING: Json = certificate(
    {"adjacency": "all-differ", "kind": "not-private"},
    leaning(SVT_PROGRAM, "q1", "inf", "inf"),
    {"blocks": [once(step(0), step(1, 1, "0", "1"), step(2, -1, "0", "1"))]},
)
# Ties are tested; the threshold follows the query, which moves by 1, for 1/4. Transitions: 0, < 1, = 2, > 3.
TIES: Json = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "lower": "1/4", "upper": "1/4"},
    program(
        {
            "q0": state(transition("", "q1", assign=True), rate="1/4", takes_input=False),
            "q1": state(
                transition("<", "end", "below"),
                transition("=", "end", "same"),
                transition(">", "end", "above"),
                rate="1/2",
            ),
        }
    )
    | {"noise": "discrete-laplace"},
    {
        "blocks": [once(step(0), step(2, -1, "-1/4"))],
        "table": {"q0": [["1/4", "1/4", "1/4"]], "q1": [["0", "1/2", "1"], ["1", "1/2", "0"]]},
    },
)
# One query of sensitivity 3, as often as one likes, then one of sensitivity 1/2. Shifts: 0, ±1/2, ±3.
# Transitions: 0; below 1, above 2; below 3, above 4.
OWN: Json = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "lower": "29/4", "upper": "29/4"},
    program(
        {
            "q0": state(transition("", "q1", assign=True), rate="1/4", takes_input=False),
            "q1": state(transition("<", "q1", "below"), transition(">=", "q2", "above"), rate="1/2")
            | {"sensitivity": "3"},
            "q2": state(transition("<", "end", "below"), transition(">=", "end", "above"))
            | {"sensitivity": "1/2"},
        }
    ),
    {
        "blocks": [
            once(step(0), *[step(1, 1, "1/2")] * 3, step(1, 1, "1/4"), step(2, -1, "1/2"), step(4, -1, "1"))
        ],
        "table": {
            "q0": [["29/4"] * 5],
            "q1": [["inf", "inf", "inf", "inf", "13/2"]],
            "q2": [["0", "0", "1/2", "1", "7/2"], ["7/2", "1", "1/2", "0", "0"]],
        },
    },
)
NOISE_SAMPLES: Mapping[str, Json] = {
    "noise-own": OWN,
    "noise-wide": WIDE,
    "noise-upwards": UPWARDS_EPSILON,
    "noise-upwards-private": UPWARDS_PRIVATE,
    "noise-both-sides": BOTH_SIDES,
    "noise-vanishing": VANISHING,
    "noise-ties": TIES,
}
