"""The largest loss of a word that one step between inputs proves: max g(b+Δ) − g(b) over a box of inputs b.

Each such difference is a bound of the observer's loss from below (docs/theory_observer.md, *Any words*).
Where the box is small all of it is looked at, elsewhere single numbers are changed as long as that helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from prover.errors import Fault
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.observer.word_cost import WordCosts

InputVector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rise:
    """From inputs b to b + Δ the cost rises by ``gain``, in units."""

    inputs: InputVector
    delta: InputVector
    gain: int


def steepest(
    costs: WordCosts,
    adjacency: Adjacency,
    box: int,
    most: int,
    goal: int | None = None,
    start: Rise | None = None,
) -> Rise:
    """The largest rise that is found, with inputs b between −``box`` and ``box``.

    The search begins at ``start``, a rise that is known already. It ends where the gain is ``goal``, which
    nothing exceeds, or after ``most`` costs.
    """
    nothing = (0,) * len(costs.word)
    best = start or Rise(nothing, nothing, 0)
    free = sum(costs.takes_input)

    def best_of(candidates: Iterable[tuple[InputVector, InputVector]], least: Rise) -> Rise:
        for inputs, delta in candidates:
            gain = rise_of(costs, inputs, delta)
            if gain > least.gain:
                least = Rise(inputs, delta, gain)
            if costs.evaluations > most or (goal is not None and least.gain >= goal):
                break
        return least

    if 2**free < most:
        all_three = 3**free < most
        best = best_of(((nothing, d) for d in differences(costs.takes_input, adjacency, all_three)), best)
        if all_three and (2 * box + 3) ** free < most:
            choices = [range(-box, box + 1) if own else (0,) for own in costs.takes_input]
            every = list(differences(costs.takes_input, adjacency, whole=True))
            return best_of(product(product(*choices), every), best)
    while costs.evaluations <= most and (goal is None or best.gain < goal):
        better = best_of(_changed(best, costs.takes_input, adjacency, box), best)
        if better == best:
            break
        best = better
    return best


def rise_of(costs: WordCosts, inputs: InputVector, delta: InputVector) -> int:
    """g(b+Δ) − g(b); 0 where the word is impossible on both sides, as it may be where noise has one side."""
    here = costs.cost(inputs)
    if here is None:
        return 0
    there = costs.cost(tuple(b + d for b, d in zip(inputs, delta, strict=True)))
    if there is None:
        raise Fault("a word becomes impossible where its runs lose no more than a bound")
    return there - here


def differences(takes_input: Sequence[bool], adjacency: Adjacency, whole: bool) -> Iterator[InputVector]:
    """The differences that the adjacency allows, of numbers −1, 0, 1; unless ``whole``, extreme ones only."""
    own = {own: extreme_points(adjacency, own) for own in (False, True)}
    if whole and adjacency == Adjacency.ALL_DIFFER:
        own[True] = (-1, 0, 1)
    for delta in product(*(own[has] for has in takes_input)):
        if is_possible(delta, adjacency):
            yield delta


def is_possible(delta: Sequence[int], adjacency: Adjacency) -> bool:
    """Whether the differences, each of which is possible by itself, are so together."""
    if adjacency == Adjacency.ONE_DIFFER:
        return sum(map(abs, delta)) <= 1
    return adjacency != Adjacency.MONOTONIC or not {-1, 1} <= set(delta)


def _changed(
    rise: Rise, takes_input: Sequence[bool], adjacency: Adjacency, box: int
) -> Iterator[tuple[InputVector, InputVector]]:
    """Inputs and differences that differ from those of a rise in one number or two."""
    places = [k for k, own in enumerate(takes_input) if own]
    numbers = (0, *extreme_points(adjacency, input=True))
    for k in places:
        for number in numbers:
            delta = _with(rise.delta, k, number)
            if adjacency == Adjacency.ONE_DIFFER and number:
                delta = _with((0,) * len(delta), k, number)
            if is_possible(delta, adjacency):
                for change in (0, -1, 1):
                    if abs(rise.inputs[k] + change) <= box:
                        yield _with(rise.inputs, k, rise.inputs[k] + change), delta


def _with(vector: InputVector, place: int, number: int) -> InputVector:
    return (*vector[:place], number, *vector[place + 1 :])
