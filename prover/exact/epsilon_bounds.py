"""Bounds of an ε by bounds of α = e^ε."""

from __future__ import annotations

from fractions import Fraction

from prover.exact.exponential import enclosed_logarithm
from prover.views import Paged

DIGITS = 12
"""Decimals of ε."""


class EpsilonBounds(Paged):
    """Answers about the least ε = ln α with δ at most a number: ``alpha_lower`` ≤ α ≤ ``alpha_upper``.

    ``alpha_upper`` is None if no α that is large enough was found.
    """

    __slots__ = ()

    alpha_lower: Fraction
    alpha_upper: Fraction | None

    @property
    def alpha(self) -> Fraction | None:
        """e^ε, if it is known exactly."""
        return self.alpha_upper if self.alpha_upper == self.alpha_lower else None

    @property
    def lower(self) -> Fraction:
        """A decimal of 12 digits that the least ε is not below."""
        return enclosed_logarithm(self.alpha_lower, DIGITS)[0]

    @property
    def upper(self) -> Fraction | None:
        """A decimal of 12 digits, ln ``alpha_upper`` rounded up: ε = ``upper`` has δ at most the number."""
        return None if self.alpha_upper is None else enclosed_logarithm(self.alpha_upper, DIGITS)[1]

    def is_at_most(self, threshold: Fraction) -> bool | None:
        """Whether the least ε is at most a number; None if the ends do not tell.

        Logarithms of rationals other than 1 are irrational, so enough digits of them tell.
        """
        for digits in (DIGITS, 10 * DIGITS, 100 * DIGITS):
            upper = None if self.alpha_upper is None else enclosed_logarithm(self.alpha_upper, digits)[1]
            if upper is not None and upper <= threshold:
                return True
            if enclosed_logarithm(self.alpha_lower, digits)[0] > threshold:
                return False
        return None
