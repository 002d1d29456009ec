"""Exponential sums in ε: sums of rational · ε^k · e^(rational·ε), with sums, products and rigorous values.

Probabilities of runs with Laplace noise of scale 1/(rate·ε) have this form
(``prover.program.attack.probability``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import arb, fmpq

from prover.exact.ball import ball_of
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.rational import format_rational


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExponentialSum:
    """Σ coefficient · ε^power · e^(exponent/denominator · ε).

    ``numbers`` maps (power, exponent), integers with power ≥ 0, to coefficients other than 0.

    The functions ε^k e^(qε) are linearly independent, so two sums are equal as functions of ε exactly if they
    have the same ``terms``.
    """

    denominator: int
    numbers: Mapping[tuple[int, int], fmpq]

    @staticmethod
    def rational(number: Fraction | int, denominator: int = 1) -> ExponentialSum:
        """The constant sum."""
        constant = fmpq_of(number)
        return ExponentialSum(denominator, {(0, 0): constant} if constant != 0 else {})

    @property
    def terms(self) -> tuple[tuple[Fraction, int, Fraction], ...]:
        """(coefficient, power, exponent) of each term, by power and then by falling exponent."""
        return tuple(
            (fraction_of(c), power, Fraction(exponent, self.denominator))
            for (power, exponent), c in sorted(
                self.numbers.items(), key=lambda item: (item[0][0], -item[0][1])
            )
        )

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if isinstance(other, ExponentialSum) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.terms)

    def __add__(self, other: ExponentialSum) -> ExponentialSum:
        if self.denominator != other.denominator:
            common = lcm(self.denominator, other.denominator)
            return self._over(common) + other._over(common)
        found = dict(self.numbers)
        for key, coefficient in other.numbers.items():
            before = found.get(key)
            if before is None:
                found[key] = coefficient
            elif before == -coefficient:
                del found[key]
            else:
                found[key] = before + coefficient
        return ExponentialSum(self.denominator, found)

    def __mul__(self, other: ExponentialSum | fmpq) -> ExponentialSum:
        if isinstance(other, fmpq):
            if other == 0:
                return ExponentialSum(self.denominator, {})
            return ExponentialSum(self.denominator, {key: c * other for key, c in self.numbers.items()})
        if self.denominator != other.denominator:
            common = lcm(self.denominator, other.denominator)
            return self._over(common) * other._over(common)
        found: dict[tuple[int, int], fmpq] = {}
        for (power, exponent), first in self.numbers.items():
            for (more, further), second in other.numbers.items():
                key = power + more, exponent + further
                before = found.get(key)
                found[key] = first * second if before is None else before + first * second
        return ExponentialSum(self.denominator, {key: c for key, c in found.items() if c != 0})

    def __sub__(self, other: ExponentialSum) -> ExponentialSum:
        return self + other * fmpq(-1)

    def at(self, epsilon: Fraction) -> arb:
        """An enclosure of the value, at the precision that is set."""
        value = arb(0)
        variable = ball_of(epsilon)
        for (power, exponent), coefficient in self.numbers.items():
            grown = ball_of(epsilon * Fraction(exponent, self.denominator)).exp()
            value += grown * variable**power * coefficient
        return value

    def __str__(self) -> str:
        return " + ".join(map(_term, self.terms)).replace("+ -", "- ") or "0"

    def __repr__(self) -> str:
        return f"<ExponentialSum: {self}>"

    def _over(self, denominator: int) -> ExponentialSum:
        factor = denominator // self.denominator
        return ExponentialSum(
            denominator, {(power, exponent * factor): c for (power, exponent), c in self.numbers.items()}
        )


def _term(term: tuple[Fraction, int, Fraction]) -> str:
    coefficient, power, exponent = term
    factors = [format_rational(coefficient)]
    if power:
        factors.append("ε" if power == 1 else f"ε^{power}")
    if exponent:
        factors.append(f"e^({format_rational(exponent)}·ε)")
    return "·".join(factors)
