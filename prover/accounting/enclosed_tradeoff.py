"""The trade-off function of one run of a mechanism of which δ is not known exactly, between two bounds.

Reference: docs/theory_divergences.md, *Threshold programs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from prover.accounting.account import Mechanism
from prover.accounting.certificates import part_with_proof
from prover.accounting.distribution import tradeoffs_between
from prover.accounting.tradeoff import TradeOff
from prover.certificate.schema import Certificate, Json, encode
from prover.errors import BadValue, must_be
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.views import Paged

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
        """Of one run of a mechanism with noise, or of a chain. Raises BadValue for other mechanisms."""
        must_be(Mechanism, mechanism=mechanism)
        if mechanism.losses is not None:
            return EnclosedTradeOff(mechanism, *mechanism.losses.tradeoff())
        if mechanism.secrets is None:
            raise BadValue("of known mechanisms and laws there are exact functions", code="bad-mechanism")
        pairs = [*mechanism.forward, *mechanism.backward]
        functions = tradeoffs_between([one.loss for one in pairs], [one.most for one in pairs])
        return EnclosedTradeOff(mechanism, *functions)

    @property
    def certificate(self) -> Certificate:
        """The evidence for ``fewest`` and, where checkers can see it, for the upper end of μ; of a chain for
        both functions and ends. Raises TooMuchWork.
        """
        above = self.most if self.mechanism.losses is None else _BLIND
        return self._certificate((self.fewest, above), upper=True)

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for ``most`` and the lower end of μ, by two inputs; None if it says nothing."""
        alone = self.mechanism.losses is None or not self.reveals
        return None if alone else self._certificate((_NOTHING, self.most), upper=False)

    def _certificate(self, functions: tuple[TradeOff, TradeOff], *, upper: bool) -> Certificate:
        ends = [[[format_rational(x) for x in row] for row in one.vertices] for one in functions]
        claim: Json = {
            "errors": dict(zip(("lower", "upper"), ends, strict=True)),
            "kind": "composition",
        }
        part, proof = part_with_proof(self.mechanism, upper=upper)
        evidence: Json = {"parts": [proof]}
        below, above = self.gaussian_proofs
        below, above = below if functions[1] != _BLIND else None, above if functions[0] != _NOTHING else None
        if below or above:
            low, high = self.gaussian
            claim["gaussian"] = {
                "lower": "0" if below is None or low is None else format_rational(low),
                "upper": "inf" if above is None or high is None else format_rational(high),
            }
            bits = max(end["bits"] for end in (below, above) if end)
            evidence["gaussian"] = (below or {}) | (above or {}) | {"bits": bits}
        return encode(claim, {"type": "composition", "version": 1, "parts": [part]}, evidence)

    @property
    def width(self) -> Fraction:
        """How far both functions are apart at most."""
        places = [x for one in (self.fewest, self.most) for x, _ in one.vertices]
        return max(self.most.value(x) - self.fewest.value(x) for x in places)

    @property
    def reveals(self) -> bool:
        """Whether some test is known to do better than guessing."""
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
