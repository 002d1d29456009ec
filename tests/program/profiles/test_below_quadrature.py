"""What two inputs are proved to gain is no more than quadrature finds, and no more than a table promises."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.program.adjacency import Adjacency
from prover.program.gaps import uncovered
from prover.program.model import Program
from prover.program.profiles.below import enclosed
from prover.program.profiles.search import FoundInputs
from prover.program.profiles.simulation import Simulation, TooManyRuns
from tests.certified import proved
from tests.profiles import everything
from tests.program.profiles.made import SIGNS, delta_above, random_program
from tests.program.profiles.quadrature import Quadrature, delta
from tests.program.profiles.test_above_quadrature import ADJACENCIES, ERROR, coarse

__all__ = ["coarse"]
LENGTH = 3
MOST_RUNS = 60
LONGEST = 6
MISSED = 0.01
"""How much the event loses at most because runs are chosen for it in coarse floats; gaps are left out."""


def seeds() -> range:
    return range(3000) if everything() else range(12)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("seed", seeds())
def test_what_two_inputs_gain(seed: int) -> None:
    random = Random(seed)
    program = alike(random_program(seed)) if seed % 5 == 3 else random_program(seed)
    adjacency = Adjacency(random.choice(ADJACENCIES))
    epsilon, alpha = (
        random.choice([Fraction(1, 2), Fraction(2)]),
        random.choice([Fraction(1), Fraction(6, 5)]),
    )
    inputs, moved = pair(program, adjacency, random)
    simulation = Simulation(program, epsilon)
    both = [float(x) for x in inputs], [float(x + d) for x, d in zip(inputs, moved, strict=True)]
    pair_of = FoundInputs(0.0, tuple(inputs), tuple(moved))
    try:
        runs = [run for run, _, _ in simulation.runs(inputs, pair_of.neighbour, MOST_RUNS)]
    except TooManyRuns:
        return  # quadrature would take long
    longest = max(map(len, runs))
    shows = any(edge.discloses for edge in program.edges)
    if shows and longest > LONGEST:
        return  # quadrature would take long
    found = enclosed(simulation, adjacency, epsilon, alpha, pair_of)
    gained = by_quadrature(program, epsilon, alpha, *both, longest)
    if not shows and seed % 5 != 3 and not uncovered(program):
        assert gained < (0 if found is None else float(found.lower)) + MISSED
    if found is not None:
        assert float(found.lower) <= gained + ERROR
        assert found.lower <= delta_above(program, adjacency, epsilon, alpha).upper
        assert Fraction(proved(found.certificate)["claim"]["lower"]) == found.lower


def alike(program: Program) -> Program:
    """The program with a state whose transitions have the same output, if it has tests."""
    name = max(program.states, key=lambda name: len(program.states[name].transitions))
    state = program.states[name]
    cases = tuple(replace(case, output="o") for case in state.transitions)
    return replace(program, states={**program.states, name: replace(state, transitions=cases)})


def pair(program: Program, adjacency: Adjacency, random: Random) -> tuple[list[Fraction], list[Fraction]]:
    """Inputs, and how far their neighbours are from them: as far as at the state that allows least."""
    own = [state.sensitivity for state in program.states.values() if state.sensitivity is not None]
    reach = min([*own, program.noise.sensitivity])
    low, high = SIGNS[random.choice(["increasing", "decreasing"]) if adjacency == "monotonic" else adjacency]
    inputs = [Fraction(random.randint(-8, 8), 4) for _ in range(LENGTH)]
    moved = [reach * random.choice([low, 0, high, high]) for _ in inputs]
    only = random.randrange(LENGTH)
    if adjacency == "one-differ":
        moved = [move if k == only else Fraction(0) for k, move in enumerate(moved)]
    return inputs, moved


def by_quadrature(
    program: Program, epsilon: Fraction, alpha: Fraction, one: list[float], other: list[float], steps: int
) -> float:
    """The gain of the best event about transitions and bins of numbers."""
    keys = [(k, number) for k in range(LENGTH) for number in range(len(program.edges) + 1)]
    inputs = {key: one[key[0]] for key in keys}
    moves = {key: other[key[0]] - one[key[0]] for key in keys}
    law = Quadrature(program, float(epsilon), inputs, moves, LENGTH, bins=4, most_steps=steps).law()
    return delta(law, float(alpha))
