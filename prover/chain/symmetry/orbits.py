"""Pairs of states that symmetries map to each other: they have equal distances, and one stands for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from prover.chain.model import Pair
from prover.chain.symmetry.automorphisms import Permutation
from prover.graphs import search


@dataclass(frozen=True, slots=True)
class Orbits:
    """The orbits of ordered pairs under the group that some symmetries generate, found as they are asked for.

    The least pair of an orbit represents it.
    """

    symmetries: Sequence[Permutation] = ()
    _known: dict[Pair, tuple[Pair, ...]] = field(default_factory=dict, repr=False, compare=False)

    def orbit(self, pair: Pair) -> tuple[Pair, ...]:
        """The pairs that symmetries map this one to, itself included, the representative first."""
        if not self.symmetries:
            return (pair,)
        if pair not in self._known:
            members = tuple(sorted(search([pair], self._images)))
            self._known.update(dict.fromkeys(members, members))
        return self._known[pair]

    def representative(self, pair: Pair) -> Pair:
        """The least pair of the orbit."""
        return self.orbit(pair)[0]

    def _images(self, pair: Pair) -> list[Pair]:
        i, j = pair
        return [(symmetry[i], symmetry[j]) for symmetry in self.symmetries]
