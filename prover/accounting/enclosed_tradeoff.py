"""The trade-off function of one run of a mechanism with noise, for all neighbouring inputs.

Reference: docs/theory_divergences.md, *Threshold programs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from prover.accounting.account import Mechanism
from prover.accounting.tradeoff import TradeOff
from prover.certificate.schema import Certificate, Json, encode
from prover.errors import BadValue, must_be
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.views import Paged

_EXACT = "other mechanisms than those with noise have exact functions"
_BLIND = TradeOff(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))))
_NOTHING = TradeOff(((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))))


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
            raise BadValue(_EXACT, code="bad-mechanism")
        return EnclosedTradeOff(mechanism, *mechanism.losses.tradeoff())

    @property
    def certificate(self) -> Certificate:
        """The evidence for ``fewest`` and, where checkers can see it, for the upper end of μ. Raises
        TooMuchWork.
        """
        return self._certificate((self.fewest, _BLIND), upper=True)

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for ``most`` and the lower end of μ, by two inputs; None if it says nothing."""
        return None if not self.reveals else self._certificate((_NOTHING, self.most), upper=False)

    def _certificate(self, functions: tuple[TradeOff, TradeOff], *, upper: bool) -> Certificate:
        losses = self.mechanism.losses
        if losses is None:
            raise BadValue(_EXACT, code="bad-mechanism")
        ends = [[[format_rational(x) for x in row] for row in one.vertices] for one in functions]
        claim: Json = {
            "errors": dict(zip(("lower", "upper"), ends, strict=True)),
            "kind": "composition",
        }
        pure = {} if losses.proof_pure is None else {"pure": losses.proof_pure}
        evidence: Json = {"parts": [losses.proof_above | pure if upper else losses.proof_below]}
        number, proof = self.gaussian[upper], self.gaussian_proofs[upper]
        if number is not None and proof is not None:
            low, high = ("0", format_rational(number)) if upper else (format_rational(number), "inf")
            claim["gaussian"], evidence["gaussian"] = {"lower": low, "upper": high}, proof
        part = losses.part | {"times": 1}
        return encode(claim, {"type": "composition", "version": 1, "parts": [part]}, evidence)

    @property
    def reveals(self) -> bool:
        """Whether two inputs were found that some test tells apart."""
        return self.most != _BLIND

    @property
    def gaussian_proofs(self) -> tuple[Json | None, Json | None]:
        """The evidence for both ends of μ; None where there is none."""
        below, above = self.gaussian
        first = self.most.gaussian_proof((below, None)) if below else None
        return first, None if above is None else self.fewest.gaussian_proof((None, above))

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
