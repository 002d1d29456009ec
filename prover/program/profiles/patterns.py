"""Pairs of inputs of which one number stands alone, for programs whose outputs hide the run.

The search in floats needs outputs that tell the run. Where they hide it, as in noisy max, all runs on a pair
are followed and those with the same output are added up, for pairs of a few patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

from prover.graphs import search
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.model import Program, out_edges
from prover.program.profiles.search import FoundInputs, InputSearch

FEW, LONGEST = 4, 10
"""Inputs that are tried; more than a few only if no run reads more than the longest."""
_LONGER = Fraction(1001, 1000)  # what a longer input gains at least, for another length
_FAR = 4.0  # from the others, in scales of noise, where nothing gains near them
_APART = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))  # of the largest difference

Gain = Callable[[FoundInputs], Fraction]
"""What a pair of inputs proves: 0 if nothing."""


def best_pattern(of: InputSearch, gain: Gain, steps: int | None) -> FoundInputs | None:
    """The best pair of at most ``steps`` numbers that is found; None where none gains anything.

    In a pattern one number differs by one end of the adjacency, and all others by one end. Then the number
    alone is moved away from the others, as long as that gains.
    """
    best, most = None, Fraction(0)
    most_read = _most_read(of.simulation.program)
    lengths = {*range(1, FEW + 1), *([most_read] if most_read <= LONGEST else [])}
    for length in sorted(own for own in lengths if own <= min(most_read, steps or most_read)):
        found = _tried(of, gain, length, Fraction(0))
        if found[0] == 0:
            far = of.on_unit(Fraction(_FAR * of.scale))
            found = max((_tried(of, gain, length, own) for own in (far, -far)), key=lambda one: one[0])
        if best is not None and found[0] <= most * _LONGER:
            break
        if found[0] > most:
            most, best = found
    return best


def _tried(of: InputSearch, gain: Gain, length: int, away: Fraction) -> tuple[Fraction, FoundInputs]:
    """The best pattern where the number alone is so far from the others, and moved, and its gain."""
    found = ((gain(one), one, place) for one, place in _patterns(of, length, away))
    most, best, place = max(found, key=lambda own: own[0])
    for sign in (1, -1) if most > 0 else ():
        for part in _APART:
            moved = sign * part * of.most_apart
            inputs = [of.on_unit(x + moved) if k == place else x for k, x in enumerate(best.inputs)]
            other = replace(best, inputs=tuple(inputs))
            value = gain(other)
            if value <= most:
                break
            most, best = value, other
    return most, best


def _most_read(program: Program) -> int:
    """How many inputs runs read, if tests allow it; more than the longest if there is no end to it."""
    leaving, states = out_edges(program), {program.initial}
    for length in range(LONGEST + 1):
        before = search(states, lambda name: [one.target for one in leaving.get(name, ()) if not one.input])
        states = {edge.target for name in before for edge in leaving.get(name, ()) if edge.input}
        if not states:
            return length
    return LONGEST + 1


def _patterns(of: InputSearch, length: int, away: Fraction) -> Iterator[tuple[FoundInputs, int]]:
    """Pairs, and which number is alone: the first one, the last one or one between them."""
    adjacency = of.adjacency
    sides = [Adjacency.INCREASING, Adjacency.DECREASING] if adjacency == Adjacency.MONOTONIC else [adjacency]
    for side in sides:
        others = extreme_points(side, True)
        for alone, rest in product(others, (0,) if side == Adjacency.ONE_DIFFER else others):
            for place in sorted({0, length // 2, length - 1}):
                moved = [(alone if k == place else rest) * of.most_apart for k in range(length)]
                inputs = [of.on_unit((away if k == place else 0) - own / 2) for k, own in enumerate(moved)]
                yield FoundInputs(0.0, tuple(inputs), tuple(moved)), place
