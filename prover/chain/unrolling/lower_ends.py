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
from prover.chain.unrolling.refinement import Refinement, UnrollingLimits, enclose
from prover.progress import Progress

FEW_NODES, MOST_NODES = 2_000, 20_000
"""Nodes that take a fraction of a second, and those that take a few seconds."""


@dataclass(frozen=True, slots=True)
class LowerEnds:
    """What some event gains from the first state of each pair to the second; or back, where ``both_ways``."""

    intervals: Intervals
    both_ways: bool

    def value(self, pair: Pair) -> Fraction:
        """The lower end of a pair that was asked for."""
        forward = self.intervals.lower[pair]
        return max(forward, self.intervals.lower[pair[::-1]]) if self.both_ways else forward

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
