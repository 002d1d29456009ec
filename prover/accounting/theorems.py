"""What composition theorems promise, of a composition of which more is known: to compare with.

Each mechanism is (ε_i, δ_i)-differentially private with e^ε_i its largest finite ratio, either way round;
where it is only enclosed, that of what dominates it. Of a threshold program with an exact ε that is ε_i, and
δ_i = 0. All numbers are rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import isqrt

from prover.accounting.account import Account, Questions, account
from prover.accounting.errors import BadGrid
from prover.accounting.mechanism import Mechanism
from prover.exact.exponential import enclosed_logarithm, exponential
from prover.exact.rational import decimal_above

_DIGITS = 12
_BITS = 100
_CLOSE = Fraction(1, 1000)


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


def of_exact_epsilons(composed: Account, delta: Fraction) -> Fraction | None:
    """The least ε for this δ where of threshold programs only the exact ε of a run is known; None if none of
    them has one. It is computed once for an account.
    """
    if delta not in composed.compared:
        composed.compared[delta] = _of_exact_epsilons(composed.mechanisms, delta)
    return composed.compared[delta]


def with_finite_epsilons(found: Account, questions: Questions) -> Account:
    """The account; or, where it knows no upper end of an ε, one of the same mechanisms that does, in which
    exact ε alone bound the threshold programs.
    """
    if _is_finite(found, questions):
        return found
    parts = [_without_tables(part) for part in found.mechanisms]
    if all(one is part for one, part in zip(parts, found.mechanisms, strict=True)):
        return found
    with suppress(BadGrid):
        other = account(parts, questions, exact=False, finer_by=lambda _: Fraction(0))
        return other if _is_finite(other, questions) else found
    return found


def _is_finite(found: Account, questions: Questions) -> bool:
    return all(found.epsilon(delta).alpha_upper is not None for delta in questions.deltas)


def _without_tables(part: Mechanism) -> Mechanism:
    """The mechanism as its exact ε alone bounds it; itself if it has none, or samples."""
    alone = None if part.losses is None or part.rate is not None else part.losses.by_pure
    if alone is None or alone.only_pure:
        return part
    return Mechanism.of_program(replace(alone, tables={}), times=part.times, name=part.name)


def _of_exact_epsilons(parts: Sequence[Mechanism], delta: Fraction) -> Fraction | None:
    if not any(map(_pure, parts)):
        return None
    if delta == 0:  # grids have some mass at ∞
        epsilon, rest = basic(parts)
        return None if rest else epsilon
    known = [_of_epsilon(part) if _pure(part) else _of_most(part) for part in parts]
    found = account(known, Questions((), (delta,)), gap=_CLOSE, exact=False)
    return found.epsilon(delta).upper


def _of_epsilon(part: Mechanism) -> Mechanism:
    return Mechanism.of_known("approximate", {"alpha": _ratio(part), "delta": 0}, times=part.times)


def _of_most(part: Mechanism) -> Mechanism:
    """What dominates it, as if that were known to be attained."""
    sides = (
        [replace(choice, loss=choice.most, upper=None) for choice in side]
        for side in (part.forward, part.backward)
    )
    forward, backward = map(tuple, sides)
    return replace(part, forward=forward, backward=backward)


def _pure(part: Mechanism) -> Fraction | None:
    return None if part.losses is None else part.losses.pure


def _ratio(part: Mechanism) -> Fraction:
    """e^ε_i."""
    pure = _pure(part)
    if pure is not None:
        return decimal_above(exponential(pure, _BITS)[1], _DIGITS)
    ratios = [atom.ratio for choice in (*part.forward, *part.backward) for atom in choice.most.atoms]
    return max([Fraction(1), *ratios])


def _open(part: Mechanism) -> Fraction:
    """δ_i: what is seen from one secret only."""
    if _pure(part) is not None:
        return Fraction(0)
    return max(choice.most.infinite for choice in (*part.forward, *part.backward))
