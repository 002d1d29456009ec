"""Certificates of pairs of inputs that are found, for random programs and for some of the zoo."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

from prover.program.adjacency import Adjacency
from prover.program.attack.at_epsilon import given_place
from prover.program.model import Program
from prover.program.profiles import below, search
from prover.zoo import build_program
from tests.program.profiles.made import of_two_variables, random_program

Json = Any
NAMES = ("svt", "numeric-sparse", "svt-star")
SEEDS = (12, 15, 16, 25, 26, 30, 48, 64, 73, 83, 105, 157)
"""Of random programs, together of all kinds of noise, with sensitivities, and with samples stored again."""


def built(name: str | int, *, grid: bool = False, two: bool = False) -> Program:
    if not isinstance(name, int):
        return build_program(name)
    program = random_program(name, grid=grid)
    return of_two_variables(program, name) if two else program


@cache
def made(
    name: str | int,
    adjacency: str,
    alpha: str = "5/4",
    q: str | None = None,
    *,
    grid: bool = False,
    two: bool = False,
) -> Json:
    """For at most four inputs; None if nothing is gained. With q on a grid."""
    program = built(name, grid=grid, two=two)
    place = given_place(program, None, q)
    with patch.multiple(search, SHORT=(1, 2), LONG=(4,)):
        found = below.delta_below(program, Adjacency(adjacency), place.epsilon, Fraction(alpha), q=place.q)
    return None if found is None else json.loads(found.certificate.data)
