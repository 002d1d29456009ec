"""How large noise is: that of a number ε or, on a grid, that where e^(−ε·unit) is a rational number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from ..budget import Budget
from ..chains import exceeds_exponential
from ..programs import Program
from ..reading import BadClaim, BadEvidence, Json, Malformed, demand, positive


def bits(number: Fraction) -> int:
    """Of its numerator and its denominator."""
    return number.numerator.bit_length() + number.denominator.bit_length()


@dataclass(frozen=True, slots=True)
class Scale:
    """ε, or q = e^(−ε·unit). With a grid, which is that of differences divided by the sensitivity, all finite
    rates times the grid are multiples of the unit."""

    epsilon: Fraction | None
    q: Fraction
    grid: Fraction | None
    unit: Fraction
    budget: Budget

    def demand_on_grid(self, x: Fraction) -> None:
        """If there is a grid."""
        if self.grid is not None:
            self.budget.spend(8, bits(x), bits(self.grid))
            demand((x / self.grid).denominator == 1, BadEvidence, "a shift or difference off the grid")

    def exponent(self, x: Fraction) -> int:
        """x, a rate times a shift, as a multiple of the unit."""
        n = x / self.unit
        demand(n.denominator == 1, BadEvidence, "an exponent that is no multiple of the unit")
        return n.numerator

    def bounded(self, x: Fraction, bound: Fraction) -> bool:
        """Whether e^(x·ε) is at most the bound; less, if ε is given."""
        if self.epsilon is not None:
            return exceeds_exponential(
                bound.as_integer_ratio(), (x * self.epsilon).as_integer_ratio(), self.budget
            )
        a, c = self.q.as_integer_ratio()
        n, long = self.exponent(x), bits(bound)
        self.budget.spend(8, n * c.bit_length(), n * c.bit_length() + long)
        return bool(bound.numerator * a**n >= bound.denominator * c**n)


def read_scale(program: Program, claim: Mapping[str, Json]) -> Scale:
    """What the claim says of the noise of its program."""
    sensitivity, grid = program.noise
    if grid is None:
        demand("q" not in claim, BadClaim, "q without a grid")
        return Scale(Fraction(*positive(claim["at_epsilon"])), Fraction(0), None, Fraction(1), program.budget)
    rates = [rate * grid / sensitivity for t in program.transitions for rate in t.rates if rate]
    whole = program.budget.denominator([rate.denominator for rate in rates])
    unit = Fraction(gcd(*(int(rate * whole) for rate in rates)), whole) if rates else Fraction(1)
    epsilon, q = None, Fraction(0)
    if "q" in claim:
        q = Fraction(*positive(claim["q"]))
        demand(q < 1, Malformed, "q is not below 1")
    else:
        epsilon = Fraction(*positive(claim["at_epsilon"]))
    return Scale(epsilon, q, grid / sensitivity, unit, program.budget)
