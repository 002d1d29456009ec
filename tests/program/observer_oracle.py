"""What an observer of outputs learns, by going through all runs, all orders of samples and all shifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

Json = Any
Step = tuple[str, Json]
"""The name of a state, and one of its transitions."""
Arc = tuple[int, int]


def seen(step: Step) -> str | None:
    """What an observer sees of a step; numbers look alike."""
    return None if step[1]["output"] in ("insample", "insampleprime") else "letter " + step[1]["output"]


def arcs_of(run: Sequence[Step]) -> list[Arc]:
    """The pairs (a, b) of steps with x_a ≤ x_b that the tests ask for."""
    stored: dict[str, int] = {}
    found = []
    for k, (_, t) in enumerate(run):
        found += [(stored[v], k) if sign == ">=" else (k, stored[v]) for sign, v in t["guard"]]
        stored |= dict.fromkeys(t["assign"], k)
    return found


def orders(steps: int, arcs: Sequence[Arc]) -> set[tuple[int, ...]]:
    """All rows of the steps in which the first of each pair comes first."""
    return {row for row in permutations(range(steps)) if all(row.index(a) < row.index(b) for a, b in arcs)}


def has_cycle(arcs: Sequence[Arc]) -> bool:
    """Whether some arcs lead from a step back to it."""
    left = set(arcs)
    while left:
        ends = {b for _, b in left}
        removed = {(a, b) for a, b in left if a not in ends}
        if not removed:
            return True
        left -= removed
    return False


def possible_runs(model: Json, longest: int) -> Iterator[list[Step]]:
    """All runs of positive probability of so many steps at most."""
    waiting: list[tuple[str, list[Step]]] = [(model["initial"], [])]
    while waiting:
        state, run = waiting.pop()
        if len(run) < longest and state in model["states"]:
            for t in model["states"][state]["transitions"]:
                longer = [*run, (state, t)]
                if not has_cycle(arcs_of(longer)):
                    yield longer
                    waiting.append((t["to"], longer))


def cost(model: Json, run: Sequence[Step], shifts: Sequence[int], inputs: Sequence[int]) -> Fraction | None:
    """What shifts of a run cost; None if they are not valid."""
    if any(shifts[a] > shifts[b] for a, b in arcs_of(run)):
        return None
    total = Fraction(0)
    for (name, t), shift, b in zip(run, shifts, inputs, strict=True):
        state = model["states"][name]
        given = b if state["input"] else 0
        if t["output"] == "insample" and shift:
            return None
        total += Fraction(state["rate"]) * abs(given - shift)
        if t["output"] == "insampleprime":
            total += Fraction(state["rate_prime"]) * abs(given)
    return total


def least_cost(model: Json, runs: Sequence[Sequence[Step]], inputs: Sequence[int]) -> Fraction:
    """The least cost of all shifts of all these runs, which have one word."""
    span = range(min(0, *inputs), max(0, *inputs) + 1)
    costs = [
        found
        for run in runs
        for shifts in product(span, repeat=len(inputs))
        if (found := cost(model, run, shifts, inputs)) is not None
    ]
    return min(costs)


def words(model: Json, longest: int) -> dict[tuple[str | None, ...], list[list[Step]]]:
    """The runs of each word of so many steps at most."""
    found: dict[tuple[str | None, ...], list[list[Step]]] = {}
    for run in possible_runs(model, longest):
        found.setdefault(tuple(map(seen, run)), []).append(run)
    return found


def differences(steps: int, adjacency: str) -> Iterator[tuple[int, ...]]:
    """All differences −1, 0, 1 of neighbours."""
    for delta in product((-1, 0, 1), repeat=steps):
        signs = set(delta) - {0}
        if adjacency == "one-differ" and sum(map(abs, delta)) > 1:
            continue
        if signs & {"increasing": {-1}, "decreasing": {1}}.get(adjacency, set()):
            continue
        if adjacency == "monotonic" and len(signs) > 1:
            continue
        yield delta


def loss_from_0(model: Json, adjacency: str, longest: int) -> Fraction:
    """A bound of the observer's loss from below: between inputs 0 and all neighbours of theirs."""
    return max(
        least_cost(model, runs, delta)
        for word, runs in words(model, longest).items()
        for delta in differences(len(word), adjacency)
    )


def loss_of_runs(model: Json, adjacency: str, longest: int) -> Fraction:
    """What runs of so many steps lose."""
    return max(
        least_cost(model, [run], delta)
        for run in possible_runs(model, longest)
        for delta in differences(len(run), adjacency)
    )
