"""Classes of states that fingerprints cannot distinguish, for large systems: arrays, not single states.

Each class has a random number r. The fingerprint of a state is the sum of P(s→t)·r(class of t) over its
successors t, modulo a prime. It is computed from the probabilities of entering the classes, so states that
have different fingerprints enter some class with different probabilities. States of one fingerprint may, too:
so fingerprints only guide, and integers decide whether what they leave together is bisimilar.
Reference: docs/theory.md, *Kernels and ranks*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prover.chain.process import System

_Numbers = NDArray[np.int64]

_PRIME = 2**31 - 1  # products of two residues are numbers of 64 bits
_MOST_ROUNDS = 100
_FIRST_ROUNDS = 10  # after which a round has to add one class …
_WORTH = 1_000  # … for so many states
_UNIT = 2**62  # denominators of rows in which sums of probabilities are numbers of 64 bits


class Separated(NamedTuple):
    """A partition that separates no bisimilar states: the number of each state's class.

    ``bisimilar``: it is proved that the states of a class are. Then these are the classes of ∼.
    """

    number: list[int]
    bisimilar: bool


def separated(system: System, most_rounds: int = _MOST_ROUNDS) -> Separated | None:
    """The classes that fingerprints distinguish, until a round separates nothing more, or for so many rounds.

    None where a probability has more than 63 bits, or a denominator that the prime divides.
    """
    places: dict[str, int] = {}
    number = np.array([places.setdefault(label, len(places)) for label in system.labels], np.int64)
    try:
        rows = [_arrays(under.rows) for under in system.under.values()]
    except (OverflowError, ValueError):
        return None
    random, found = np.random.default_rng(1), len(places)
    for done in range(most_rounds):
        before = found
        for row in rows:
            value = random.integers(1, _PRIME, found)[number][row.successors]
            fingerprint = np.add.reduceat(row.residues * value % _PRIME, row.starts) % _PRIME
            different, number = np.unique(number * _PRIME + fingerprint, return_inverse=True)
            found = len(different)
        if found == len(system):
            return Separated(number.tolist(), bisimilar=True)
        if found == before:
            return Separated(number.tolist(), bisimilar=all(_agree(row, number) for row in rows))
        if done >= _FIRST_ROUNDS and _WORTH * (found - before) < len(system):
            break  # where classes split one after the other, single states take less time
    return Separated(number.tolist(), bisimilar=False)


class _Arrays(NamedTuple):
    """The rows of a chain one after the other; ``starts[s]`` is where that of state s begins."""

    starts: _Numbers
    successors: _Numbers
    above: _Numbers
    below: _Numbers
    residues: _Numbers


def _arrays(rows: Sequence[Mapping[int, Fraction]]) -> _Arrays:
    """Raises OverflowError for long numbers, and ValueError if the prime divides a denominator."""
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    probabilities = [row.values() for row in rows]
    above, below = (
        np.fromiter(map(attrgetter(part), chain.from_iterable(probabilities)), np.int64, starts[-1])
        for part in ("numerator", "denominator")
    )
    successors = np.fromiter(chain.from_iterable(rows), np.int64, starts[-1])
    denominators, which = np.unique(below, return_inverse=True)
    inverses = np.array([pow(q, -1, _PRIME) for q in denominators.tolist()], np.int64)
    return _Arrays(starts[:-1], successors, above, below, above % _PRIME * inverses[which] % _PRIME)


def _agree(row: _Arrays, number: _Numbers) -> bool:
    """Whether states of one class enter each class with equal probabilities; False also where the integers
    that decide this are too long.
    """
    states = len(number)
    _, leaders, sizes = np.unique(number, return_index=True, return_counts=True)
    lengths = np.diff(row.starts, append=len(row.successors))
    state = np.repeat(np.arange(states), lengths)
    common = np.lcm.reduceat(row.below, row.starts)[state]
    inside = (sizes[number] > 1)[state]
    if ((common < 1) | (common > _UNIT) | (common % row.below != 0))[inside].any():  # it may have overflowed
        return False
    into = number[row.successors]
    order = np.flatnonzero(inside)
    order = order[np.lexsort((into[order], state[order]))]
    state, into, common = state[order], into[order], common[order]
    weight = row.above[order] * (common // row.below[order])
    firsts = np.flatnonzero(np.diff(state, prepend=-1) | np.diff(into, prepend=-1))
    state, into, common = state[firsts], into[firsts], common[firsts]
    mass = np.add.reduceat(weight, firsts) if len(firsts) else weight
    shared = np.gcd(mass, common)
    entered = np.bincount(state, minlength=states)
    begin = np.cumsum(entered) - entered
    leader = leaders[number]
    if (entered != entered[leader])[sizes[number] > 1].any():
        return False
    other = begin[leader[state]] + np.arange(len(state)) - begin[state]
    return all(bool((part == part[other]).all()) for part in (into, mass // shared, common // shared))
