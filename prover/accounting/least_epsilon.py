"""The least ε for a δ, as e^ε and as decimals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from prover.errors import abbreviated
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import decimal_text, format_rational
from prover.exact.readable import readable_alpha
from prover.views import Lined

DIGITS = 12
"""Decimals of ε."""

DEFAULT_DELTA = Fraction(1, 10**6)
"""Where noise is bounded most sharply if no δ is asked about."""


@dataclass(frozen=True, slots=True, repr=False)
class LeastEpsilon(Lined):
    """The least ε = ln α ≥ 0 at which δ is at most ``delta``, or an interval for it.

    δ is above ``delta`` at every α from 1 up to ``alpha_lower``, that one excluded, and at most ``delta``
    from ``alpha_upper`` on. ``alpha_lower`` is None where no α is large enough, which is proved then;
    ``alpha_upper`` is None where none is known to be.

        >>> from prover.accounting.distribution import LossDistribution
        >>> LossDistribution.randomised_response("1/2").epsilon("1/10")
        <LeastEpsilon: the least epsilon with delta <= 1/10 is ln(17/10) ≈ 0.530628251063, rounded up>
    """

    delta: Fraction
    alpha_lower: Fraction | None
    alpha_upper: Fraction | None

    @property
    def alpha(self) -> Fraction | None:
        """e^ε, if it is known exactly."""
        return self.alpha_upper if self.alpha_upper == self.alpha_lower else None

    @property
    def impossible(self) -> bool:
        """Whether it is proved that no ε is large enough."""
        return self.alpha_lower is None

    @property
    def lower(self) -> Fraction | None:
        """A decimal of 12 digits that ε is not below."""
        return None if self.alpha_lower is None else enclosed_logarithm(self.alpha_lower, DIGITS)[0]

    @property
    def upper(self) -> Fraction | None:
        """A decimal of 12 digits that ε is not above: it has δ at most ``delta``."""
        return None if self.alpha_upper is None else enclosed_logarithm(self.alpha_upper, DIGITS)[1]

    @property
    def headline(self) -> str:
        """The answer in a line."""
        bound = f"delta <= {abbreviated(format_rational(self.delta))}"
        if self.lower is None:
            return f"no epsilon has {bound}"
        low = decimal_text(self.lower, DIGITS)
        if self.upper is None:
            return f"no epsilon with {bound} was found; any such epsilon is at least {low}"
        high = decimal_text(self.upper, DIGITS)
        if self.alpha == 1:
            return f"the least epsilon with {bound} is 0"
        if self.alpha is not None:
            return f"the least epsilon with {bound} is ln({readable_alpha(self.alpha)}) ≈ {high}, rounded up"
        return f"the least epsilon with {bound} is at least {low} and at most {high}, rounded outward"
