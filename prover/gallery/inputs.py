"""Two concrete inputs of a mechanism, and what a run loses between them."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadValue, quoted
from prover.gallery.index import GalleryEntry
from prover.program.adjacency import Adjacency
from prover.program.attack.probability import Loss, loss_between
from prover.program.model import Edge, Program, out_edges

_UNIT = Fraction(1)


def measured(program: Program, entry: GalleryEntry) -> Loss | None:
    """What the entry's run loses between its two inputs at ε = 1, enclosed; None where no run is listed.

    The inputs are neighbours under the entry's adjacency, at the program's sensitivity. Raises BadValue, and
    what ``loss_between`` raises.
    """
    if not entry.steps or entry.adjacency is None:
        return None
    outputs = [step.output for step in entry.steps for _ in range(step.turns)]
    sides = [(step.input, step.neighbour) for step in entry.steps for _ in range(step.turns)]
    path = _path(program, outputs)
    _check_neighbours(program, entry.adjacency, path, [other - one for one, other in sides])
    return loss_between(program, path, [one for one, _ in sides], [other for _, other in sides], _UNIT)


def _path(program: Program, outputs: list[str]) -> list[Edge]:
    """The edges of the run with these outputs, which tell the edges of each of its states apart."""
    leaving = out_edges(program)
    state = program.initial
    path = []
    for place, output in enumerate(outputs):
        found = [edge for edge in leaving.get(state, ()) if edge.output == output]
        if len(found) != 1:
            raise BadValue(
                f"step {place + 1} outputs {quoted(output)}; state {state} has {len(found)} such transitions",
                code="no-such-run",
            )
        path.append(found[0])
        state = found[0].target
    return path


def _check_neighbours(
    program: Program, adjacency: Adjacency, path: list[Edge], deltas: list[Fraction]
) -> None:
    if any(delta and not edge.input for edge, delta in zip(path, deltas, strict=True)):
        raise BadValue("the two inputs differ at a step that reads no input", code="not-neighbours")
    unit = program.noise.sensitivity
    if any(abs(delta) > unit * edge.sensitivity for edge, delta in zip(path, deltas, strict=True)):
        raise BadValue("the inputs differ by more than the sensitivity", code="not-neighbours")
    up, down = any(delta > 0 for delta in deltas), any(delta < 0 for delta in deltas)
    allowed = {
        Adjacency.ALL_DIFFER: True,
        Adjacency.ONE_DIFFER: sum(delta != 0 for delta in deltas) <= 1,
        Adjacency.INCREASING: not down,
        Adjacency.DECREASING: not up,
        Adjacency.MONOTONIC: not (up and down),
    }
    if not allowed[adjacency]:
        raise BadValue(f"the inputs are not neighbouring under adjacency {adjacency}", code="not-neighbours")
