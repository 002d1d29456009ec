"""Privacy loss distributions whose losses are multiples of an interval, as other accountants round them.

Reference: docs/accounting.md, *Rounded losses*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import ctx

from prover.accounting.distribution import LossDistribution, given_times
from prover.accounting.mechanism import Mechanism
from prover.accounting.outcomes import UNIT, dominated, dominating
from prover.accounting.pairs import PairLoss
from prover.errors import BadValue
from prover.exact.ball import ball_of, bounds

MOST_LOSSES = 50_000
LARGEST_LOSS = 1_000

_BITS = 192
_FEW = 3  # ratios: long numbers without common factors
_DUST = Fraction(1, 10**6)
"""So much more than 1 may masses sum up to that floats have rounded."""


@dataclass(frozen=True)
class RoundedLosses:
    """Masses of losses k · ``interval`` from the first secret, by the integer k, and the mass at ∞.

    ``pessimistic`` says that it stands for a pair of secrets that it dominates; otherwise they dominate it.

        >>> third = Fraction(1, 3)
        >>> rounded = RoundedLosses({-7: third, 7: 2 * third}, Fraction(0), Fraction(1, 10), True)
        >>> 0.33 < rounded.loss.delta(1) < 0.34
        True

    Raises BadValue.
    """

    masses: Mapping[int, Fraction]
    infinite: Fraction
    interval: Fraction
    pessimistic: bool

    def __post_init__(self) -> None:
        if not 1 <= len(self.masses) <= MOST_LOSSES:
            raise BadValue(
                f"from 1 to {MOST_LOSSES:,} losses are read, not {len(self.masses):,}; a larger interval has "
                "fewer",
                code="bad-distribution",
            )
        if self.interval <= 0:
            raise BadValue("the interval is more than 0", code="bad-distribution")
        if max(map(abs, self.masses)) * self.interval > LARGEST_LOSS:
            raise BadValue(f"a loss is at most {LARGEST_LOSS:,}", code="bad-distribution")
        total = sum(self.masses.values(), self.infinite)
        if self.infinite < 0 or abs(total - 1) > _DUST or min(self.masses.values()) < -_DUST:
            raise BadValue("masses are at least 0 and sum up to 1", code="bad-distribution")

    @property
    def loss(self) -> LossDistribution:
        """A distribution of rational ratios: one that dominates this if it is pessimistic, and otherwise one
        that this dominates.
        """
        return self._above() if self.pessimistic else self._below()

    def mechanism(self, *, times: int = 1, name: str = "rounded losses") -> Mechanism:
        """A part of an account, with this distribution one way round and its reverse the other way. With more
        than a few ratios it is composed on a grid, as these are too many for exact products.
        """
        loss = self.loss
        few = len(loss.atoms) <= _FEW
        sides = (loss, loss.reverse)
        forward, backward = ((PairLoss(None, None, one, None if few else one),) for one in sides)
        return Mechanism(name, given_times(times), forward, backward)

    def _ratio(self, k: int, *, up: bool) -> Fraction:
        """e^(k · interval), rounded."""
        with ctx.workprec(_BITS + int(self.interval * abs(k)) * 2):
            return bounds(ball_of(k * self.interval).exp())[up]

    def _above(self) -> LossDistribution:
        masses = {k: max(0, ceil(self.masses[k] * UNIT)) for k in sorted(self.masses, reverse=True)}
        p = UNIT - max(ceil(self.infinite * UNIT), UNIT - sum(masses.values()))
        q = UNIT
        outcomes = []
        for k, mass in masses.items():
            own = min(mass, p)  # at the last one all that is left
            second = min(own * UNIT // ceil(self._ratio(k, up=True) * UNIT), q)
            outcomes.append((own, second))
            p, q = p - own, q - second
        return dominating(outcomes)

    def _below(self) -> LossDistribution:
        masses = {k: max(0, floor(self.masses[k] * UNIT)) for k in sorted(self.masses, reverse=True)}
        outcomes = ((mass, ceil(mass / self._ratio(k, up=False))) for k, mass in masses.items())
        return dominated(outcomes, max(0, floor(self.infinite * UNIT)))
