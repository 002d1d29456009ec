"""Claims about the least ρ of zCDP: logarithms of moments at some orders, and between them (*rho*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, prod
from typing import TYPE_CHECKING

from ..budget import Budget, bits_of
from ..chains import Chain, claimed_pairs
from ..moments import Bound, at_least, read_bound
from ..profiles.sums import Exponentials, longest
from ..reading import (
    BadClaim,
    ClaimOpen,
    Json,
    Malformed,
    TooLarge,
    ascending,
    at,
    demand,
    rational,
    record,
    typed,
)
from ..real_rates import Reals
from .endings import Law, Laws, key_of, laws_of_chain, mass_of, reverse

if TYPE_CHECKING:
    from .normal import Normal

MOST_BITS = 1_000

Range = tuple[int, int]  # between these multiples of 2^-bits
Way = Sequence[tuple[Sequence[Law], int]]  # for each part its laws, and how often it runs
Places = Sequence[tuple[Sequence[int], int]]  # the same, laws by their numbers
ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Moments:
    """Of a law at an order: S_0, S_1 and S_2, g = ln S_0, and m = S_1/S_0."""

    sums: Sequence[Range]
    log: Range
    mean: Range


class Curves:
    """Laws, each once, and their moments as functions of the order."""

    def __init__(self, bits: int, budget: Budget) -> None:
        self.bits, self.budget = bits, budget
        self.reals, self.exponentials = Reals(bits, budget), Exponentials(bits, budget)
        self.numbers: dict[object, int] = {}
        self.laws: list[tuple[Law, Sequence[Range]]] = []

    def places(self, way: Way) -> Places:
        return [([self.place(law) for law in laws], times) for laws, times in way]

    def place(self, law: Law) -> int:
        number = self.numbers.setdefault(key_of((law, law)), len(self.laws))
        if number == len(self.laws):
            self.laws.append((law, [self.logarithm(ratio) for ratio, _ in law]))
        return number

    def logarithm(self, x: Fraction) -> Range:
        low, high = (end * (1 << self.bits) for end in self.reals.logarithm(x))
        return floor(low), ceil(high)

    def at(self, order: Fraction) -> Sequence[Moments]:
        return [self.moments(law, logs, order) for law, logs in self.laws]

    def moments(self, law: Law, logs: Sequence[Range], order: Fraction) -> Moments:
        sums, one = [(0, 0)] * 3, 1 << self.bits
        for (_, mass), (low, high) in zip(law, logs, strict=True):
            least = self.exponentials.exponential(Fraction(floor((order - 1) * low), one))[0]
            most = self.exponentials.exponential(Fraction(ceil((order - 1) * high), one))[1]
            long = 2 * self.bits + most.bit_length() + longest([mass, order])
            self.budget.spend(32, long, long)
            term = floor(mass * least), ceil(mass * most)
            for k, (down, up) in enumerate(sums):
                sums[k] = down + term[0], up + term[1]
                ends = [x * y for x in term for y in (low, high)]
                term = min(ends) >> self.bits, -(-max(ends) >> self.bits)
        (s0, t0), (s1, t1), _ = sums
        demand(s0 > 0, TooLarge, "too few bits for a moment")
        log, mean = (0, 0), (max(0, (s1 << self.bits) // t0), -(-(t1 << self.bits) // s0))
        if order > 1:
            log = self.logarithm(Fraction(s0, one))[0], self.logarithm(Fraction(t0, one))[1]
        return Moments(sums, log, mean)

    def spread(self, one: Moments, two: Moments) -> int:
        """At least the second derivative of g between two orders."""
        z = one.mean[0]
        most = max(
            s2 - (2 * z * s1 >> self.bits) - (-z * z * s0 >> 2 * self.bits)
            for (_, s0), (s1, _), (_, s2) in (one.sums, two.sums)
        )
        return -(-(most << self.bits) // one.sums[0][0])

    def total(self, way: Places, numbers: Sequence[int]) -> Fraction:
        """Σ n·max, over the parts with n runs and the laws of each."""
        added = sum(times * max(numbers[k] for k in laws) for laws, times in way)
        return Fraction(added, 1 << self.bits)


def rho_of_chain(chain: Chain, fields: Mapping[str, Json], evidence: Json) -> Json:
    """The rules for ρ of a chain, if it is claimed; the other evidence."""
    if "rho" not in fields:
        return evidence
    with at("evidence"):
        rest, proof = dict(typed(evidence, dict)), dict(typed(evidence.get("rho"), dict))
    del rest["rho"]
    with at("claim"):
        _, pairs = claimed_pairs(fields, chain.index, chain.relation)
    with at("evidence"):
        with at("rho"):
            found = laws_of_chain(
                chain, sorted({*pairs, *((t, s) for s, t in pairs)}), proof.pop("laws", None)
            )
        rho_rule(fields["rho"], [[([*found.values()], 1)]], proof, chain.budget)
    return rest


def rho_rule(
    claim: Json,
    ways: Sequence[Sequence[tuple[Sequence[Laws], int]]],
    proof: Json,
    budget: Budget,
    normal: Sequence[Normal] = (),
) -> None:
    """lower ≤ ρ ≤ upper, and approximate zCDP, for the laws of all parts one way round and the other, beside
    parts with Gaussian noise."""
    lower, upper, approximate = read_rho(claim)
    with at("rho"):
        fields = record(proof, "bits orders", "at")
        bits = typed(fields["bits"], int)
        demand(0 < bits <= MOST_BITS, Malformed, "the bits are 0 or too many")
        orders = [ONE, *(Fraction(*rational(order)) for order in typed(fields["orders"], list))]
        ascending(orders, Malformed, "orders")
        below, above = (
            [[([laws[up] for laws in own], n) for own, n in way] for way in ways] for up in (0, 1)
        )
        more = sum((part.rho for part in normal), Fraction(0))
        proved = any(lacks(way) for way in below) or (lower is not None and lower <= more)
        if not proved and lower is not None and "at" in fields:
            at_order = Fraction(*rational(fields["at"]))
            proved = lower_rule(lower, below, at_order, Curves(bits, budget), normal)
        demand(proved, ClaimOpen, "the evidence does not prove lower")
        if upper is not None:
            known = not any(lacks(way) for way in above)
            demand(known, ClaimOpen, "an output may be impossible under the second secret")
            orders_rule(upper - more, above, orders, Curves(bits, budget))
        elif approximate is not None:
            delta, rho = approximate
            given = [given_both(way, delta, budget) for way in above]
            exchanged = [[([reverse(law) for law in laws], n) for laws, n in way] for way in given]
            orders_rule(rho - more, [*given, *exchanged], orders, Curves(bits, budget))


def read_rho(claim: Json) -> tuple[Bound, Bound, tuple[Fraction, Fraction] | None]:
    """The bounds of ρ, and of approximate zCDP its δ and ρ."""
    with at("claim"):
        fields = record(claim, "lower upper", "approximate")
        lower, upper = (read_bound(fields[name]) for name in ("lower", "upper"))
        right = (lower is None or lower >= 0) and at_least(upper, lower)
        demand(right, BadClaim, "the bounds do not satisfy 0 <= lower <= upper")
        if "approximate" not in fields:
            return lower, upper, None
        demand(upper is None, BadClaim, "approximate zCDP beside an upper bound")
        own = record(fields["approximate"], "delta upper")
        delta, rho = (Fraction(*rational(own[name])) for name in ("delta", "upper"))
        demand(0 <= delta <= 1 and rho >= 0, BadClaim, "delta is not from 0 to 1, or rho below 0")
        return lower, upper, (delta, rho)


def lacks(way: Way) -> bool:
    """Whether some output is impossible under the second secret."""
    return any(mass_of(law) < 1 for laws, _ in way for law in laws)


def lower_rule(
    lower: Fraction, ways: Sequence[Way], order: Fraction, curves: Curves, normal: Sequence[Normal]
) -> bool:
    """Whether D/a is at least so much at an order a ≥ 1, one way round."""
    demand(order >= 1, BadClaim, "the order is below 1")
    whole = [part for part in normal if part.rate == 1]
    lower -= sum((part.rho for part in whole), Fraction(0))
    places = [curves.places(way) for way in ways]
    found = curves.at(order)
    if order == 1:
        return any(curves.total(way, [one.mean[0] for one in found]) >= lower for way in places)
    least = lower * order * (order - 1)
    for part in whole:
        shape = part.shape(order, up=False)
        demand(shape > 0, TooLarge, "too few places for a moment")
        least -= part.times * curves.reals.logarithm(shape)[0]
    return any(curves.total(way, [one.log[0] for one in found]) >= least for way in places)


def orders_rule(rho: Fraction, ways: Sequence[Way], orders: Sequence[Fraction], curves: Curves) -> None:
    """G(a) ≤ ρ·a·(a − 1) between neighbouring orders, and beyond the last one as it is at least D_∞/ρ."""
    places = [curves.places(way) for way in ways]
    largest = [max(high for _, high in logs) for _, logs in curves.laws]
    last = rho >= 0 and all(curves.total(way, largest) <= rho * orders[-1] for way in places)
    demand(last, ClaimOpen, "the last order is too small")
    before = curves.at(ONE) if len(orders) > 1 else []
    for number, (b, c) in enumerate(pairwise(orders)):
        with at("orders", number):
            after = curves.at(c)
            for way in places:
                demand(
                    piece_rule(rho, way, (b, c), (before, after), curves), ClaimOpen, "rho may be too small"
                )
            before = after


def piece_rule(
    rho: Fraction,
    way: Places,
    orders: tuple[Fraction, Fraction],
    moments: tuple[Sequence[Moments], Sequence[Moments]],
    curves: Curves,
) -> bool:
    """Whether the chord of G, or a parabola above G, is nowhere above ρ·a·(a − 1) between two orders."""
    (b, c), (before, after) = orders, moments
    long = curves.bits + max(
        (end.bit_length() for one in (*before, *after) for sums in one.sums for end in sums), default=0
    )
    curves.budget.spend(16 * sum(len(laws) for laws, _ in way), long, long)
    curves.budget.spend(64, 8 * long + 8 * longest([rho, b, c]), 8 * long + 8 * longest([rho, b, c]))
    start, end = (curves.total(way, [one.log[1] for one in found]) for found in moments)
    room, slope, width = rho * b * (b - 1) - start, rho * (2 * b - 1), c - b
    if stays_above(room, slope - (end - start) / width, 2 * rho, width):
        return True
    mean = curves.total(way, [one.mean[1] for one in before])
    spread = curves.total(way, [curves.spread(one, two) for one, two in zip(before, after, strict=True)])
    return stays_above(room, slope - mean, 2 * rho - spread, width)


def stays_above(value: Fraction, slope: Fraction, bend: Fraction, width: Fraction) -> bool:
    """Whether value + slope·t + bend·t²/2 ≥ 0 for all t from 0 to a width."""
    if value < 0 or value + slope * width + bend * width**2 / 2 < 0:
        return False
    return not 0 < -slope < bend * width or 2 * bend * value >= slope**2


def given_both(way: Way, delta: Fraction, budget: Budget) -> Way:
    """The laws given that outputs are possible under both secrets, which they are up to δ."""
    sides = [[(mass_of(law), reversed_mass(law, budget)) for law in laws] for laws, _ in way]
    for side in (0, 1):
        kept = [(min(ends[side] for ends in own), n) for own, (_, n) in zip(sides, way, strict=True)]
        demand(delta >= 1 - product(kept, 1 - delta, budget), ClaimOpen, "delta is below what is left out")
    demand(all(min(ends) > 0 for own in sides for ends in own), ClaimOpen, "secrets without a common output")
    return [
        ([[(r * q / p, mass / p) for r, mass in law] for law, (p, q) in zip(laws, own, strict=True)], n)
        for (laws, n), own in zip(way, sides, strict=True)
    ]


def reversed_mass(law: Law, budget: Budget) -> Fraction:
    """What of the second secret is possible under the first."""
    size = bits_of(n for atom in law for x in atom for n in x.as_integer_ratio())
    budget.spend(16 * (len(law) + 1), 2 * size, 2 * size)
    terms = [mass / ratio for ratio, mass in law]
    whole = budget.denominator([term.denominator for term in terms])
    budget.spend(8 * len(law), 2 * size, 2 * max(size, whole.bit_length()))
    return sum(terms, Fraction(0))


def product(kept: Sequence[tuple[Fraction, int]], enough: Fraction, budget: Budget) -> Fraction:
    """Π p^n, or a number below it that is enough."""
    least = 1 - sum((n * (1 - p) for p, n in kept), Fraction(0))
    if least >= enough:
        return least
    long = sum(n * longest([p]) for p, n in kept)
    budget.spend(64, long, long)
    return prod((p**n for p, n in kept), start=ONE)
