"""Rényi divergences of privacy loss distributions, and the least ρ of zero-concentrated differential privacy.

Reference: docs/theory_divergences.md, *Moments* and *zCDP*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod, sqrt

from flint import arb, ctx, fmpq

from prover.exact.ball import ball_of, bounds
from prover.exact.divergence import RenyiDivergence, root_bounds
from prover.exact.exponential import enclosed_logarithm
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.rational import decimal_above, decimal_below, decimal_text
from prover.exact.readable import brief
from prover.views import Lined

DIGITS = 12
"""Decimals of ρ."""

_BITS = 192
_PIECES = 4_000  # intervals of orders that are tried for one ρ
_SLACKS = tuple(Fraction(1, 10**k) for k in (9, 6, 3))  # by which the ρ that is tried exceeds the lower end

_LONG = 100_000  # bits of a mass at ∞

Law = Sequence[tuple[Fraction, Fraction]]
"""Likelihood ratios r, 0 < r < ∞, each with its probability under the first secret."""

Row = Sequence[tuple[Law, Fraction, int]]
"""A composition: laws, their masses at ∞, and how often each is drawn from."""


@dataclass(frozen=True, slots=True, repr=False)
class Concentration(Lined):
    """The least ρ with D_a ≤ ρ·a for all a > 1, between two decimals; None is ∞.

    If it is ∞, or may be, ``without`` is an upper end of ρ where outputs of probability at most ``delta``
    under either secret are left out: the secrets are δ-approximately ρ-zCDP, in both directions.

        >>> from prover.accounting.distribution import LossDistribution
        >>> LossDistribution.randomised_response("1/2").zcdp()
        <Concentration: rho is at least 0.231049060186 and at most 0.231049060418, rounded outward>
    """

    lower: Fraction | None
    upper: Fraction | None
    delta: Fraction = Fraction(0)
    without: Fraction | None = None

    @property
    def headline(self) -> str:
        """The answer in a line."""
        if self.lower is None:
            if self.without is None:
                return "rho is infinite"
            return f"rho is infinite; {self._approximate}"
        if self.upper == self.lower:
            return f"rho = {decimal_text(self.lower, DIGITS)}"
        low = f"rho is at least {decimal_text(self.lower, DIGITS)}"
        if self.upper is None:
            rest = "" if self.without is None else f"; {self._approximate}"
            return f"{low}; no upper bound is proved{rest}"
        return f"{low} and at most {decimal_text(self.upper, DIGITS)}, rounded outward"

    @property
    def _approximate(self) -> str:
        rho = decimal_text(self.without or Fraction(0), DIGITS)
        return f"approximate zCDP with rho at most {rho} and delta = {brief(self.delta)}"


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


def concentration(
    laws: Sequence[tuple[Law, Fraction]], slacks: Sequence[Fraction] = _SLACKS
) -> Concentration:
    """ρ for several pairs of secrets, each with its law and its mass at ∞: that of the largest. The
    ``slacks`` are the parts of it by which an upper end that is tried exceeds the lower one.
    """
    return composed_concentration([[(law, infinite, 1)] for law, infinite in laws], slacks)


def composed_concentration(rows: Sequence[Row], slacks: Sequence[Fraction] = _SLACKS) -> Concentration:
    """The same for compositions: ρ of the largest of them."""
    known: dict[int, _LawMoments] = {}
    finite = [row for row in rows if not any(infinite for _, infinite, _ in row)]
    if len(finite) == len(rows):
        return Concentration(*_largest(finite, known, slacks))
    delta = max(_outside(row) for row in rows)
    if delta == 1:
        return Concentration(None, None, delta)
    rest = [[(_without_ends(law), Fraction(0), times) for law, _, times in row] for row in rows]
    return Concentration(None, None, delta, _largest(rest, known, slacks)[1])


def _largest(
    rows: Sequence[Row], known: dict[int, _LawMoments], slacks: Sequence[Fraction]
) -> tuple[Fraction, Fraction | None]:
    """Bounds of the largest ρ; None where none is proved."""
    found = []
    with ctx.workprec(_BITS):
        for row in rows:
            parts = [(known.setdefault(id(law), _LawMoments(law)), times) for law, _, times in row]
            found.append(_least_rho(_Curve(parts), slacks))
    uppers = [upper for _, upper in found if upper is not None]
    return max(lower for lower, _ in found), max(uppers) if len(uppers) == len(found) else None


def _outside(row: Row) -> Fraction:
    """The mass at ∞ of a composition, or, where that has too many digits, a number above it."""
    long = sum(infinite.denominator.bit_length() * times for _, infinite, times in row)
    if long > _LONG:
        return min(Fraction(1), sum((infinite * times for _, infinite, times in row), Fraction(0)))
    return 1 - prod(((1 - infinite) ** times for _, infinite, times in row), start=Fraction(1))


def _without_ends(law: Law) -> Law:
    """The law given that the output is possible under both secrets."""
    p, q = sum((p for _, p in law), Fraction(0)), sum((p / ratio for ratio, p in law), Fraction(0))
    return [(ratio * q / p, mass / p) for ratio, mass in law]


def _least_rho(curve: _Curve, slacks: Sequence[Fraction]) -> tuple[Fraction, Fraction | None]:
    """Bounds of the least ρ; None where none is proved."""
    if curve.largest == 0:
        return Fraction(0), Fraction(0)
    lower = curve.lower_end()
    for slack in slacks:
        rho = decimal_above(lower * (1 + slack), DIGITS)
        if curve.is_enough(rho):
            return decimal_below(lower, DIGITS), rho
    return decimal_below(lower, DIGITS), None


class _LawMoments:
    """ln M of a law and its derivatives, at any order."""

    def __init__(self, law: Law) -> None:
        self._logarithms = [ball_of(ratio).log() for ratio, _ in law]
        self._masses = [ball_of(p) for _, p in law]
        self.largest = enclosed_logarithm(max(ratio for ratio, _ in law))[1]
        self.at = cache(self._at)

    def _at(self, order: Fraction) -> tuple[arb, arb, arb]:
        """ln M, its derivative, which is the mean loss if outputs are weighed by r^(a − 1), and M."""
        power = ball_of(order - 1)
        tilted = [m * (power * x).exp() for m, x in zip(self._masses, self._logarithms, strict=True)]
        moment = sum(tilted, arb(0))
        mean = sum((t * x for t, x in zip(tilted, self._logarithms, strict=True)), arb(0)) / moment
        return moment.log(), mean, moment

    def _spread(self, order: Fraction, middle: arb) -> arb:
        """Σ p·r^(a − 1)·(ln r − middle)²: convex in the order a."""
        power = ball_of(order - 1)
        away = [x - middle for x in self._logarithms]
        terms = (
            m * (power * x).exp() * one * one
            for m, x, one in zip(self._masses, self._logarithms, away, strict=True)
        )
        return sum(terms, arb(0))

    def bend(self, low: Fraction, high: Fraction, middle: Fraction) -> Fraction:
        """What the second derivative of ln M is at most between two orders."""
        mean = self.at(middle)[1]
        spread = max(bounds(self._spread(order, mean))[1] for order in (low, high))
        return spread / max(Fraction(1), bounds(self.at(low)[2])[0])


class _Curve:
    """ln M of a composition, as a function of the order: convex, and 0 at 1."""

    def __init__(self, parts: Sequence[tuple[_LawMoments, int]]) -> None:
        self._parts = parts
        self.largest = sum((law.largest * times for law, times in parts), Fraction(0))
        self.at = cache(self._at)

    def _at(self, order: Fraction) -> tuple[arb, arb]:
        """ln M and its derivative."""
        found = [(law.at(order), times) for law, times in self._parts]
        return sum((one[0] * n for one, n in found), arb(0)), sum((one[1] * n for one, n in found), arb(0))

    def lower_end(self) -> Fraction:
        """The largest D_a / a that a search in floats finds, and its limit at a = 1, the mean loss."""
        best = bounds(self.at(Fraction(1))[1])[0]
        largest = float(self.largest)
        place, last = Fraction(1), Fraction(1) + Fraction(max(1.0, 2 * largest / max(float(best), 1e-9)))
        step = Fraction(1, 64)
        orders = [place]
        while place < min(last, Fraction(10**9)) and len(orders) < 400:
            place += step
            step *= Fraction(17, 16)
            orders.append(place)

        def height(order: Fraction) -> float:
            return float(self.at(order)[0].mid()) / float(order * (order - 1))

        top = max(orders[1:], key=height)
        low, high = max(Fraction(1), top * Fraction(15, 16)), top * Fraction(17, 16)
        for _ in range(60):  # golden section, in floats
            part = Fraction(int((high - low) * 2**40 * Fraction(38, 100)), 2**40)
            if part == 0:
                break
            one, two = low + part, high - part
            if one > 1 and height(one) > height(two):
                high = two
            else:
                low = one
        for order in {top, Fraction(int((low + high) / 2 * 2**40), 2**40)}:
            if order > 1:
                best = max(best, bounds(self.at(order)[0])[0] / (order * (order - 1)))
        return best

    def is_enough(self, rho: Fraction) -> bool:
        """Whether it is proved that ln M ≤ ρ·a·(a − 1) for all a > 1."""
        last = self.largest / rho  # from there on D_a ≤ D_∞ ≤ ρ·a
        if last <= 1:
            return True
        waiting, tried = [(Fraction(1), last)], 0
        while waiting:
            low, high = waiting.pop()
            tried += 1
            if tried > _PIECES:
                return False
            if self._chord(low, high, rho) or self._bent(low, high, rho):
                continue
            middle = self._between(low, high)
            if middle in (low, high):
                return False
            waiting += [(low, middle), (middle, high)]
        return True

    def _chord(self, low: Fraction, high: Fraction, rho: Fraction) -> bool:
        """Whether the chord of ln M, which is not below it, is not above ρ·a·(a − 1) between two orders."""
        start, end = bounds(self.at(low)[0])[1] if low > 1 else Fraction(0), bounds(self.at(high)[0])[1]
        if low == 1:  # both are 0 there
            return end <= rho * (high - 1)
        slope = (end - start) / (high - low)
        lowest = min(max((1 + slope / rho) / 2, low), high)
        return rho * lowest * (lowest - 1) >= start + slope * (lowest - low)

    def _bent(self, low: Fraction, high: Fraction, rho: Fraction) -> bool:
        """Whether h(a) = ρ·a·(a − 1) − ln M is convex between two orders, and its tangent tells h ≥ 0."""
        middle = self._between(low, high) if low > 1 else low
        value, mean = self.at(middle)
        bend = 2 * rho - sum((law.bend(low, high, middle) * n for law, n in self._parts), Fraction(0))
        if bend < 0:
            return False
        slopes = bounds(ball_of(rho * (2 * middle - 1)) - mean)
        if low == 1:
            return slopes[0] >= 0
        height = rho * middle * (middle - 1) - bounds(value)[1]
        steepest = max(map(abs, slopes))
        reach = high - low
        at = min(reach, steepest / bend) if bend else reach  # where the bound from the tangent is least
        return height >= steepest * at - bend * at**2 / 2

    @staticmethod
    def _between(low: Fraction, high: Fraction) -> Fraction:
        """A short number about half way, in proportion to the distance from 1 where that is large."""
        about = sqrt(float(low) * float(high)) if high > 2 * low else float(low + high) / 2
        return min(max(Fraction(int(about * 2**40), 2**40), low), high)
