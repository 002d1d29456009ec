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
from prover.program.noise import INFINITE, Noise
from prover.program.profiles.pair import delta_of_pair
from prover.program.profiles.pair_answer import PairDelta
from tests.certificate.program_samples import SVT_PROGRAM, program, state, transition
from tests.certificate.samples import certificate
from tests.certificate.verdicts import edited
from tests.program.profiles.made import GRIDS, RATES, SIGNS, random_program

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
    # exact numbers against a threshold with Gaussian noise
    "exact": edited(
        pair(SVT, ["0", "1"], ["1", "0"], "0", "1"),
        {
            ("model", "states", "q0", "rate"): None,
            ("model", "states", "q0", "sigma"): "2",
            ("model", "states", "q1", "rate"): None,
            ("model", "states", "q1", "rate_left"): "inf",
            ("model", "states", "q1", "rate_right"): "inf",
        },
    ),
    # the largest so far is stored: each sample is compared with the one that is held
    "max": pair(
        program(
            {
                "q0": state(transition("", "q1", "first", assign=True)),
                "q1": state(
                    transition("<", "q2", "no"), transition(">=", "q2", "new", assign=True), rate="1/2"
                ),
                "q2": state(transition("<", "q3", "no"), transition(">=", "q3", "new", assign=True)),
                "q3": state(
                    transition("<", "end", "low"), transition(">=", "end", "high"), takes_input=False
                ),
            }
        ),
        ["0", "1/2", "0"],
        ["1", "-1/2", "1"],
        "0",
        "1",
    ),
    # outputs do not show the answer to the first query
    "hidden": pair(
        program(
            {
                "q0": DRAWN,
                "q1": state(transition("<", "q2", "?"), transition(">=", "q3", "?"), rate="1/2"),
                "q2": state(transition("<", "end", "a"), transition(">=", "end", "b")),
                "q3": state(transition("<", "end", "b"), transition(">=", "q4", "a")),
            }
        ),
        ["1/2", "0"],
        ["-1/2", "1"],
        "0",
        "1",
    ),
    # a sample between two that are stored
    "between": pair(
        program(
            {
                "q0": DRAWN,
                "q1": {**state({**transition("", "q2"), "assign": ["y"]}, takes_input=False), "mean": "1"},
                "q2": state(
                    {**transition("", "q3", "inside"), "guard": [[">=", "x"], ["<", "y"]]},
                    {**transition("", "q3", "below"), "guard": [["<", "x"]]},
                ),
                "q3": state(transition("<", "end", "no"), transition(">=", "end", "yes")),
            }
        ),
        ["1/2", "0"],
        ["-1/2", "1"],
        "0",
        "1",
    ),
    # on the integers, where ties count
    "grid": edited(
        pair(SVT, ["0", "1"], ["1", "0"], "0", "1"),
        {("model", "noise"): "discrete-laplace"},
    ),
    # and exactly
    "rational": edited(
        pair(SVT, ["0", "1"], ["1", "0"], "0", "1"),
        {
            ("model", "noise"): "discrete-laplace",
            ("claim", "at_epsilon"): ...,
            ("claim", "q"): "1/2",
            ("evidence", "bits"): ...,
        },
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
def varied(seed: int) -> tuple[Program, Adjacency, list[Fraction], list[Fraction]]:
    """A random program with one variable or two, on a grid or not, where samples may be compared and stored,
    and outputs need not show the transition; and neighbouring inputs."""
    random = Random(f"varied {seed}")
    noise = random.choice(GRIDS) if seed % 2 else Noise()
    names = "xy"[: 1 + (seed % 3 == 0)]
    adjacency = random.choice(["all-differ", "all-differ", "monotonic", "increasing"])

    def own(input: bool, *cases: Transition) -> State:
        rate = random.choice(RATES)
        sides: Any = random.choice(
            [(None, None)] * 5 + [(rate, INFINITE), (INFINITE, rate), (INFINITE, INFINITE)]
        )
        mean = random.choice([Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1)])
        return State(input, None if sides[0] else rate, mean, None, None, cases, *sides)

    states = {
        f"draw {v}": own(random.random() < 0.3, Transition((), (v,), "draw", after))
        for v, after in zip(names, [*(f"draw {v}" for v in names[1:]), "test 0"], strict=True)
    }
    count = random.randint(1, 3)
    pairs = (
        [("<", ">="), ("<", ">="), ("<=", ">")] if noise.is_discrete and len(names) == 1 else [("<", ">=")]
    )
    for k in range(count):
        tested = random.choice(names)
        guards: list[Any] = [((relation, tested),) for relation in random.choice(pairs)]
        if len(names) == 2 and random.random() < 0.3:
            guards = [(("<", "x"),), ((">=", "x"), ("<", "y")), ((">=", "x"), (">=", "y"))]
        cases = [
            Transition(
                guard,
                (random.choice(names),) if random.random() < 0.4 else (),
                random.choice("op") if random.random() < 0.4 else str(number),
                f"test {k + 1}" if k + 1 < count and random.random() < 0.8 else "end",
            )
            for number, guard in enumerate(guards)
        ]
        states[f"test {k}"] = own(True, *(cases if random.random() < 0.8 else cases[1:]))
    unit = noise.grid or Fraction(1, 2)
    inputs = [random.randint(-2, 2) * unit for _ in range(count + random.randint(0, 2))]
    signs = SIGNS["increasing" if adjacency == "monotonic" else adjacency]
    moved = [random.choice(signs) * noise.sensitivity for _ in inputs]
    found = Program("draw x", states, noise=noise)
    return found, Adjacency(adjacency), inputs, [x + d for x, d in zip(inputs, moved, strict=True)]


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


def made_varied(seed: int, alpha: Fraction) -> Json:
    """At ε = 1 or, of some on a grid, with q = 1/2; None where samples are compared in a ring."""
    found, adjacency, inputs, neighbour = varied(seed)
    q = Fraction(1, 2) if seed % 4 == 1 else None
    try:
        answer = delta_of_pair(found, adjacency, Fraction(1), (alpha, alpha), inputs, neighbour, q=q)
    except BadInput as why:
        if why.code != "ring-of-samples":
            raise
        return None
    return json.loads(answer.certificate.data)


def made(seed: int, alpha: Fraction = Fraction(1)) -> Json:
    answer = answered(seed, alpha)
    return None if answer is None else json.loads(answer.certificate.data)
