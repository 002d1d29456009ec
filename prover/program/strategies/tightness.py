"""When a named strategy proves the exact loss of a segment.

For a segment whose outputs are letters, let d be the rate of its assignment, ℓ the sum of the rates of its
tests <, and g that of its tests >=, infinite where such a test is on a cycle. By Theorem C its loss is

    min(2·max(ℓ, g), 2d + 2·min(ℓ, g))      if the assignment reads an input
    min(ℓ + g, d + 2·min(ℓ, g))             if it is public

The strategies cost, if the assignment reads an input, respectively if it is public:

    S^L 2d + 2g or d + 2g      S^N d + ℓ + g or ℓ + g      greedy 2·max(ℓ, g) or ℓ + g
    S^G 2d + 2ℓ or d + 2ℓ      S^J 2ℓ + 2g

So one of S^L, S^G and greedy is always tight. Comparing costs with the loss gives the conditions below
(docs/strategies.md, *When they are tight*).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from prover.errors import BadInput
from prover.program.branches import Branch
from prover.program.model import Relation


class NumbersAreOutput(BadInput):
    """A condition for letters is asked about a segment that outputs a number."""

    def __init__(self) -> None:
        super().__init__("the segment outputs a number; these conditions are for letters only")


@dataclass(frozen=True, slots=True)
class Sums:
    """d, ℓ and g of a segment; ℓ and g are None where they are infinite."""

    input: bool
    start: Fraction
    below: Fraction | None
    above: Fraction | None


def sums_of(segment: Branch) -> Sums:
    """The sums of the rates of a segment. Raises NumbersAreOutput."""
    if any(edge.discloses for edge in segment.edges):
        raise NumbersAreOutput
    first, *others = segment.places

    def total(relation: Relation) -> Fraction | None:
        tests = [place for place in others if place.edge.relation == relation]
        if segment.leaks or any(place.repeats for place in tests):
            return None
        return sum((place.edge.rate for place in tests), Fraction(0))

    return Sums(first.edge.input, first.edge.rate, total("<"), total(">="))


def tight_strategies(segment: Branch) -> tuple[str, ...]:
    """Those of S^L, S^G, S^N, S^J and greedy that prove the exact loss. Raises NumbersAreOutput."""
    sums = sums_of(segment)
    start, below, above = sums.start, sums.below, sums.above
    tight = []
    if above is not None and (below is None or below >= above + start):
        tight.append("S^L")
    if below is not None and (above is None or above >= below + start):
        tight.append("S^G")
    if below is not None and above is not None:
        gap = abs(below - above)
        if gap == start or (gap < start and not sums.input):
            tight.append("S^N")
        if gap <= start and min(below, above) == 0 and (sums.input or gap == 0):
            tight.append("S^J")
        if gap <= start:
            tight.append("greedy")
    return tuple(tight)
