"""Claims about δ as a function of α, by laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from ..budget import bits_of
from ..chains import Chain, claimed_pairs, orders
from ..reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    ascending,
    at,
    demand,
    items,
    rational,
    record,
    typed,
)
from ..unrollings import less_lost, most_lost
from .endings import Law, Laws, laws_of_chain, mass_of
from .tally import Tally

POINT_BITS = 128  # after the point, of masses and gains where δ is bounded at points


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
