"""The least ρ of zero-concentrated differential privacy: an interval, and the orders that prove it.

Reference: docs/theory_divergences.md, *zCDP*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import prod, sqrt

from flint import arb, ctx

from prover.accounting.moments import Law
from prover.accounting.units import operation
from prover.certificate.schema import Json
from prover.exact.ball import ball_of, bounds
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational, rational_or_inf
from prover.exact.readable import upper_text
from prover.views import Lined

DIGITS = 12
"""Decimals of ρ."""

CHECKED_BITS = 96
"""With which checkers enclose logarithms of moments."""

MOST_CHECKED = 4 * 10**9
"""Units of work, as checkers count it, that ρ may take them."""

_BITS = 192
_PIECES = 4_000  # between orders, that are tried for one ρ
_SLACKS = tuple(Fraction(1, 10**k) for k in (9, 6, 3))  # by which the ρ that is tried exceeds the lower end
_ROOM = 1 - Fraction(1, 2**50)  # part of ρ that proofs have to do with, for checkers with fewer bits

_LONG = 100_000  # bits of a mass at ∞

OneWay = Sequence[tuple[Sequence[tuple[Law, Fraction]], int]]
"""A composition one way round: for each part its laws, each with its mass at ∞, and how often it runs."""

ONE = Fraction(1)


@dataclass(frozen=True, slots=True, repr=False)
class Concentration(Lined):
    """The least ρ with D_a ≤ ρ·a for all a > 1, between two decimals; None is ∞.

    If it is ∞, or may be, ``without`` is an upper end of ρ where outputs of probability at most ``delta``
    under either secret are left out: the secrets are δ-approximately ρ-zCDP, in both directions. D_a/a is at
    least ``lower`` at the order ``at``; ``orders`` prove ``upper``, or ``without``.

        >>> from prover.accounting.distribution import LossDistribution
        >>> LossDistribution.randomised_response("1/2").zcdp()
        <Concentration: rho is at least 0.231049060186 and at most 0.231049060418, rounded outward>
    """

    lower: Fraction | None
    upper: Fraction | None
    delta: Fraction = Fraction(0)
    without: Fraction | None = None
    at: Fraction = field(default=ONE, compare=False)
    orders: tuple[Fraction, ...] = field(default=(), compare=False)
    work: int = field(default=0, compare=False)
    """Units that checkers spend on the orders, about."""

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
        return f"approximate zCDP with rho at most {rho} and delta = {upper_text(self.delta)}"

    @property
    def provable(self) -> bool:
        """Whether certificates say more of ρ than moments do, and checkers have the time for it."""
        return self.work <= MOST_CHECKED and (self.lower is not None or self.without is not None)

    @property
    def claim(self) -> Json:
        """The claim of certificates (docs/certificates.md, 3.14)."""
        found: Json = {"lower": rational_or_inf(self.lower), "upper": rational_or_inf(self.upper)}
        if self.without is not None:
            ends = (self.delta, self.without)
            found["approximate"] = dict(zip(("delta", "upper"), map(format_rational, ends), strict=True))
        return found

    @property
    def evidence(self) -> Json:
        """The evidence for it."""
        at = {"at": format_rational(self.at)} if self.lower else {}
        return {"bits": CHECKED_BITS, "orders": [format_rational(order) for order in self.orders], **at}


def concentration(
    laws: Sequence[tuple[Law, Fraction]], slacks: Sequence[Fraction] = _SLACKS
) -> Concentration:
    """ρ for several pairs of secrets, each with its law and its mass at ∞: that of the largest. The
    ``slacks`` are the parts of it by which an upper end that is tried exceeds the lower one.
    """
    return composed_concentration([[(laws, 1)]], slacks)


def composed_concentration(ways: Sequence[OneWay], slacks: Sequence[Fraction] = _SLACKS) -> Concentration:
    """The same for compositions, with the largest moments of the laws of each part; the larger of all ways
    round.
    """
    if not any(infinite for way in ways for laws, _ in way for _, infinite in laws):
        return _largest(ways, slacks)
    delta = max(_outside(way) for way in ways)
    if delta == 1:
        return Concentration(None, None, delta)
    rest = _largest([[(list(map(_without_ends, laws)), n) for laws, n in way] for way in ways], slacks)
    return Concentration(None, None, delta, rest.upper, orders=rest.orders, work=rest.work)


def _outside(way: OneWay) -> Fraction:
    """The mass at ∞ of a composition, or, where that has too many digits, a number above it."""
    largest = [(max(infinite for _, infinite in laws), times) for laws, times in way]
    if sum(infinite.denominator.bit_length() * times for infinite, times in largest) > _LONG:
        return min(ONE, sum((infinite * times for infinite, times in largest), Fraction(0)))
    return 1 - prod(((1 - infinite) ** times for infinite, times in largest), start=ONE)


def _without_ends(one: tuple[Law, Fraction]) -> tuple[Law, Fraction]:
    """The law given that the output is possible under both secrets."""
    law, _ = one
    p, q = sum((p for _, p in law), Fraction(0)), sum((p / ratio for ratio, p in law), Fraction(0))
    return [(ratio * q / p, mass / p) for ratio, mass in law], Fraction(0)


def _largest(ways: Sequence[OneWay], slacks: Sequence[Fraction]) -> Concentration:
    """Bounds of the largest ρ; None is an upper end where none is proved."""
    known: dict[frozenset[tuple[Fraction, Fraction]], _Law] = {}
    with ctx.workprec(_BITS):
        curves = [_Curve([([_known(law, known) for law, _ in laws], n) for laws, n in way]) for way in ways]
        if all(curve.largest == 0 for curve in curves):
            return Concentration(Fraction(0), Fraction(0))
        best, at = max(curve.lower_end() for curve in curves)
        lower = decimal_below(best * _ROOM, DIGITS)
        for slack in slacks:
            rho = decimal_above(best * (1 + slack), DIGITS)
            orders = _orders(curves, rho * _ROOM)
            if orders is not None:
                return Concentration(lower, rho, at=at, orders=orders, work=_work(known.values(), orders))
    return Concentration(lower, None, at=at)


def _known(law: Law, known: dict[frozenset[tuple[Fraction, Fraction]], _Law]) -> _Law:
    """The moments of a law, for equal laws once."""
    key = frozenset(law)
    if key not in known:
        known[key] = _Law(law)
    return known[key]


@dataclass(frozen=True, slots=True)
class _Moments:
    """Of a law at an order: S_0, S_1 and S_2, the ends of ln S_0, and of S_1/S_0, the mean loss of outputs
    that are weighed by r^(a − 1)."""

    sums: tuple[arb, arb, arb]
    log: tuple[Fraction, Fraction]
    mean: tuple[Fraction, Fraction]


class _Law:
    """Moments of a law, at any order."""

    def __init__(self, law: Law) -> None:
        self._logarithms = [ball_of(ratio).log() for ratio, _ in law]
        self._masses = [ball_of(p) for _, p in law]
        self.largest = max(bounds(x)[1] for x in self._logarithms)
        self.sizes = [abs(float(x.mid())) for x in self._logarithms]
        self.at = cache(self._at)

    def _at(self, order: Fraction) -> _Moments:
        power = ball_of(order - 1)
        tilted = [m * (power * x).exp() for m, x in zip(self._masses, self._logarithms, strict=True)]
        means = [t * x for t, x in zip(tilted, self._logarithms, strict=True)]
        squares = (t * x for t, x in zip(means, self._logarithms, strict=True))
        first, second, third = sum(tilted, arb(0)), sum(means, arb(0)), sum(squares, arb(0))
        log = (Fraction(0), Fraction(0)) if order == 1 else bounds(first.log())
        return _Moments((first, second, third), log, bounds(second / first))

    def bend(self, low: Fraction, high: Fraction) -> Fraction:
        """What the second derivative of ln S_0 is at most between two orders."""
        ends = self.at(low), self.at(high)
        z = ball_of(ends[0].mean[0])
        spreads = (
            bounds((s2 - 2 * z * s1 + z * z * s0) / ends[0].sums[0])[1]
            for s0, s1, s2 in (e.sums for e in ends)
        )
        return max(spreads)


class _Curve:
    """The logarithm of the largest moment of a composition by the order: convex, and 0 at 1."""

    def __init__(self, parts: Sequence[tuple[Sequence[_Law], int]]) -> None:
        self._parts = parts
        self.largest = sum((max(law.largest for law in laws) * n for laws, n in parts), Fraction(0))

    def log(self, order: Fraction, *, up: bool) -> Fraction:
        """An end of it."""
        found = (max(law.at(order).log[up] for law in laws) * n for laws, n in self._parts)
        return sum(found, Fraction(0))

    def mean(self, order: Fraction, *, up: bool) -> Fraction:
        """An end of the largest mean losses."""
        found = (max(law.at(order).mean[up] for law in laws) * n for laws, n in self._parts)
        return sum(found, Fraction(0))

    def lower_end(self) -> tuple[Fraction, Fraction]:
        """The largest D_a / a that a search in floats finds, or its limit at a = 1, the mean loss; and a."""
        best = self.mean(ONE, up=False), ONE
        largest = float(self.largest)
        place, last = ONE, 1 + Fraction(max(1.0, 2 * largest / max(float(best[0]), 1e-9)))
        step = Fraction(1, 64)
        orders = [place]
        while place < min(last, Fraction(10**9)) and len(orders) < 400:
            place += step
            step *= Fraction(17, 16)
            orders.append(place)

        def height(order: Fraction) -> float:
            return float(self.log(order, up=True) / (order * (order - 1)))

        top = max(orders[1:], key=height)
        low, high = max(ONE, top * Fraction(15, 16)), top * Fraction(17, 16)
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
                best = max(best, (self.log(order, up=False) / (order * (order - 1)), order))
        return best

    def is_below(self, rho: Fraction, low: Fraction, high: Fraction) -> bool:
        """Whether its chord, or a parabola above it, is not above ρ·a·(a − 1) between two orders."""
        start, end, width = self.log(low, up=True), self.log(high, up=True), high - low
        room, slope = rho * low * (low - 1) - start, rho * (2 * low - 1)
        if _stays_above(room, slope - (end - start) / width, 2 * rho, width):
            return True
        bend = sum((max(law.bend(low, high) for law in laws) * n for laws, n in self._parts), Fraction(0))
        return _stays_above(room, slope - self.mean(low, up=True), 2 * rho - bend, width)


def _stays_above(value: Fraction, slope: Fraction, bend: Fraction, width: Fraction) -> bool:
    """Whether value + slope·t + bend·t²/2 ≥ 0 for all t from 0 to a width."""
    if value < 0 or value + slope * width + bend * width**2 / 2 < 0:
        return False
    return not 0 < -slope < bend * width or 2 * bend * value >= slope**2


def _orders(curves: Sequence[_Curve], rho: Fraction) -> tuple[Fraction, ...] | None:
    """Orders above 1, between which it is proved that the curves are at most ρ·a·(a − 1); beyond the last one
    D_a ≤ D_∞ ≤ ρ·a. None if they are too many.
    """
    last = max(curve.largest for curve in curves) / rho
    if last <= 1:
        return ()
    found, waiting, tried = [ONE], [_short(last, (last - 1) / 2**10, up=True)], 0
    while waiting:
        low, high = found[-1], waiting[-1]
        tried += 1
        if tried > _PIECES:
            return None
        if all(curve.is_below(rho, low, high) for curve in curves):
            found.append(waiting.pop())
            continue
        middle = _between(low, high)
        if middle in (low, high):
            return None
        waiting.append(middle)
    return tuple(found[1:])


def _between(low: Fraction, high: Fraction) -> Fraction:
    """A short number about half way, in proportion to the distance from 1 where that is large."""
    x, y = float(low - 1), float(high - 1)
    about = sqrt(x * y) if y > 2 * x > 0 else y / 8 if x == 0 else (x + y) / 2
    middle = 1 + Fraction(about)
    return _short(middle, min(middle - low, high - middle) / 4) if low < middle < high else low


def _short(order: Fraction, near: Fraction, *, up: bool = False) -> Fraction:
    """A short number at most so far below an order, or above it."""
    unit = ONE
    while unit > near:
        unit /= 2
    return 1 + unit * ((order - 1) // unit + up)


def _work(laws: Iterable[_Law], orders: Sequence[Fraction]) -> int:
    """The units that checkers spend on these orders, about: on exponentials above all."""
    units = 0
    for law in laws:
        for size in law.sizes:
            for order in orders:
                exponent = float(order - 1) * size
                bits = CHECKED_BITS + 16 + int(3.5 * exponent) + 4
                units += 8 * bits * operation(bits, max(bits, 2 * CHECKED_BITS + 64))
    return units
