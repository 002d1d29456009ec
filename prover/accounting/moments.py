"""Rényi divergences of privacy loss distributions.

Reference: docs/theory_divergences.md, *Moments*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb, ctx, fmpq

from prover.exact.ball import ball_of, bounds
from prover.exact.divergence import RenyiDivergence, root_bounds
from prover.exact.fmpq import fmpq_of, fraction_of

_BITS = 192

Law = Sequence[tuple[Fraction, Fraction]]
"""Likelihood ratios r, 0 < r < ∞, each with its probability under the first secret."""


def divergence(law: Law, infinite: Fraction, order: Fraction | None) -> RenyiDivergence:
    """D of an order a > 1, where None is ∞; ``infinite`` is the mass at the ratio ∞.

    Certificates are about exactly these bounds (docs/certificates.md, 3.8).
    """
    if infinite > 0:
        return RenyiDivergence(order, None, None)
    if order is None:
        largest = max(ratio for ratio, _ in law)
        return RenyiDivergence(order, largest, largest)
    m, n = order.as_integer_ratio()
    if n == 1:
        moment = _added(p * ratio ** (m - 1) for ratio, p in law)
        return RenyiDivergence(order, moment, moment)
    terms = [root_bounds(p**n * ratio ** (m - n), n) for ratio, p in law]
    low, high = (_added(term[side] for term in terms) for side in (0, 1))
    return RenyiDivergence(order, max(Fraction(1), low), high)


def _added(terms: Iterable[Fraction]) -> Fraction:
    return fraction_of(sum(map(fmpq_of, terms), fmpq(0)))


def enclosed_divergence(
    law: Law, infinite: Fraction, order: Fraction | None
) -> tuple[Fraction | None, Fraction | None]:
    """Bounds of the moment of an order; of laws whose numbers are too long for exact powers."""
    if infinite > 0 or order is None:
        found = divergence(law, infinite, order)
        return found.moment_lower, found.moment_upper
    with ctx.workprec(_BITS):
        power = ball_of(order - 1)
        terms = (ball_of(p) * (power * ball_of(ratio).log()).exp() for ratio, p in law)
        low, high = bounds(sum(terms, arb(0)))
    return max(Fraction(1), low), high
