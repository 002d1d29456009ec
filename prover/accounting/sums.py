"""Compositions by the masses of their likelihood ratios under both secrets, from the largest ratio on.

If P_k and Q_k are the sums of the k largest ratios', δ(α) = δ(∞) + P_k − α Q_k, where k counts the ratios
above α. So no power of a ratio is needed, and a least ε takes one division. Sums are exact, or balls where
numbers are very long. Reference: docs/accounting.md, *Sums*.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from math import ceil, comb, floor, lcm, prod
from typing import Any

from flint import arb, ctx, fmpz, fmpz_mat

from prover.accounting.distribution import LossDistribution
from prover.accounting.errors import TooManyAtoms
from prover.accounting.lattice import coprime_basis, exponents_of, product_of
from prover.accounting.least_epsilon import LeastEpsilon
from prover.exact.ball import ball_of, bounds
from prover.exact.given import Given, given_rational
from prover.progress import Progress, silent

Parts = Sequence[tuple[LossDistribution, int]]

BITS = 320
"""Of balls."""

_VALUE_BITS, _ALPHA_BITS = 400, 160
_LEADING_BITS = 64
_MOST_WORK = 2**36
_MOST_TERMS = 400_000
_MANY_SUMS, _FEW = 10_000, 20


@dataclass(frozen=True, repr=False)
class ExactComposition:
    """Independent mechanisms, all seen together: of ratios in falling order the masses under either secret,
    over the denominators ``whole`` and ``other``.

        >>> coin = LossDistribution.randomised_response("1/2")
        >>> str(ExactComposition.of([(coin, 3)]).delta("2"))
        '2/9'
    """

    p: Sequence[fmpz]
    q: Sequence[fmpz]
    whole: int
    other: int
    infinite: Fraction

    @staticmethod
    def of(parts: Parts, progress: Progress = silent) -> ExactComposition:
        """The distributions, each so many times. Raises TooManyAtoms."""
        infinite = infinite_of(parts)
        sides = (
            [({atom.ratio: (atom.p, atom.q)[k] for atom in loss.atoms}, times) for loss, times in parts]
            for k in (0, 1)
        )
        if not all(loss.atoms for loss, _ in parts):
            return ExactComposition((), (), 1, 1, infinite)
        (_, first), (_, second) = (product_of(side, progress) for side in sides)
        masses = (one.polynomial.coeffs() for one in (first, second))  # of the same monomials: none is 0
        order = _falling([*zip(*masses, strict=True)])
        return ExactComposition(
            [a for a, _ in order], [b for _, b in order], first.whole, second.whole, infinite
        )

    def above(self, alpha: Fraction) -> int:
        """How many ratios are above α."""
        x, y = fmpz(self.other * alpha.denominator), fmpz(self.whole * alpha.numerator)
        return _first(len(self.p), lambda i: self.p[i] * x <= self.q[i] * y)

    def delta(self, alpha: Given) -> Fraction:
        """δ(α), for any α ≥ 0. Raises BadValue."""
        at = given_rational(alpha, "alpha", "bad-question", at_least=0)
        k = self.above(at)
        p, q = (int(own[k]) for own in self._sums)
        return self.infinite + Fraction(p, self.whole) - at * Fraction(q, self.other)

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε = ln α ≥ 0 with δ(α) at most ``delta``. Raises BadValue."""
        bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
        if bound not in self._least:
            self._least[bound] = self._epsilon(bound)
        return self._least[bound]

    def _epsilon(self, bound: Fraction) -> LeastEpsilon:
        if self.infinite > bound:
            return LeastEpsilon(bound, None, None)
        if self.delta(1) <= bound:
            return LeastEpsilon(bound, Fraction(1), Fraction(1))
        room = self.infinite - bound
        p, q = self._sums
        whole, scale = fmpz(room.numerator * self.whole), fmpz(room.denominator)
        k = _first(
            len(self.p),
            lambda i: self.q[i] * (whole + scale * p[i]) > scale * self.p[i] * q[i],
        )
        alpha = Fraction(
            (int(scale) * int(p[k]) + int(whole)) * self.other, int(scale) * self.whole * int(q[k])
        )
        return LeastEpsilon(bound, alpha, alpha)

    @cached_property
    def _least(self) -> dict[Fraction, LeastEpsilon]:
        return {}

    @cached_property
    def _sums(self) -> tuple[Sequence[fmpz], Sequence[fmpz]]:
        """P_k and Q_k."""
        p, q = ([*accumulate(own, initial=fmpz(0))] for own in (self.p, self.q))
        return p, q


@dataclass(frozen=True, repr=False)
class EnclosedComposition:
    """The same with balls, which answers with intervals. ``p`` and ``q`` are probabilities.

    >>> coin = LossDistribution.randomised_response("1/2")
    >>> low, high = EnclosedComposition.of([(coin, 3)]).delta("2")
    >>> low <= Fraction(2, 9) <= high < low + Fraction(1, 10**90)
    True
    """

    p: Sequence[arb]
    q: Sequence[arb]
    infinite: Fraction

    @staticmethod
    def of(parts: Parts, progress: Progress = silent) -> EnclosedComposition:
        """The distributions, each so many times. Raises TooManyAtoms where that takes long."""
        infinite = infinite_of(parts)
        if not all(loss.atoms for loss, _ in parts):
            return EnclosedComposition((), (), infinite)
        wholes = [lcm(*(atom.p.denominator for atom in loss.atoms)) for loss, _ in parts]
        basis = coprime_basis(n for loss, _ in parts for a in loss.atoms for n in a.ratio.as_integer_ratio())
        for (loss, times), whole in zip(parts, wholes, strict=True):
            count, terms = len(loss.atoms), _fewest(loss, times, basis)
            if terms > _MOST_TERMS or terms * count * times * whole.bit_length() > _MOST_WORK:
                raise TooManyAtoms(f"{_MOST_TERMS:,} atoms")
        with ctx.workprec(BITS):
            found: dict[tuple[int, ...], arb] = {(0,) * len(basis): arb(1)}
            for (loss, times), whole in zip(parts, wholes, strict=True):
                factor = _power(loss, times, whole, basis, progress)
                if len(found) * len(factor) > _MOST_TERMS:
                    raise TooManyAtoms(f"{_MOST_TERMS:,} atoms")
                found = _multiplied(found, factor)
            pairs = [(p, p / prod(map(_ball_power, basis, row), start=arb(1))) for row, p in found.items()]
            order = sorted(pairs, key=lambda pair: float((pair[0].log() - pair[1].log()).mid()), reverse=True)
            if not all(a * d > c * b for (a, b), (c, d) in pairwise(order)):
                raise TooManyAtoms(f"{BITS} bits that distinguish ratios")
        return EnclosedComposition([a for a, _ in order], [b for _, b in order], infinite)

    def above(self, alpha: Fraction) -> int:
        """How many ratios are sure to be above α."""
        with ctx.workprec(BITS):
            slope = ball_of(alpha)
            return _first(len(self.p), lambda i: not self.p[i] > slope * self.q[i])

    def delta(self, alpha: Given) -> tuple[Fraction, Fraction]:
        """Two numbers between which δ(α) is, for any α ≥ 0. Raises BadValue."""
        at = given_rational(alpha, "alpha", "bad-question", at_least=0)
        k = self.above(at)
        with ctx.workprec(BITS):
            slope = ball_of(at)
            p, q = self._sums
            value = ball_of(self.infinite) + p[k] - slope * q[k]
            while k < len(self.p) and not self.p[k] < slope * self.q[k]:  # at α itself
                value, k = value + (self.p[k] - slope * self.q[k]).union(arb(0)), k + 1
            low, high = bounds(value)
        unit = 2**_VALUE_BITS
        return max(Fraction(0), Fraction(floor(low * unit), unit)), min(
            Fraction(1), Fraction(ceil(high * unit), unit)
        )

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε with δ at most ``delta``, between two. Raises BadValue."""
        bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
        if bound not in self._least:
            self._least[bound] = self._epsilon(bound)
        return self._least[bound]

    def _epsilon(self, bound: Fraction) -> LeastEpsilon:
        if self.infinite > bound:
            return LeastEpsilon(bound, None, None)
        if self.delta(1)[1] <= bound:
            return LeastEpsilon(bound, Fraction(1), Fraction(1))
        with ctx.workprec(BITS):
            p, q = self._sums
            room = ball_of(self.infinite - bound)
            k = _first(len(self.p), lambda i: bool(self.q[i] * (room + p[i]) > self.p[i] * q[i]))
            low, high = bounds((room + p[k]) / q[k])
        while True:
            unit = Fraction(2) ** (_ALPHA_BITS - int(high).bit_length())
            low = max(Fraction(1), floor(low * unit) / unit)
            high = ceil(high * unit) / unit
            if (low == 1 or self.delta(low)[0] > bound) and self.delta(high)[1] <= bound:
                return LeastEpsilon(bound, low, high)
            low, high = low - 1 / unit, high + 1 / unit

    @cached_property
    def _least(self) -> dict[Fraction, LeastEpsilon]:
        return {}

    @cached_property
    def _sums(self) -> tuple[Sequence[arb], Sequence[arb]]:
        """P_k and Q_k."""
        with ctx.workprec(BITS):
            p, q = ([*accumulate(own, initial=arb(0))] for own in (self.p, self.q))
        return p, q


def infinite_of(parts: Parts) -> Fraction:
    """The mass at ∞ of a composition, exactly."""
    return 1 - prod(((1 - loss.infinite) ** times for loss, times in parts), start=Fraction(1))


def has_many_sums(parts: Parts) -> bool:
    """Whether the losses of all runs may have so many sums that it takes long to find them."""
    return sums_of_losses((loss, min(n, _FEW)) for loss, n in parts) > _MANY_SUMS


def sums_of_losses(parts: Iterable[tuple[LossDistribution, int]]) -> int:
    """How many sums the losses of all runs may have, where the losses of one are few."""
    few = ((n, min(len(loss.law), _FEW)) for loss, n in parts if loss.law)
    return prod(comb(n + size - 1, n) for n, size in few)


def _first(count: int, holds: Callable[[int], bool]) -> int:
    """The first of so many places from which on it holds; their number if it never does."""
    return bisect_left(range(count), True, key=holds)


def _falling(terms: Sequence[tuple[fmpz, fmpz]]) -> Sequence[tuple[fmpz, fmpz]]:
    """By falling p/q: balls guide, and neighbours that they do not tell apart are compared."""
    with ctx.workprec(_LEADING_BITS):
        balls = [+arb(a) / +arb(b) for a, b in terms]
        guide = [float(ball.log().mid()) for ball in balls]
    places = sorted(range(len(terms)), key=guide.__getitem__, reverse=True)

    def falls(one: int, two: int) -> bool:
        (a, b), (c, d) = terms[one], terms[two]
        return bool(balls[one] > balls[two]) or a * d > c * b

    if all(falls(one, two) for one, two in pairwise(places)):
        return [terms[place] for place in places]

    def compared(one: tuple[fmpz, fmpz], two: tuple[fmpz, fmpz]) -> int:
        return 1 if one[0] * two[1] < two[0] * one[1] else -1

    return sorted(terms, key=cmp_to_key(compared))


def _ball_power(base: int, exponent: int) -> arb:
    return arb(base) ** exponent


def _multiplied(first: Mapping[tuple[int, ...], arb], second: Mapping[tuple[int, ...], arb]) -> Any:
    found: dict[tuple[int, ...], arb] = {}
    for row, p in first.items():
        for other, r in second.items():
            key = tuple(map(sum, zip(row, other, strict=True)))
            found[key] = found[key] + p * r if key in found else p * r
    return found


def _fewest(loss: LossDistribution, times: int, basis: Sequence[int]) -> int:
    """At least so many ratios has a power: those of ``times`` factors from atoms whose exponents are affinely
    independent all differ; and so do those of factors from two atoms whose ratios are neighbours."""
    first, *others = (exponents_of(atom.ratio, basis) for atom in loss.atoms)
    moves = [[e - s for e, s in zip(row, first, strict=True)] for row in others]
    rank = fmpz_mat(moves).rank() if moves and basis else 0
    return max(1 + times * len(others), comb(times + rank, rank))


def _power(
    loss: LossDistribution, times: int, whole: int, basis: Sequence[int], progress: Progress
) -> dict[tuple[int, ...], arb]:
    """The masses of a power by their exponents. The numbers are exact and not kept: each follows from those
    before it, k f_0 c_k = Σ ((n + 1) e − k) f_e c_{k − e}."""
    rows = [exponents_of(atom.ratio, basis) for atom in loss.atoms]
    widths = [2 * times * (max(column) - min(column)) + 2 for column in zip(*rows, strict=True)]
    steps = [*accumulate(widths, int.__mul__, initial=1)][:-1]
    keys = [sum(e * step for e, step in zip(row, steps, strict=True)) for row in rows]
    base = sorted(
        zip(keys, ((row, int(a.p * whole)) for row, a in zip(rows, loss.atoms, strict=True)), strict=True)
    )
    least, (start, weight) = base[0]
    others = [
        (key - least, tuple(e - s for e, s in zip(row, start, strict=True)), f) for key, (row, f) in base[1:]
    ]
    reach, unit = base[-1][0] - least, arb(fmpz(whole) ** times)
    few = len(others) == 1  # then each is the one before it times a number, and balls grow slowly
    recent: dict[int, Any] = {0: fmpz(weight) ** times}
    if few:
        recent, unit = {0: recent[0] / unit}, arb(1)
    waiting, seen = [0], {0: tuple(times * e for e in start)}
    found: dict[tuple[int, ...], arb] = {}
    while waiting:
        k = heappop(waiting)
        progress("products", len(found), None)
        if k:
            sums = (((times + 1) * e - k) * f * recent[k - e] for e, _, f in others if k - e in recent)
            number = sum(sums, fmpz(0)) / (k * weight) if few else sum(sums, fmpz(0)) // (k * weight)
            if number == 0:
                continue
            recent[k] = number
        row = seen[k]
        found[row] = arb(recent[k]) / unit
        if len(found) > _MOST_TERMS:
            raise TooManyAtoms(f"{_MOST_TERMS:,} atoms")
        for e, move, _ in others:
            if k + e not in seen:
                seen[k + e] = tuple(map(int.__add__, row, move))
                heappush(waiting, k + e)
        while (oldest := next(iter(recent))) + reach < k:
            del recent[oldest]
    return found
