"""Certificates of pairs of inputs that are found, for random programs and for some of the zoo."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

from prover.program.adjacency import Adjacency
from prover.program.model import Program
from prover.program.profiles import below
from prover.zoo import build_program
from tests.program.profiles.made import random_program

Json = Any
NAMES = ("svt", "numeric-sparse", "svt-star")
SEEDS = (12, 15, 16, 25, 26, 30, 48, 64, 73, 83, 105, 157)
"""Of random programs, together of all kinds of noise, with sensitivities, and with samples stored again."""


def built(name: str | int) -> Program:
    return random_program(name) if isinstance(name, int) else build_program(name)


@cache
def made(name: str | int, adjacency: str, alpha: str = "5/4") -> Json:
    """For at most two inputs; None if nothing is gained."""
    with patch.object(below, "LENGTHS", (1, 2)):
        found = below.delta_below(built(name), Adjacency(adjacency), Fraction(1), Fraction(alpha))
    return None if found is None else json.loads(found.certificate.data)
