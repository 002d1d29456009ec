"""What runs of a chain give away of each pair of secrets: first coarsely, where exact answers take longer.

Reference: docs/accounting.md, *Between two distributions*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from prover.accounting.distribution import LossDistribution
from prover.accounting.pairs import PairLoss, different
from prover.chain.breakpoints import ending_bounds
from prover.chain.model import Pair
from prover.chain.secrets import Secrets
from prover.progress import Progress, silent

PairLosses = tuple[tuple[PairLoss, ...], tuple[PairLoss, ...]]
"""Of the pairs of secrets one way round, and of those the other way: one for each different distribution."""


def pair_losses(secrets: Secrets, width: Fraction, progress: Progress = silent) -> PairLosses:
    """The distributions of all pairs; δ of those that are enclosed is known up to ``width``, if that does not
    take too long.
    """
    names, merged = secrets.chain.states, secrets.merged
    losses: dict[Pair, tuple[LossDistribution, LossDistribution | None]] = {}

    def choice(image: Pair, pair: Pair) -> PairLoss:
        if image not in losses:
            found = ending_bounds(merged, image, width, progress)
            lower, upper = (LossDistribution.of_endings(ends) for ends in (found.lower, found.upper))
            losses[image] = lower, (None if lower == upper else upper)
        return PairLoss(names[pair[0]], names[pair[1]], *losses[image])

    def choices(pairs: Iterable[Pair]) -> tuple[PairLoss, ...]:
        first: dict[Pair, Pair] = {}
        for pair in pairs:
            first.setdefault(merged.pair(pair), pair)
        return different(choice(image, pair) for image, pair in first.items())

    return choices(secrets.pairs), choices((t, s) for s, t in secrets.pairs)


def unexplored(secrets: Secrets) -> Secrets:
    """The same secrets, of which no pair is looked into further than bounds up to a width need."""
    found = replace(secrets)  # which knows no belief pair yet
    both_ways = ((s, t) for pair in found.pairs for s, t in (pair, pair[::-1]))
    found.merged.beliefs.endless.update(map(found.merged.pair, both_ways))
    return found
