"""What composition theorems promise, of a composition of which more is known: to compare with.

Each mechanism is (ε_i, δ_i)-differentially private with e^ε_i its largest finite ratio, either way round;
where it is only enclosed, that of what dominates it. All numbers are rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from prover.accounting.account import Mechanism
from prover.exact.exponential import enclosed_logarithm

_DIGITS = 12


def basic(parts: Sequence[Mechanism]) -> tuple[Fraction, Fraction]:
    """Basic composition: the sums of all ε_i and of all δ_i."""
    epsilon = sum((part.times * enclosed_logarithm(_ratio(part), _DIGITS)[1] for part in parts), Fraction(0))
    return epsilon, sum((part.times * _open(part) for part in parts), Fraction(0))


def advanced(parts: Sequence[Mechanism], delta: Fraction) -> Fraction | None:
    """Advanced composition: an ε for this δ; None if none is promised.

    ε = Σ ε_i (e^ε_i − 1)/(e^ε_i + 1) + √(2 ln(1/δ') Σ ε_i²) with δ' = δ − Σ δ_i (Kairouz, Oh and
    Viswanath, "The Composition Theorem for Differential Privacy", ICML 2015, Theorem 3.5).
    """
    rest = delta - basic(parts)[1]
    if not rest > 0:
        return None
    mean = squares = Fraction(0)
    for part in parts:
        ratio = _ratio(part)
        own = enclosed_logarithm(ratio, _DIGITS)[1]
        mean += part.times * own * (ratio - 1) / (ratio + 1)
        squares += part.times * own**2
    if rest >= 1:
        return mean
    scale = 10 ** (2 * _DIGITS)
    spread = 2 * enclosed_logarithm(1 / rest, _DIGITS)[1] * squares
    return mean + Fraction(isqrt(-(-spread.numerator * scale // spread.denominator)) + 1, 10**_DIGITS)


def _ratio(part: Mechanism) -> Fraction:
    """e^ε_i."""
    ratios = [atom.ratio for choice in (*part.forward, *part.backward) for atom in choice.most.atoms]
    return max([Fraction(1), *ratios])


def _open(part: Mechanism) -> Fraction:
    """δ_i: what is seen from one secret only."""
    return max(choice.most.infinite for choice in (*part.forward, *part.backward))
