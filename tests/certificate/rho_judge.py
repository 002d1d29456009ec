"""Whether a claim about the ρ of zCDP is true, from Section 3.14 of docs/certificates.md.

It searches in floats, and looks at nothing of the evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, log
from typing import Any

Json = Any
ROOM = 1e-6  # of the search


def rho_holds(
    claim: Json, moment: Callable[[float], float], pairs: list[list[tuple[Fraction, Fraction]]]
) -> bool:
    """Of the largest moments, which may be infinite, and of the pairs of laws that they are about, in both
    directions."""
    lower, upper = (inf if end == "inf" else float(Fraction(end)) for end in (claim["lower"], claim["upper"]))
    found = largest(moment)
    if not 0 <= lower <= found + ROOM or upper < found - ROOM:
        return False
    if "approximate" not in claim:
        return True
    delta, most = (Fraction(claim["approximate"][name]) for name in ("delta", "upper"))
    for law in pairs:
        both = [(p, q) for p, q in law if p and q]
        kept = [sum((row[side] for row in both), Fraction(0)) for side in (0, 1)]
        if min(kept) < 1 - delta or not both or not 0 <= delta <= 1 or upper < inf:
            return False
        given = [(float(p / kept[0]), float(q / kept[1])) for p, q in both]

        def of_given(a: float, given: list[tuple[float, float]] = given) -> float:
            return float(sum(p**a * q ** (1 - a) for p, q in given))

        if float(most) < largest(of_given) - ROOM:
            return False
    return True


def largest(moment: Callable[[float], float]) -> float:
    """The largest ln M_a/(a (a − 1)) of some orders, refined around it."""

    def height(a: float) -> float:
        found = moment(a)
        return inf if found == inf else log(max(1.0, found)) / (a * (a - 1))

    orders = [1 + 1e-5, *(1 + 2 ** (k / 2) / 16 for k in range(16))]
    for _ in range(4):
        top = max(orders, key=height)
        if height(top) == inf:
            return inf
        near = sorted(orders)
        place = near.index(top)
        low, high = near[max(0, place - 1)], near[min(len(near) - 1, place + 1)]
        orders += [low + (high - low) * k / 8 for k in range(1, 8)]
    return max(map(height, orders))
