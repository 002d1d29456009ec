"""The pairs of states that a query depends on, and the lifting problem of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product

from flint import fmpq

from prover.chain.ld.transport import Part, parts
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.symmetry import Orbits
from prover.exact.fmpq import fmpq_of, fmpq_rows
from prover.graphs import search


@dataclass(frozen=True, slots=True)
class Problem:
    """The pairs to be solved together, with the parts of their liftings.

    ``members[s]`` are the states with the label of s (s included, increasing). With ``outside`` the pairs
    are closed under everything that the lifting over all states of the chain can use, and ``complete`` are
    the labels (as their states) of which all pairs belong to the problem. Without, they are closed only
    under what a coupling on supports uses, which is enough for upper bounds. A ``symmetric`` problem has
    one direction of every unordered pair {i,j}, i < j: its parts are those of the direction chosen, and
    d(i,j) = d(j,i). In a ``direct`` problem mass takes one arc only. Of the pairs that symmetries of the
    chain map to each other, the problem has one. ``jobs`` processes may work on it at the same time.
    """

    alpha: fmpq
    members: tuple[tuple[int, ...], ...]
    parts: Mapping[Pair, tuple[Part, ...]]
    outside: bool
    complete: tuple[tuple[int, ...], ...]
    symmetric: bool = False
    orbits: Orbits = field(default_factory=Orbits)
    direct: bool = False
    jobs: int = 1

    def key(self, pair: Pair) -> Pair:
        """The pair under which ``parts`` has this one."""
        found = self.orbits.representative(pair)
        return min(found, self.orbits.representative(pair[::-1])) if self.symmetric else found

    def orders(self, pair: Pair) -> tuple[Pair, ...]:
        """The ordered pairs that a key stands for."""
        orbit = self.orbits.orbit(pair)
        return (
            *orbit,
            *(self.orbits.orbit(pair[::-1]) if self.symmetric and pair[::-1] not in orbit else ()),
        )


class LargeProblem(Exception):
    """A query depends on more pairs of states than it may."""


def states_by_label(labels: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The states of each label, increasing."""
    found: dict[str, list[int]] = {}
    for s, label in enumerate(labels):
        found.setdefault(label, []).append(s)
    return {label: tuple(states) for label, states in found.items()}


def explore(
    chain: LabelledMarkovChain,
    alpha: Fraction,
    queries: Iterable[Pair],
    *,
    outside: bool = True,
    both_ways: bool = False,
    orbits: Orbits | None = None,
    most: int | None = None,
) -> Problem:
    """The problem of the given pairs. Pairs of one state, or of two labels, are trivial and left out.

    Mass of a part with sources and sinks may travel through any state of the label, so with ``outside`` all
    pairs of that label belong to the problem. A part without sinks needs no distance at all. Of each orbit of
    pairs the problem has the representative; with ``both_ways`` it has both directions of one pair.

    Raises LargeProblem where there are ``most`` pairs or more.
    """
    slope = fmpq_of(alpha)
    rows = fmpq_rows(chain.rows)
    classes = states_by_label(chain.labels)
    found: dict[Pair, tuple[Part, ...]] = {}
    shared: dict[Part, Part] = {}
    alike = _first_with_equal_rows(chain)
    split: dict[Pair, tuple[Part, ...]] = {}
    complete: dict[str, tuple[int, ...]] = {}
    same = Orbits() if orbits is None else orbits

    def standing_for(pairs: Iterable[Pair]) -> Iterator[Pair]:
        for s, t in pairs:
            found_first = same.representative((s, t))
            yield min(found_first, same.representative((t, s))) if both_ways else found_first

    def used_by(pair: Pair) -> Iterable[Pair]:
        kind = alike[pair[0]], alike[pair[1]]
        if kind not in split:
            own = parts(rows[kind[0]], rows[kind[1]], slope, chain.labels)
            split[kind] = tuple(shared.setdefault(part, part) for part in own)
        found[pair] = split[kind]
        if most is not None and len(found) >= most:
            raise LargeProblem
        if both_ways:
            yield pair[1], pair[0]
        for part in found[pair]:
            label = chain.labels[part.sources[0]]
            if not part.sinks or label in complete:
                continue
            if outside:
                complete[label] = classes[label]
                yield from standing_for(permutations(classes[label], 2))
            else:
                yield from standing_for(product(part.sources, part.sinks))

    of_one_label = ((s, t) for s, t in queries if s != t and chain.labels[s] == chain.labels[t])
    search(standing_for(of_one_label), used_by)
    members, labels = tuple(classes[label] for label in chain.labels), tuple(sorted(complete.values()))
    return Problem(slope, members, dict(sorted(found.items())), outside, labels, orbits=same)


def alone(chain: LabelledMarkovChain, alpha: Fraction, pairs: Iterable[Pair]) -> Problem:
    """These pairs of equal label, without any that they lead to: no lifting may use another pair.

    It takes the rows of their states only, and so it has no ``members``.
    """
    slope, chosen = fmpq_of(alpha), sorted(pairs)
    states = sorted({s for pair in chosen for s in pair})
    row_of = dict(zip(states, fmpq_rows([chain.rows[s] for s in states]), strict=True))
    found = {(s, t): parts(row_of[s], row_of[t], slope, chain.labels) for s, t in chosen}
    return Problem(slope, (), found, False, ())


def _first_with_equal_rows(chain: LabelledMarkovChain) -> list[int]:
    """For every state the first one with the same row."""
    first: dict[tuple[tuple[int, Fraction], ...], int] = {}
    return [first.setdefault(tuple(row.items()), s) for s, row in enumerate(chain.rows)]
