"""The distances that fixed couplings lead to: exact linear systems, component by component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import fmpq, fmpz

from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling
from prover.chain.model import Pair
from prover.errors import Fault
from prover.exact.fmpq import Ratio, common_denominator, weighted_sum
from prover.exact.linear import SingularSystem, solve_over_one_denominator
from prover.exact.refinement import TooLong
from prover.graphs import strong_components
from prover.progress import Progress, silent

_ZERO, _ONE = fmpq(0), fmpq(1)
_SHORT = 64  # bits of denominators that are multiplied out


class UselessPolicy(Fault):
    """The couplings of a policy do not lead to distances in (0, 1]."""


def evaluate_policy(
    problem: Problem,
    couplings: Mapping[Pair, Coupling],
    progress: Progress = silent,
    max_bits: int | None = None,
) -> tuple[DistanceValues, int]:
    """The solution of d = Σ w·d + behind for fixed couplings, and the size of the largest component.

    Arcs to pairs without a coupling count as distance 0. The pairs are solved component by component of the
    graph of arcs. If the solution is positive it is the least fixed point of the couplings (docs/theory.md,
    *Policy iteration*). Raises SingularSystem or UselessPolicy if there is no solution in (0, 1], and
    TooLong if a number would have more than ``max_bits`` bits.
    """
    arcs = {p: _merged(problem, c.weights) for p, c in couplings.items()}
    values: dict[Pair, Ratio] = {}
    largest = 0
    for component in strong_components(couplings, lambda p: [q for q in arcs[p] if q in couplings]):
        members = sorted(component)
        largest = max(largest, len(members))
        progress("linear systems (pairs)", len(values), len(couplings))
        found = _solve_component(members, couplings, arcs, values, max_bits)
        for pair, (above, below) in zip(members, found, strict=True):
            if not 0 < above <= below:
                raise UselessPolicy(f"the couplings of pair {pair} lead to a distance outside (0, 1]")
            if max_bits is not None and _is_longer(above, below, max_bits):
                raise TooLong(f"a distance has more than {max_bits} bits")
            values[pair] = above, below
    return DistanceValues.of_ratios(values), largest


def _is_longer(above: fmpz, below: fmpz, bits: int) -> bool:
    """Whether the denominator has more bits in lowest terms."""
    return below.bit_length() > bits and (below // below.gcd(above)).bit_length() > bits


def _merged(problem: Problem, weights: Mapping[Pair, fmpq]) -> dict[Pair, fmpq]:
    """The weights by the keys of the pairs: the two directions of an unordered pair add up."""
    merged: dict[Pair, fmpq] = {}
    for arc, weight in weights.items():
        key = problem.key(arc)
        merged[key] = merged.get(key, _ZERO) + weight
    return merged


def _solve_component(
    members: Sequence[Pair],
    couplings: Mapping[Pair, Coupling],
    arcs: Mapping[Pair, Mapping[Pair, fmpq]],
    values: Mapping[Pair, Ratio],
    max_bits: int | None,
) -> list[Ratio]:
    place = {p: k for k, p in enumerate(members)}
    rows: list[dict[int, fmpq]] = []
    right: list[Ratio] = []
    for k, pair in enumerate(members):
        row = {k: _ONE}
        for arc, weight in arcs[pair].items():
            if arc in place:
                row[place[arc]] = row.get(place[arc], _ZERO) - weight
        share = row[k] if len(members) == 1 else _ONE
        if share == 0:
            raise SingularSystem("a pair depends on itself alone")
        known = [(weight / share, values[arc]) for arc, weight in arcs[pair].items() if arc in values]
        rows.append(row)
        right.append(weighted_sum(couplings[pair].behind / share, known))
    if len(members) == 1:
        return right
    # Long denominators come from other components, and are much the same: they are left out of the system.
    common = common_denominator(ratio for ratio in right if ratio[1].bit_length() > _SHORT)
    whole = [fmpq(n * common, d) if common % d != 0 else fmpq(n * (common // d)) for n, d in right]
    numerators, denominator = solve_over_one_denominator(rows, whole, max_bits)
    denominator *= common
    return [(numerator, denominator) for numerator in numerators]
