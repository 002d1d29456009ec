"""Pairs of secrets that may be meant, and their combinations, one pair for each mechanism.

Reference: docs/accounting.md, *What is claimed*.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from prover.accounting.distribution import LossDistribution
from prover.errors import BeyondLimit

MOST_CHOICES = 1_000


@dataclass(frozen=True)
class PairLoss:
    """An ordered pair of secrets, and what a mechanism gives away of it; known mechanisms name none.

    Where that is only enclosed, ``upper`` dominates it and it dominates ``loss``. Where one of several
    mechanisms is chosen, ``options`` are theirs.
    """

    source: str | None
    target: str | None
    loss: LossDistribution
    upper: LossDistribution | None = None
    options: tuple[LossDistribution, ...] = ()

    @property
    def most(self) -> LossDistribution:
        """What dominates: the distribution itself where it is known."""
        return self.loss if self.upper is None else self.upper

    @property
    def kind(self) -> Hashable:
        """The same for choices that give away the same."""
        return self.loss, self.most, self.options


Sides = Sequence[Sequence[PairLoss]]
"""Of every mechanism the pairs that may be meant."""


def different(choices: Iterator[PairLoss]) -> tuple[PairLoss, ...]:
    """The first choice of each distribution."""
    found: dict[Hashable, PairLoss] = {}
    for choice in choices:
        found.setdefault(choice.kind, choice)
    return tuple(found.values())


def combinations(forward: Sides, backward: Sides) -> tuple[tuple[PairLoss, ...], ...]:
    """The combinations of secrets, in either direction, whose distributions differ.

    Raises BeyondLimit.
    """
    different: dict[Hashable, tuple[PairLoss, ...]] = {}
    for side in (forward, backward):
        number = prod(map(len, side))
        if number > MOST_CHOICES:
            raise BeyondLimit(
                f"pairs of secrets have {number:,} different combinations, more than {MOST_CHOICES:,}; name "
                "from and to",
                code="too-many-choices",
            )
        for row in product(*side):
            different.setdefault(tuple(choice.kind for choice in row), row)
    return tuple(different.values())
