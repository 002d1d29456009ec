"""When a named strategy proves the exact loss of a segment.

For a segment whose outputs are letters, let d⁻ and d⁺ be the rates of its assignment to the left and to the
right, ℓ the sum of the rates to the left of its tests <, and g that of the rates to the right of its tests
>=, infinite where such a test is on a cycle. By Theorem C its loss is

    max(min(2g, 2d⁻ + 2ℓ), min(2ℓ, 2d⁺ + 2g))      if the assignment reads an input
    min(ℓ + g, d⁺ + 2g, d⁻ + 2ℓ)                   if it is public

The strategies cost, if the assignment reads an input, respectively if it is public:

    S^L 2d⁺ + 2g or d⁺ + 2g      S^N max(d⁻, d⁺) + ℓ + g or ℓ + g      greedy 2·max(ℓ, g) or ℓ + g
    S^G 2d⁻ + 2ℓ or d⁻ + 2ℓ      S^J 2ℓ + 2g

A strategy is tight if it costs what is lost; one of S^L, S^G and greedy always is. With d⁻ = d⁺ that gives
the conditions of docs/strategies.md, *When they are tight*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from prover.errors import Fault, NotSupported
from prover.exact.rational import largest_or_none
from prover.program.branches import Branch
from prover.program.model import Edge, Relation
from prover.program.noise import Rate


class NumbersAreOutput(NotSupported):
    """Tightness is known only for letters, and the segment outputs a number."""

    def __init__(self) -> None:
        super().__init__("the segment outputs a number; these conditions are for letters only")


@dataclass(frozen=True, slots=True)
class Sums:
    """d⁻, d⁺, ℓ and g of a segment; ℓ and g are None where they are infinite."""

    input: bool
    left: Fraction
    right: Fraction
    below: Fraction | None
    above: Fraction | None


def sums_of(segment: Branch) -> Sums:
    """The sums of the rates of a segment with noise on both sides. Raises NumbersAreOutput."""
    if any(edge.discloses for edge in segment.edges):
        raise NumbersAreOutput
    first, *others = segment.steps

    def total(relation: Relation, side: Callable[[Edge], Rate]) -> Fraction | None:
        tests = [place for place in others if place.edge.relation == relation]
        if segment.leaks or any(place.repeats for place in tests):
            return None
        return sum((_finite(side(place.edge)) for place in tests), Fraction(0))

    left, right = _finite(first.edge.left), _finite(first.edge.right)
    return Sums(
        first.edge.input,
        left,
        right,
        total("<", lambda edge: edge.left),
        total(">=", lambda edge: edge.right),
    )


def tight_strategies(segment: Branch) -> tuple[str, ...]:
    """Those of S^L, S^G, S^N, S^J and greedy that prove the exact loss. Raises NumbersAreOutput."""
    sums = sums_of(segment)
    low, high = sums.below, sums.above
    start = 2 if sums.input else 1
    below = None if low is None else start * sums.left + 2 * low
    above = None if high is None else start * sums.right + 2 * high
    neither = None if low is None or high is None else low + high
    if sums.input:
        sides = [_least(_twice(high), below), _least(_twice(low), above)]
        loss = largest_or_none(sides)
        greedy = None if low is None or high is None else 2 * max(low, high)
        neutral = None if neither is None else neither + max(sums.left, sums.right)
    else:
        loss = _least(_least(neither, above), below)
        greedy = neutral = neither
    costs = {"S^L": above, "S^G": below, "S^N": neutral, "S^J": _twice(neither), "greedy": greedy}
    return tuple(name for name, cost in costs.items() if cost is not None and cost == loss)


def _finite(rate: Rate) -> Fraction:
    if not isinstance(rate, Fraction):
        raise Fault("a segment without noise on a side")
    return rate


def _twice(number: Fraction | None) -> Fraction | None:
    return None if number is None else 2 * number


def _least(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    """The smaller one of two numbers, None being infinite."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)
