"""Compositions between two others that are known exactly: of what is dominated, and of what dominates.

Reference: docs/accounting.md, *Domination*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.accounting.adaptive import AdaptiveComposition
from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import TooManyAtoms
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.sums import EnclosedComposition, ExactComposition, has_many_sums, sums_of_losses
from prover.exact.given import Given
from prover.progress import Progress, silent

_MOST_BITS = 2**22  # of the masses of a composition under one secret, about
_BEYOND = 400  # bits of the largest ratio

Parts = Sequence[tuple[tuple[LossDistribution, LossDistribution], int]]
"""Distributions, each between one that it dominates and one that dominates it, and how often it is drawn."""


@dataclass(frozen=True)
class BoundedComposition:
    """Independent mechanisms, all seen together, between two exact compositions; it answers with intervals.

    >>> coin, other = (LossDistribution.randomised_response(q) for q in ("1/2", "1/3"))
    >>> found = BoundedComposition.of([((coin, other), 2)])
    >>> [str(end) for end in found.delta("2")]
    ['2/9', '7/16']
    """

    below: ExactComposition
    above: ExactComposition

    @staticmethod
    def of(parts: Parts, progress: Progress = silent) -> BoundedComposition:
        """Each so many times. Raises TooManyAtoms where the sums of losses are many."""
        sides = [[(both[up], times) for both, times in parts] for up in (0, 1)]
        if any(map(_is_long, sides)):
            raise TooManyAtoms("a few sums of losses, or short ones")
        below, above = (ExactComposition.of(side, progress) for side in sides)
        return BoundedComposition(below, above)

    def side(self, *, upper: bool) -> ExactComposition:
        """What dominates, or what is dominated."""
        return self.above if upper else self.below

    def delta(self, alpha: Given) -> tuple[Fraction, Fraction]:
        """Two numbers between which δ(α) is, for any α ≥ 0. Raises BadValue."""
        return self.below.delta(alpha), self.above.delta(alpha)

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε with δ at most ``delta``, between two. Raises BadValue."""
        least, most = self.below.epsilon(delta), self.above.epsilon(delta)
        return LeastEpsilon(least.delta, least.alpha_lower, most.alpha_upper)

    @property
    def infinite(self) -> Fraction:
        """An upper bound of δ(∞)."""
        return self.above.infinite


Composed = (
    ExactComposition
    | AdaptiveComposition
    | BoundedComposition
    | EnclosedComposition
    | EnclosedLossDistribution
)


def delta_of(one: Composed, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """δ(α) of a composition, between two numbers; equal where it is exact."""
    found = one.delta(alpha)
    return found if isinstance(found, tuple) else (found, found)


def bounded_compositions(
    choices: Sequence[Parts], progress: Progress = silent
) -> tuple[BoundedComposition, ...] | None:
    """Both exact compositions of each of several choices; None if the sums of losses of one are many. But
    where losses are too large for a grid, too, what is dominated may be what reveals nothing.
    """
    try:
        return tuple(BoundedComposition.of(parts, progress) for parts in choices)
    except TooManyAtoms:
        if not any(map(_is_beyond_grids, choices)):
            return None
    nothing = LossDistribution.of_laws({0: 1}, {0: 1})
    alone = [[((nothing, above), times) for (_, above), times in parts] for parts in choices]
    try:
        return tuple(BoundedComposition.of(parts, progress) for parts in alone)
    except TooManyAtoms:
        return None


def _is_beyond_grids(parts: Parts) -> bool:
    """Whether the largest loss of what dominates has about as many digits as those of a grid, or more."""
    largest = [max((atom.ratio for atom in above.atoms), default=Fraction(1)) for (_, above), _ in parts]
    runs = [times for _, times in parts]
    return sum(n * int(ratio).bit_length() for ratio, n in zip(largest, runs, strict=True)) > _BEYOND


def _is_long(parts: Sequence[tuple[LossDistribution, int]]) -> bool:
    """Whether sums of losses are many, or have many bits."""
    lengths = [(max((a.p.denominator for a in loss.atoms), default=1).bit_length(), n) for loss, n in parts]
    bits = sum(length * times for length, times in lengths)
    return has_many_sums(parts) or bits * sums_of_losses(parts) > _MOST_BITS
