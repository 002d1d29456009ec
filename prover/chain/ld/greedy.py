"""Upper bounds of many pairs in one pass, without linear programs: mass goes where that costs least by then.

A pair gets what its coupling costs in the table by then. Values only fall, and costs fall with them, so the
table at the end is a pre-fixed point of Γ (docs/theory.md, *Certified intervals*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from flint import fmpq, fmpz

from prover.chain.ld.interval import BITS, Enclosure, LowerTable, UpperTable
from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling, Part
from prover.chain.model import Pair
from prover.graphs import strong_components

_ZERO, _UNIT = fmpq(0), fmpz(2**BITS)


def greedy_enclosure(problem: Problem, kernel: Mapping[Pair, Coupling]) -> Enclosure:
    """Upper bounds for all pairs, 0 for those of the kernel; nothing from below. Pairs come after those that
    they may use, so that one pass is enough where none uses itself.
    """
    above = dict.fromkeys(kernel, fmpz(0))
    couplings = {**kernel}
    shared: dict[Part, tuple[Coupling, fmpq]] = {}

    def value_of(arc: Pair) -> fmpz | None:
        return above.get(problem.key(arc))

    def usable(pair: Pair) -> Iterator[Pair]:
        for part in problem.parts[pair]:
            for arc in product(part.sources, part.sinks):
                key = problem.key(arc)
                if key not in kernel:
                    yield key

    for members in strong_components((pair for pair in problem.parts if pair not in kernel), usable):
        for pair in members:
            coupling, cost = coupled(problem.parts[pair], problem.alpha, value_of, shared)
            rounded = cost.ceil()
            if rounded < _UNIT:
                above[pair], couplings[pair] = rounded, coupling
    numerators = {arc: above.get(pair, _UNIT) for pair in problem.parts for arc in problem.orders(pair)}
    nothing = DistanceValues(fmpz(1), dict.fromkeys(numerators, fmpz(0)))
    upper = UpperTable(DistanceValues(_UNIT, numerators), couplings, {})
    return Enclosure(problem, upper, LowerTable(nothing, {}))


def coupled(
    parts: Iterable[Part],
    alpha: fmpq,
    value_of: Callable[[Pair], fmpz | None],
    shared: dict[Part, tuple[Coupling, fmpq]],
) -> tuple[Coupling, fmpq]:
    """Mass along the cheapest arcs of all parts of a pair, and what that costs in units of the table.

    ``value_of`` has no value for the arcs that cost 1. What was found for parts is ``shared`` among pairs.
    """
    cost, behind, weights = _ZERO, _ZERO, dict[Pair, fmpq]()
    for part in parts:
        if part not in shared:
            shared[part] = _sent(part, alpha, value_of)
        coupling, own = shared[part]
        cost, behind = cost + own, behind + coupling.behind
        weights |= coupling.weights
    return Coupling(weights, behind), cost


def _sent(part: Part, alpha: fmpq, value_of: Callable[[Pair], fmpz | None]) -> tuple[Coupling, fmpq]:
    """The same of one part."""
    if len(part.sources) == len(part.sinks) == 1:
        return _sent_along((part.sources[0], part.sinks[0]), part, alpha, value_of)
    left = dict(zip(part.sources, part.supplies, strict=True))
    room = dict(zip(part.sinks, part.capacities, strict=True))
    arcs = ((value_of(arc), arc) for arc in product(part.sources, part.sinks))
    cost, weights = _ZERO, dict[Pair, fmpq]()
    for value, (source, sink) in sorted((value, arc) for value, arc in arcs if value is not None):
        amount = min(left[source], room[sink] / alpha)
        if amount > 0:
            weights[source, sink] = amount
            left[source] -= amount
            room[sink] -= amount * alpha
            cost += amount * value
    behind = sum(left.values(), _ZERO)
    return Coupling(weights, behind), cost + behind * _UNIT


def _sent_along(
    arc: Pair, part: Part, alpha: fmpq, value_of: Callable[[Pair], fmpz | None]
) -> tuple[Coupling, fmpq]:
    """The same of a part that has one arc only, as most parts of some chains."""
    value, supply = value_of(arc), part.supplies[0]
    if value is None:
        return Coupling({}, supply), supply * _UNIT
    amount = min(supply, part.capacities[0] / alpha)
    behind = supply - amount
    return Coupling({arc: amount}, behind), amount * value + behind * _UNIT
