"""Probabilities of what random functions show on a grid, by sums over all samples near their centers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from tests.language.functions_of_kinds import Function, Statements
from tests.language.runs_of_functions import Run, Word, differences

Numbers = NDArray[np.float64]
Ending = tuple[Word, list[Numbers], NDArray[np.bool_]]
"""What is seen, letters and numbers, and for which samples."""


@dataclass
class Sums:
    """Of probabilities on a grid, over all samples at most ``reach`` from their centers; e^ε is ``base``."""

    function: Function
    inputs: tuple[int, ...]
    base: int
    reach: int

    def __post_init__(self) -> None:
        start = np.ones([1] * self.function.sites, dtype=bool)
        self.endings = list(self.follow(self.function.body, {}, start, (), [], 0, waits=False))

    def axis(self, site: int) -> Numbers:
        """The noise of a draw, along an axis of its own."""
        shape = [1] * self.function.sites
        shape[site] = -1
        return np.arange(-self.reach, self.reach + 1, dtype=float).reshape(shape)

    def follow(
        self,
        body: Statements,
        known: dict[str, Numbers],
        when: NDArray[np.bool_],
        word: Word,
        shown: list[Numbers],
        reads: int,
        *,
        waits: bool,
    ) -> Iterator[Ending]:
        """The ways on, for the samples ``when``."""
        known, word, shown = dict(known), word, list(shown)
        for place, (kind, *rest) in enumerate(body):
            match kind, *rest:
                case "query", name:
                    word = (*word, "_") if waits else word
                    known[name], waits = np.array(float(self.inputs[reads])), True
                    reads += 1
                case "sum", name, terms:
                    known[name] = sum((sign * known[one] for one, sign in terms), np.array(0.0))
                case "draw", name, center, _, site:
                    known[name] = (known[center] if center else 0.0) + self.axis(site)
                case "same", name, old:
                    known[name] = known[old]
                case "see", letter:
                    word, waits = (*word, letter), False
                case "show" | "gap", name, *other:
                    shown.append(known[name] - (known[other[0]] if other else 0.0))
                    word, waits = (*word, "#"), False
                case "return", *_:
                    break
                case _, left, relation, right, then, other:
                    far = known[left] - (known[right] if right in known else float(right))
                    outcome = {"<": far < 0, "<=": far <= 0, ">": far > 0, ">=": far >= 0}[relation]
                    for side, own in ((then, when & outcome), (other, when & ~outcome)):
                        if own.any():
                            after = (*side, *body[place + 1 :])
                            yield from self.follow(after, known, own, word, shown, reads, waits=waits)
                    return
        yield (*word, "_") if waits else word, shown, when

    def probability(self, word: Word, numbers: Sequence[int]) -> float:
        """That what is seen begins with a word and these numbers."""
        total = 0.0
        weights = weight(self.function.body, self.function.sites, self.base, self.reach)
        for own, shown, when in self.endings:
            if own[: len(word)] == word:
                event = when
                for number, value in zip(shown, numbers, strict=False):
                    event = event & (number == value)
                total += float((weights * event).sum())
        return total


def rates(body: Statements) -> dict[int, Fraction]:
    """The rates of all draws, by their sites."""
    found: dict[int, Fraction] = {}
    for kind, *rest in body:
        if kind == "draw":
            found[rest[3]] = rest[2]
        elif kind == "if":
            found |= rates(rest[3]) | rates(rest[4])
    return found


@cache
def masses(rate: Fraction, base: int, reach: int) -> tuple[Numbers, float]:
    """The probabilities of noise near 0, and what is left."""
    q = float(base) ** -float(rate)
    near = (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1))
    return near, 2 * q ** (reach + 1) / (1 + q)


@cache
def weight(body: Statements, sites: int, base: int, reach: int) -> Numbers:
    """The probabilities of all samples."""
    own = rates(body)
    total = np.ones([1] * sites)
    for site in range(sites):
        shape = [1] * sites
        shape[site] = -1
        total = total * masses(own[site], base, reach)[0].reshape(shape)
    return total


def left_out(body: Statements, base: int, reach: int) -> float:
    """At least the probability that some noise is farther from 0 than the reach."""
    return sum(masses(rate, base, reach)[1] for rate in rates(body).values())


def most_measured(made: Function, found: Sequence[Run], adjacency: str, random: Random) -> float:
    """The largest loss that some neighbouring inputs have on the grid, at least, as a multiple of ε."""
    base = random.choice((4, 16, 256))
    reach = {1: 60, 2: 40, 3: 16, 4: 7}[made.sites]
    lost = left_out(made.body, base, reach)
    reads = max(run.reads for run in found)
    every = list(differences(reads, adjacency))
    most = 0.0
    for _ in range(3 if every and reads else 0):
        delta, times = random.choice(every), random.choice((0, 1, 2))
        first = [times * d if random.random() < 0.7 else random.randint(-2, 2) for d in delta]
        before, after = (
            Sums(made, tuple(b + side * d for b, d in zip(first, delta, strict=True)), base, reach)
            for side in (0, 1)
        )
        for word in sorted({run.word for run in random.sample(list(found), min(6, len(found)))}):
            numbers = [random.choice((0, 0, 1, -1)) for _ in range(word.count("#"))]
            p = before.probability(word, numbers)
            if p:
                q = after.probability(word, numbers) + lost
                most = max(most, log(p / q, base))
    return most
