"""The two directions in which values travel through a graph of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prover.program.optimum.cells import FINAL, Cells, CellStep


@dataclass(frozen=True, slots=True)
class Direction:
    """How values travel: ``steps`` are, for each node, those that bring values to it, with ``target`` the
    node where these come from; groups come in the order of travel, and ``seeds`` are where values begin.
    """

    forwards: bool
    groups: Sequence[tuple[int, ...]]
    steps: Mapping[int, Sequence[CellStep]]
    seeds: frozenset[int]


def rest_of(cells: Cells) -> Direction:
    """The direction that leads from what comes after a node to the node."""
    steps = {number: node.steps for number, node in enumerate(cells.nodes)}
    return Direction(False, cells.groups, steps, frozenset(steps))


def past_of(cells: Cells) -> Direction:
    """The direction that leads from what comes before a node to the node."""
    steps: dict[int, list[CellStep]] = {number: [] for number in range(len(cells.nodes))}
    for number, node in enumerate(cells.nodes):
        for step in node.steps:
            if step.target != FINAL:
                steps[step.target].append(CellStep(step.arc, number))
    return Direction(True, cells.groups[::-1], steps, frozenset([cells.start]))
