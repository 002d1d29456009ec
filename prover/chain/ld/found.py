"""What is asked about distances, and what is found: bounds of pairs of states, and the evidence for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from prover.chain.bisimulation import Bisimilarity, numbers_of
from prover.chain.kinds import Engine, Kind
from prover.chain.ld.certificates import bisimilarity_evidence, no_evidence
from prover.chain.model import Pair

Bound = Callable[[Pair], Fraction]
"""A bound for every pair of two states of equal label."""

Evidence = Callable[[], Mapping[str, Any]]
"""Writes down why an answer is right."""


@dataclass(frozen=True, slots=True)
class DistanceQuestion:
    """What is asked, and with which limits: see ``prover.distance``."""

    kind: Kind
    alpha: Fraction | None
    upper_only: bool
    max_bits: int | None
    engine: Engine = "lp"
    merge: bool = False
    jobs: int = 1
    all_pairs: bool = False


@dataclass(frozen=True, slots=True)
class FoundBounds:
    """Bounds for the pairs of a question, the same ones if they are exact, and how to write the evidence."""

    lower: Bound
    upper: Bound
    engine: str
    evidence: Evidence
    effort: Mapping[str, int] = field(default_factory=dict)
    """What it took: "pairs", "rounds" of policy iteration in floating point, "exact rounds" …"""
    from_delta: bool = False
    """Whether the lower bounds are those of δ, which the distance bounds."""


TRIVIAL = FoundBounds(lambda _: Fraction(0), lambda _: Fraction(1), "trivial", no_evidence)
"""That distances are from 0 to 1."""


def largest(bound: Bound, pairs: Iterable[Pair]) -> Fraction:
    """The largest bound of the pairs of two states, or 0."""
    return max((bound(pair) for pair in pairs if pair[0] != pair[1]), default=Fraction(0))


def of_states(found: FoundBounds, alike: Bisimilarity) -> FoundBounds:
    """What is found about classes as bounds for their states, with the classes among the evidence."""
    class_of = numbers_of(alike.classes)

    def bound_of(bound: Bound) -> Bound:
        def of_pair(pair: Pair) -> Fraction:
            s, t = class_of[pair[0]], class_of[pair[1]]
            return Fraction(0) if s == t else bound((s, t))

        return of_pair

    def evidence() -> Mapping[str, Any]:
        return {**found.evidence(), "quotient": bisimilarity_evidence(alike)}

    lower = bound_of(found.lower)
    upper = lower if found.upper is found.lower else bound_of(found.upper)
    return replace(found, lower=lower, upper=upper, evidence=evidence)
