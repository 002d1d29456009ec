"""Permutations of the states that keep what every distance depends on: probabilities, and equality of labels.

Colour refinement tells states apart that no such permutation exchanges. Where it leaves some together, one of
them is made different, in turn for each that could take its place; where both colourings can be refined until
no two states share a colour, equal colours say which state goes where. Colours are told apart by hashes, and
nothing is believed before every transition has been compared (docs/theory.md, *Symmetry*).

Pairs of states that symmetries map to each other have equal distances, and one stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from prover.chain.model import LabelledMarkovChain, Pair
from prover.graphs import search

Permutation = tuple[int, ...]
"""The image of every state."""

_MOST_WORK = 50_000_000  # edges looked at while colours are refined


class _Spent(Exception):
    """The search has looked at too many edges."""


def generators(chain: LabelledMarkovChain, most_work: int = _MOST_WORK) -> tuple[Permutation, ...]:
    """Symmetries that generate all of them, or many if there are too many to find; none if there is none.

    A symmetry π has μ_π(s)(π(t)) = μ_s(t) for all states, and ℓ(π(s)) = ℓ(π(t)) where ℓ(s) = ℓ(t), and only
    there.

        >>> from prover.zoo import randomised_response
        >>> chain = randomised_response()
        >>> [[chain.states[k] for k in symmetry] for symmetry in generators(chain)]
        [['b', 'a', 'end', 'said-b', 'said-a']]
    """
    return tuple(_Search(_Graph.of(chain), most_work).found)


@dataclass(frozen=True, slots=True)
class _Graph:
    """The transitions of a chain, each of the kind of its probability, and an edge from every state to the
    vertex of its label. States come first.
    """

    states: int
    vertices: int
    source: Any
    target: Any
    kind: Any

    @classmethod
    def of(cls, chain: LabelledMarkovChain) -> _Graph:
        kinds = {p: k for k, p in enumerate(sorted({p for row in chain.rows for p in row.values()}), start=1)}
        place = {label: len(chain) + k for k, label in enumerate(sorted(set(chain.labels)))}
        edges = [(s, t, kinds[p]) for s, row in enumerate(chain.rows) for t, p in row.items()]
        edges += [(s, place[label], 0) for s, label in enumerate(chain.labels)]
        source, target, kind = (np.array(column) for column in zip(*edges, strict=True))
        return cls(len(chain), len(chain) + len(place), source, target, kind)

    def colours(self) -> Any:
        """States are no labels."""
        return (np.arange(self.vertices) >= self.states).astype(np.int64)

    def refined(self, colours: Any) -> Any:
        """Colours that differ where those of neighbours do, numbered in a way that no symmetry changes."""
        count = len(np.unique(colours))
        while True:
            kind = self.kind.astype(np.uint64)
            leaving = np.zeros(self.vertices, dtype=np.uint64)
            entering = np.zeros(self.vertices, dtype=np.uint64)
            np.add.at(leaving, self.source, _mixed(colours[self.target].astype(np.uint64), kind))
            np.add.at(entering, self.target, _mixed(colours[self.source].astype(np.uint64), kind))
            signatures = np.stack([colours.astype(np.uint64), leaving, entering])
            _, colours = np.unique(signatures, axis=1, return_inverse=True)
            colours = colours.reshape(-1)
            if colours.max() + 1 == count:
                return colours
            count = int(colours.max()) + 1

    def kept_by(self, permutation: Any) -> bool:
        """Whether every edge goes to one of its kind: then labels that are equal stay so."""
        edges = np.stack([self.source, self.target, self.kind])
        images = np.stack([permutation[self.source], permutation[self.target], self.kind])
        images = images[:, np.lexsort(images[::-1])]
        return bool((edges[:, np.lexsort(edges[::-1])] == images).all())


def _mixed(colours: Any, kinds: Any) -> Any:
    """A number for every colour and kind that sums of few others will hardly ever equal (splitmix64)."""
    with np.errstate(over="ignore"):
        x = colours * np.uint64(0x9E3779B97F4A7C15) + kinds * np.uint64(0xD1B54A32D192ED03)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


class _Search:
    """Symmetries that move a state of the first branch, from its end to its beginning."""

    def __init__(self, graph: _Graph, work: int) -> None:
        self.graph, self.work = graph, work
        self.found: list[Permutation] = []
        self.path: list[tuple[Any, int]] = []  # colours, and the state that is told apart next
        try:
            colours = self._refined(graph.colours())
            while (state := self._ambiguous(colours)) is not None:
                self.path.append((colours, state))
                colours = self._refined(_told_apart(colours, state))
            self.leaf = colours
            for level in reversed(range(len(self.path))):
                self._move(level)
        except _Spent:
            pass

    def _refined(self, colours: Any) -> Any:
        colours, before = self.graph.refined(colours), len(np.unique(colours))
        self.work -= (int(colours.max()) + 2 - before) * len(self.graph.kind)
        if self.work < 0:
            raise _Spent
        return colours

    def _ambiguous(self, colours: Any) -> int | None:
        """The first state of the smallest colour that several states have; None if there is none."""
        sizes = np.bincount(colours[: self.graph.states])
        several = np.flatnonzero(sizes > 1)
        if not several.size:
            return None
        colour = several[np.argmin(sizes[several])]
        return int(np.flatnonzero(colours == colour)[0])

    def _move(self, level: int) -> None:
        """For every state of this level that may take the place of the one told apart, a symmetry if any."""
        colours, state = self.path[level]
        for other in np.flatnonzero(colours == colours[state]).tolist():
            reached = search([state], lambda s: (permutation[s] for permutation in self.found))
            if other not in reached:
                self._descend(level, colours, other)

    def _descend(self, level: int, colours: Any, other: int) -> bool:
        """Look for a symmetry that does what the colours say, and moves the state of the level to another."""
        colours = self._refined(_told_apart(colours, other))
        if level + 1 == len(self.path):
            return self._record(colours)
        expected, state = self.path[level + 1]
        if not np.array_equal(np.bincount(colours), np.bincount(expected)):
            return False
        wanted = np.flatnonzero(colours == expected[state]).tolist()
        # What stays where it is leads to the simplest symmetries.
        wanted.sort(key=lambda s: s != state)
        return any(self._descend(level + 1, colours, s) for s in wanted)

    def _record(self, colours: Any) -> bool:
        vertices = self.graph.vertices
        if len(np.unique(colours)) < vertices:
            return False
        permutation = np.empty(vertices, dtype=np.int64)
        permutation[np.argsort(self.leaf)] = np.argsort(colours)
        if not self.graph.kept_by(permutation):
            return False
        self.found.append(tuple(permutation[: self.graph.states].tolist()))
        return True


def _told_apart(colours: Any, state: int) -> Any:
    """The colours, where a state has one of its own."""
    changed = 2 * colours
    changed[state] += 1
    return changed


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
