"""The number α = e^ε that questions about chains have."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadInput
from prover.exact.given import Given, given_rational


class BadAlpha(BadInput):
    """α is missing, superfluous, or below 1."""


def rational_alpha(subject: str, alpha: Given | None) -> Fraction:
    """The number α ≥ 1 that is given for what ``subject`` names.

    Raises BadAlpha, and what ``parse_rational`` raises.
    """
    if alpha is None:
        raise BadAlpha(f"{subject} needs alpha = e^epsilon, a rational of at least 1 such as 6/5")
    return given_rational(alpha, "alpha = e^epsilon", BadAlpha, at_least=1)
