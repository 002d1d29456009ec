"""Whose δ a question is about: two secrets, or all that a relation pairs; one way round or both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from prover.chain.distance import query_pairs
from prover.chain.kinds import DELTA_KINDS
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.unrolling.situations import MergedChain
from prover.errors import UnknownName, quoted


@dataclass(frozen=True)
class Secrets:
    """Pairs of secrets of a chain; δ is the largest of theirs.

    ``kind`` is "tv" (the larger of both directions) or "lv" (from source to target). ``source`` and
    ``target`` are None for the pairs of the chain's relation. One object serves questions about many α: what
    is found out about words is kept.
    """

    chain: LabelledMarkovChain
    kind: str
    source: str | None
    target: str | None
    pairs: tuple[Pair, ...]

    @staticmethod
    def of(chain: LabelledMarkovChain, source: str | None, target: str | None, kind: str) -> Secrets:
        """The two states of these names, or without names the relation.

        The chain of the answer is that of ``query_pairs``. Raises UnknownName, BadOptions, BeyondLimit.
        """
        if kind not in DELTA_KINDS:
            raise UnknownName(
                f"there is no delta of kind {quoted(kind)}; ask for tv (both directions) or lv (one)",
                code="unknown-delta",
            )
        chain, pairs = query_pairs(chain, source, target)
        return Secrets(chain, kind, source, target, tuple(pairs))

    @property
    def named(self) -> bool:
        """Whether it is one pair, and not a relation."""
        return self.source is not None

    @cached_property
    def directions(self) -> tuple[Pair, ...]:
        """The ordered pairs whose lv counts, in order."""
        backward = [(t, s) for s, t in self.pairs if self.kind == "tv"]
        return tuple(sorted({*self.pairs, *backward}))

    @cached_property
    def merged(self) -> MergedChain:
        """The chain with bisimilar states merged, and the situations that words lead to."""
        return MergedChain.of(self.chain)
