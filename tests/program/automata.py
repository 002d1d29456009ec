"""Small random programs by seed, and what their runs cost, straight from the definitions.

Nothing here knows facts, components or structures. Costs of runs are minima over all shifts in {-1, 0, 1}.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

from prover.program.model import Edge, Program, State, Test, Transition, out_edges
from prover.program.noise import Rate
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from prover.program.shifts import Shift
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

SHIFTS = (-1, 0, 1)
INFINITELY_MUCH = Fraction(10**9)
Function = tuple[Fraction, ...]
Run = Sequence[tuple[Edge, int]]
"""Edges with their differences of inputs."""


def random_program(seed: int, largest: int = 5) -> Program:
    """One of many shapes: public states, both real outputs, assignments under every guard, cycles.

    About a third is nondeterministic. Half of the programs is quiet: what leads back does not assign and
    outputs letters, because otherwise nearly all programs have a leaking or a disclosing cycle.
    """
    random = Random(seed)
    names = [f"q{k}" for k in range(random.randint(2, largest))]
    quiet = random.random() < 0.5
    assigning = random.choice([0.05, 0.2, 0.4])
    numbers = random.choice([0.05, 0.15, 0.4])
    backwards = random.choice([0.05, 0.2, 0.5])
    nondeterministic = random.random() < 0.3
    states = {}
    for k, name in enumerate(names[1:], start=1):
        takes_input = random.random() < 0.8
        transitions = []
        for j, guard in enumerate(_guards(random, takes_input, nondeterministic)):
            target = random.choice([*names[k + 1 :], names[min(k + 1, len(names) - 1)], "end"])
            if random.random() < backwards:
                target = random.choice(names)
            if random.random() < 0.3:
                target = name
            silent = quiet and target in names[: k + 1]
            output = f"o{j}"
            if random.random() < numbers and not silent:
                output = random.choice([INSAMPLE, INSAMPLE, INSAMPLE_PRIME])
            assigns = random.random() < assigning and not silent
            transitions.append(step(guard, target, output, assigns))
        states[name] = _state(random, takes_input, transitions)
    first = step(TRUE, names[1], random.choice(["o"] * 7 + [INSAMPLE]), assign=True)
    return program({names[0]: _state(random, random.random() < 0.7, [first]), **states})


def _guards(random: Random, takes_input: bool, nondeterministic: bool) -> list[tuple[Test, ...]]:
    if not takes_input:
        return [TRUE] * random.choice([1, 1, 1 + nondeterministic])
    if nondeterministic:
        return [random.choice([TRUE, BELOW, ABOVE]) for _ in range(random.randint(1, 3))]
    return list(random.choice([[BELOW, ABOVE], [BELOW, ABOVE], [BELOW], [ABOVE], [TRUE]]))


def _state(random: Random, takes_input: bool, transitions: list[Transition]) -> State:
    rate, prime = random.choice([1, 1, 2]), random.choice([1, 2])
    return state(*transitions, rate=rate, rate_prime=prime, input=takes_input)


def leaning(model: Program, seed: int, infinite: float = 0.3) -> Program:
    """The program with two rates at some states, or noise on one side, or none."""
    random = Random(f"leaning {seed}")

    def side() -> Rate:
        return "inf" if random.random() < infinite else Fraction(random.choice([1, 2, 3]))

    states = {
        name: replace(old, rate=None, rate_left=side(), rate_right=side()) if random.random() < 0.6 else old
        for name, old in model.states.items()
    }
    return replace(model, states=states)


def mirrored(original: Program) -> Program:
    """The program with < and >= swapped."""
    other = {"<": ">=", ">=": "<"}

    def swapped(transition: Transition) -> Transition:
        guard = tuple((other[relation], variable) for relation, variable in transition.guard)
        return replace(transition, guard=guard)

    states = {
        name: replace(old, transitions=tuple(swapped(transition) for transition in old.transitions))
        for name, old in original.states.items()
    }
    return Program(original.initial, states)


def allowed(edge: Edge, shift: Shift, stored: Shift) -> bool:
    """Whether a strategy may shift insample by this much where the stored value is shifted by ``stored``."""
    if edge.output == INSAMPLE and shift:
        return False
    return {"": True, "<": shift <= stored, ">=": shift >= stored, "=": shift == stored}[edge.relation]


def price(edge: Edge, delta: int, shift: Shift) -> Fraction:
    """What a step costs; much where that is infinite."""
    prime = edge.rate_prime if edge.output == INSAMPLE_PRIME else None
    difference = delta * edge.sensitivity
    rate = edge.right if shift > difference else edge.left
    if rate == "inf":
        rate = INFINITELY_MUCH if shift != difference else Fraction(0)
    return abs(difference - shift) * rate + abs(difference) * (prime or Fraction(0))


def optimum(run: Run) -> Fraction:
    """The cost of the best strategy for one run, by recursion over the shift of the stored value."""
    best: dict[int, Fraction] = {0: Fraction(0)}  # nothing is stored yet
    for edge, delta in run:
        after: dict[int, Fraction] = {}
        for stored, cost in best.items():
            for shift in SHIFTS:
                if allowed(edge, shift, stored):
                    kept = shift if edge.assigns else stored
                    now = cost + price(edge, delta, shift)
                    after[kept] = min(now, after.get(kept, now))
        best = after
    return min(best.values())


def optimum_by_enumeration(run: Run) -> Fraction:
    """The same, trying all vectors of shifts."""
    costs = []
    for shifts in product(SHIFTS, repeat=len(run)):
        stored = 0
        cost = Fraction(0)
        for (edge, delta), shift in zip(run, shifts, strict=True):
            if not allowed(edge, shift, stored):
                break
            cost += price(edge, delta, shift)
            stored = shift if edge.assigns else stored
        else:
            costs.append(cost)
    return min(costs)


def is_run(model: Program, edges: Sequence[Edge]) -> bool:
    """Whether the edges lead on from one another, and the first from the initial state."""
    states = [model.initial, *(edge.target for edge in edges)]
    known = all(model.edges[edge.number] == edge for edge in edges)
    return known and all(edge.source == state for edge, state in zip(edges, states, strict=False))


def bound(model: Program) -> Fraction:
    """More than any finite optimum: steps that are not on cycles are taken once, and others cost once."""
    rates = [r for edge in model.edges for r in (edge.left, edge.right, edge.rate_prime) if r is not None]
    largest = shifts_of(model)[-1]
    return 1 + sum((2 * rate * largest for rate in rates if rate != "inf"), Fraction(0))


def shifts_of(model: Program) -> list[Fraction]:
    """The shifts that count: −1, 0, 1, and 0 and ±s for the sensitivities of states."""
    sizes = {edge.sensitivity for edge in model.edges if edge.input} | {Fraction(1)}
    return sorted({Fraction(0), *sizes, *(-size for size in sizes)})


def worst_cost(model: Program, deltas: Sequence[int] = (-1, 1)) -> Fraction | None:
    """The largest cost of the best strategies over all runs and differences, None if unbounded.

    For every state the undominated functions of the stored shift that an adversary can still make a strategy
    pay, capped at ``bound``, by iteration from below.
    """
    cap = bound(model)
    shifts = shifts_of(model)
    zero: Function = (Fraction(0),) * len(shifts)
    table: dict[str, set[Function]] = {name: {zero} for name in model.states}
    leaving = out_edges(model)
    arcs = {
        name: [(e, _prices(e, delta, shifts)) for e in edges for delta in (deltas if e.input else (0,))]
        for name, edges in leaving.items()
    }
    changed = True
    while changed:
        changed = False
        for name, own in arcs.items():
            new = {zero} | {
                _before(edge, prices, later, cap)
                for edge, prices in own
                for later in table.get(edge.target, {zero})
            }
            kept = _undominated(new)
            changed |= kept != table[name]
            table[name] = kept
    worst = max(min(function) for function in table[model.initial])
    return worst if worst < cap else None


def _prices(edge: Edge, delta: int, shifts: Sequence[Fraction]) -> list[list[tuple[int, Fraction]]]:
    """The places of the shifts that are allowed at each shift of what is stored, and what they cost."""
    return [
        [(place, price(edge, delta, shift)) for place, shift in enumerate(shifts) if allowed(edge, shift, x)]
        for x in shifts
    ]


def _before(edge: Edge, prices: list[list[tuple[int, Fraction]]], later: Function, cap: Fraction) -> Function:
    return tuple(
        min([cap] + [cost + later[place if edge.assigns else x] for place, cost in own])
        for x, own in enumerate(prices)
    )


def _undominated(functions: Iterable[Function]) -> set[Function]:
    kept: list[Function] = []
    for one in sorted(functions, reverse=True):
        if not any(all(a <= b for a, b in zip(one, other, strict=True)) for other in kept):
            kept.append(one)
    return set(kept)
