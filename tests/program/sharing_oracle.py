"""The cost of shared strategies by brute force: all corners, and for each a linear program over all shifts.

Nothing here knows worst differences, propagated bounds, or branch and bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from prover.program.branches import Branch
from prover.program.model import Edge
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from tests.oracle_linear import lp_max

PENALTY = Fraction(10**6)  # for shifts that are not allowed; more than any finite cost


def same(first: Edge, second: Edge) -> bool:
    return all(
        getattr(first, part) == getattr(second, part)
        for part in ("source", "input", "left", "right", "rate_prime", "guard", "assign", "output")
    )


def transitions_of(branches: Sequence[Branch]) -> list[Edge]:
    """The transitions of branches, each once."""
    found: list[Edge] = []
    for edge in (edge for branch in branches for edge in branch.edges):
        if not any(same(edge, other) for other in found):
            found.append(edge)
    return found


def shared_cost_by_force(branches: Sequence[Branch]) -> Fraction | None:
    """max over corners of min over shifts of max over branches; None if infinite."""
    if any(branch.is_hopeless for branch in branches):
        return None
    transitions = transitions_of(branches)
    costs = [
        least_cost(branches, transitions, deltas)
        for deltas in product(*((-1, 1) if edge.input else (0,) for edge in transitions))
    ]
    return max(costs) if max(costs) < PENALTY / 10 else None


def least_cost(branches: Sequence[Branch], transitions: list[Edge], deltas: Sequence[int]) -> Fraction:
    """The linear program: γ_k = p_k − n_k with 0 ≤ p_k, n_k ≤ 1, and z = most − s, where s is maximised."""
    size = len(transitions)
    most = PENALTY * (5 * size + 5)

    def place_of(edge: Edge) -> int:
        return next(k for k, other in enumerate(transitions) if same(edge, other))

    looping = {place_of(p.edge) for branch in branches for p in branch.steps if p.on_cycle}
    constant, penalty = Fraction(0), [Fraction(0)] * (2 * size)  # Σ penalty·(p, n) + constant

    def demand(k: int, shift: int) -> Fraction:
        """Penalise other shifts; returns what is constant in the penalty."""
        signs = {1: (-1, 1, 1), -1: (1, -1, 1), 0: (1, 1, 0)}[shift]
        penalty[k] += signs[0] * PENALTY
        penalty[size + k] += signs[1] * PENALTY
        return signs[2] * PENALTY

    rows, bounds = [], []
    paid: list[list[int]] = []
    for branch in branches:
        stored: dict[str, int] = {}
        steps = []
        for place in branch.steps:
            k = place_of(place.edge)
            for relation, name in place.edge.guard:
                at = stored.get(name, -1)
                if at < 0:  # the guard of a first step does not count
                    continue
                if place.repeats:
                    constant += demand(at, 1 if relation == "<" else -1)
                low, high = (k, at) if relation == "<" else (at, k)
                row = [Fraction(0)] * (2 * size + 1)
                row[low] += 1
                row[size + low] -= 1
                row[high] -= 1
                row[size + high] += 1
                rows.append(row)
                bounds.append(Fraction(0))
            if k not in looping:
                steps.append(k)
            stored.update(dict.fromkeys(place.edge.assign, k))
        paid.append(steps)
    for k, edge in enumerate(transitions):
        if k in looping:
            constant += demand(k, deltas[k])
        elif edge.output == INSAMPLE:
            constant += demand(k, 0)
    for steps in paid:
        row = [*penalty, Fraction(1)]
        own = constant
        for k in steps:
            edge, delta = transitions[k], deltas[k]
            if edge.output == INSAMPLE_PRIME and edge.rate_prime is not None:
                own += abs(delta) * edge.rate_prime
            left, right = (
                rate if isinstance(rate, Fraction) else PENALTY for rate in (edge.left, edge.right)
            )
            rate = {1: left, -1: right, 0: Fraction(0)}[delta]
            own += rate  # |Δ−γ| = |Δ| − Δγ for Δ = ±1
            row[k] += -delta * rate if delta else right
            row[size + k] += delta * rate if delta else left
        rows.append(row)
        bounds.append(most - own)
    for k in range(2 * size):
        row = [Fraction(0)] * (2 * size + 1)
        row[k] = Fraction(1)
        rows.append(row)
        bounds.append(Fraction(1))
    objective = [Fraction(0)] * (2 * size) + [Fraction(1)]
    value, _ = lp_max(objective, rows, bounds)
    return most - value
