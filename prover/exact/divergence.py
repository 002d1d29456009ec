"""Rényi divergences by bounds of their moments: orders, powers with rational exponents, and logarithms.

Reference: docs/theory_divergences.md, *Moments*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpz

from prover.errors import BadValue
from prover.exact.exponential import enclosed_logarithm
from prover.exact.given import Given, given_rational
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.views import Lined

DIGITS = 12
"""Decimals of a divergence."""

LARGEST_ORDER, MOST_PARTS = 1_000, 20
"""The largest finite order, and the largest denominator of one."""

ROOT_BITS = 128
"""So many significant bits at least have roots that are rounded."""


@dataclass(frozen=True, slots=True, repr=False)
class RenyiDivergence(Lined):
    """The Rényi divergence of an order a > 1, or an interval for it; the order None is ∞.

    It is ln(moment) / (a − 1), where the moment is Σ P^a·Q^(1−a) over the outputs; at order ∞ it is the
    logarithm of the largest P/Q, which stands for the moment then. A bound None is ∞.

        >>> from prover.accounting.distribution import LossDistribution
        >>> LossDistribution.randomised_response("1/2").renyi(2)
        <RenyiDivergence: order 2: ln(3/2) ≈ 0.405465108109, rounded up>
    """

    order: Fraction | None
    moment_lower: Fraction | None
    moment_upper: Fraction | None

    @property
    def moment(self) -> Fraction | None:
        """The moment, if it is known exactly and finite."""
        return self.moment_lower if self.moment_lower == self.moment_upper else None

    @property
    def says_something(self) -> bool:
        """Whether more is known than that it is at least 0."""
        return self.moment_lower != 1 or self.moment_upper is not None

    @property
    def lower(self) -> Fraction | None:
        """A decimal of 12 digits that the divergence is not below; None for ∞."""
        return None if self.moment_lower is None else self._decimals(self.moment_lower)[0]

    @property
    def upper(self) -> Fraction | None:
        """A decimal of 12 digits that the divergence is not above; None for ∞."""
        return None if self.moment_upper is None else self._decimals(self.moment_upper)[1]

    @property
    def headline(self) -> str:
        """The answer in a line."""
        return f"order {order_text(self.order)}: {self.in_words}"

    @property
    def in_words(self) -> str:
        """The number, without its order."""
        if self.lower is None:
            return "infinite"
        low = decimal_text(self.lower, DIGITS)
        if self.upper is None:
            return f"at least {low}; no upper bound is proved"
        high = decimal_text(self.upper, DIGITS)
        if self.moment == 1:
            return "0"
        if self.moment is None:
            return f"at least {low} and at most {high}, rounded outward"
        exact = format_rational(self.moment)
        if len(exact) > _LONGEST:
            return f"{high}, rounded up"
        steps = Fraction(1) if self.order is None else self.order - 1
        divided = "" if steps == 1 else f"/{steps}" if steps.denominator == 1 else f"/({steps})"
        return f"ln({exact}){divided} ≈ {high}, rounded up"

    def _decimals(self, moment: Fraction) -> tuple[Fraction, Fraction]:
        steps = Fraction(1) if self.order is None else self.order - 1
        low, high = enclosed_logarithm(moment, DIGITS + len(str(steps.denominator)))
        return decimal_below(low / steps, DIGITS), decimal_above(high / steps, DIGITS)


_LONGEST = 30  # characters of a moment that a line shows


def order_text(order: Fraction | None) -> str:
    """The order as text; None is ∞."""
    return "inf" if order is None else format_rational(order)


def given_order(given: Given) -> Fraction | None:
    """The order that was given: a rational number above 1, or "inf", for which None stands.

    >>> given_order("5/2"), given_order("inf")
    (Fraction(5, 2), None)

    Raises BadValue.
    """
    if given == "inf":
        return None
    order = given_rational(given, 'an order (a rational number, or "inf")', "bad-order", more_than=1)
    if order > LARGEST_ORDER or order.denominator > MOST_PARTS:
        raise BadValue(
            f"an order is inf, or a number of at most {LARGEST_ORDER:,} whose denominator is at most "
            f"{MOST_PARTS}",
            code="bad-order",
        )
    return order


def root_bounds(base: Fraction, degree: int) -> tuple[Fraction, Fraction]:
    """Bounds of the root of this degree of ``base`` > 0, multiples of a power of 2: equal where the root is
    one of these, else 128 bits or more agree.

        >>> root_bounds(Fraction(4, 9) ** -3, 2)
        (Fraction(27, 8), Fraction(27, 8))

    Certificates are about exactly these bounds (docs/theory_divergences.md, *Rounded powers*).
    """
    top, bottom = base.numerator, base.denominator
    shift = ROOT_BITS + max(0, -((top.bit_length() - 1 - bottom.bit_length()) // degree))
    scaled, rest = divmod(top << degree * shift, bottom)
    root = int(fmpz(scaled).root(degree))
    exact = rest == 0 and root**degree == scaled
    return Fraction(root, 1 << shift), Fraction(root + (not exact), 1 << shift)
