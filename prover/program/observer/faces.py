"""Far inputs at which a run loses as much as it can, and other runs of its output do not happen instead.

They make the demands equalities that the run's multipliers use, and all other demands strict
(docs/theory_observer.md, *Any words*).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from prover.program.model import Edge
from prover.program.observer.convex import closure
from prover.program.optimum.duals import RunOptimum, run_optimum
from prover.program.optimum.transfer import Scale
from prover.program.optimum.weighed import Weighed, constraints

StepTest = tuple[int, tuple[str, str]]
"""A test of a step."""


def own_face(
    edges: Sequence[Edge], delta: Sequence[int], hidden: Collection[str], scale: Scale
) -> tuple[int, ...] | None:
    """Inputs at which the demands of a run that have multipliers, and no others, are equalities.

    None if the run has no valid shifts. ``hidden`` are states whose transitions the outputs do not show.
    """
    used = _least_support(edges, delta, hidden, scale)
    if used is None:
        return None
    demands = {pair for own in constraints(edges, tests_only=True) for pair in own}
    fixed = [k for k, edge in enumerate(edges) if edge.pinned or not edge.input]
    alike = [*used, *pairwise(fixed)]
    links = [*alike, *((b, a) for a, b in alike)]
    below = closure(len(edges), [*demands, *links])
    part = [
        min(a for a in range(len(edges)) if a == b or (below[b] >> a & 1 and below[a] >> b & 1))
        for b in range(len(edges))
    ]
    bound = {part[k] for pair in used for k in pair} | {part[k] for k in fixed[:1]}
    # A part comes after those below it: of these it has more.
    levels: dict[int, int] = {}
    for level, own in enumerate(sorted(bound, key=lambda own: (below[own].bit_count(), own))):
        levels[own] = 2 * level
    found = [
        levels.get(own, 1 + max((levels[a] for a in bound if below[own] >> a & 1), default=-2))
        for own in part
    ]
    middle = found[fixed[0]] if fixed else (max(found) + min(found)) // 2
    return tuple(level - middle for level in found)


def _least_support(
    edges: Sequence[Edge], delta: Sequence[int], hidden: Collection[str], scale: Scale
) -> list[tuple[int, int]] | None:
    """Demands (a, b) with γ_a ≤ γ_b by which shifts cost what they cost by all, and by none less of them.

    Those at ``hidden`` states, about which other runs of the output differ, are left out first.
    """
    best = _optimum(edges, delta, scale)
    if best is None:
        return None
    run = list(edges)

    def leave_out(places: Sequence[StepTest]) -> None:
        nonlocal run
        gone = set(places)
        fewer = [
            replace(edge, guard=tuple(test for test in edge.guard if (step, test) not in gone))
            for step, edge in enumerate(run)
        ]
        found = _optimum(fewer, delta, scale)
        if found is not None and found.cost == best.cost:
            run = fewer
        elif len(places) > 1:
            leave_out(places[: len(places) // 2])
            leave_out(places[len(places) // 2 :])

    for group in (True, False):
        leave_out(
            [(k, t) for k, edge in enumerate(run) if (edge.source in hidden) is group for t in edge.guard]
        )
    return [pair for own in constraints(run) for pair in own]


def _optimum(run: Sequence[Edge], delta: Sequence[int], scale: Scale) -> RunOptimum | None:
    steps = [Weighed.of(edge, own, scale) for edge, own in zip(run, delta, strict=True)]
    return run_optimum(steps, scale.shifts)
