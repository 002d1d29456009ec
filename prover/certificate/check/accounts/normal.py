"""Gaussian noise on one number, also on an integer: moments in closed form (*Moments of Gaussian noise*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb

from ..budget import Budget
from ..moments import Bound, Order
from ..noise import Gaussian
from ..profiles.claims import steps_rule
from ..profiles.sums import Exponentials, longest
from ..programs import CORNERS, read_program
from ..reading import BadEvidence, Json, Malformed, demand, positive, record, typed
from .discrete import MOST, beyond_last, read_noise, weights, whole
from .powers import length, multiplied, power
from .sampling import read_sampling

BITS = 300  # of exponentials
MOST_EXPONENT = 64


@dataclass(frozen=True, slots=True)
class Normal:
    """Runs of Gaussian noise, with the squared quotient of sensitivity and standard deviation. ``noise`` are
    both on the integers, with so many places that are looked at; samples have a rate below 1."""

    times: int
    squared: Fraction
    noise: tuple[Fraction, int] | None
    places: int
    rate: Fraction
    budget: Budget

    @property
    def rho(self) -> Fraction:
        """Of all runs."""
        return self.times * self.squared / 2

    def moment(self, order: Order, first: bool, up: bool) -> Bound:
        """Of a run, from below or from above, where the first secret is with the person or not."""
        if order.n == 0:
            return None
        a = Fraction(order.m, order.n)
        if self.rate == 1:
            one = self.exponential(a * (a - 1), up)
            one = max(Fraction(1), multiplied(self.budget, one, self.shape(a, up), up))
        else:
            demand(order.n == 1, BadEvidence, "samples of Gaussian noise, and an order that is not whole")
            one = self.sampled(order.m, up) if first or up else Fraction(1)
        return one

    def exponential(self, factor: Fraction | int, up: bool) -> Fraction:
        """Of so many times half of the square: a power of one whose exponent is at most 64."""
        self.budget.spend(8, longest([self.squared]), longest([Fraction(factor)]) + 64)
        exponent = factor * self.squared / 2
        parts = max(1, ceil(exponent / MOST_EXPONENT))
        ends = Exponentials(BITS, self.budget).exponential(exponent / parts)
        return power(self.budget, Fraction(ends[up], 1 << BITS), parts, up)

    def sampled(self, order: int, up: bool) -> Fraction:
        """Σ C(a, j) (1 − γ)^(a − j) γ^j e^(j (j − 1)/2 · square)."""
        moments = [self.exponential(j * (j - 1), up) for j in range(order + 1)]
        size = order * (longest([self.rate]) + 1) + max(map(length, moments))
        self.budget.spend(16 * (order + 1), size, size)
        g, d = self.rate.as_integer_ratio()
        terms = (comb(order, j) * (d - g) ** (order - j) * g**j * moments[j] for j in range(order + 1))
        return sum(terms, Fraction(0)) / Fraction(d**order)

    def shape(self, order: Fraction, up: bool) -> Fraction:
        """Σ e^(−(k − c)²/2σ²) / Σ e^(−k²/2σ²) over the integers k, c = (1 − a)s, from below or from above: at
        most 1, and that where c is an integer."""
        if self.noise is None:
            return Fraction(1)
        sigma, far = self.noise
        center = (1 - order) * far % 1
        if center == 0:
            return Fraction(1)
        places = range(-self.places, self.places + 1)
        near = weights(sigma, [k - center for k in places], self.budget)
        every = weights(sigma, range(self.places + 1), self.budget)
        least, most = whole(sigma, every, self.budget)
        if not up:
            return Fraction(sum(low for low, _ in near), most)
        beyond = beyond_last(sigma, every, self.budget)
        return min(Fraction(1), Fraction(sum(high for _, high in near) + beyond, least))


def read_normal(part: Mapping[str, Json], proof: Json, budget: Budget) -> Normal:
    """A part whose moments have a closed form."""
    places = typed(record(proof, "normal")["normal"], int)
    demand(0 <= places <= MOST, BadEvidence, "too many places")
    plain = {key: value for key, value in part.items() if key != "sampling"}
    rate = Fraction(1)
    if "sampling" in part:
        fixed, rate = read_sampling(part["sampling"], plain)
        demand(not fixed, BadEvidence, "samples of a fixed size")
    noise = None
    if "known" in plain:
        demand(plain["known"] == "discrete-gaussian", BadEvidence, "noise that is not Gaussian")
        noise = read_noise(plain)
        quotient = noise[1] / noise[0]
    else:
        quotient = of_program(plain, budget)
    size = longest([quotient])
    budget.spend(8, size, size)
    return Normal(typed(part["times"], int), quotient**2, noise, places, rate, budget)


def of_program(part: Mapping[str, Json], budget: Budget) -> Fraction:
    """The sensitivity over the standard deviation of a program that shows one number, and ends."""
    record(part, "adjacency at_epsilon program times", "steps")
    demand(typed(part["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    positive(part["at_epsilon"])
    steps_rule(part)
    program = read_program(part["program"], budget, gaussian=True)
    (first,) = program.leaving(program.initial)
    alone = first.takes_input and first.pinned and not first.primed
    demand(alone and first.to not in program.states, BadEvidence, "more than one number is shown, or none")
    if not isinstance(first.noise, Gaussian):
        raise BadEvidence("noise that is not Gaussian")
    return first.reach / first.noise.sigma
