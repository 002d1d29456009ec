"""The number α = e^ε that questions about chains have, given as α or as ε."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.errors import BadOptions, BadValue, quoted
from prover.exact.exponential import exponential
from prover.exact.given import LARGEST_EPSILON, Given, given_rational
from prover.exact.rational import format_rational, parse_rational

_BITS = 40  # to which e^ε is known at least

_EXAMPLE = '--alpha 2 or --epsilon 1/2; in Python alpha=2 or epsilon="1/2"'

_LOGARITHM = re.compile(r"ln ?\(([^()]*)\)|ln +([^() ]+)")


def alpha_or_epsilon(example: str = _EXAMPLE) -> BadOptions:
    """Neither α nor ε is given, or both."""
    return BadOptions(f"give either alpha = e^epsilon or epsilon, such as {example}", code="alpha-or-epsilon")


@dataclass(frozen=True, slots=True)
class Slope:
    """α = e^ε as it enters a computation: ``upper`` ≤ e^ε for upper ends, ``lower`` ≥ e^ε for lower ends.

    Where α is rational the three are equal, and ``epsilon`` is None. Otherwise ε is rational, but not 0: then
    e^ε is irrational, and δ, which falls with α, is bounded from above at ``upper`` and from below at
    ``lower``.
    """

    epsilon: Fraction | None
    upper: Fraction
    lower: Fraction

    @property
    def alpha(self) -> Fraction | None:
        """α, if it is rational."""
        return self.upper if self.epsilon is None else None

    def claim(self, *, upper: bool) -> dict[str, Any]:
        """What a certificate says of α, and of the ε it was found for: it may be below or above e^ε."""
        claim: dict[str, Any] = {"alpha": format_rational(self.upper if upper else self.lower)}
        if self.epsilon is not None:
            side = "at-most" if upper else "at-least"
            claim["epsilon"] = {"alpha": side, "value": format_rational(self.epsilon)}
        return claim

    @staticmethod
    def of_alpha(alpha: Fraction) -> Slope:
        """A rational α."""
        return Slope(None, alpha, alpha)

    @staticmethod
    def of_epsilon(epsilon: Fraction, bits: int = _BITS) -> Slope:
        """e^ε of a rational ε, known to so many bits."""
        if epsilon == 0:
            return Slope.of_alpha(Fraction(1))
        return Slope(epsilon, *exponential(epsilon, max(_BITS, bits)))


def given_slope(subject: str, alpha: Given | None, epsilon: Given | None, bits: int = _BITS) -> Slope:
    """The α or the ε that is given for what ``subject`` names; ε is a rational or the logarithm of one.

        >>> given_slope("delta", None, "ln 2").alpha
        Fraction(2, 1)
        >>> given_slope("delta", None, "1/2").epsilon
        Fraction(1, 2)

    Raises BadOptions, BadValue, and what parse_rational raises.
    """
    if alpha is not None and epsilon is not None:
        raise alpha_or_epsilon()
    if epsilon is None:
        return Slope.of_alpha(rational_alpha(subject, alpha))
    found = given_epsilon(epsilon)
    return found if found.epsilon is None else Slope.of_epsilon(found.epsilon, bits)


def given_epsilon(epsilon: Given) -> Slope:
    """The ε that is given: a rational, or a text such as "ln 2" or "ln(6/5)", for which α is rational.

    Raises BadValue, and what parse_rational raises.
    """
    match = _LOGARITHM.fullmatch(epsilon) if isinstance(epsilon, str) else None
    if match is None:
        return Slope.of_epsilon(
            given_rational(epsilon, "epsilon", "bad-epsilon", at_least=0, at_most=LARGEST_EPSILON)
        )
    argument = parse_rational(match[1] or match[2])
    if argument < 1:
        raise BadValue(
            f"epsilon must be at least 0, so in {quoted(str(epsilon))} the number must be at least 1",
            code="bad-epsilon",
        )
    return Slope.of_alpha(argument)


def rational_alpha(subject: str, alpha: Given | None, epsilon: Given | None = None) -> Fraction:
    """The number α ≥ 1 that is given for what ``subject`` names; by ε only as the logarithm of a rational.

    Raises BadOptions, BadValue, and what ``parse_rational`` raises.
    """
    if epsilon is not None:
        found = given_slope(subject, alpha, epsilon).alpha
        if found is None:
            raise BadValue(
                f"{subject} needs a rational alpha = e^epsilon; give epsilon as a logarithm, such as ln 6/5",
                code="bad-epsilon",
            )
        return found
    if alpha is None:
        raise BadValue(
            f"{subject} needs alpha = e^epsilon (--alpha), a rational of at least 1 such as 6/5",
            code="bad-alpha",
        )
    return given_rational(alpha, "alpha = e^epsilon", "bad-alpha", at_least=1)
