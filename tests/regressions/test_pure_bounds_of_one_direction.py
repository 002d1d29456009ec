"""An exact ε of one direction was taken for one of both: it bounded δ by less than inputs prove."""

from __future__ import annotations

import pytest

import prover
from prover.exact.rational import format_rational

_CONSTANT = {"rate": None, "rate_left": "inf", "rate_right": "inf", "rate_prime": None, "mean_prime": None}
PROGRAM = {
    "type": "threshold-program",
    "version": 1,
    "initial": "limit",
    "final": ["end"],
    "states": {
        "limit": {
            "input": False,
            "mean": "0",
            **_CONSTANT,
            "transitions": [{"assign": ["x"], "guard": [], "output": "start", "to": "query"}],
        },
        "query": {
            "input": True,
            "mean": "0",
            **_CONSTANT,
            "rate_left": "1",
            "transitions": [
                {"assign": [], "guard": [["<", "x"]], "output": "below", "to": "end"},
                {"assign": [], "guard": [[">=", "x"]], "output": "above", "to": "end"},
            ],
        },
    },
}


@pytest.mark.parametrize("adjacency", ["increasing", "decreasing"])
def test_lower_ends_are_not_above_what_the_exact_epsilon_proves(adjacency: str) -> None:
    program = prover.from_dict(PROGRAM)
    assert isinstance(program, prover.Program)
    curve = prover.curve(program, at_epsilon=1, epsilons=[0, "1/2", "9/10"], adjacency=adjacency)
    for point in curve:
        if point.pure is not None:
            assert point.lower <= point.pure, format_rational(point.alpha_upper)
