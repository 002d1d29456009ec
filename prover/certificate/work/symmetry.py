"""The work of symmetries: to try them, and to find the pairs that a row is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.certificate.work.count import Count

Pair = tuple[int, int]

_BITS = 1024  # of memory that an image counts


@dataclass(frozen=True, slots=True)
class Spread:
    """The pairs that a row about one of them is about."""

    count: Count
    symmetries: Sequence[Sequence[int]]
    symmetric: bool

    def of(self, pair: Sequence[int]) -> list[Pair]:
        """The orbit of a pair, which costs something where there are symmetries."""
        i, j = pair
        found = dict.fromkeys([(i, j), (j, i)] if self.symmetric else [(i, j)])
        waiting = list(found)
        for s, t in waiting if self.symmetries else ():
            for image in ((symmetry[s], symmetry[t]) for symmetry in self.symmetries):
                if image not in found:
                    found[image] = None
                    waiting.append(image)
        if self.symmetries:
            self.count.spend(len(waiting) * (1 + len(self.symmetries)))
            self.count.keep(len(waiting), _BITS)
        return waiting


def try_symmetries(
    count: Count, bits: Sequence[int], degrees: Sequence[int], symmetries: Sequence[Sequence[int]]
) -> None:
    """The comparison of every row with that of its image, under each symmetry."""
    for symmetry in symmetries:
        for s, image in enumerate(symmetry):
            count.spend(2 * (1 + degrees[s]), bits[s], bits[image])
