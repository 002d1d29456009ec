"""Asking for δ at the values of α that say most about it, one way round and the other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosing.bounds import CurveBounds
from prover.chain.arguments import Slope
from prover.chain.delta import DeltaQuestion, delta_at
from prover.chain.model import Pair
from prover.chain.secrets import Secrets
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.progress import Progress, silent

MOST_QUESTIONS = 40
LIMITS = UnrollingLimits(nodes=300)
"""How often δ is asked for, and how large the unrolling may become for each time."""

_GRAIN = 2**20  # of the α that are asked about


def enclosed_loss(
    secrets: Secrets, pair: Pair, width: Fraction, progress: Progress = silent
) -> tuple[LossDistribution, LossDistribution]:
    """A distribution that the ordered pair of states dominates, and one that dominates it, whose δ differ by
    at most ``width`` at all α if that takes no more than the limits.

    Each question is about an α where the bounds are farthest apart: where two of the lines below δ meet. For
    α < 1 it is asked the other way round, at 1/α.
    """
    names = secrets.chain.states
    ways = [
        DeltaQuestion(
            replace(secrets, kind="lv", source=names[s], target=names[t], pairs=((s, t),)), width / 4
        )
        for s, t in (pair, pair[::-1])
    ]
    known = CurveBounds()
    asked: set[tuple[bool, Fraction]] = set()
    following: tuple[bool, Fraction] | None = (False, Fraction(1))
    while following is not None and len(asked) < MOST_QUESTIONS:
        progress("values of alpha", len(asked), None)
        asked.add(following)
        _ask(known, ways, *following, progress)
        wide = sorted(((gap, alpha) for alpha, gap in known.widths() if gap > width), reverse=True)
        new = (found for _, alpha in wide if (found := _rounded(alpha)) not in asked)
        following = next(new, None)
    return known.lower(), known.upper()


def _ask(
    known: CurveBounds, ways: list[DeltaQuestion], back: bool, alpha: Fraction, progress: Progress
) -> None:
    """Take note of δ at α ≥ 1; of the other direction it is, with δ_PQ(1/α) = 1 − 1/α + δ_QP(α)/α."""
    answer = delta_at(ways[back], Slope.of_alpha(alpha), LIMITS, progress)
    event = answer.attack
    if back:
        known.add_upper(1 / alpha, 1 - (1 - answer.upper) / alpha)
        if event is not None:
            known.add_line(1 - event.to_probability, 1 - event.from_probability)
    else:
        known.add_upper(alpha, answer.upper)
        if event is not None:
            known.add_line(event.from_probability, event.to_probability)


def _rounded(alpha: Fraction) -> tuple[bool, Fraction]:
    """Whether α is below 1; and α, or else 1/α, in few digits and at least 1."""
    at = max(alpha, 1 / alpha)
    return alpha < 1, Fraction(round(at * _GRAIN), _GRAIN)
