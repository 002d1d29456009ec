"""Binary search for a number between 0 and 1 of which only comparisons can be asked, with exact recovery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from prover.errors import Fault
from prover.exact.fraction import narrow_enough, simplest_between

Decides = Callable[[Fraction], bool | None]
"""A comparison of the number with a threshold; None where the answer is not found."""

_UNLIKELY = 16


@dataclass(frozen=True, slots=True)
class Bracket:
    """lower ≤ the number ≤ upper, after so many questions."""

    lower: Fraction
    upper: Fraction
    questions: int

    @property
    def settled(self) -> bool:
        """Whether the number is known."""
        return self.lower == self.upper


def search(
    exceeds: Decides, reaches: Decides, report: Callable[[Bracket], None], denominator: int
) -> Bracket:
    """The number v in [0, 1] for which exceeds(θ) says whether v > θ, and reaches(θ) whether v ≥ θ.

    The interval is halved until its simplest rational p/q is much simpler than an interval of that width w
    would have by chance, q² w ≤ 1/16. Then two questions confirm it: v is not above p/q, and not below. If
    one of them fails, the interval has become smaller, and halving goes on. So the result is certain; and
    the search ends at the latest when w is below 1/(16 q²) for a bound q on the denominator of v, as then v
    is the simplest rational of the interval ("Bisimilarity Distances for Approximate Differential Privacy",
    ATVA 2018, Theorem 3). ``denominator`` is such a bound. ``report`` is called with every narrower interval.
    Where a question has no answer, the interval is returned as it is. Raises Fault.
    """
    narrow = narrow_enough(denominator)
    low, high, closed = Fraction(0), Fraction(1), True  # low < v ≤ high, or v < high if not closed
    queries = 0

    def bracket(lower: Fraction, upper: Fraction) -> Bracket:
        return Bracket(lower, upper, queries)

    positive, queries = exceeds(low), 1
    if not positive:
        return bracket(low, high if positive is None else low)
    while True:
        candidate = simplest_between(low, high, low_open=True, high_open=not closed)
        confirming = _UNLIKELY * candidate.denominator**2 * (high - low) <= 1
        if candidate.denominator > denominator and high - low < narrow:
            raise Fault(f"nothing of denominator at most {denominator} is between {low} and {high}")
        queries += 1
        if confirming and closed and candidate == high:
            reached = reaches(candidate)
            if reached is None:
                return bracket(low, high)
            if reached:
                return bracket(candidate, candidate)
            closed = False
            continue
        theta = candidate if confirming else (low + high) / 2
        above = exceeds(theta)
        if above is None:
            return bracket(low, high)
        if above:
            low = theta
        else:
            high, closed = theta, True
        report(bracket(low, high))
