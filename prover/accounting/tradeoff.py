"""Trade-off functions: the least type II error of a test of one secret against the other, for every type I
error.

Reference: docs/theory_divergences.md, *Trade-off functions*.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from flint import arb, ctx

from prover.errors import must_be
from prover.exact.ball import ball_of, bounds
from prover.exact.given import Given, given_rational
from prover.exact.rational import decimal_above, decimal_below, format_rational
from prover.views import Lined

DIGITS = 12
"""Decimals of μ."""

_BITS = 256
_ZERO, _ONE = Fraction(0), Fraction(1)

Vertex = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True, repr=False)
class TradeOff(Lined):
    """The trade-off function f of two secrets: f(x) is the least probability of guessing the first secret
    under the second, among all tests that guess the second one under the first with probability at most x.

    f is convex, does not rise, and is linear between its ``vertices`` (x, f(x)), from x = 0 to x = 1. The
    likelihood ratio test that guesses the second secret where P/Q is at most a threshold has the errors of a
    vertex, and no test has an error below f.

        >>> from prover.accounting.distribution import LossDistribution
        >>> coin = LossDistribution.randomised_response("1/2").tradeoff()
        >>> coin
        <TradeOff: linear between (0, 1), (1/3, 1/3), (1, 0)>
        >>> str(coin.value("1/2"))
        '1/4'
    """

    vertices: tuple[Vertex, ...]

    @staticmethod
    def of_law(masses: Iterable[tuple[Fraction, Fraction]]) -> TradeOff:
        """The trade-off function of outcomes with these probabilities p, q > 0 under both secrets; what is
        missing to 1 is the mass of outputs that are impossible under the other secret.

            >>> TradeOff.of_law([(Fraction(1, 2), Fraction(1, 2))]).headline
            'linear between (0, 1/2), (1/2, 0), (1, 0)'
        """
        listed = sorted(masses, key=lambda pq: pq[0] / pq[1])
        first, second = _ZERO, sum((q for _, q in listed), _ZERO)
        points = [(first, second)]
        for p, q in listed:
            first, second = first + p, second - q
            points.append((first, second))
        return TradeOff(_hull([*points, (_ONE, _ZERO)]))

    @staticmethod
    def above(bounds: Mapping[Fraction, Fraction]) -> TradeOff:
        """The largest function that is proved where δ of both directions is at most so much at some α ≥ 1: no
        test of a pair with these bounds has smaller errors, whichever secret is tested against the other.

            >>> TradeOff.above({Fraction(2): Fraction(0)}).headline
            'linear between (0, 1), (1/3, 1/3), (1, 0)'

        Reference: docs/theory_divergences.md, *Trade-off functions*.
        """
        lines = {_ZERO: _ZERO}  # by how steeply they fall, where they begin
        for alpha, delta in bounds.items():
            for fall, start in ((alpha, 1 - delta), (1 / alpha, (1 - delta) / alpha)):
                lines[fall] = max(start, lines.get(fall, start))
        kept: list[tuple[Fraction, Fraction, Fraction]] = []  # and the x from which on they are the largest
        for fall, start in sorted(lines.items(), reverse=True):
            x = _ZERO
            while kept:
                steeper, before, since = kept[-1]
                x = (before - start) / (steeper - fall)
                if x > since:
                    break
                kept.pop()
            kept.append((fall, start, x if kept else _ZERO))
        corners = [(x, start - fall * x) for fall, start, x in kept if x < 1]
        return TradeOff((*corners, (_ONE, _ZERO)))

    @property
    def headline(self) -> str:
        """The answer in a line."""
        shown = [f"({format_rational(x)}, {format_rational(y)})" for x, y in self.vertices[:_SHOWN]]
        more = len(self.vertices) - len(shown)
        return f"linear between {', '.join(shown)}" + (f", and {more:,} more" if more > 0 else "")

    def value(self, error: Given) -> Fraction:
        """f at a type I error from 0 to 1, exactly. Raises BadValue."""
        x = given_rational(error, "a type I error", "bad-question", at_least=0, at_most=1)
        after = min(bisect_right(self.vertices, x, key=lambda vertex: vertex[0]), len(self.vertices) - 1)
        if after == 0:
            return self.vertices[0][1]
        (a, b), (c, d) = self.vertices[after - 1 : after + 1]
        return b + (x - a) * (d - b) / (c - a)

    @property
    def inverse(self) -> TradeOff:
        """The trade-off function of the second secret against the first."""
        turned = [(y, x) for x, y in reversed(self.vertices)]
        return TradeOff(_hull([*turned, (_ONE, _ZERO)]))

    @property
    def symmetric(self) -> TradeOff:
        """The largest convex function that is not above this one and its inverse: the errors are bounded by
        it whichever secret is tested against the other.

            >>> TradeOff.of_law([(Fraction(1, 2), Fraction(1))]).symmetric.headline
            'linear between (0, 1/2), (1/2, 0), (1, 0)'
        """
        return least([self, self.inverse])

    def is_at_least(self, other: TradeOff) -> bool:
        """Whether f is nowhere below another trade-off function. Raises WrongArgument."""
        must_be(TradeOff, other=other)
        return all(y >= other.value(x) for x, y in self.vertices)

    def gaussian(self) -> tuple[Fraction, Fraction] | None:
        """Decimals around the least μ ≥ 0 with f ≥ G_μ, the trade-off function of N(0, 1) and N(μ, 1); None
        if there is none.

            >>> third = Fraction(1, 3)
            >>> TradeOff.of_law([(third, 1 - third), (1 - third, third)]).gaussian()
            (Fraction(86145459859, 100000000000), Fraction(861454598591, 1000000000000))
        """
        inner = self.vertices[1:-1]
        if self.vertices[0][1] < 1 or any(y == 0 for _, y in inner):
            return None
        with ctx.workprec(_BITS):
            ends = [bounds(-(_quantile(x) + _quantile(y))) for x, y in inner]
        low, high = (max([_ZERO, *(pair[side] for pair in ends)]) for side in (0, 1))
        return decimal_below(low, DIGITS), decimal_above(high, DIGITS)

    def gaussian_proof(self, ends: tuple[Fraction | None, Fraction | None]) -> dict[str, Any] | None:
        """The evidence that the least μ is between two numbers, of which one may be left out; None where
        errors are too small for it."""
        inner = self.vertices[1:-1]
        least = min((min(x, 1 - x, y, 1 - y) for x, y in inner), default=_ONE)
        bits = _MORE + int(1 / least).bit_length() if least else _MOST_BITS + 1
        if bits > _MOST_BITS:
            return None
        with ctx.workprec(2 * _BITS):
            quantiles = [bounds(-_quantile(x)) for x, _ in inner]
            shifts = [float(-_quantile(x) - _quantile(y)) for x, y in inner]
        proof: dict[str, Any] = {"bits": bits}
        if ends[1] is not None:
            listed = [format_rational(Fraction(floor(high * _TOUCH) + 1, _TOUCH)) for _, high in quantiles]
            proof["upper"] = listed
        if ends[0]:
            worst = shifts.index(max(shifts))
            below = Fraction(ceil(quantiles[worst][0] * _TOUCH) - 1, _TOUCH)
            proof["lower"] = [worst, format_rational(below)]
        return proof


_MORE, _MOST_BITS = 128, 300  # bits of Φ in checkers
_TOUCH = 2**100  # parts of what is near a quantile
_SHOWN = 8  # vertices that a line has


def _quantile(probability: Fraction) -> arb:
    """Φ⁻¹ of a probability between 0 and 1."""
    small = ball_of(2 * min(probability, 1 - probability))
    size = arb(2).sqrt() * small.erfcinv()
    return -size if probability < Fraction(1, 2) else size


def least(functions: Sequence[TradeOff]) -> TradeOff:
    """The largest convex function that is nowhere above any of these, of which there is at least one."""
    return TradeOff(_hull([vertex for one in functions for vertex in one.vertices]))


def _hull(points: Iterable[Vertex]) -> tuple[Vertex, ...]:
    """The vertices of the largest convex function that is not above these points, from x = 0 to x = 1."""
    lowest: dict[Fraction, Fraction] = {}
    for x, y in points:
        lowest[x] = min(y, lowest.get(x, y))
    found: list[Vertex] = []
    for point in sorted(lowest.items()):
        while len(found) > 1 and _is_above(found[-1], found[-2], point):
            found.pop()
        found.append(point)
    return tuple(found)


def _is_above(middle: Vertex, before: Vertex, after: Vertex) -> bool:
    """Whether a point is not below the chord of the two around it."""
    (x, y), (a, b), (c, d) = middle, before, after
    return (y - b) * (c - a) >= (d - b) * (x - a)
