"""Claims about the moments of compositions: products of the largest moments of their parts (*Moments*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..budget import Budget
from ..moments import Bound, Order, at_least, read_moments
from ..reading import ClaimOpen, Json, at, demand, record
from .endings import Law, mass_of
from .parts import Part, read_parts
from .powers import multiplied, power
from .zcdp import rho_rule


def composed_moments(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ the largest moment ≤ upper, over both directions and all choices, at every order."""
    with at("claim"):
        moments = read_moments(fields["moments"])
    with at("evidence"):
        listed = record(evidence, "parts rho" if "rho" in fields else "parts")
        parts = read_parts(model, listed["parts"], budget, moments=True)
        for number, (order, (lower, upper)) in enumerate(moments):
            with at("order", number):
                lows, highs = (
                    [product(budget, order, parts, first, up) for first in (True, False)]
                    for up in (False, True)
                )
                proved = any(at_least(low, lower) for low in lows)
                demand(proved, ClaimOpen, "the evidence does not prove lower")
                proved = all(at_least(upper, high) for high in highs)
                demand(proved, ClaimOpen, "the evidence does not prove upper")
        if "rho" in fields:
            listed_parts = [part for part in parts if part.normal is None]
            sides = ([(part.side(first), part.times) for part in listed_parts] for first in (True, False))
            ways = [[([laws for options in own for laws in options], n) for own, n in way] for way in sides]
            normal = [part.normal for part in parts if part.normal is not None]
            rho_rule(fields["rho"], ways, listed["rho"], budget, normal)


def product(budget: Budget, order: Order, parts: Sequence[Part], first: bool, up: bool) -> Bound:
    """Of the largest moments of the parts one way round, from below or from above."""
    total = Fraction(1)
    for part in parts:
        if part.normal is None:
            laws = [laws[up] for options in part.side(first) for laws in options]
            moments = [moment(budget, order, law)[up] for law in laws]
        else:
            moments = [part.normal.moment(order, first, up)]
        finite = [one for one in moments if one is not None]
        if len(finite) < len(moments):
            return None
        total = multiplied(budget, total, power(budget, max(finite), part.times, up), up)
    return total


def moment(budget: Budget, order: Order, law: Law) -> tuple[Bound, Bound]:
    """Rounded down and up; None is ∞."""
    if mass_of(law) < 1:
        return None, None
    powers = [order.power(budget, mass, mass / ratio) for ratio, mass in law]
    low, high = (order.added(budget, [ends[side] for ends in powers]) for side in (0, 1))
    return max(Fraction(1), low), high
