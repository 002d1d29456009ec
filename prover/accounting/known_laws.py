"""Known mechanisms: the laws of their outputs on two inputs as far apart as possible, in rational numbers.

Outputs with the same likelihood ratio may be one. All laws are the same in both directions.
"""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadValue
from prover.exact.given import Given, given_integer, given_rational

LossMasses = dict[int, Fraction]

MOST_UNITS = 10_000
"""The largest sensitivity and bound of discrete noise, in units of its grid."""


def randomised_response(q: Given, values: int) -> tuple[LossMasses, LossMasses]:
    """The truth, one of so many values, with probability 1 / (1 + (values − 1) q), and each other value with
    q times that; q = e^−ε, 0 < q ≤ 1. Raises BadValue.
    """
    lie = _fraction_of_one(q)
    values = _given_count("values", "number of values", values, 2)
    truth = 1 / (1 + (values - 1) * lie)
    # The two inputs, and all values that are neither.
    first = {0: truth, 1: truth * lie, 2: (values - 2) * truth * lie}
    return first, {0: first[1], 1: first[0], 2: first[2]}


def discrete_laplace(q: Given, sensitivity: int, bound: int | None) -> tuple[LossMasses, LossMasses]:
    """An integer plus noise x with probability proportional to q^|x|; inputs differ by ``sensitivity``.

    q = e^−ε of one unit, 0 < q < 1. With a ``bound`` the noise is one of −bound, …, bound, with probabilities
    in the same proportions. Raises BadValue.
    """
    unit = _fraction_of_one(q)
    if unit == 1:
        raise BadValue("q = e^-epsilon of discrete Laplace noise is less than 1", code="bad-mechanism")
    sensitivity = _given_count("sensitivity", "sensitivity", sensitivity, 1)
    if bound is None:
        # What is at most 0 has one ratio, and so has what is at least the sensitivity: one outcome each.
        first = {x: (1 - unit) / (1 + unit) * unit**x for x in range(1, sensitivity)}
        first |= {0: 1 / (1 + unit), sensitivity: unit**sensitivity / (1 + unit)}
    else:
        bound = _given_count("bound", "bound of the noise", bound, 1)
        weights = {x: unit ** abs(x) for x in range(-bound, bound + 1)}
        total = sum(weights.values())
        first = {x: weight / total for x, weight in weights.items()}
    return first, {sensitivity - x: p for x, p in first.items()}


def approximate(alpha: Given, delta: Given) -> tuple[LossMasses, LossMasses]:
    """The pair that dominates all (ε, δ)-differentially private mechanisms; α = e^ε ≥ 1, 0 ≤ δ ≤ 1.

    With probability δ the input is published, and otherwise randomised response with two values is used.
    Raises BadValue.
    """
    ratio = given_rational(alpha, "alpha", "bad-mechanism", at_least=1)
    published = given_rational(delta, "delta", "bad-mechanism", at_least=0, at_most=1)
    truth, lie = (1 - published) * ratio / (1 + ratio), (1 - published) / (1 + ratio)
    return {0: truth, 1: lie, 2: published}, {0: lie, 1: truth, 3: published}


def _fraction_of_one(q: Given) -> Fraction:
    return given_rational(q, "q = e^-epsilon", "bad-mechanism", more_than=0, at_most=1)


def _given_count(name: str, what: str, given: int, least: int) -> int:
    count = given_integer(given, name)
    if not least <= count <= MOST_UNITS:
        raise BadValue(
            f"the {what} is an integer from {least} to {MOST_UNITS:,}, not {count:,}", code="bad-mechanism"
        )
    return count
