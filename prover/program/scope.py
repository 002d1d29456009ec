"""What a procedure is for: noise of one rate, Laplace noise, tests without ties. Others are refused."""

from __future__ import annotations

from prover.program.errors import DiscreteNoise, TiesOfSeveral, TwoRates, Unplaced
from prover.program.model import Program, reachable
from prover.program.noise import INFINITE


def demand_one_rate(program: Program) -> None:
    """Raises TwoRates where a state of the program has two rates, or infinite ones."""
    for name, state in program.states.items():
        if state.rate is None:
            raise TwoRates(name)


def has_two_rates(program: Program) -> bool:
    """Whether some state has two rates, or infinite ones."""
    return any(state.rate is None for state in program.states.values())


def demand_laplace(program: Program) -> None:
    """Raises DiscreteNoise where noise lies on a grid, and TwoRates."""
    if program.noise.is_discrete:
        raise DiscreteNoise
    demand_one_rate(program)


def demand_placed(program: Program) -> None:
    """Raises Unplaced where a public sample that cannot be anywhere is compared with what is stored."""
    for edge in program.edges:
        if edge.bounds and not edge.input and INFINITE in (edge.left, edge.right):
            raise Unplaced(edge.source)


def demand_no_ties(program: Program) -> None:
    """Raises TiesOfSeveral where a reachable state tests by <=, > or =."""
    for name in sorted(reachable(program)):
        if any(
            relation in ("<=", ">", "=")
            for case in program.states[name].transitions
            for relation, _ in case.guard
        ):
            raise TiesOfSeveral(name)
