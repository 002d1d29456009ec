"""The pairs of states that a question about a process depends on, and the liftings of each, one an action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import NamedTuple

from flint import fmpq

from prover.chain.ld.problem import Problem, states_by_label
from prover.chain.ld.transport import Part, parts
from prover.chain.model import Pair
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.exact.fmpq import fmpq_of, fmpq_rows
from prover.graphs import search


class Option(NamedTuple):
    """What can be chosen for a pair: an action, and of an unordered pair also the direction."""

    action: str
    forward: bool = True

    def direction(self, pair: Pair) -> Pair:
        """The ordered pair that is meant."""
        return pair if self.forward else (pair[1], pair[0])


class TooManyOptions(Exception):
    """A question depends on more pairs than fit into memory."""


Choice = Mapping[Pair, Option]
"""One option for every pair."""


@dataclass(frozen=True, slots=True)
class InteractiveProblem:
    """The pairs to be solved together, with the parts of their liftings for every option.

    ``members[s]`` are the states with the label of s, and ``complete`` are the labels (as their states) of
    which all pairs belong to the problem: all that mass may travel through. A ``symmetric`` problem has
    the unordered pairs {i,j}, i < j, with both directions among their options.
    """

    alpha: fmpq
    members: tuple[tuple[int, ...], ...]
    options: Mapping[Pair, Mapping[Option, tuple[Part, ...]]]
    complete: tuple[tuple[int, ...], ...]
    symmetric: bool

    def orders(self, pair: Pair) -> tuple[Pair, ...]:
        """The ordered pairs that a pair stands for."""
        return (pair, (pair[1], pair[0])) if self.symmetric else (pair,)

    def liftings(self) -> dict[tuple[Pair, Option], tuple[Part, ...]]:
        """The parts of every option of every pair."""
        return {
            (p, option): parts for p, options in self.options.items() for option, parts in options.items()
        }

    def under(self, choice: Choice) -> Problem:
        """The problem of a chain in which every pair moves by its own option."""
        chosen = {pair: options[choice[pair]] for pair, options in self.options.items()}
        return Problem(self.alpha, self.members, chosen, True, self.complete, self.symmetric)


def alone(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, pairs: Iterable[Pair], *, symmetric: bool = False
) -> InteractiveProblem:
    """These pairs of equal label, without any that they lead to: no lifting may use another pair.

    It takes the rows of their states only, and so it has no ``members``.
    """
    slope = fmpq_of(alpha)
    row_of = cache(lambda action, s: fmpq_rows([process.row(s, action)])[0])
    chosen = sorted({(min(pair), max(pair)) if symmetric else pair for pair in pairs})
    found = {pair: _options(process, pair, slope, row_of, symmetric=symmetric) for pair in chosen}
    return InteractiveProblem(slope, (), found, (), symmetric)


def _options(
    process: LabelledMarkovDecisionProcess,
    pair: Pair,
    slope: fmpq,
    row_of: Callable[[str, int], Mapping[int, fmpq]],
    *,
    symmetric: bool,
) -> dict[Option, tuple[Part, ...]]:
    """The parts of the liftings of a pair, by its options."""
    found: dict[Option, tuple[Part, ...]] = {}
    for action in process.menu(pair[0]):
        for option in (Option(action), Option(action, False))[: 1 + symmetric]:
            s, t = option.direction(pair)
            found[option] = parts(row_of(action, s), row_of(action, t), slope, process.labels)
    return found


def explore(
    process: LabelledMarkovDecisionProcess,
    alpha: Fraction,
    queries: Iterable[Pair],
    *,
    symmetric: bool = False,
    most: int | None = None,
) -> InteractiveProblem:
    """The problem of the given pairs. Pairs of one state, or of two labels, are trivial and left out.

    Raises TooManyOptions where labels of which all ordered pairs belong to it have more than ``most``.
    """
    slope, labels = fmpq_of(alpha), process.labels
    row_of = cache(lambda action, s: fmpq_rows([process.row(s, action)])[0])
    classes = states_by_label(labels)
    found: dict[Pair, dict[Option, tuple[Part, ...]]] = {}
    shared: dict[Part, Part] = {}
    complete: dict[str, tuple[int, ...]] = {}

    def keys(pairs: Iterable[Pair]) -> Iterator[Pair]:
        return ((min(pair), max(pair)) if symmetric else pair for pair in pairs)

    def used_by(pair: Pair) -> Iterator[Pair]:
        split = _options(process, pair, slope, row_of, symmetric=symmetric)
        found[pair] = {o: tuple(shared.setdefault(part, part) for part in own) for o, own in split.items()}
        for own in found[pair].values():
            for part in own:
                label = labels[part.sources[0]]
                if part.sinks and label not in complete:
                    complete[label] = classes[label]
                    if most is not None and sum(len(c) * (len(c) - 1) for c in complete.values()) > most:
                        raise TooManyOptions
                    yield from keys(permutations(classes[label], 2))

    of_one_label = ((s, t) for s, t in queries if s != t and labels[s] == labels[t])
    search(keys(of_one_label), used_by)
    members, whole = tuple(classes[label] for label in labels), tuple(sorted(complete.values()))
    return InteractiveProblem(slope, members, dict(sorted(found.items())), whole, symmetric)
