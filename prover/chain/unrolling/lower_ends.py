"""Lower ends of ld and bd, from what events gain: lv ≤ ld and tv ≤ bd.

Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.certificates import unrolling_evidence
from prover.chain.unrolling.intervals import Goal, Intervals
from prover.chain.unrolling.refinement import FEW_NODES, Refinement, UnrollingLimits, enclose
from prover.progress import Progress

MOST_NODES = 20_000  # they take a few seconds

_LITTLE_MEMORY = 2**24  # bytes, which wide vectors fill with few nodes


@dataclass(frozen=True, slots=True)
class LowerEnds:
    """What some event gains from the first state of each pair to the second; or back, where ``both_ways``."""

    intervals: Intervals
    both_ways: bool

    def value(self, pair: Pair) -> Fraction:
        """The lower end of a pair, 0 of those that were not asked for."""
        forward = self._one_way(pair)
        return max(forward, self._one_way(pair[::-1])) if self.both_ways else forward

    def _one_way(self, pair: Pair) -> Fraction:
        return self.intervals.lower.get(pair, Fraction(0))

    def evidence(self) -> dict[str, Any]:
        """The unrolling, as certificates of distances hold it (docs/certificates.md, 3.1)."""
        return unrolling_evidence(self.intervals)


def lower_ends(
    chain: LabelledMarkovChain,
    pairs: Sequence[Pair],
    alpha: Fraction,
    *,
    both_ways: bool,
    nodes: int = MOST_NODES,
    progress: Progress,
    on_found: Callable[[LowerEnds], object],
) -> LowerEnds:
    """Lower ends for pairs of states, and one for the largest distance that is as high as so many
    nodes prove. ``on_found`` hears of lower ones on the way.
    """
    queried = {*pairs, *((t, s) for s, t in pairs if both_ways)}

    def report(found: Intervals) -> None:
        on_found(LowerEnds(found, both_ways))

    conditions = Refinement(UnrollingLimits(nodes=nodes, distances=False), progress, report)
    found = enclose(MergedSystem.of(chain), sorted(queried), alpha, Goal(Fraction(0)), conditions)
    return LowerEnds(found, both_ways)


def one_event(
    chain: LabelledMarkovChain, pair: Pair, alpha: Fraction, *, both_ways: bool, progress: Progress
) -> LowerEnds:
    """What an event that is found in a moment gains for one pair; bisimilar states are not merged."""
    pairs = (pair, pair[::-1]) if both_ways else (pair,)
    limits = UnrollingLimits(nodes=FEW_NODES, memory=_LITTLE_MEMORY, distances=False)
    goal, conditions = Goal(Fraction(0)), Refinement(limits, progress)
    return LowerEnds(enclose(MergedSystem.as_it_is(chain, pairs), pairs, alpha, goal, conditions), both_ways)
