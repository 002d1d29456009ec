"""The loss of programs whose rates are real numbers, between that of rational rates around them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from .budget import Budget
from .noise import is_real
from .opened import OpenProgram, piece_rule, read_open
from .programs import CORNERS
from .reading import (
    BadClaim,
    BadEvidence,
    Json,
    Malformed,
    ascending,
    at,
    canonical,
    demand,
    items,
    rational,
    record,
    typed,
)
from .real_rates import MOST_BITS, bounds_of, coefficient, positive_bounds, text_of, with_rates_of
from .whose import loss_rule

BESIDE = "a parameter is open, and rates are real numbers"

Made = tuple[Fraction, Fraction, bytes]  # c, d and x of a number c + d·x; x is empty where d is 0


def with_ones(model: Json, budget: Budget) -> Json:
    """The model with the rate 1 in place of real rates, which are positive."""

    def one(rate: Json) -> Json:
        if not is_real(rate):
            return rate
        positive_bounds(rate, budget)
        return "1"

    demand("open" not in model, Malformed, BESIDE)
    return with_rates_of(model, one)


def made_of(number: Json, budget: Budget) -> Made:
    """A number as c + d·x, where d is the first coefficient of a term with parts."""
    if isinstance(number, str):
        return Fraction(*rational(number)), Fraction(0), b""
    terms = [items(term, 2) for term in typed(number, list)]
    ascending([canonical(typed(parts, list)) for _, parts in terms], Malformed, "terms of a number")
    budget.spend(4 * len(terms), MOST_BITS, MOST_BITS)
    own = [(coefficient(c), parts) for c, parts in terms]
    constant = sum((c for c, parts in own if not parts), Fraction(0))
    rest = [(c, parts) for c, parts in own if parts]
    demand(len(rest) > 0, Malformed, "a number is written as a real one, and is rational")
    factor = rest[0][0]
    return constant, factor, canonical([[text_of(c / factor), parts] for c, parts in rest])


def real_loss(claim: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    """The loss is at least `lower` and at most `upper`; what the line says of these."""
    parts = record(evidence, "reals", "blocks nodes")
    around = dict[bytes, tuple[Fraction, Fraction]]()
    for number, entry in enumerate(typed(parts["reals"], list)):
        with at("real", number):
            value, low, high = items(entry, 3)
            least, most = bounds_of(value, budget)
            ends = Fraction(*rational(low)), Fraction(*rational(high))
            demand(ends[0] < least and most < ends[1], BadEvidence, "the number is not known to be between")
            around[canonical(value)] = ends
    values = [entry[0] for entry in parts["reals"]]
    ascending([canonical(value) for value in values], BadEvidence, "reals")
    demand(len(values) > 0, BadEvidence, "there are no reals")
    with at("model"):
        opened = between(model, around, budget)
    demand(typed(claim["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    with at("claim"):
        loss_rule(opened.first, {**claim, "lower": "0" if claim["lower"] == "0" else "some"}, {})
        lower = at_ends(claim["lower"], around, budget)
        upper = "inf" if claim["upper"] == "inf" else at_ends(claim["upper"], around, budget)
    with at("evidence"):
        part = {key: value for key, value in parts.items() if key != "reals"}
        bounds = {"lower": lower, "upper": upper}
        piece_rule((opened.first, opened.last), claim["adjacency"], bounds, part)
    words = [number if isinstance(number, str) else canonical(number).decode()
             for number in (claim["lower"], claim["upper"])]  # fmt: skip
    return f" value={words[0]}" if words[0] == words[1] else f" lower={words[0]} upper={words[1]}"


def between(model: Json, around: Mapping[bytes, tuple[Fraction, Fraction]], budget: Budget) -> OpenProgram:
    """The programs with rates on both sides of the real ones. With one real number x the rates are affine in
    what stands for it; with several the first program has the smaller rates."""

    def pair(rate: Json) -> Json:
        if not is_real(rate):
            demand(not isinstance(rate, list), Malformed, BESIDE)
            return rate
        constant, factor, base = made_of(rate, budget)
        demand(base in around, BadEvidence, "a rate is made of a number that is not among the reals")
        ends = [constant + factor * end for end in around[base]]
        return [text_of(end) for end in (ends if len(around) == 1 else sorted(ends))]

    changed = with_rates_of(model, pair)
    demand("open" not in changed, Malformed, BESIDE)
    opened = read_open({**changed, "open": {"from": "0", "name": "x", "to": "1"}}, budget)
    demand(not opened.sensitive, Malformed, BESIDE)
    return opened


def at_ends(number: Json, around: Mapping[bytes, tuple[Fraction, Fraction]], budget: Budget) -> Json:
    """A bound at both ends."""
    constant, factor, base = made_of(number, budget)
    if not factor:
        return [number, number]
    demand(len(around) == 1 and base in around, BadClaim, "a bound is made of another number than rates")
    return [text_of(constant + factor * end) for end in around[base]]
