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
Symbol = tuple[str | None, int]


def outputs(step: Step) -> list[Json]:
    """What a step outputs, one by one."""
    written = step[1]["output"]
    return list(written) if isinstance(written, list) else [written]


def seen(step: Step) -> Symbol:
    """What an observer sees of a step: the letter, and how many numbers, which look alike."""
    parts = outputs(step)
    letters = [part for part in parts if isinstance(part, str) and not part.startswith("insample")]
    return letters[0] if letters else None, len(parts) - len(letters)


def compared(run: Sequence[Step]) -> list[tuple[int, str, int]]:
    """For every test the step, its relation, and the step whose sample it is compared with."""
    stored: dict[str, int] = {}
    found = []
    for k, (_, t) in enumerate(run):
        found += [(k, sign, stored[v]) for sign, v in t["guard"]]
        stored |= dict.fromkeys(t["assign"], k)
    return found


def arcs_of(run: Sequence[Step]) -> list[Arc]:
    """The pairs (a, b) of steps with x_a ≤ x_b that the tests, other than =, ask for."""
    found = [(k, at) for k, sign, at in compared(run) if "<" in sign]
    return found + [(at, k) for k, sign, at in compared(run) if ">" in sign]


def ties_of(runs: Sequence[Sequence[Step]]) -> list[Arc]:
    """The pairs (a, b) of steps of which a test treats a as the smaller one where they are equal."""
    found = [own for run in runs for own in compared(run)]
    return [(at, k) if sign in ("<", ">=") else (k, at) for k, sign, at in found]


def asked(run: Sequence[Step]) -> list[list[tuple[str, int]]]:
    """For every step what is asked of its shift: relations to the shifts of steps before it."""
    found: list[list[tuple[str, int]]] = [[] for _ in run]
    for k, sign, at in compared(run):
        found[k].append((sign, at))
    stored: dict[str, int] = {}
    for k, step in enumerate(run):
        found[k] += [("=", stored[part["gap"]]) for part in outputs(step) if isinstance(part, dict)]
        stored |= dict.fromkeys(step[1]["assign"], k)
    return found


def is_allowed(asks: Sequence[tuple[str, int]], shifts: Sequence[int], own: int) -> bool:
    """Whether a step may have a shift after those of the steps before it."""
    return all((">" in sign or own <= shifts[at]) and ("<" in sign or own >= shifts[at]) for sign, at in asks)


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


def price(model: Json, step: Step, shift: int, b: int) -> Fraction | None:
    """What a shift of one step costs; None if that is infinite, or the sample is output."""
    state = model["states"][step[0]]
    given = b if state["input"] else 0
    total = Fraction(0)
    if "insample" in outputs(step) and shift:
        return None
    if shift != given:
        rate = state["rate"] or state["rate_left" if shift < given else "rate_right"]
        if rate == "inf":
            return None
        total += Fraction(rate) * abs(given - shift)
    if "insampleprime" in outputs(step):
        total += Fraction(state["rate_prime"]) * abs(given)
    return total


def cost(model: Json, run: Sequence[Step], shifts: Sequence[int], inputs: Sequence[int]) -> Fraction | None:
    """What shifts of a run cost; None if they are not valid, or that is infinite."""
    asks = asked(run)
    if not all(is_allowed(asks[k], shifts, shift) for k, shift in enumerate(shifts)):
        return None
    prices = [price(model, step, shift, b) for step, shift, b in zip(run, shifts, inputs, strict=True)]
    finite = [own for own in prices if own is not None]
    return sum(finite, Fraction(0)) if len(finite) == len(prices) else None


def least_cost(model: Json, runs: Sequence[Sequence[Step]], inputs: Sequence[int]) -> Fraction:
    """The least cost of all shifts of all these runs, which have one word. It is finite."""
    least = finite_cost(model, runs, inputs)
    if least is None:
        raise ValueError("an infinite cost")
    return least


def finite_cost(model: Json, runs: Sequence[Sequence[Step]], inputs: Sequence[int]) -> Fraction | None:
    """The same, or None if that is infinite."""
    span = range(min(0, *inputs), max(0, *inputs) + 1)
    found = []
    for run in runs:
        asks = asked(run)
        partial: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(0))]
        for k, (step, b) in enumerate(zip(run, inputs, strict=True)):
            prices = {shift: price(model, step, shift, b) for shift in span}
            partial = [
                ((*shifts, shift), total + own)
                for shifts, total in partial
                for shift, own in prices.items()
                if own is not None and is_allowed(asks[k], shifts, shift)
            ]
        found += [total for _, total in partial]
    return min(found, default=None)


def words(model: Json, longest: int) -> dict[tuple[Symbol, ...], list[list[Step]]]:
    """The runs of each word of so many steps at most."""
    found: dict[tuple[Symbol, ...], list[list[Step]]] = {}
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
