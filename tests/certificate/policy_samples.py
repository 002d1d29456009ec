"""Certificates of policies that are read off, for random programs."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

from prover.program.adjacency import Adjacency
from prover.program.attack.at_epsilon import given_place
from prover.program.profiles.above import Detail, closed_tables
from prover.program.profiles.policy import proved_policy
from prover.program.profiles.public import ReadOff
from prover.program.profiles.simulation import Simulation
from tests.program.profiles.public_programs import random_public

Json = Any
STEPS = 3


@cache
def made(seed: int, adjacency: str, alpha: str = "1", q: str | None = None, *, grid: bool = False) -> Json:
    """For at most three inputs; None if nothing is gained. With q on a grid."""
    program, direction = random_public(seed, grid=grid), Adjacency(adjacency)
    place = given_place(program, None if q else 1, q)
    about = program, direction, place.epsilon
    tables = closed_tables(*about, [Fraction(alpha)], STEPS, place.q, Detail(public=True))
    side = tables.sides[min(tables.sides)]
    questions = ReadOff(Simulation(program, place.epsilon), side, float(Fraction(alpha)), 1e-3).questions()
    found = proved_policy(*about, Fraction(alpha), questions, place.q)
    return None if found is None else json.loads(found.certificate.data)
