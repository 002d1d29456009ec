"""Claims about compositions, and about δ as a function of α: what laws and their products show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product

from ..budget import Budget, bits_of
from ..chains import Chain, Pair, epsilon_rule, find, orders
from ..reading import (
    BadClaim,
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
from .endings import Law, laws_of_chain
from .grids import enclosed_delta, read_grid
from .parts import Part, read_parts
from .products import exact_delta
from .tally import Tally

MOST_CHOICES = 1_000


def composition(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ the largest δ(α) ≤ upper, over both directions and all choices of pairs of secrets."""
    with at("claim"):
        alpha, lower, upper = (rational(fields[key]) for key in ("alpha", "lower", "upper"))
        demand(at_most((1, 1), alpha), BadClaim, "alpha is below 1")
        demand(
            lower[0] >= 0 and at_most(lower, upper) and at_most(upper, (1, 1)), BadClaim, "no such numbers"
        )
        if "epsilon" in fields:
            epsilon_rule(alpha, fields["epsilon"], budget)
    with at("evidence"):
        exact = "basis" in typed(evidence, dict)
        sides = record(evidence, "basis parts work" if exact else "grid parts")
        parts = read_parts(model, sides["parts"], budget)
        rows = list(choices(parts))
        times = [part.times for part in parts]
        if exact:
            basis = [natural(b) for b in typed(sides["basis"], list)]
            demand(all(b > 1 for b in basis), Malformed, "a number of the basis is below 2")
            tally = Tally(budget, typed(sides["work"], int))
            values = [
                (value, value)
                for row in rows
                for value in [exact_delta(list(zip(row, times, strict=True)), alpha, basis, tally)]
            ]
        else:
            grid = read_grid(sides["grid"], budget)
            values = [enclosed_delta(list(zip(row, times, strict=True)), alpha, grid) for row in rows]
    least, most = max(low for low, _ in values), max(high for _, high in values)
    demand(Fraction(*lower) <= least, ClaimOpen, "the composition is below the claim")
    demand(most <= Fraction(*upper), ClaimOpen, "the composition is above the claim")


def choices(parts: Sequence[Part]) -> Iterator[tuple[Law, ...]]:
    """One law of each part, all one way round, or all the other way."""
    seen: list[tuple[Law, ...]] = []
    for side in ([part.forward for part in parts], [part.backward for part in parts]):
        number = 1
        for laws in side:
            number *= len(laws)
        demand(number <= MOST_CHOICES, TooLarge, "too many combinations of pairs")
        for row in product(*side):
            if row not in seen:
                seen.append(row)
                yield row


def profile(fields: Mapping[str, Json], chain: Chain, evidence: Json) -> None:
    """δ is linear between the corners that are claimed, and constant from the last one on.

    δ is convex and falls. Where it is at one point between two corners what the line between them is, it is
    that line; and from the last corner on it does not fall below δ(∞).
    """
    with at("claim"):
        corners = [tuple(map(rational, items(corner, 2))) for corner in typed(fields["corners"], list)]
        demand(len(corners) > 0 and corners[0][0] == (1, 1), BadClaim, "the first corner is not at 1")
        alphas = [Fraction(*alpha) for alpha, _ in corners]
        ascending(alphas, BadClaim, "corners")
        demand(all(0 <= n <= d for _, (n, d) in corners), BadClaim, "a number is not between 0 and 1")
        symmetric = typed(fields["of"], str) == "tv"
        demand(symmetric or fields["of"] == "lv", Malformed, "neither tv nor lv")
        pairs: Sequence[Pair] = chain.relation
        if fields["scope"] == "pair":
            pairs = [(find(chain.index, fields["from"]), find(chain.index, fields["to"]))]
        demand(len(pairs) > 0, BadClaim, "no pair of states")
    with at("evidence"):
        sides = record(evidence, "laws work")
        directed = sorted({order for pair in pairs for order in orders(pair, symmetric)})
        found = laws_of_chain(chain, directed, sides["laws"])
        tally = Tally(chain.budget, typed(sides["work"], int))
        laws = list({id(law): law for law in found.values()}.values())
    values = [Fraction(*value) for _, value in corners]
    between = [(a + b) / 2 for a, b in pairwise(alphas)]
    lines = [(a + b) / 2 for a, b in pairwise(values)]
    for alpha, value in (*zip(alphas, values, strict=True), *zip(between, lines, strict=True)):
        highest = max(delta_of(law, alpha, tally) for law in laws)
        demand(highest == value, ClaimOpen, "delta is not what the corners say")
    last = max(1 - sum(law.values(), Fraction(0)) for law in laws)
    demand(last == values[-1], ClaimOpen, "delta falls beyond the last corner")


def delta_of(law: Law, alpha: Fraction, tally: Tally) -> Fraction:
    longest = bits_of(n for pair in law.items() for x in pair for n in x.as_integer_ratio())
    bits = (len(law) + 2) * (2 * longest + bits_of(alpha.as_integer_ratio()))
    tally.spend(16 * (len(law) + 1), bits, bits)
    gains = (mass * (1 - alpha / ratio) for ratio, mass in law.items() if ratio > alpha)
    return 1 - sum(law.values(), Fraction(0)) + sum(gains, Fraction(0))
