"""Probabilities of output words under discrete noise, as sums of rational numbers.

Noise is geometric on the integers with e^{−ε} = 1/4, so that rates are multiples of 1/2, or infinite. Numbers
that are output are held at 0. Samples farther than ``reach`` from 0 are left out: what is missing is less
than 2^{−reach} for every step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import accumulate
from math import prod

from prover.program.model import Program
from prover.program.noise import Rate
from prover.program.observer.words import Word
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, seen_of

BASE = 4
Sides = tuple[Rate, Rate]
"""The rates to the left and to the right."""


def noise(kinds: Collection[Sides], own: Sides, distance: int, reach: int) -> int:
    """The probability of noise of a kind that is so far from 0, in units that are the same for all kinds.

    With bases 2^−j to the left and 2^−k to the right it is (2^j − 1)(2^k − 1)/(2^(j + k) − 1), times the
    power of the distance; on one side only it is 1 − 2^−k.
    """
    parts = {kind: normalising(kind) for kind in {*kinds, own}}
    highest = max([0, *(int(2 * rate) for kind in kinds for rate in kind if rate != "inf")])
    above, below = parts[own]
    common = prod(under for _, under in parts.values()) // below
    side = own[distance > 0]
    if distance == 0:
        return above * common << (2 * highest * reach)
    return 0 if side == "inf" else above * common << (2 * highest * reach - int(2 * side) * abs(distance))


def normalising(kind: Sides) -> tuple[int, int]:
    """1 over the sum of the weights of a kind of noise, as two integers."""
    finite = [(1 << int(2 * rate)) for rate in kind if rate != "inf"]
    if len(finite) == 2:
        return (finite[0] - 1) * (finite[1] - 1), finite[0] * finite[1] - 1
    return (finite[0] - 1, finite[0]) if finite else (1, 1)


def probability(program: Program, word: Word, inputs: Sequence[int], reach: int) -> int:
    """The probability of a word of a program of the variable x, on these inputs; means are 0.

    Its unit depends on the program, the length of the word and ``reach`` only.
    """
    states = program.states.values()
    primes = {(second[0], second[0]) for state in states if (second := state.second) is not None}
    kinds = {state.rates for state in states} | primes
    one = noise(kinds, min(kinds, key=str), 0, reach)
    size = 2 * reach + 1  # stored values by their places, from −reach on
    mass: dict[str, list[int]] = {program.initial: [1] + [0] * (size - 1)}
    for seen, given in zip(word, inputs, strict=True):
        after: dict[str, list[int]] = defaultdict(lambda: [0] * size)
        for name in mass.keys() & program.states.keys():
            state, before = program.states[name], mass[name]
            own = given if state.input else 0
            every = [noise(kinds, state.rates, place - reach - own, reach) for place in range(size)]
            for case in state.transitions:
                if seen_of(case.output) != seen:
                    continue
                factor = one
                if case.output == INSAMPLE_PRIME and (second := state.second) is not None:
                    factor = noise(kinds, (second[0], second[0]), -own, reach)
                shown = case.output == INSAMPLE
                weights = [w if place == reach or not shown else 0 for place, w in enumerate(every)]
                relation = case.guard[0][0] if case.guard else ""
                # What is compared: the stored values for each sample, or the samples for each stored value
                sums = [0, *accumulate(before if case.assign else weights)]
                total = after[case.target]
                for place in range(size):
                    low, high = sums[place], sums[place + 1]
                    if case.assign:  # stored values above, or below, the sample
                        parts = {"<": sums[-1] - high, "<=": sums[-1] - low, ">=": high, ">": low}
                    else:  # samples below, or above, the stored value
                        parts = {"<": low, "<=": high, ">=": sums[-1] - low, ">": sums[-1] - high}
                    parts |= {"": sums[-1], "=": high - low}
                    once = weights if case.assign else before
                    total[place] += once[place] * factor * parts[relation]
        mass = after
    return sum(map(sum, mass.values()))
