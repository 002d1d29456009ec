"""Runs of one word whose union is convex: then the word loses what one run with their common order loses.

Runs are *aligned* if they make every step with the same noise. If they exclude each other and none of them
outputs its sample, their union is convex, up to a null set, iff it contains all linear extensions of the
pairs of samples that all of them order alike; that is a matter of counting (docs/theory_observer.md, *Convex
observation*). The run with the common order is written as a program of its own, whose exact loss is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import and_

from prover.graphs import linear_extensions
from prover.program.model import Edge, Program, State, Test, Transition
from prover.program.observer.words import Run
from prover.program.optimum.budget import Exhausted, Steps

BelowSets = tuple[int, ...]
"""For every step the set of steps whose samples are below its own, as bits."""


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs of one word whose union is convex, and the order whose linear extensions are theirs.

    ``order`` are pairs (a, b) of steps with x_a ≤ x_b from which all others follow: the tests of a single
    run, and of several the pairs that follow from no others.
    """

    runs: tuple[Run, ...]
    order: tuple[tuple[int, int], ...]


def grouped(program: Program, runs: Sequence[Run], orders: Steps) -> list[RunGroup]:
    """The runs of one word: in one group if their union is convex, else each on its own.

    Each is on its own, too, where it would take too many ``orders`` to see whether it is.
    """
    if len(runs) > 1 and _is_convex(program, runs, orders):
        return [RunGroup(tuple(runs), covers(_common(runs)))]
    return [RunGroup((run,), tuple(sorted(run.tested))) for run in runs]


def _is_convex(program: Program, runs: Sequence[Run], orders: Steps) -> bool:
    if orders.are_over or not are_aligned(program, runs) or not exclude_each_other(runs):
        return False
    if not has_tie_order(runs):
        return False

    def take(sets: int) -> None:
        orders.take(sets * len(runs[0].edges))

    try:
        own = sum(linear_extensions(run.below, take) for run in runs)
        return own == linear_extensions(_common(runs), take)
    except Exhausted:
        return False


def _common(runs: Sequence[Run]) -> BelowSets:
    return tuple(reduce(and_, own) for own in zip(*(run.below for run in runs), strict=True))


def are_aligned(program: Program, runs: Sequence[Run]) -> bool:
    """Whether all make every step with the same noise, public or not, and none outputs its sample."""
    return all(
        not any(edge.pinned for edge in edges) and len({_noise(program, edge) for edge in edges}) == 1
        for edges in zip(*(run.edges for run in runs), strict=True)
    )


def _noise(program: Program, edge: Edge) -> tuple[object, ...]:
    state = program.states[edge.source]
    seen = state.second if edge.primed else None
    return edge.input, edge.left, edge.right, state.mean, seen


def exclude_each_other(runs: Sequence[Run]) -> bool:
    """Whether no samples lead to two of these runs of one length."""
    following: dict[tuple[Edge, ...], tuple[Run, list[Edge]]] = {}
    for run in runs:
        begun: Run = Run()
        for edge in run.edges:
            _, edges = following.setdefault(begun.edges, (begun, []))
            if edge not in edges:
                edges.append(edge)
            longer = begun.then(edge)
            if longer is None:
                return False
            begun = longer
    return all(
        begun.excludes(first, second)
        for begun, edges in following.values()
        for first, second in combinations(edges, 2)
    )


def has_tie_order(runs: Sequence[Run]) -> bool:
    """Whether one row of the steps decides ties as all tests of these runs of one length do.

    A tie counts for < and >= as if the later sample were larger, and for <= and > as if it were smaller
    (docs/theory_observer.md, *Convex observation*).
    """
    arcs: set[tuple[int, int]] = set()
    for run in runs:
        home: dict[str, int] = {}
        for step, edge in enumerate(run.edges):
            for relation, name in edge.written:
                before = relation in ("<", ">=")
                arcs.add((home[name], step) if before else (step, home[name]))
            home.update(dict.fromkeys(edge.assign, step))
    below = closure(len(runs[0].edges), sorted(arcs))
    return not any(under >> step & 1 for step, under in enumerate(below))


def covers(below: BelowSets) -> tuple[tuple[int, int], ...]:
    """The pairs (a, b) of steps with a below b, without those that follow from others."""
    return tuple(
        (a, b)
        for b, under in enumerate(below)
        for a in _steps(under)
        if not any(below[c] >> a & 1 for c in _steps(under))
    )


def closure(length: int, pairs: Sequence[tuple[int, int]]) -> BelowSets:
    """For every step the steps below it, directly or by way of others, by pairs (a, b) with a below b."""
    below = [0] * length
    for a, b in pairs:
        below[b] |= 1 << a
    for middle in range(length):
        for step in range(length):
            if below[step] >> middle & 1:
                below[step] |= below[middle]
    return tuple(below)


def _steps(bits: int) -> Iterator[int]:
    return (step for step in range(bits.bit_length()) if bits >> step & 1)


def sequence_of(length: int, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """An order in which to take the steps so that few of them wait to be compared with later ones."""
    near: list[set[int]] = [set() for _ in range(length)]
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)

    def waiting(taken: Sequence[int]) -> int:
        return sum(1 for step in taken if not near[step] <= set(taken))

    best: tuple[list[int], list[int]] | None = None
    for first in range(length):
        taken = [first]
        sizes = [waiting(taken)]
        while len(taken) < length:
            rest = [step for step in range(length) if step not in taken]
            size, step = min((waiting([*taken, step]), step) for step in rest)
            taken.append(step)
            sizes.append(size)
        if best is None or (max(sizes), sum(sizes)) < (max(best[0]), sum(best[0])):
            best = sizes, taken
    return tuple(best[1]) if best else ()


def program_of(group: RunGroup, sequence: Sequence[int]) -> Program:
    """The program of one run whose samples have the order of the group; steps are taken in the sequence.

    Every step stores its sample in a variable of its own. Means do not matter for what it loses.
    """
    edges = group.runs[0].edges
    place = {step: k for k, step in enumerate(sequence)}
    states = {}
    for k, step in enumerate(sequence):
        edge = edges[step]
        tests: list[Test] = [(">=", f"x{place[a]}") for a, b in group.order if b == step and place[a] < k]
        tests += [("<", f"x{place[b]}") for a, b in group.order if a == step and place[b] < k]
        guard = tuple(sorted(tests, key=_variable))
        outputs = edge.outputs[0] if len(edge.outputs) == 1 else edge.outputs
        case = Transition(guard, (f"x{k}",), outputs, str(k + 1))
        prime = edge.rate_prime if edge.primed else None
        mean_prime = None if prime is None else Fraction(0)
        sides = edge.left, edge.right
        states[str(k)] = State(edge.input, None, Fraction(0), prime, mean_prime, (case,), *sides)
    return Program("0", states)


def _variable(test: Test) -> int:
    return int(test[1][1:])
