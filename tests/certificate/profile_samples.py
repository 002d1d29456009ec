"""Certificates of profile tables: a small one by hand, and those of programs of many kinds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

from prover.program.adjacency import Adjacency
from prover.program.attack.at_epsilon import given_place
from prover.program.model import Program
from prover.program.profiles import above, normal
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import edited
from tests.program.profiles.made import keeping, of_two_variables, random_program

Json = Any
ONE = 10**16  # a value of 1
KNOT = 10**12  # a knot at 1
ALPHA = Fraction(5, 4)

DRAWN: Json = state(transition("", "q1", assign=True), takes_input=False)
TESTED: Json = state(transition("<", "q1", "below"), transition(">=", "end", "above"))
THREE_LINES: Json = [["1/3", "0"], ["1", "-43/100"], ["3", "-2"]]
"""Below the curve of Laplace noise for e^(rate·s) ≤ 3."""
REGION: Json = {"bound": "3", "exponent": "1", "lines": THREE_LINES}


def node(name: str, *values: int, shifts: tuple[str, str] = ("0", "0"), cells: Json = None) -> Json:
    written = {"shifts": list(shifts), "state": name, "values": list(values)}
    return written if cells is None else written | {"cells": cells}


def cell(until: str, *anchors: Json) -> Json:
    return {"anchors": [list(anchor) for anchor in anchors], "until": until}


def table(states: Mapping[str, Json], nodes: list[Json], *regions: Json, **claim: Json) -> Json:
    """A certificate about a program at ε = 1, by default that δ(1) ≤ 1, with knots 0, 1 and 2."""
    about = {
        "adjacency": "all-differ",
        "alpha": "1",
        "at_epsilon": "1",
        "kind": "profile-table",
        "upper": "1",
    }
    evidence = {"knots": [0, KNOT, 2 * KNOT], "nodes": nodes, "regions": list(regions)}
    return certificate(about | claim, program(states), evidence)


def at_points(document: Json, *points: Json) -> Json:
    """With a claim about these α in place of one."""
    claim = {key: value for key, value in document["claim"].items() if key not in ("alpha", "lower", "upper")}
    return document | {"claim": claim | {"points": list(points)}}


PUBLIC_CELLS: Json = [[cell("0", (1, "shift", "0"), (2, "shift", "0"))]]
# A threshold is drawn and inputs are compared with it, for ever or until one is not below it; nothing is
# bounded.
FLAT: Json = table(
    {"q0": DRAWN, "q1": TESTED},
    [node("q0", ONE, ONE, ONE, cells=PUBLIC_CELLS), node("q1", ONE, ONE, ONE)],
    REGION,
)
# One input is drawn, stored, and never looked at: nothing is lost, as what is stored may be any shift.
UNSEEN: Json = table(
    {"q0": state(transition("", "end", assign=True))},
    [node("q0", ONE, 0, 0, cells=[[cell("1", (1, "offset", "0"))]])],
    upper="0",
)
# One input with noise of rate 1 is output: δ(1) = 1 − e^(−1/2) = .3934…, and 1/2 with one line each way.
SHOWN: Json = table(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("", "end", "insample")),
    },
    [node("q0", ONE, ONE // 2, ONE // 2, cells=PUBLIC_CELLS), node("q1", ONE, ONE // 2, ONE // 2)],
    {"bound": "3", "exponent": "1", "lines": [["1/3", "0"], ["3", "-2"]]},
    upper="1/2",
)
# A public threshold and at most two inputs, whose noise has rate 1: δ(1) = .3934… for one of them, and 1/2
# with one line each way; 5/8 for both.
EXACT: Json = state(transition("", "q1", assign=True), takes_input=False) | {
    "rate_left": "inf",
    "rate_right": "inf",
    "rate": None,
}
LIMITED: Json = table(
    {"q0": EXACT, "q1": TESTED},
    [
        node("q0", ONE, ONE * 5 // 8, ONE * 5 // 8, cells=PUBLIC_CELLS) | {"left": 2},
        node("q1", ONE, ONE // 2, ONE // 2) | {"left": 1},
        node("q1", ONE, ONE * 5 // 8, ONE * 5 // 8) | {"left": 2},
    ],
    {"bound": "3", "exponent": "1", "lines": [["1/3", "0"], ["3", "-2"]]},
    upper="5/8",
    steps=2,
)
# One input with Gaussian noise, of which a difference is one standard deviation: δ(1) = 2Φ(1/2) − 1 = .3829….
NORMAL: Json = {
    "lines": [["1/3", "-37/1000", "-3/5"], ["1", "-38293/100000", "1/2"], ["3", "-211/100", "8/5"]],
    "ratio": "1",
}
GAUSSIAN: Json = table(
    {"q0": EXACT, "q1": TESTED | {"rate": None, "sigma": "1"}},
    [
        node("q0", ONE, ONE * 38294 // 100000, ONE // 4, cells=PUBLIC_CELLS) | {"left": 1},
        node("q1", ONE, ONE * 38294 // 100000, ONE // 4) | {"left": 1},
    ],
    NORMAL,
    upper="19147/50000",
    steps=1,
)
# The same at three α, the second of which is below e^(1/2).
POINTS: Json = at_points(
    GAUSSIAN,
    {"alpha": "1", "upper": "19147/50000"},
    {"alpha": "3/2", "epsilon": {"alpha": "at-most", "value": "1/2"}, "upper": "31647/100000"},
    {"alpha": "2", "upper": "1/4"},
)
BY_HAND: Mapping[str, Json] = {
    "points": POINTS,
    "flat": FLAT,
    "unseen": UNSEEN,
    "shown": SHOWN,
    "limited": LIMITED,
    "gaussian": GAUSSIAN,
}
NODES: Path = ("evidence", "nodes")


def on_grid(document: Json, **edits: Json) -> Json:
    """With noise on the integers where e^(−ε·unit) is 1/2, unless a claim says otherwise."""
    claim = {key: value for key, value in document["claim"].items() if key != "at_epsilon"} | {"q": "1/2"}
    return document | {"claim": claim | edits, "model": document["model"] | {"noise": "discrete-laplace"}}


STEP: Json = {"bound": "2", "exponent": "1", "lines": []}
# One input with noise of rate 1 is output: δ(1) = (1 − q)/(1 + q) = 1/3, and 0 from 2 on, for q = 1/2.
SHOWN_ON_GRID: Json = on_grid(
    table(
        SHOWN["model"]["states"],
        [
            node("q0", ONE, ONE // 3 + 2, 2, cells=PUBLIC_CELLS),
            node("q1", ONE, ONE // 3 + 2, 2),
        ],
        STEP,
    ),
    upper="166666667/500000000",
)
ON_GRID: Mapping[str, Json] = {
    "shown on a grid": SHOWN_ON_GRID,
    "flat on a grid": on_grid(edited(FLAT, {("evidence", "regions"): [STEP]})),
}


@cache
def made(
    seed: int,
    adjacency: str,
    knots: int = 16,
    most: int | None = None,
    q: str | None = None,
    *,
    two: bool = False,
    gaussian: bool = False,
    keeps: bool = False,
) -> Json:
    """Of a random program, with few knots and lines, for any number of inputs or at most so many; on a grid
    with q; of two variables or one; without loops, testing samples and keeping them."""
    program = random_program(seed, grid=q is not None, gaussian=gaussian)
    program = of_two_variables(program, seed) if two else program
    program = keeping(program, seed) if keeps else program
    return short_table(program, adjacency, knots, most, q, steps=1 if keeps else 2)


def short_table(
    program: Program,
    adjacency: str,
    knots: int = 16,
    most: int | None = None,
    q: str | None = None,
    *,
    steps: int = 2,
) -> Json:
    """Of a program at ε = 1 or at q, with few knots and lines."""
    place = None if q is None else given_place(program, None, q)
    at_epsilon, number = (Fraction(1), None) if place is None else (place.epsilon, place.q)
    detail = above.Detail(knots=knots, lines=2)
    with patch.multiple(above, STEPS=steps, ON_GRID=1), patch.object(normal, "LINES", 5):
        tables = above.closed_tables(program, Adjacency(adjacency), at_epsilon, [ALPHA], most, number, detail)
        document: Json = json.loads(tables.at(ALPHA).certificate.data)
    return document
