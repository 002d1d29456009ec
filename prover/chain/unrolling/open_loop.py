"""The best sequence of actions that is fixed in advance, for comparison: how much does adapting gain?

Reference: docs/theory_interactive.md, *Fixed sequences*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.model import ANONYMOUS, Pair
from prover.chain.unrolling.beliefs import BeliefPair, MergedSystem
from prover.exact.fmpq import fmpq_of, fraction_of

STEPS = 12
"""The most steps of a fixed sequence that are looked at."""

_EXPANSIONS = 20_000  # belief pairs that are followed, all together


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """The best of the fixed sequences that were looked at: ``actions``, "" where nothing is chosen, gain
    ``value`` from ``source`` to ``target``. ``complete``: it is the best of all fixed sequences.
    """

    source: str
    target: str
    value: Fraction
    actions: tuple[str, ...]
    complete: bool


_Branches = Mapping[BeliefPair, fmpq]
"""What may be the case after a sequence, each belief pair with its weight."""


def open_loop(
    merged: MergedSystem, pairs: tuple[Pair, ...], names: tuple[str, ...], alpha: Fraction
) -> OpenLoop:
    """The best fixed sequence of at most STEPS actions, for the best of the ordered pairs.

    A step of a sequence is an action that all labels offer which leave a choice and may be shown then; where
    there is nothing to choose, what happens happens.
    """
    found = [_Search(merged, fmpq_of(alpha)).best(pair) for pair in pairs]
    best = max(range(len(found)), key=lambda k: (found[k][0], -k))
    value, actions, _ = found[best]
    source, target = (names[s] for s in pairs[best])
    complete = all(search[2] for search in found)
    return OpenLoop(source, target, fraction_of(value), actions, complete)


class _Search:
    """Depth first through the fixed sequences, passing over those that cannot become better."""

    def __init__(self, merged: MergedSystem, alpha: fmpq) -> None:
        self._merged = merged
        self._beliefs = merged.beliefs
        self._alpha = alpha
        self._best: tuple[fmpq, tuple[str, ...]] = fmpq(0), ()
        self._left = _EXPANSIONS
        self._complete = True

    def best(self, pair: Pair) -> tuple[fmpq, tuple[str, ...], bool]:
        """What the best sequence gains, the sequence, and whether no other one gains more."""
        s, t = self._merged.pair(pair)
        labels = self._merged.system.labels
        if s == t or labels[s] != labels[t]:
            return fmpq(s != t), (), True
        self._follow({self._beliefs.of_pair((s, t)): fmpq(1)}, fmpq(0), ())
        return *self._best, self._complete

    def _follow(self, branches: _Branches, gained: fmpq, done: tuple[str, ...]) -> None:
        going_on: dict[BeliefPair, fmpq] = {}
        hope = stopping = gained
        for belief, weight in branches.items():
            stop, most = (weight * value for value in self._between(belief))
            stopping, hope = stopping + stop, hope + most
            if stop == most:
                gained += stop
            else:
                going_on[belief] = weight
        if stopping > self._best[0]:
            self._best = stopping, done
        if hope <= self._best[0] or not going_on:
            return
        if len(done) == STEPS or self._left <= 0:
            self._complete = False
            return
        for action in self._common(going_on):
            self._left -= len(going_on)
            after: dict[BeliefPair, fmpq] = {}
            for belief, weight in going_on.items():
                menu = self._beliefs.menu(belief)
                taken = action if len(menu) > 1 else menu[0]
                for successor in self._beliefs.expansion(belief, taken).successors:
                    known = after.get(successor.belief, fmpq(0))
                    after[successor.belief] = known + weight * successor.factor
            self._follow(after, gained, (*done, action))

    def _common(self, branches: _Branches) -> list[str]:
        """The actions that can be taken whatever was seen."""
        menus = [menu for menu in map(self._beliefs.menu, branches) if len(menu) > 1]
        return sorted(set(menus[0]).intersection(*menus[1:])) if menus else [ANONYMOUS]

    def _between(self, belief: BeliefPair) -> tuple[fmpq, fmpq]:
        """What is gained by stopping, and the most that can be gained."""
        there = dict(belief.y)
        alpha = self._alpha
        stop = max(fmpq(0), belief.mass - alpha * belief.other_mass)
        most = sum((max(fmpq(0), a - alpha * there.get(s, 0)) for s, a in belief.x), start=fmpq(0))
        return stop, most
