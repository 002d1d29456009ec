"""Samples with which the runs of a family can be taken, as `proofs/programs/Climbs.v` checks them.

In turn j of n turns a sample is larger by a multiple of j and one of n: all samples of a block climb
alike, or fall, or stay, and those of later blocks begin where they ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from math import floor

from prover.certificate.coq.runs import HIGHER, LOWER, CoqStep
from prover.certificate.coq.sentences import not_covered
from prover.certificate.coq.ways import rates_of

CoqBlock = tuple[range, bool]
"""The steps of a block, and whether it is repeated."""


@dataclass(frozen=True, slots=True)
class CoqSample:
    """The noise of a step, and how much more it is for each turn before it and for each of all turns."""

    draw: int
    turn: int
    whole: int


@dataclass(frozen=True, slots=True)
class _Place:
    """The sample of a step, and what is added to it: a number, and multiples of n and of j."""

    step: int
    more: int
    whole: int
    turn: int

    def a_turn_before(self) -> _Place:
        return _Place(self.step, self.more - self.turn, self.whole, self.turn)

    def in_the_last(self) -> _Place:
        return _Place(self.step, self.more - self.turn, self.whole + self.turn, 0)


Apart = tuple[int, int, int]
"""Two steps, and by how much the second sample is above the first at least."""


def samples_of(steps: Sequence[CoqStep], blocks: Sequence[CoqBlock], grid: Fraction) -> Sequence[CoqSample]:
    """Different samples, rounded down to multiples of the grid, where a test compares two, unless it asks
    that they are equal. So only their order counts.

    Raises NotSupported if none are found."""
    far = 1 + sum(len(step.way["guard"]) for step in steps)
    for signs in product((0, -far, far), repeat=sum(again for _, again in blocks)):
        turns = iter(signs)
        slopes = [next(turns) if again else 0 for _, again in blocks]
        starts = list(accumulate(slopes, initial=0))
        rises = [
            (slope, whole)
            for (own, _), slope, whole in zip(blocks, slopes, starts, strict=False)
            for _ in own
        ]
        apart = [*_apart(steps, blocks, rises, grid)]
        if None not in apart:
            floors = _floors(len(steps), [own for own in apart if own is not None])
            if floors is not None:
                return [
                    CoqSample(at - floor(Fraction(step.state["mean"]) / grid), *rise)
                    for step, at, rise in zip(steps, floors, rises, strict=True)
                ]
    raise not_covered("families whose samples neither stay, nor all climb or fall from turn to turn")


def _apart(
    steps: Sequence[CoqStep], blocks: Sequence[CoqBlock], rises: Sequence[tuple[int, int]], grid: Fraction
) -> Iterator[Apart | None]:
    """What the tests and one-sided noise ask for; None for what holds for no samples that climb so."""
    stored: dict[str, _Place] = {}
    origin = len(steps)
    for own, repeated in blocks:
        ended = {name for i in own for name in steps[i].way["assign"]}
        for again in (False, True)[: 1 + repeated]:
            for i in own:
                step, (turn, whole) = steps[i], rises[i]
                here = _Place(i, 0, whole, turn)
                for test, variable in step.way["guard"]:
                    if test not in HIGHER:
                        yield _above(stored[variable], here, int(test in LOWER), again=again)
                    if test not in LOWER:
                        yield _above(here, stored[variable], int(test in HIGHER), again=again)
                if not step.state["input"]:
                    mean = floor(Fraction(step.state["mean"]) / grid)
                    left, right, *_ = rates_of(step.state)
                    if "inf" in (left, right) and (turn or whole):
                        yield None
                    yield from [(origin, i, mean)] * (left == "inf") + [(i, origin, -mean)] * (right == "inf")
                stored.update(dict.fromkeys(step.way["assign"], here))
            stored.update((name, stored[name].a_turn_before()) for name in ended if repeated and not again)
        if repeated:
            stored.update((name, stored[name].in_the_last()) for name in ended)


def _above(high: _Place, low: _Place, distance: int, *, again: bool) -> Apart | None:
    """In the first turn, or in all others: at the least n and j, if the difference does not fall then."""
    whole, turn = high.whole - low.whole, high.turn - low.turn
    if whole < 0 or (again and whole + turn < 0):
        return None
    least = 2 * whole + turn if again else whole
    return low.step, high.step, distance - (high.more - low.more) - least


def _floors(count: int, apart: Sequence[Apart]) -> Sequence[int] | None:
    floors = [0] * (count + 1)
    for _ in floors:
        for low, high, distance in apart:
            floors[high] = max(floors[high], floors[low] + distance)
    if any(floors[high] < floors[low] + distance for low, high, distance in apart):
        return None
    return [at - floors[count] for at in floors[:count]]
