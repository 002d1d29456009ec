"""The pairs of states that a query depends on, and the lifting problem of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

from flint import fmpq

from prover.chain.ld.transport import Part, parts
from prover.chain.model import LabelledMarkovChain
from prover.exact.fmpq import fmpq_of
from prover.graphs import search

Pair = tuple[int, int]
"""Two states, in this order. A *twin* is a pair of two different states of equal label."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The twins to be solved together, with the parts of their liftings.

    ``members[s]`` are the states with the label of s (s included, increasing). With ``outside`` the twins
    are closed under everything that the lifting over all states of the chain can use, and ``complete`` are
    the labels (as their states) of which all twins belong to the problem. Without, they are closed only
    under what a coupling on supports uses, which is enough for upper bounds. A ``symmetric`` problem has
    one direction of every unordered twin {i,j}, i < j: its parts are those of the direction chosen, and
    d(i,j) = d(j,i).
    """

    alpha: fmpq
    members: tuple[tuple[int, ...], ...]
    parts: Mapping[Pair, tuple[Part, ...]]
    outside: bool
    complete: tuple[tuple[int, ...], ...]
    symmetric: bool = False

    def key(self, pair: Pair) -> Pair:
        """The twin under which ``parts`` has this one."""
        return (pair[1], pair[0]) if self.symmetric and pair[0] > pair[1] else pair

    def orders(self, pair: Pair) -> tuple[Pair, ...]:
        """The ordered twins that a key stands for."""
        return (pair, (pair[1], pair[0])) if self.symmetric else (pair,)


def explore(
    chain: LabelledMarkovChain,
    alpha: Fraction,
    queries: Iterable[Pair],
    *,
    outside: bool = True,
    both_ways: bool = False,
) -> Problem:
    """The problem of the given pairs. Pairs that are no twins are trivial and left out.

    Mass of a part with sources and sinks may travel through any state of the label, so with ``outside`` all
    twins of that label belong to the problem. A part without sinks needs no distance at all.
    """
    slope = fmpq_of(alpha)
    rows = [{t: fmpq_of(p) for t, p in row.items()} for row in chain.rows]
    by_label: dict[str, list[int]] = {}
    for s, label in enumerate(chain.labels):
        by_label.setdefault(label, []).append(s)
    classes = {label: tuple(states) for label, states in by_label.items()}
    found: dict[Pair, tuple[Part, ...]] = {}
    shared: dict[Part, Part] = {}
    complete: dict[str, tuple[int, ...]] = {}

    def used_by(pair: Pair) -> Iterable[Pair]:
        split = parts(rows[pair[0]], rows[pair[1]], slope, chain.labels)
        found[pair] = tuple(shared.setdefault(part, part) for part in split)
        if both_ways:
            yield pair[1], pair[0]
        for part in found[pair]:
            label = chain.labels[part.sources[0]]
            if not part.sinks or label in complete:
                continue
            if outside:
                complete[label] = classes[label]
                yield from permutations(classes[label], 2)
            else:
                yield from product(part.sources, part.sinks)

    search([(s, t) for s, t in queries if s != t and chain.labels[s] == chain.labels[t]], used_by)
    members = tuple(classes[label] for label in chain.labels)
    return Problem(slope, members, dict(sorted(found.items())), outside, tuple(sorted(complete.values())))
