"""Claims about compositions, and about δ as a function of α, by laws and their products."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor

from ..budget import Budget, bits_of
from ..chains import Chain, claimed_pairs, epsilon_rule, orders
from ..reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    TooLarge,
    ascending,
    at,
    at_most,
    demand,
    items,
    natural,
    rational,
    record,
    typed,
)
from ..unrollings import less_lost, most_lost
from .adaptive import adaptive_delta
from .endings import Key, Law, Laws, key_of, laws_of_chain, mass_of
from .grids import enclosed_delta, read_grid
from .parts import MOST_CHOICES, Options, Part, read_parts
from .products import exact_delta
from .sums import summed_delta
from .tally import Tally

POINT_BITS = 128  # after the point, of masses and gains where δ is bounded at points


def composition(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ the largest δ(α) ≤ upper, over both directions and all choices of pairs of secrets."""
    with at("claim"):
        alpha, lower, upper = (rational(fields[key]) for key in ("alpha", "lower", "upper"))
        demand(at_most((1, 1), alpha), BadClaim, "alpha is below 1")
        demand(
            lower[0] >= 0 and at_most(lower, upper) and at_most(upper, (1, 1)),
            BadClaim,
            "the bounds do not satisfy 0 <= lower <= upper <= 1",
        )
        if "epsilon" in fields:
            epsilon_rule(alpha, fields["epsilon"], budget)
    with at("evidence"):
        method = next((key for key in ("adaptive", "basis") if key in typed(evidence, dict)), "grid")
        name = "sums" if "sums" in evidence else "work"
        sides = record(evidence, f"basis parts {name}" if method == "basis" else f"{method} parts")
        parts = read_parts(model, sides["parts"], budget)
        rows = list(choices(parts))
        times = [part.times for part in parts]
        if method == "grid":
            grid = read_grid(sides["grid"], budget)
            asked = lower[0] > 0, upper[0] < upper[1]
            ends = enclosed_delta([alone(row, times) for row in rows], alpha, grid, *asked)
            lows, highs = ([end.as_integer_ratio()] for end in ends)
        else:
            known = all(lower is upper for row in rows for options in row for lower, upper in options)
            demand(known, BadEvidence, "laws that are only enclosed are allowed only with a grid")
            tally = Tally(budget, typed(sides["adaptive" if method == "adaptive" else name], int))
            if method == "adaptive":
                laws = ([[law for law, _ in options] for options in row] for row in rows)
                steps = (list(zip(row, times, strict=True)) for row in laws)
                lows = highs = [adaptive_delta(row, alpha, tally) for row in steps]
            else:
                basis = [natural(b) for b in typed(sides["basis"], list)]
                demand(all(b > 1 for b in basis), Malformed, "a number of the basis is less than 2")
                delta = summed_delta if name == "sums" else exact_delta
                exact = ([(law, n) for (law, _), n in alone(row, times)] for row in rows)
                lows = highs = [delta(row, alpha, basis, tally) for row in exact]
    proved = any(at_most(lower, low) for low in lows)
    demand(proved, ClaimOpen, "the evidence does not prove lower")
    proved = all(at_most(high, upper) for high in highs)
    demand(proved, ClaimOpen, "the evidence does not prove upper")


def alone(row: Sequence[Options], times: Sequence[int]) -> list[tuple[Laws, int]]:
    """The laws of parts that are one mechanism each."""
    demand(all(len(options) == 1 for options in row), BadEvidence, "options are allowed only with adaptive")
    return [(laws, n) for (laws,), n in zip(row, times, strict=True)]


def choices(parts: Sequence[Part]) -> Iterator[tuple[Options, ...]]:
    """The laws of one pair of each part, all one way round, or all the other way."""
    kinds, seen = dict[Sequence[Key], int](), set[tuple[int, ...]]()
    for side in ([part.forward for part in parts], [part.backward for part in parts]):
        number = 1
        for several in side:
            number *= len(several)
            demand(number <= MOST_CHOICES, TooLarge, "the parts have too many choices of pairs")
        listed = [
            [(kinds.setdefault(tuple(map(key_of, options)), len(kinds)), options) for options in several]
            for several in side
        ]
        for row in product(*listed):
            kind = tuple(number for number, _ in row)
            if kind not in seen:
                seen.add(kind)
                yield tuple(options for _, options in row)


def profile(fields: Mapping[str, Json], chain: Chain, evidence: Json) -> None:
    """δ as a function of α: all of it by its corners, or bounds at some points."""
    name, size = ("corners", 2) if "corners" in fields else ("points", 3)
    with at("claim"):
        rows = [[Fraction(*rational(x)) for x in items(row, size)] for row in typed(fields[name], list)]
        demand(len(rows) > 0 and rows[0][0] >= 1, BadClaim, "there is no alpha, or an alpha is below 1")
        ascending([alpha for alpha, *_ in rows], BadClaim, name)
        bounds = [[Fraction(0), *values, Fraction(1)] for _, *values in rows]
        demand(
            all(a <= b for row in bounds for a, b in pairwise(row)),
            BadClaim,
            "the bounds do not satisfy 0 <= lower <= upper <= 1",
        )
        symmetric, pairs = claimed_pairs(fields, chain.index, chain.relation)
    loss = None
    if "lost" in fields:
        demand(name == "points", Malformed, "a claim about lost runs has corners")
        loss, evidence = most_lost(chain, fields, evidence, pairs)
    with at("evidence"):
        sides = record(evidence, "laws work")
        directed = sorted({order for pair in pairs for order in orders(pair, symmetric)})
        found = laws_of_chain(chain, directed, sides["laws"])
        tally = Tally(chain.budget, typed(sides["work"], int))
        laws = list({id(both): both for both in found.values()}.values())
        if name == "corners":
            demand(all(lower is upper for lower, upper in laws), BadEvidence, "corners exclude open nodes")
            demand(rows[0][0] == 1, BadClaim, "the first corner is not at 1")
    if name == "corners":
        corners_rule(rows, [law for law, _ in laws], tally)
        return
    if loss is not None:
        for row in rows:
            alpha, lower, upper = (x.as_integer_ratio() for x in row)
            row[1:] = [Fraction(*end) for end in less_lost(alpha, lower, upper, loss, chain.budget)]
    points_rule(rows, laws, tally)


def corners_rule(corners: Sequence[Sequence[Fraction]], laws: Sequence[Law], tally: Tally) -> None:
    """δ is linear between the corners that are claimed, and constant from the last one on.

    δ is convex and does not rise. If it lies on the line between two corners at one point between them, it is
    that line; and from the last corner on it does not fall below δ(∞).
    """
    middles = [[(a + b) / 2 for a, b in zip(*both, strict=True)] for both in pairwise(corners)]
    for alpha, value in (*corners, *middles):
        highest = max(delta_of(law, alpha, tally) for law in laws)
        demand(highest == value, ClaimOpen, "delta differs from the function through the corners")
    last = max(1 - mass_of(law) for law in laws)
    demand(last == corners[-1][1], ClaimOpen, "delta is not constant from the last corner on")


def points_rule(points: Sequence[Sequence[Fraction]], laws: Sequence[Laws], tally: Tally) -> None:
    """lower ≤ δ(α) ≤ upper at the points."""
    for alpha, lower, upper in points:
        least = max(rounded_delta(law, alpha, tally, floor) for law, _ in laws)
        demand(lower <= least, ClaimOpen, "the evidence does not prove lower")
        most = max(rounded_delta(law, alpha, tally, ceil) for _, law in laws)
        demand(most <= upper, ClaimOpen, "the evidence does not prove upper")


def rounded_delta(law: Law, alpha: Fraction, tally: Tally, rounded: Callable[[Fraction], int]) -> Fraction:
    """δ at α, every mass and every gain in units of 2^−128, rounded to the side that is safe; at most 1."""
    longest = bits_of(n for atom in law for x in atom for n in x.as_integer_ratio())
    bits = 2 * longest + bits_of(alpha.as_integer_ratio()) + POINT_BITS
    tally.spend(8 * (len(law) + 1), bits, bits)
    unit = 2**POINT_BITS
    rest = unit + sum(rounded(-mass * unit) for _, mass in law)
    gains = (rounded(mass * (1 - alpha / ratio) * unit) for ratio, mass in law if ratio > alpha)
    return Fraction(min(unit, max(0, rest + sum(gains))), unit)


def delta_of(law: Law, alpha: Fraction, tally: Tally) -> Fraction:
    longest = bits_of(n for atom in law for x in atom for n in x.as_integer_ratio())
    bits = (len(law) + 2) * (2 * longest + bits_of(alpha.as_integer_ratio()))
    tally.spend(16 * (len(law) + 1), bits, bits)
    gains = (mass * (1 - alpha / ratio) for ratio, mass in law if ratio > alpha)
    return 1 - mass_of(law) + sum(gains, Fraction(0))
