"""What programs cost, by brute force: all runs up to a length, all differences of inputs, all shifts.

Nothing here knows cells, infinite values, frontiers that are thinned, or multipliers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from random import Random

from prover.program.model import Edge, Program, out_edges
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from tests.program.automata import SHIFTS, Function, allowed, optimum, price
from tests.program.branches import edges_of_branches
from tests.program_examples import ABOVE, BELOW, TRUE, state, step
from tests.program_examples import program as program_of

DIFFERENCES = {"all-differ": (-1, 1), "one-differ": (-1, 0, 1), "increasing": (0, 1), "decreasing": (-1, 0)}
MIRRORED = {
    "all-differ": "all-differ",
    "one-differ": "one-differ",
    "increasing": "decreasing",
    "decreasing": "increasing",
}
ZERO: Function = (Fraction(0), Fraction(0), Fraction(0))


def runs(program: Program, longest: int) -> Iterator[tuple[Edge, ...]]:
    """All runs of at most so many steps."""
    leaving = out_edges(program)
    found: list[tuple[Edge, ...]] = [()]
    for _ in range(longest):
        yield from found
        found = [
            (*run, edge)
            for run in found
            for edge in leaving.get(run[-1].target if run else program.initial, ())
        ]
    yield from found


def differences(run: Sequence[Edge], adjacency: str) -> Iterator[tuple[int, ...]]:
    """The corners of what the adjacency allows the inputs of a run to differ by."""
    for deltas in product(*(DIFFERENCES[adjacency] if edge.input else (0,) for edge in run)):
        if adjacency != "one-differ" or sum(map(abs, deltas)) <= 1:
            yield deltas


def brute_force(program: Program, adjacency: str, longest: int) -> Fraction:
    """The largest cost of a run of at most so many steps."""
    return max(
        optimum(list(zip(run, deltas, strict=True)))
        for run in runs(program, longest)
        for deltas in differences(run, adjacency)
    )


def growth(program: Program, adjacency: str, longest: int) -> list[Fraction]:
    """The largest costs of runs of at most 0, 1, …, ``longest`` steps.

    By recursion over the values that the rest of a run can have: all of them, but for those that others
    dominate.
    """
    layers = (False, True) if adjacency == "one-differ" else (False,)
    leaving = out_edges(program)
    table = {(name, differed): {ZERO} for name in leaving for differed in layers}
    costs = [Fraction(0)]
    for _ in range(longest):
        longer = {}
        for name, differed in table:
            found = {ZERO}
            for edge in leaving[name]:
                for delta in DIFFERENCES[adjacency] if edge.input else (0,):
                    if not (differed and delta):
                        after = differed or (adjacency == "one-differ" and delta != 0)
                        rest = table.get((edge.target, after), {ZERO})
                        found |= {before(edge, delta, values) for values in rest}
            longer[name, differed] = undominated(found)
        table = longer
        costs.append(max(map(min, table[program.initial, False])))
    return costs


def before(edge: Edge, delta: int, rest: Function) -> Function:
    """What a run costs from before a step on, by the shift stored before it; a million is infinite."""

    def at(stored: int) -> Fraction:
        return min(
            (
                price(edge, delta, shift) + rest[SHIFTS.index(shift if edge.assigns else stored)]
                for shift in SHIFTS
                if allowed(edge, shift, stored)
            ),
            default=Fraction(10**6),
        )

    return at(-1), at(0), at(1)


def undominated(functions: Iterable[Function]) -> set[Function]:
    """The functions that no other is everywhere as large as."""
    candidates = set(functions)
    return {
        one
        for one in candidates
        if not any(
            one != other and all(a <= b for a, b in zip(one, other, strict=True)) for other in candidates
        )
    }


def constant_cost(program: Program, *, leaves_are_free: bool) -> Fraction:
    """The largest cost, over looping branches, of the best strategy with constant shifts (all-differ).

    With ``leaves_are_free`` shifts are constant only where something is stored. The program must be private.
    """
    return max(_of_branch(program, branch, leaves_are_free) for branch in edges_of_branches(program))


def _of_branch(program: Program, branch: Sequence[Edge], leaves_are_free: bool) -> Fraction:
    best: dict[int, Fraction] = {0: Fraction(0)}  # by the stored shift
    for edge in branch:
        after: dict[int, Fraction] = {}
        for (stored, cost), shift in product(best.items(), SHIFTS):
            if edge.assigns:
                more = constant_price(edge, shift) if allowed(edge, shift, stored) else None
            elif is_on_cycle(program, edge):
                more = Fraction(0) if worst_price(edge, stored) == 0 else None
            elif leaves_are_free:
                more = worst_price(edge, stored)
            else:
                more = constant_price(edge, shift) if allowed(edge, shift, stored) else None
            if more is not None:
                kept = shift if edge.assigns else stored
                after[kept] = min(cost + more, after.get(kept, cost + more))
        best = after
    return min(best.values())


def constant_price(edge: Edge, shift: int) -> Fraction:
    """What a step costs at worst whose shift does not depend on the difference of its inputs."""
    return max(price(edge, delta, shift) for delta in ((-1, 1) if edge.input else (0,)))


def worst_price(edge: Edge, stored: int) -> Fraction | None:
    """What a step costs with the best shift for the worst difference; None if there is none."""
    costs = [
        [price(edge, delta, shift) for shift in SHIFTS if allowed(edge, shift, stored)]
        for delta in ((-1, 1) if edge.input else (0,))
    ]
    return max(map(min, costs)) if all(costs) else None


def is_on_cycle(program: Program, edge: Edge) -> bool:
    """Whether the edge can be taken again."""
    leaving = out_edges(program)
    reached = {edge.target}
    while new := {e.target for name in reached & leaving.keys() for e in leaving[name]} - reached:
        reached |= new
    return edge.source in reached


def straight_line(random: Random, length: int) -> Program:
    """A straight line of so many steps with random guards, assignments, outputs and rates."""
    states = {}
    for k in range(length):
        takes_input = random.random() < 0.8
        guard = random.choice([TRUE, BELOW, ABOVE, BELOW, ABOVE]) if takes_input and k else TRUE
        output = random.choice(["o", "o", "o", INSAMPLE, INSAMPLE_PRIME])
        rate, prime = (random.choice(["1/3", "1/2", "1", "1", "2", "3"]) for _ in range(2))
        take = step(guard, f"q{k + 1}", output, assign=k == 0 or random.random() < 0.4)
        states[f"q{k}"] = state(take, rate=rate, rate_prime=prime, input=takes_input)
    return program_of(states)
