"""The number α = e^ε that questions about chains have."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadInput, abbreviated
from prover.exact.rational import format_rational, parse_rational


class BadAlpha(BadInput):
    """α is missing, superfluous, or below 1."""


def rational_alpha(subject: str, alpha: Fraction | int | str | None) -> Fraction:
    """The number α ≥ 1 that is given for what ``subject`` names. Raises BadAlpha, and what parse_rational
    raises.
    """
    if alpha is None:
        raise BadAlpha(f"{subject} needs alpha = e^epsilon, a rational of at least 1 such as 6/5")
    if isinstance(alpha, float):
        raise BadAlpha('alpha is a rational number, not a float; write it as text, such as "6/5" or "1.2"')
    slope = parse_rational(alpha) if isinstance(alpha, str) else Fraction(alpha)
    if slope < 1:
        raise BadAlpha(f"alpha = e^epsilon is at least 1, not {abbreviated(format_rational(slope))}")
    return slope
