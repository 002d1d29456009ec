"""What the notes on shift couplings say about single segments, and how many shifts there are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from prover.program.branches import Branch
from prover.program.strategies.tightness import Sums, sums_of


class LeakingSegment(Exception):
    """The loss of a segment is asked for that has cycles which no shift satisfies."""


def loss_of(sums: Sums) -> Fraction | None:
    """The loss of a segment whose states have one rate, None if it has no bound."""
    finite = [rates for rates in (sums.below, sums.above) if rates is not None]
    if not finite:
        return None
    times = 1 + sums.input
    by_start = times * sums.left + 2 * min(finite)
    if len(finite) < 2:
        return by_start
    return min(by_start, 2 * max(finite) if sums.input else sum(finite, Fraction(0)))


def loss_with_below_cycle(segment: Branch) -> Fraction | None:
    """Theorem 8 of the notes on shift couplings: what S^L costs is the loss of a segment with an L-cycle.

    It is 2d + 2g, or d + 2g if the assignment is public; None if the segment has no L-cycle, and the theorem
    says nothing. Raises NumbersAreOutput, and LeakingSegment where there is a G-cycle, too.
    """
    sums = sums_of(segment)
    if sums.below is not None:
        return None
    if sums.above is None:
        raise LeakingSegment
    return (1 + sums.input) * sums.left + 2 * sums.above


def loss_of_tests_below(segment: Branch) -> Fraction | None:
    """Theorem 9 and Hypothesis 7.1 of the same notes, for a segment all of whose tests are <, on no cycle.

    Its loss is what S^J costs, 2ℓ, where S^L does not cost less (the theorem), and otherwise what S^L costs,
    2d (the hypothesis, which is true). If the assignment is public the loss is half of that: the lesser of ℓ
    and d, the costs of greedy and S^L. None for other segments. Raises NumbersAreOutput.
    """
    sums = sums_of(segment)
    if sums.below is None or sums.above != 0:
        return None
    return (1 + sums.input) * min(sums.below, sums.left)


def count_shifts(relations: Sequence[str], shifts: Sequence[int] = (0, 1)) -> int:
    """In how many ways assignments with these guards can have these shifts.

    There is one more assignment than there are guards. With guards < and >= in turn, a zigzag γ_1 ≥ γ_2 ≤
    γ_3 ≥ …, n assignments with shifts 0 and 1 have the Fibonacci number F(n+2) of ways: 2, 3, 5, 8, 13, …
    """
    ways = dict.fromkeys(shifts, 1)
    for relation in relations:
        ways = {
            after: sum(count for before, count in ways.items() if _may_follow(relation, before, after))
            for after in shifts
        }
    return sum(ways.values())


def _may_follow(relation: str, before: int, after: int) -> bool:
    return not relation or (after <= before if relation == "<" else after >= before)
