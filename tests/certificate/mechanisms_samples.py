"""Certificates of compositions with threshold programs: of one by hand, and of programs of many kinds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

from prover.accounting.account import Questions, account
from prover.accounting.certificates import certificate_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.mechanism import Mechanism
from prover.accounting.programs import ProgramLosses
from prover.chain.arguments import Slope
from prover.errors import NotSupported
from prover.program.adjacency import Adjacency
from prover.program.attack.at_epsilon import given_place
from prover.program.canonical import program_model
from prover.program.model import Program
from prover.program.noise import Gaussian, Noise
from prover.program.profiles import above, composed, one_number, search
from prover.program.profiles.pair import followed_by
from prover.program.profiles.scope import one_number as only_number
from prover.program.profiles.simulation import Simulation
from prover.zoo import svt
from tests.certificate.inputs_samples import built
from tests.certificate.pair_samples import varied
from tests.certificate.profile_samples import SHOWN
from tests.certificate.samples import certificate
from tests.program.test_gaussian import first_hit
from tests.program_examples import state, step

Json = Any
F = Fraction
ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing", "monotonic")
NAMES = ("svt", "svt-discrete", "svt-star", "numeric-sparse")
SEEDS = (0, 3, 4, 7, 12, 15, 16, 25, 26, 30)
OTHER = Mechanism.of_laws({0: "1/2", 1: "1/2"}, {0: "1/4", 1: "3/4"}, name="laws")
ALPHA = Slope.of_alpha(F(5, 4))


def composition(parts: list[Json], proofs: list[Json], **claim: str) -> Json:
    """A certificate at α = 1, on a fine grid."""
    about = {"alpha": "1", "kind": "composition", "lower": "0", "upper": "1"}
    model = {"parts": parts, "type": "composition", "version": 1}
    grid = {"digits": 30, "steps": 1000, "tail": "0", "work": 10**9}
    return certificate(about | claim, model, {"grid": grid, "parts": proofs})


# One noisy input is output; the table has 1/2 at α = 1 and beyond: half of the mass is at the ratio 1, and
# half at ∞. Of two runs three quarters are at ∞.
SHOWN_PART: Json = {"adjacency": "all-differ", "at_epsilon": "1", "program": SHOWN["model"], "times": 2}
SHOWN_TWICE: Json = composition([SHOWN_PART], [{"tables": {"all-differ": SHOWN["evidence"]}}], upper="3/4")


def showing(rate: Fraction | Gaussian) -> Program:
    """A number with noise is shown."""
    return Program("a", {"a": state(step((), "end", "insample", assign=True), rate=rate)})


NUMBERS: dict[str | int, Program] = {
    "gaussian": first_hit(),
    "one-gaussian": showing(Gaussian(F(4))),
    "one-laplace": showing(F(1, 2)),
}


@cache
def losses(
    name: str | int, adjacency: str, steps: int | None = None, *, q: str | None = None, listed: bool = False
) -> ProgramLosses:
    """Of a program of the zoo, one with Gaussian noise, one that shows a number, or a random one, with few
    knots, lines, segments and inputs; where these are ``listed``, of runs that are not followed. With q on a
    grid."""
    program, given = NUMBERS.get(name) or built(name), Adjacency(adjacency)
    place = given_place(program, None, q)
    about = program, given, place.epsilon
    with (
        patch.multiple(above, KNOTS=8, ROUGH=6, LINES=2, STEPS=2, ONE_NUMBER=2),
        patch.multiple(search, SHORT=(1, 2), LONG=(2,)),
        patch.object(one_number, "SEGMENTS", 6),
        patch.object(composed, "followed_by", refused if listed else followed_by),
    ):
        tables = above.tables_of_many(*about, 1e-6, steps, place.q)
        edge = only_number(program)
        if edge is None:
            pair = composed.pair_law(*about, 2, F(1, 100), steps, place.q)
        else:
            pair = one_number.law_of_number(program, edge, *about[1:], 1e-3)
    return ProgramLosses(*about, tables, pair, steps, q=place.q)


def refused(*_: Any, **__: Any) -> Any:
    raise NotSupported("runs are not followed")


@cache
def made(
    name: str | int, adjacency: str, steps: int | None = None, *, q: str | None = None, listed: bool = False
) -> Json:
    """Two runs of the program, and a mechanism with given laws; both ends."""
    part = Mechanism.of_program(losses(name, adjacency, steps, q=q, listed=listed), times=2)
    with patch("prover.accounting.refining._FIRST_STEPS", 400):
        found = account([part, OTHER], Questions((ALPHA,)), gap="1/2")
    upper, lower = (json.loads(certificate_of(found, ALPHA, upper=end).data) for end in (True, False))
    both: Json = upper
    both["claim"]["lower"] = lower["claim"]["lower"]
    both["evidence"]["parts"][0] |= lower["evidence"]["parts"][0]
    return both


@cache
def below(seed: int) -> Json:
    """Of a random program of many kinds on two inputs, at ε = 1 or, of some on a grid, with q = 1/2."""
    return of_pair(*varied(seed), "1/2" if seed % 4 == 1 else None)


def of_pair(
    program: Program,
    adjacency: Adjacency,
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
    q: str | None = None,
) -> Json:
    """The lower end alone of two runs on two inputs; None where they prove nothing."""
    place = given_place(program, None, q)
    simulation = Simulation(program, place.epsilon)
    pair = composed.law_of_pair(simulation, place.epsilon, inputs, neighbour, place.q)
    if pair is None:
        return None
    one_run = ProgramLosses(program, adjacency, place.epsilon, {}, pair, q=place.q)
    anything = patch.object(ProgramLosses, "_above", lambda *_: LossDistribution.of_laws({0: 1}, {1: 1}))
    with anything, patch("prover.accounting.refining._FIRST_STEPS", 400):
        found = account([Mechanism.of_program(one_run, times=2)], Questions((ALPHA,)), gap=1)
        return json.loads(certificate_of(found, ALPHA, upper=False).data)


# A number with noise of the weights 2^-|x| at the integers x is at least 1, or not: for the input 1 with the
# probabilities 2/3 and 1/3, and for 0 the other way round. Of two runs δ is 1/3 at α = 1.
_THIRD = 10**16 // 3
GRID_TWICE: Json = composition(
    [SHOWN_PART | {"program": program_model(replace(showing(F(1)), noise=Noise("discrete-laplace")))}],
    [
        {
            "inputs": {
                "chances": [
                    [_THIRD, _THIRD + 1, 2 * _THIRD, 2 * _THIRD + 2],
                    [2 * _THIRD, 2 * _THIRD + 2, _THIRD, _THIRD + 1],
                ],
                "cuts": ["1"],
                "inputs": ["1"],
                "neighbour": ["0"],
            }
        }
    ],
    lower="333/1000",
)
GRID_TWICE["model"]["parts"][0]["q"] = "1/2"
del GRID_TWICE["model"]["parts"][0]["at_epsilon"]


def all_answers() -> Program:
    """A threshold and queries that are compared with it, of which none is the last."""
    test = svt().states["q2"]
    answers = replace(test, transitions=tuple(replace(one, target="q2") for one in test.transitions))
    return replace(svt(), states={**svt().states, "q2": answers})
