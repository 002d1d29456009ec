"""What a draw of a protocol may show, with the probability of each value."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import comb
from typing import Any

from flint import fmpq

from prover.errors import BadValue, abbreviated
from prover.exact.fmpq import fmpq_of
from prover.exact.given import given_rational
from prover.exact.rational import MAX_DIGITS, format_rational
from prover.exact.real import Exact, Real, given_number
from prover.language.reading.expressions import COUNTS
from prover.language.values import described, items_of, letter

MOST_DRAWN = 10_000
"""The largest n of ``binomial``, and the largest population of ``hypergeometric``."""

Chance = fmpq | Real
"""A probability."""

Outcomes = list[tuple[Any, Chance]]
"""Values with their probabilities, all above 0."""


def outcomes(word: str, given: tuple[Any, ...]) -> Outcomes:
    """What a draw by one of the words of protocols may show; raises BadInput for wrong arguments.

    ``word`` is "flip", "choose" with or without weights, "choose among" with probabilities, or a word of
    COUNTS; ``given`` are its arguments.
    """
    if word in COUNTS:
        values = count_arguments(word, given)
        found = _binomial(*values) if word == "binomial" else _hypergeometric(*map(int, values))
    elif word == "flip":
        chance = _number(given[0], "the probability", at_most=1)
        found = [(True, chance), (False, 1 - chance)]
    else:
        found = _chosen(word, items_of(given[0]), given[1] if len(given) > 1 else None)
    return [(value, chance) for value, chance in found if chance != 0]


def count_arguments(word: str, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a word of COUNTS as exact numbers, which make sense; raises BadInput."""
    names = COUNTS[word]
    if word == "binomial":
        n = _whole(given[0], "n")
        p = given_rational(_exact(given[1], "p"), "p", at_least=0, at_most=1)
        if n * p.denominator.bit_length() > 3 * MAX_DIGITS:
            raise BadValue(
                f"the probabilities of binomial(n, p) may have more than {MAX_DIGITS:,} digits; write a "
                "smaller n, or a p with a shorter denominator"
            )
        return n, p
    population, marked, drawn = (_whole(one, name) for one, name in zip(given, names, strict=True))
    for name, number in (("marked", marked), ("drawn", drawn)):
        if number > population:
            raise BadValue(f"{name} must be at most the population, {population}, not {number}")
    return population, marked, drawn


def _binomial(n: int, p: Any) -> Outcomes:
    """How many of n coins show heads, which each does with probability p."""
    heads, tails = p.numerator, p.denominator - p.numerator
    ways = list(accumulate(range(n), lambda one, k: one * (n - k) // (k + 1), initial=1))
    more = list(accumulate(range(n), lambda one, _: one * heads, initial=1))
    fewer = list(accumulate(range(n), lambda one, _: one * tails, initial=1))
    whole = p.denominator**n
    return [(k, fmpq(ways[k] * more[k] * fewer[n - k], whole)) for k in range(n + 1)]


def _hypergeometric(population: int, marked: int, drawn: int) -> Outcomes:
    """How many of ``drawn`` members of a population, all different, are among the marked ones."""
    whole = comb(population, drawn)
    possible = range(max(0, drawn - (population - marked)), min(marked, drawn) + 1)
    return [(k, fmpq(comb(marked, k) * comb(population - marked, drawn - k), whole)) for k in possible]


def _chosen(word: str, items: Any, weights: Any) -> Outcomes:
    if not items:
        raise BadValue("there are no options to choose from; give a tuple of values")
    if weights is None:
        return [(item, fmpq(1, len(items))) for item in items]
    if not isinstance(weights, tuple) or len(weights) != len(items):
        raise BadValue(
            f"there are {len(items)} values, and the weights are {described(weights)}; give a tuple with a "
            "weight for each value"
        )
    what = "a weight" if word == "choose" else "a probability"
    numbers = [_number(weight, what) for weight in weights]
    total = sum(numbers, fmpq(0))
    if word != "choose":
        twice = next((one for k, one in enumerate(items) if one in items[:k]), None)
        if twice is not None:
            name = letter(twice) or described(twice)
            raise BadValue(f"{name} occurs twice; give each value one probability")
        if total != 1:
            shown = abbreviated(str(total))
            raise BadValue(
                f"the probabilities add up to {shown}, not to 1; weights go in a second tuple, "
                "choose(values, weights)"
            )
    if total == 0:
        raise BadValue("all weights are 0; give one that is not")
    return [(item, number / total) for item, number in zip(items, numbers, strict=True)]


def _number(value: Any, what: str, at_most: int | None = None) -> Chance:
    return chance_of(given_number(_exact(value, what), what, at_least=0, at_most=at_most))


def chance_of(number: Exact) -> Chance:
    """A probability to compute with."""
    return number if isinstance(number, Real) else fmpq_of(number)


def _exact(value: Any, what: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Fraction | str | Real):
        raise BadValue(f'{what} is {described(value)}; write a number, such as "1/2"')
    return value


def _whole(value: Any, what: str) -> int:
    number = given_rational(_exact(value, what), what, at_least=0, at_most=MOST_DRAWN)
    if number.denominator != 1:
        raise BadValue(f"{what} must be a whole number, not {abbreviated(format_rational(number))}")
    return number.numerator
