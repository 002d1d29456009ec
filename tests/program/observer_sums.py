"""Probabilities of output words under discrete noise, as sums of rational numbers.

Noise is two-sided geometric on the integers with e^{−ε} = 1/4, so that rates are multiples of 1/2. Numbers
that are output are held at 0. Samples farther than ``reach`` from 0 are left out: what is missing is less
than 2^{−reach} for every step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import accumulate
from math import prod

from prover.program.model import Program
from prover.program.observer.words import Word
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, seen_of

BASE = 4
Mass = dict[tuple[str, int], int]
"""By state and stored value, in units that are the same for all words of one length."""


def noise(rates: Collection[Fraction], rate: Fraction, distance: int, reach: int) -> int:
    """The probability of noise of a rate that is so far from 0, in units that are the same for all rates.

    With base 2^−k it is (2^k − 1)/(2^k + 1) · 2^(−k·distance).
    """
    exponents = {int(2 * r) for r in rates}
    own = int(2 * rate)
    common = prod(1 + (1 << k) for k in exponents) // (1 + (1 << own))
    return ((1 << own) - 1) * common << (2 * max(exponents) * reach - own * abs(distance))


def probability(program: Program, word: Word, inputs: Sequence[int], reach: int) -> int:
    """The probability of a word of a program of the variable x, on these inputs; means are 0.

    Its unit depends on the program, the length of the word and ``reach`` only.
    """
    states = program.states.values()
    rates = {r for state in states for r in (state.rate, state.rate_prime) if r is not None}
    span = range(-reach, reach + 1)
    first = noise(rates, min(rates), 0, reach)
    mass: Mass = {(program.initial, 0): 1}
    for seen, given in zip(word, inputs, strict=True):
        after: Mass = defaultdict(int)
        for name in {state for state, _ in mass} & program.states.keys():
            state = program.states[name]
            own = given if state.input else 0
            assert state.rate is not None
            weights = [noise(rates, state.rate, value - own, reach) for value in span]
            sums = [0, *accumulate(weights)]
            for case in state.transitions:
                if seen_of(case.output) != seen:
                    continue
                factor = first
                if case.output == INSAMPLE_PRIME and state.rate_prime is not None:
                    factor = noise(rates, state.rate_prime, own, reach)
                for (where, stored), before in mass.items():
                    if where != name:
                        continue
                    low, high = 0, len(span)
                    for relation, _ in case.guard:
                        low, high = (0, stored + reach) if relation == "<" else (stored + reach, len(span))
                    if case.output == INSAMPLE:
                        low, high = (reach, reach + 1) if low <= reach < high else (0, 0)
                    if case.assign:
                        for place in range(low, high):
                            after[case.target, place - reach] += before * factor * weights[place]
                    else:
                        after[case.target, stored] += before * factor * (sums[high] - sums[low])
        mass = after
    return sum(mass.values())
