"""Certificates of small programs of several variables, as the prover writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from prover.program.adjacency import ADJACENCIES
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.model import Program, State
from prover.program.noise import INFINITE, Rate
from prover.program.optimum.budget import Budget
from prover.program.optimum.certificates import cost_certificate
from prover.program.optimum.parts import sum_of_parts
from prover.program.order_graph import order_graph
from prover.program.outputs import Gap
from prover.program.privacy import privacy
from prover.zoo import counterexample, k_min_max, m_range, num_range
from tests.program.several_examples import independent, leaning, random_program, state

Json = Any


def measured(program: Program, adjacency: str = "all-differ") -> Json:
    found = privacy(program, adjacency, budget=Budget(values=100)).certificate
    return None if found is None else json.loads(found.data)


def bounded(program: Program) -> Json:
    return json.loads(boundedness_certificate(program, decide(program)).data)


def made_of_several(seed: int) -> Json:
    """A certificate about a random program: of its bound, its growth, or that it is bounded."""
    random = Random(seed)
    program = random_program(random)
    if seed % 2:
        program = leaning(program, Random(seed))
    if random.random() < 0.5 and decide(program).bounded:
        return bounded(program)
    return measured(program, random.choice(sorted(ADJACENCIES)))


def rated(old: State, left: Rate, right: Rate) -> State:
    """The state with a rate to the left and one to the right."""
    return replace(old, rate=None, rate_left=left, rate_right=right)


# v and w are stored, w with its gap from v; a loop lets v be high, and w is compared once.
LINKED = Program(
    "q0",
    {
        "q0": state(((), ("v",), "o", "q1")),
        "q1": state(((), ("w",), ("o", Gap("v")), "q2")),
        "q2": state(((("<", "v"),), (), "o", "q2"), (((">=", "v"),), (), ("p", Gap("w")), "end")),
    },
)


# v and w lean upwards, a loop compares with v from below, and w with one that has no noise.
EXACT = Program(
    "q0",
    {
        "q0": rated(state(((), ("v",), "o", "q1"), input=False), INFINITE, Fraction(1)),
        "q1": rated(state(((), ("w",), "o", "q2")), INFINITE, Fraction(1, 2)),
        "q2": state(((("<", "v"),), (), "o", "q2"), (((">=", "v"), (">=", "w")), (), "p", "q3")),
        "q3": rated(state(((("<", "w"),), (), "o", "end")), INFINITE, INFINITE),
    },
)
# w is compared with v, and then lies above: both have no noise.
VANISHING = replace(
    EXACT,
    states={
        **EXACT.states,
        "q1": rated(state(((("<", "v"),), ("w",), "o", "q3")), INFINITE, INFINITE),
        "q3": rated(
            state((((">=", "v"), ("<", "w")), (), "o", "q4"), (((">=", "w"),), (), "p", "q4")),
            INFINITE,
            INFINITE,
        ),
        "q4": rated(state((((">=", "v"),), (), "o", "end")), Fraction(1), INFINITE),
    },
)


def summed(program: Program, adjacency: str = "all-differ") -> Json:
    """The certificate by independent parts of the variables."""
    found = sum_of_parts(program, order_graph(program), adjacency, Budget())
    if found is None:
        raise ValueError(program)
    certificate = cost_certificate(program, found)
    return None if certificate is None else json.loads(certificate.data)


TWO_PARTS = independent(2, Fraction(1, 4), Fraction(1, 2))

VARIABLES_SAMPLES: Mapping[str, Json] = {
    "linked by a gap": measured(LINKED),
    "linked by a gap, bounded": bounded(LINKED),
    "range": measured(m_range(1)),
    "range, one differs": measured(m_range(1), "one-differ"),
    "range, increasing": measured(m_range(1), "increasing"),
    "range, monotonic": measured(m_range(1), "monotonic"),
    "numeric range": measured(num_range()),
    "least and largest": measured(k_min_max(2)),
    "least and largest, bounded": bounded(counterexample("equal")),
    "branches, bounded": bounded(counterexample("branches")),
    "stored range, bounded": bounded(counterexample("stored-range")),
    "sequence": measured(counterexample("sequence")),
    "names": measured(counterexample("names")),
    "two parts": summed(TWO_PARTS),
    "reassigned": measured(counterexample("reassigned")),
    "one-sided": measured(EXACT),
    "one-sided, bounded": bounded(EXACT),
    "vanishing of two": measured(VANISHING),
}
