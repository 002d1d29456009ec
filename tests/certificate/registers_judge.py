"""Claims about programs that use inputs again judged once more: all runs of a few steps, one by one.

A run costs what its cheapest shifts cost, over all whole shifts, for every whole difference of its inputs.
Nothing of the checker or of the prover is used; registers are followed along the run as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Json = Any
Step = tuple[Json, Json]
"""A state and one of its transitions."""
INFINITE = None
MOVES = {"increasing": (0, 1), "decreasing": (-1, 0)}


def costliest(model: Json, adjacency: str, length: int) -> Fraction | None:
    """The most that a possible run of at most so many steps loses; None if that is infinite."""
    most = Fraction(0)
    for run in runs(model, length):
        if is_possible(run):
            for deltas in differences(run, adjacency):
                cost = cheapest(run, centers(run, deltas))
                if cost is INFINITE:
                    return INFINITE
                most = max(most, cost)
    return most


def runs(model: Json, length: int) -> Iterator[list[Step]]:
    """The runs that end or have the length."""
    waiting: list[tuple[str, list[Step]]] = [(model["initial"], [])]
    while waiting:
        name, run = waiting.pop()
        if name not in model["states"] or len(run) == length:
            yield run
            continue
        state = model["states"][name]
        waiting += [(t["to"], [*run, (state, t)]) for t in state["transitions"]]


def is_possible(run: Sequence[Step]) -> bool:
    """Whether no sample has to be below itself. What is compared or stored has noise on both sides."""
    above: dict[int, set[int]] = {k: set() for k in range(len(run))}
    at: dict[str, int] = {}
    for k, (_, t) in enumerate(run):
        for relation, name in t["guard"]:
            low, high = (k, at[name]) if relation == "<" else (at[name], k)
            above[low].add(high)
        at.update(dict.fromkeys(t["assign"], k))
    for k in above:
        reached, waiting = set[int](), [k]
        while waiting:
            new = above[waiting.pop()] - reached
            reached |= new
            waiting += new
        if k in reached:
            return False
    return True


def differences(run: Sequence[Step], adjacency: str) -> Iterator[list[int]]:
    """The whole differences of its inputs."""
    reads = sum(state["input"] for state, _ in run)
    for deltas in product(MOVES.get(adjacency, (-1, 0, 1)), repeat=reads):
        if adjacency != "one-differ" or sum(map(abs, deltas)) <= 1:
            yield list(deltas)


def centers(run: Sequence[Step], deltas: Sequence[int]) -> list[int]:
    """By how much each step's center differs."""
    left, known, found = list(deltas), dict[str, int](), list[int]()
    for state, t in run:
        own = left.pop(0) if state["input"] else 0
        found.append(known.get(state["center"], 0) if "center" in state else own)
        before = {**known, "input": own}
        known = {
            name: sum(sign * before.get(source, 0) for source, sign in terms.items())
            for name, terms in t.get("registers", {}).items()
        }
    return found


def cheapest(run: Sequence[Step], found: Sequence[int]) -> Fraction | None:
    """The least cost of shifts that keep all tests and all numbers that are seen; None if there are none."""
    farthest = max(map(abs, found), default=0)
    costs: dict[tuple[tuple[str, int], ...], Fraction] = {(): Fraction(0)}
    for (state, t), delta in zip(run, found, strict=True):
        after: dict[tuple[tuple[str, int], ...], Fraction] = {}
        outputs = t["output"] if isinstance(t["output"], list) else [t["output"]]
        for stored, cost in costs.items():
            shifts = dict(stored)
            for own in range(-farthest, farthest + 1):
                if own and "insample" in outputs:
                    continue
                if any(not isinstance(seen, str) and shifts[seen["gap"]] != own for seen in outputs):
                    continue
                if not all(
                    own <= shifts[name] if relation == "<" else own >= shifts[name]
                    for relation, name in t["guard"]
                ):
                    continue
                if state["rate"] is None and own != delta:  # there is no noise
                    continue
                total = cost + Fraction(state["rate"] or 0) * abs(own - delta)
                key = tuple(sorted({**shifts, **dict.fromkeys(t["assign"], own)}.items()))
                after[key] = min(total, after.get(key, total))
        costs = after
    return min(costs.values(), default=INFINITE)


def followed_totals(model: Json, blocks: Json, most: int) -> list[Fraction] | None:
    """The totals of the runs of a family that take their repeated blocks 1, 2, … times, written out.

    None if one of them is no run of the program, or its multipliers are too large. There is one variable.
    """
    cases = [(name, t) for name in sorted(model["states"]) for t in model["states"][name]["transitions"]]
    totals = []
    for turns in range(1, most + 1):
        steps = [
            step for b in blocks for _ in range(turns if b["kind"] == "repeat" else 1) for step in b["steps"]
        ]
        here, run = model["initial"], []
        for step in steps:
            source, t = cases[step["transition"]]
            if source != here:
                return None
            here = t["to"]
            run.append((model["states"][source], t))
        found = centers(
            run, [step["delta"] for step, (state, _) in zip(steps, run, strict=True) if state["input"]]
        )
        loads, at, total = [Fraction(0)] * len(run), -1, Fraction(0)
        for k, (step, (_, t)) in enumerate(zip(steps, run, strict=True)):
            for relation, _ in t["guard"]:
                own = Fraction(step["multiplier"]) + turns * Fraction(step.get("slope", 0))
                if own < 0:
                    return None
                loads[k] += own if relation == "<" else -own
                loads[at] -= own if relation == "<" else -own
            at = k if t["assign"] else at
        for load, moved, (state, t) in zip(loads, found, run, strict=True):
            if "insample" in t["output"]:
                total += Fraction(state["rate"]) * abs(moved)
            elif not all(
                own == "inf" or sign * load <= Fraction(own)
                for sign, own in (
                    (1, state["rate"] or state["rate_left"]),
                    (-1, state["rate"] or state["rate_right"]),
                )
            ):
                return None
            else:
                total += load * moved
        totals.append(total)
    return totals
