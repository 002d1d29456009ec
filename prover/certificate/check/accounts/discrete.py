"""Discrete Gaussian noise: probabilities in whole units, and the laws between which its law is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..budget import Budget
from ..profiles.sums import Exponentials, longest
from ..reading import BadEvidence, BadModel, Json, TooLarge, demand, natural, positive, record, typed
from .endings import Law, Laws, added

UNIT = 10**40  # of probabilities
SPREAD = 2  # units, up to which a probability is known
BITS = 200  # after the point, of exponentials
MOST = 10_000  # of the sensitivity, and of places on a side


def read_noise(part: Mapping[str, Json]) -> tuple[Fraction, int]:
    """σ, and by how much inputs differ."""
    record(part, "known sensitivity sigma times")
    far = typed(part["sensitivity"], int)
    demand(1 <= far <= MOST, BadModel, "a number is out of range")
    return Fraction(*positive(part["sigma"])), far


def discrete_gaussian(part: Mapping[str, Json], proof: Json, budget: Budget) -> Laws:
    """x has weight e^(−x²/2σ²), and the inputs differ by s: places from s − K to K, at the chances of |x| and
    of |x − s|."""
    sigma, far = read_noise(part)
    units = [natural(n) for n in typed(record(proof, "chances")["chances"], list)]
    demand(far < len(units) <= MOST + 1, BadEvidence, "chances of too few places, or of too many")
    chances_rule(sigma, units, budget)
    places = [(units[abs(x)], units[abs(x - far)]) for x in range(far - len(units) + 1, len(units))]
    above = added((Fraction(p, q), Fraction(p, UNIT)) for p, q in places if p and q)
    return below([(p, q + SPREAD) for p, q in places]), above


def chances_rule(sigma: Fraction, units: Sequence[int], budget: Budget) -> None:
    """The probability of |x| = k has so many units at least, and SPREAD more at most."""
    found = weights(sigma, range(len(units)), budget)
    least, most = whole(sigma, found, budget)
    budget.spend(80 * len(units), 2 * BITS, BITS)
    right = all(
        n * most <= UNIT * low and UNIT * high <= (n + SPREAD) * least
        for n, (low, high) in zip(units, found, strict=True)
    )
    demand(right, BadEvidence, "chances that are not those of the noise")


def weights(sigma: Fraction, places: Sequence[Fraction | int], budget: Budget) -> list[tuple[int, int]]:
    """e^(−x²/2σ²) at these places, between multiples of 2^-BITS."""
    size = 2 * longest([sigma]) + 2 * longest([Fraction(x) for x in places[-1:]])
    budget.spend(8 * len(places), size + 32, size + 32)
    exponentials = Exponentials(BITS, budget)
    return [exponentials.exponential(max(Fraction(-BITS), -((x / sigma) ** 2) / 2)) for x in places]


def whole(sigma: Fraction, found: Sequence[tuple[int, int]], budget: Budget) -> tuple[int, int]:
    """Between which the sum of the weights of all integers is, from those of 0, 1, ….

    Beyond the last one, e^(−(k + j)²/2σ²) is at most e^(−k²/2σ²) times the j-th power of e^(−k/σ²).
    """
    least, most = (2 * sum(own) - own[0] for own in zip(*found, strict=True))
    step = last_step(sigma, found, budget)
    return least, most - (-2 * found[-1][1] * step // ((1 << BITS) - step))


def beyond_last(sigma: Fraction, found: Sequence[tuple[int, int]], budget: Budget) -> int:
    """At least the sum of the weights of k + c for all integers |k| beyond the last one, 0 ≤ c ≤ 1."""
    one = 1 << BITS
    return -(-2 * found[-1][1] * one // (one - last_step(sigma, found, budget)))


def last_step(sigma: Fraction, found: Sequence[tuple[int, int]], budget: Budget) -> int:
    """At least e^(−k/σ²) of the last one, k."""
    exponent = max(Fraction(-BITS), -(len(found) - 1) / sigma**2)
    step = Exponentials(BITS, budget).exponential(exponent)[1]
    demand(step < 1 << BITS, TooLarge, "places too near for the bits")
    return step


def below(places: Sequence[tuple[int, int]]) -> Law:
    """Of places with at least p under the first law and at most q under the second; what is left is one more,
    and so are those that would not leave a smaller ratio."""
    p = q = UNIT
    kept = []
    for first, second in places:
        if first * (q - second) >= (p - first) * second and first < p and second < q:
            kept.append((first, second))
            p, q = p - first, q - second
    return added((Fraction(a, b), Fraction(a, UNIT)) for a, b in [*kept, (p, q)] if a)
