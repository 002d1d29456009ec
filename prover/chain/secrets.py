"""The secrets of a question about δ: two states, or the pairs of a relation; in one direction or in both.

Reference: docs/theory.md, *Lost runs*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from prover.certificate.schema import Json
from prover.chain.collapsing.collapse import begun_at
from prover.chain.kinds import DELTA_KINDS
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import SYSTEMS, System
from prover.chain.real import losing, most_lost
from prover.chain.unrolling.beliefs import MergedSystem
from prover.errors import BadOptions, UnknownName, must_be, quoted
from prover.exact.rational import format_rational
from prover.progress import MOST_SOON, Progress, after

if TYPE_CHECKING:
    from prover.chain.ld.clusters import Clusters

Queried = TypeVar("Queried", bound=System)

ROUGH = Fraction(1, 100)
"""How closely δ of one pair is known, where it is not exact, before all pairs of a relation are explored."""

_FEW_OPENED = 8  # belief pairs of a pair that is looked into coarsely
_LARGE = 10_000  # states


@dataclass(frozen=True)
class Secrets:
    """Pairs of secrets of a system; δ is the largest of theirs.

    ``kind`` is "tv" (the larger of both directions) or "lv" (from source to target). ``source`` and
    ``target`` are None for the pairs of the system's relation. One object serves questions about many α: the
    belief pairs that words lead to are kept. ``nature`` are the actions that nature chooses, against the
    attacker. Of some pairs only there may be a ``part``, the system in which the others are not looked into.
    """

    system: System
    kind: str
    source: str | None
    target: str | None
    pairs: tuple[Pair, ...]
    nature: frozenset[str] = frozenset()
    part: MergedSystem | None = None

    @staticmethod
    def of(system: System, source: str | None, target: str | None, kind: str) -> Secrets:
        """The two states of these names, or without names the relation.

        The system of the answer is that of ``query_pairs``. Raises UnknownName, BadOptions,
        BeyondLimit.
        """
        if kind not in DELTA_KINDS:
            raise UnknownName(
                f"there is no delta of kind {quoted(kind)}; ask for tv (both directions) or lv (one)",
                code="unknown-delta",
            )
        system, pairs = query_pairs(system, source, target)
        return Secrets(system, kind, source, target, tuple(pairs))

    @property
    def chain(self) -> LabelledMarkovChain:
        """The system, if it has no choices; raises InvalidModel."""
        return self.system if isinstance(self.system, LabelledMarkovChain) else self.system.as_chain()

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
    def lost(self) -> Fraction:
        """At most so likely is a run lost, under every secret; 0 where the chain is not cut."""
        return most_lost(self.losing, self.pairs)

    @cached_property
    def losing(self) -> tuple[Fraction, ...]:
        """For each state the probability that a run from it is lost; none where the chain is not cut."""
        system = self.system
        return losing(system) if isinstance(system, LabelledMarkovChain) and system.lost is not None else ()

    def uncut(self, lower: Fraction, upper: Fraction, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """What bounds of δ at α become if lost runs may show anything."""
        if not self.lost:
            return lower, upper
        return max(Fraction(0), lower - (1 + alpha) * self.lost), min(Fraction(1), upper + self.lost)

    def lost_claim(self) -> Json:
        """What claims about δ say where the chain is cut."""
        return {"lost": self.chain.lost} if self.lost else {}

    def lost_evidence(self) -> Json:
        """How often runs are lost, as their evidence says it."""
        return (
            {"lost": [[s, format_rational(p)] for s, p in enumerate(self.losing) if p]} if self.lost else {}
        )

    @cached_property
    def merged(self) -> MergedSystem:
        """The system with bisimilar states merged, and the belief pairs that words lead to."""
        return self.part or MergedSystem.of(self.system)

    @property
    def far_pair(self) -> Pair:
        """The first secret and, of those that it is related to, the one in the middle: secrets beside each
        other in a list, or at the ends of one that closes to a ring, are often much alike.
        """
        first = self.pairs[0][0]
        related = [(s, t) for s, t in self.pairs if s == first and t != first] or self.pairs
        return related[len(related) // 2]

    @property
    def is_large(self) -> bool:
        """Whether it takes long to find out which states are bisimilar."""
        return len(self.system) >= _LARGE

    @cached_property
    def clusters(self) -> Clusters | None:
        """Clusters of nearly bisimilar states that bound δ of many pairs of a large chain, at every α."""
        if not isinstance(self.system, LabelledMarkovChain):
            return None
        from prover.chain.ld.clusters import clusters_of_many

        return clusters_of_many(self.system, self.pairs)

    @property
    def most_of_clusters(self) -> Fraction:
        """What clusters say of the largest δ, at every α; 1 where there are none."""
        if self.clusters is None:
            return Fraction(1)
        return max(self.clusters.value((s, t)) for s, t in self.pairs if s != t)

    def few(self, nodes: int) -> int:
        """So many nodes are few, or fewer where the only pair is looked into coarsely."""
        return nodes if self.part is None or self.part.opened is None else 8 * self.part.opened

    def look_first(
        self,
        progress: Progress,
        do: Callable[[Secrets], None],
        *,
        later: bool = False,
        coarsely: bool = False,
    ) -> Progress:
        """Do something with the same secrets, of which only one pair is looked into, in both
        directions: what it proves of the largest δ is known long before all pairs are explored.

        In a large chain that is done at once unless ``later``, without a search for bisimilar states, and
        otherwise when the progress that is returned, the same as before, hears that the work takes long. It
        is not done of a chain that is cut, nor for one pair alone; but ``coarsely`` for this one, with a few
        belief pairs, in a large chain.
        """
        is_whole = isinstance(self.system, LabelledMarkovChain) and self.system.lost is None
        pair, is_large = self.far_pair, self.is_large
        one = pair, pair[::-1]
        alone = all(pair in one for pair in self.pairs)
        if not is_whole or (alone and not (coarsely and is_large)):
            return progress
        if later or not is_large:
            return after(MOST_SOON, progress, lambda: do(replace(self, part=self.merged.of_some(one))))
        do(replace(self, part=MergedSystem.as_it_is(self.system, one, _FEW_OPENED if alone else None)))
        return progress


def query_pairs(chain: Queried, source: str | None, target: str | None) -> tuple[Queried, list[Pair]]:
    """The pair of the two named states, or without names the pairs of the chain's relation, and their chain,
    which may be a process.

    That is ``chain`` itself, or where it is collapsed one in which runs begin at the two.

    Raises UnknownName, BadOptions, BeyondLimit.
    """
    must_be(SYSTEMS, chain=chain)
    if source is not None and target is not None:
        chain = begun_at(chain, source, target)
        return chain, [(chain.index(source), chain.index(target))]
    if source is not None or target is not None:
        raise BadOptions(
            "give both states of the pair, or neither for the maximum over the chain's relation",
            code="half-a-pair",
        )
    if not chain.relation:
        raise BadOptions(
            "the chain has no relation to take the maximum over; name two states, with --from and --to, or "
            "say which initial states are secrets (--initial, --secret, --secret-pairs; in the PRISM "
            "language several are initial by init … endinit; docs/models.md)",
            code="empty-relation",
        )
    return chain, list(chain.relation)
