"""Certificates of δ of one pair of inputs: by hand, and of random programs whose outputs are letters."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from prover.errors import BadInput
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.profiles.pair import PairDelta, delta_of_pair
from tests.certificate.program_samples import SVT_PROGRAM, program, state, transition
from tests.certificate.samples import certificate
from tests.certificate.verdicts import edited
from tests.program.profiles.made import SIGNS, random_program

Json = Any
SVT: Json = edited(SVT_PROGRAM, {("states", "q0", "rate"): "1/2", ("states", "q1", "rate"): "1/4"})
"""The sparse vector technique with the rates of the values that are known."""


def pair(model: Json, inputs: list[str], neighbour: list[str], lower: str, upper: str, **claim: str) -> Json:
    """A certificate at ε = 1 and α = 1."""
    about = {
        "adjacency": "all-differ", "alpha": "1", "at_epsilon": "1", "inputs": inputs, "kind": "pair",
        "lower": lower, "neighbour": neighbour, "upper": upper,
    }  # fmt: skip
    return certificate(about | claim, model, {"bits": 120})


DRAWN: Json = state(transition("", "q1", assign=True), takes_input=False)
FOUR = ["-1", "1/2", "0", "2"], ["0", "-1/2", "1", "1"]
BY_HAND: dict[str, Json] = {
    "svt": pair(SVT, *FOUR, str(Fraction("0.1144719862545")), str(Fraction("0.1144719862546"))),
    # both answers go on; the second query is drawn anew
    "all": pair(
        program(
            {
                "q0": DRAWN,
                "q1": state(transition("<", "q2", "no"), transition(">=", "q2", "yes"), rate="1/2"),
                "q2": state(transition("", "q3", assign=True)),
                "q3": state(transition("<", "q1", "down"), transition(">=", "end", "up")),
            }
        ),
        ["1/2", "0", "0"],
        ["-1/2", "1", "1"],
        "0",
        "1",
    ),
    "gaussian": edited(
        pair(
            edited(
                SVT,
                {
                    ("states", "q0", "rate"): None,
                    ("states", "q0", "sigma"): "2",
                    ("states", "q1", "rate"): None,
                    ("states", "q1", "sigma"): "4",
                },
            ),
            *FOUR,
            str(Fraction("0.1222795548840")),
            str(Fraction("0.1222795548841")),
        ),
        {("evidence", "bits"): 76, ("evidence", "step"): "3/4", ("evidence", "strip"): "14"},
    ),
    # only one of the guards: runs stop
    "gap": pair(
        program({"q0": DRAWN, "q1": state(transition(">=", "q1", "on"), rate="2")}),
        ["1", "0"],
        ["0", "0"],
        "0",
        "1",
    ),
}


def with_letters(given: Program) -> Program:
    """The same program, where every transition of a state outputs a letter of its own."""

    def lettered(own: State) -> State:
        cases = tuple(
            Transition(case.guard, case.assign, f"o{k}", case.target)
            for k, case in enumerate(own.transitions)
        )
        return replace(own, rate_prime=None, mean_prime=None, transitions=cases)

    return replace(given, states={name: lettered(own) for name, own in given.states.items()})


@cache
def drawn(seed: int) -> tuple[Program, Adjacency, list[Fraction], list[Fraction]]:
    """A random program and neighbouring inputs, few of them different."""
    random = Random(seed)
    found = with_letters(random_program(seed))
    adjacency = random.choice(list(Adjacency))
    length = random.randint(1, 4)
    inputs = [Fraction(random.randint(-3, 3), 2) for _ in range(length)]
    low, high = SIGNS["increasing" if adjacency == "monotonic" else adjacency]
    sizes = [own.sensitivity for own in found.states.values() if own.sensitivity is not None]
    reach = min(found.noise.sensitivity, *sizes) if sizes else found.noise.sensitivity
    moved = [random.choice([low, high]) * reach for _ in range(length)]
    if adjacency == "one-differ":
        only = random.randrange(length)
        moved = [d if k == only else Fraction(0) for k, d in enumerate(moved)]
    return found, adjacency, inputs, [x + d for x, d in zip(inputs, moved, strict=True)]


@cache
def answered(seed: int, alpha: Fraction = Fraction(1)) -> PairDelta | None:
    """None where runs need not end."""
    found, adjacency, inputs, neighbour = drawn(seed)
    try:
        return delta_of_pair(found, adjacency, Fraction(1), (alpha, alpha), inputs, neighbour)
    except BadInput as why:
        if why.code != "endless-runs":
            raise
        return None


def made(seed: int, alpha: Fraction = Fraction(1)) -> Json:
    answer = answered(seed, alpha)
    return None if answer is None else json.loads(answer.certificate.data)
