"""Symmetries of a chain: permutations of its states that keep everything that the rules about pairs use.

The images of a row are evidence about the images of its pair, which have no rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..chains import Chain, Pair, orders
from ..reading import BadEvidence, Json, RuleBroken, at, demand, items, typed

BITS = 1024  # of memory that an image counts


@dataclass(frozen=True, slots=True)
class Orbits:
    """The orbits of pairs under the group that the permutations generate. Where the table is symmetric, both
    orders of a pair are in one."""

    chain: Chain
    symmetries: Sequence[Sequence[int]] = ()
    symmetric: bool = False

    def of(self, pair: Pair) -> list[Pair]:
        """The pair, and all that permutations of the list lead to from there: as there are finitely many
        pairs, this is the orbit under the group."""
        found = dict.fromkeys(orders(pair, self.symmetric))
        if not self.symmetries:
            return list(found)
        waiting = list(found)
        for i, j in waiting:
            self.chain.budget.spend(1 + len(self.symmetries))
            self.chain.budget.keep(1, BITS)
            for image in ((symmetry[i], symmetry[j]) for symmetry in self.symmetries):
                if image not in found:
                    found[image] = None
                    waiting.append(image)
        return waiting

    def spread(self, pairs: Iterable[Pair]) -> Mapping[Pair, Sequence[Pair]]:
        """The orbit of every one of some different pairs; no two of them are in one orbit."""
        if not self.symmetries and not self.symmetric:
            return {pair: (pair,) for pair in pairs}
        spread = {pair: self.of(pair) for pair in pairs}
        distinct = {image for orbit in spread.values() for image in orbit}
        alone = len(distinct) == sum(map(len, spread.values()))
        demand(alone, BadEvidence, "two rows are about the same orbit")
        return spread


def read_orbits(chain: Chain, value: Json, *, symmetric: bool = False) -> Orbits:
    """A list of permutations, each as the list of the images of all states."""
    listed = [items(images, len(chain.rows)) for images in typed(value, list)]
    for n, images in enumerate(listed):
        with at("symmetry", n):
            symmetry_rule(chain, [chain.state(k) for k in images])
    return Orbits(chain, listed, symmetric)


def symmetry_rule(chain: Chain, images: Sequence[int]) -> None:
    """Every state has one image, and is one; μ at the images is μ at the states; and the labels of images are
    equal where those of the states are, and only there: no label is split, and so no two are joined, as every
    label is one of an image."""
    demand(len(set(images)) == len(images), BadEvidence, "the images are not a permutation")
    renamed: dict[str, str] = {}
    for s, image in enumerate(images):
        row, other, label = chain.rows[s], chain.rows[image], chain.labels[image]
        whole, whole_of_other = chain.wholes[s], chain.wholes[image]
        chain.budget.spend(2 * (1 + len(row)), whole.bit_length(), whole_of_other.bit_length())
        kept = len(row) == len(other)
        kept = kept and all(n * whole_of_other == other.get(images[t], 0) * whole for t, n in row.items())
        demand(kept, RuleBroken, f"state {s} has other probabilities than its image")
        demand(renamed.setdefault(chain.labels[s], label) == label, RuleBroken, f"it splits the label of {s}")
