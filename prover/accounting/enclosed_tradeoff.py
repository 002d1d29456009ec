"""The trade-off function of one run of a mechanism with noise, for all neighbouring inputs.

Reference: docs/theory_divergences.md, *Threshold programs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from prover.accounting.account import Mechanism
from prover.accounting.tradeoff import TradeOff
from prover.errors import BadValue, must_be
from prover.exact.rational import decimal_above, decimal_below, decimal_text
from prover.views import Paged


@dataclass(frozen=True, slots=True, repr=False)
class EnclosedTradeOff(Paged):
    """Two functions between which the trade-off function is. No test of any neighbouring inputs has errors
    below the first one, ``fewest``; no convex function that is above ``most`` somewhere is below all errors.

        >>> from prover.accounting.programs import ProgramLosses
        >>> from prover.zoo import svt
        >>> once = Mechanism.of_program(ProgramLosses.of(svt(), at_epsilon="1/10"))
        >>> EnclosedTradeOff.of(once).fewest.value("1/2") > Fraction(46, 100)
        True
    """

    mechanism: Mechanism
    fewest: TradeOff
    most: TradeOff

    @staticmethod
    def of(mechanism: Mechanism) -> EnclosedTradeOff:
        """Of one run. Raises BadValue for other mechanisms than those with noise."""
        must_be(Mechanism, mechanism=mechanism)
        if mechanism.losses is None:
            raise BadValue(
                "other mechanisms than those with noise have exact functions", code="bad-mechanism"
            )
        return EnclosedTradeOff(mechanism, *mechanism.losses.tradeoff())

    @property
    def headline(self) -> str:
        """The answer in a line."""
        half = Fraction(1, 2)
        low, high = decimal_below(self.fewest.value(half), 4), decimal_above(self.most.value(half), 4)
        return f"{self.mechanism.name}: at 1/2 from {decimal_text(low, 4)} to {decimal_text(high, 4)}"

    @property
    def gaussian(self) -> tuple[Fraction | None, Fraction | None]:
        """Decimals between which the least μ of Gaussian differential privacy is; None is ∞."""
        below, above = self.most.gaussian(), self.fewest.gaussian()
        return None if below is None else below[0], None if above is None else above[1]
