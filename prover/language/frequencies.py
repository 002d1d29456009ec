"""How often runs show what an attack looks for: frequencies, to be compared with exact probabilities."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, count, repeat
from typing import Any

from prover.chain.unrolling.event import Event
from prover.chain.unrolling.strategy import Strategy
from prover.language.protocol import FIRST, LAST
from prover.language.simulation import RunEnded, Shown, Simulated
from prover.language.tails import label_in
from prover.language.values import Query, letter, options_of
from prover.language.written import Mechanism, Protocol
from prover.program.model import Edge
from prover.program.origin import WrittenProgram

ShownRange = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Of so many runs from each of two sides, how many showed it."""

    runs: int
    first: int
    second: int


def of_run(
    function: Mechanism,
    constants: Mapping[str, Any],
    program: WrittenProgram,
    edges: Sequence[Edge],
    inputs: tuple[Sequence[Fraction], Sequence[Fraction]],
    epsilon: Fraction,
    window: ShownRange,
    runs: int,
    seed: int,
) -> Frequencies:
    """How often a mechanism shows what a run of its program shows, on two inputs.

    ``inputs`` are what the steps read, 0 at those that read nothing. Numbers that are seen lie in the window.
    """
    expected = [event for edge in edges for event in program.origin.edges[edge.number].events]
    simulated = function.simulator(constants)
    chance = random.Random(seed)

    def hits(given: Sequence[Fraction]) -> int:
        read = [number for edge, number in zip(edges, given, strict=True) if edge.input]
        later = (
            repeat(Fraction(0)) if program.origin.postponed else ()
        )  # what the code draws and does not use
        found = 0
        for _ in range(runs):
            run = Simulated(chance, float(epsilon), most=len(expected), inputs=chain(read, later))
            seen = simulated(_queries(), run)
            found += len(seen) >= len(expected) and all(map(_fits(window), seen, expected))
        return found

    return Frequencies(runs, hits(inputs[0]), hits(inputs[1]))


def of_words(
    function: Protocol,
    constants: Mapping[str, Any],
    pair: tuple[str, str],
    words: Sequence[Sequence[str]],
    runs: int,
    seed: int,
) -> Frequencies:
    """How often the labels of a run of a protocol begin with one of the words, from two secrets."""
    starts = function.starts(constants)
    chance = random.Random(seed)
    longest = max(map(len, words))
    known = {label for word in words for label in word}

    def hits(name: str) -> int:
        simulated, found = function.simulator(starts[name]), 0
        for _ in range(runs):
            seen = simulated(Simulated(chance, 1.0, most=longest))
            labels = ["start", *(label_in(str(one), known) for one in seen), *["end"] * longest]
            found += any(labels[: len(word)] == list(word) for word in words)
        return found

    return Frequencies(runs, hits(pair[0]), hits(pair[1]))


@dataclass(slots=True)
class _Attacked(Simulated):
    """A run with an attacker, who follows the rule of an event until it has happened or is ruled out."""

    event: Event = field(default_factory=lambda: Event(((),)))
    node: int | None = 0

    def put(self, event: Shown) -> None:
        """See one more label; raises Ended when the guess is certain."""
        if self.node is not None and not self.event.has_happened(self.node):
            known = [step.label for step in self.event.steps[self.node]]
            self.node = self.event.after(self.node, label_in(str(event), known))
        if self.node is None or self.event.has_happened(self.node):
            raise RunEnded

    def ask(self, options: Sequence[Any]) -> Any:
        """What the attacker chooses; raises Ended where the attacker stops."""
        offered = {letter(one) or "": one for one in options_of(options)}
        self.put(f"{', '.join(sorted(offered))}?")
        action = self.event.actions[self.node or 0]
        if len(offered) == 1:
            return next(iter(offered.values()))
        if action is None:
            raise RunEnded
        return offered[action]


def of_strategy(
    function: Protocol,
    constants: Mapping[str, Any],
    attack: Strategy,
    runs: int,
    seed: int,
) -> Frequencies:
    """How often an attacker who follows the strategy guesses its first secret, under either secret."""
    starts, chance = function.starts(constants), random.Random(seed)

    def hits(name: str) -> int:
        simulated, found = function.simulator(starts[name]), 0
        for _ in range(runs):
            run = _Attacked(chance, 1.0, event=attack.event)
            with suppress(RunEnded):
                run.put(FIRST)
                simulated(run)
                for _ in attack.event.steps:
                    run.put(LAST)
            found += run.node is not None and attack.event.has_happened(run.node)
        return found

    return Frequencies(runs, hits(attack.source), hits(attack.target))


def _queries() -> Iterator[Query]:
    """Queries without end whose values are decided when they are used; private parameters come first."""
    return (Query(number) for number in count())


def _fits(window: ShownRange) -> Callable[[Shown, str | tuple[int, Fraction]], bool]:
    """Whether what is seen is what is expected; numbers lie in the window."""

    def fits(seen: Shown, wanted: str | tuple[int, Fraction]) -> bool:
        if isinstance(wanted, str) or isinstance(seen, str):
            return seen == wanted
        sign, offset = wanted
        return bool(window[0] <= sign * (seen - float(offset)) <= window[1])

    return fits
