"""Runs that pass a repeated block any number of times, and the multipliers that prove what they lose.

A family is a first part, steps that pass the block once and are taken N times, and a last part. For a given
choice of steps the multipliers with the largest total are those of a linear program (docs/theory_programs.md,
*Counts*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise, product

from prover.exact.simplex import UnboundedProgram, maximise
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.counted.model import Counted
from prover.program.decision.blocks import Block, Linear, RunStep, total
from prover.program.model import Edge, out_edges
from prover.program.optimum.witness import Witness, written_out

_MOST_STEPS = 4
"""Of the steps that pass the block: those that are needed to pass it, or so many."""
_MOST_RUNS = 600
"""So many choices of steps are tried."""
_LONGEST = 200

RunSteps = list[tuple[Edge, int]]
"""Edges with the differences of their inputs."""


JUNCTION = "\n"
"""Where a copy of the block may begin."""


@dataclass(frozen=True, slots=True)
class Junction:
    """The edges of runs that pass the block any number of times.

    ``own`` are those of the program, of which those into the block, and from it to the state after it, lead
    to a junction. There ``begun`` are those of the entry, and ``ended`` those of the state after the block.
    """

    own: tuple[Edge, ...]
    begun: tuple[Edge, ...]
    ended: tuple[Edge, ...]

    @staticmethod
    def of(counted: Counted) -> Junction:
        """The edges, with the numbers that certificates give them."""
        inside, edges = set(counted.states), counted.program.edges

        def arrives(edge: Edge) -> bool:
            if edge.source in inside:
                return edge.target == counted.after
            return edge.target in inside

        own = tuple(replace(edge, target=JUNCTION) if arrives(edge) else edge for edge in edges)
        begun, ended = (
            [replace(edge, source=JUNCTION) for edge in own if edge.source == state]
            for state in (counted.entry, counted.after)
        )
        first, second = len(own), len(own) + len(begun)
        return Junction(
            own,
            tuple(replace(edge, number=first + k) for k, edge in enumerate(begun)),
            tuple(replace(edge, number=second + k) for k, edge in enumerate(ended)),
        )


def family(
    counted: Counted, adjacency: str, runs: Sequence[Witness], least: Fraction, each: Fraction
) -> tuple[tuple[Block, ...], int] | None:
    """Runs that lose ``least`` + ``each`` times the number of copies that they pass, and the fewest copies.

    ``runs`` are worst runs with 0, 1, 2, … copies. No runs lose more. None if none are found.
    """
    edges = Junction.of(counted)
    known = [_at_junctions(counted, edges, run, copies) for copies, run in enumerate(runs)]
    turns = [steps[a:b] for steps, places in known for a, b in pairwise(places)]
    turns += islice(_short(counted, edges, adjacency), _MOST_RUNS)
    turns += [[(edge, 0) for edge, _ in turn] for turn in turns]
    if adjacency == Adjacency.ONE_DIFFER:
        turns = [turn for turn in turns if not any(delta for _, delta in turn)]
    turns = [turn for k, turn in enumerate(turns) if turn not in turns[:k]]
    tried = 0
    for passed in range(len(runs)):
        for steps, places in known:
            for a, b in _gaps(places, passed):
                for turn in turns:
                    tried += 1
                    if tried > _MOST_RUNS:
                        return None
                    parts = _family(steps[:a], turn, steps[b:])
                    more = passed + any(edge.assigns for edge, _ in turn)
                    if (blocks := _best(parts)) is None:
                        continue
                    found = total(blocks)
                    if (found.constant, found.slope) == (least + more * each, each):
                        return blocks, more
    return None


def _family(before: RunSteps, turn: RunSteps, after: RunSteps) -> tuple[RunSteps, RunSteps, RunSteps]:
    """The steps before the repeated ones, these, and those after them.

    If a turn stores, it is taken once more: no multiplier may be about what another turn stores.
    """
    place = next((k for k, (edge, _) in enumerate(turn) if edge.assigns), None)
    if place is None:
        return before, turn, after
    return before + turn[:place], turn[place:] + turn[:place], turn[place:] + after


def _gaps(places: Sequence[int], passed: int) -> Iterator[tuple[int, int]]:
    """Where to cut a run so that its two ends pass so many copies."""
    copies = len(places) - 1
    for k in range(passed + 1):
        if 0 <= k <= copies and k + copies - passed <= copies and copies >= passed:
            yield places[k], places[k + copies - passed]


def _at_junctions(counted: Counted, edges: Junction, run: Witness, copies: int) -> tuple[RunSteps, list[int]]:
    """The steps of a run, as edges of runs with any number of copies, and the places of its junctions."""
    whole, names = counted.repeated(copies), counted.names(copies)
    places_of: dict[int, int] = {}
    for leaving in out_edges(whole).values():
        places_of.update((edge.number, place) for place, edge in enumerate(leaving))
    own: dict[str, list[Edge]] = {}
    for edge in edges.own:
        own.setdefault(edge.source, []).append(edge)
    steps: RunSteps = []
    places: list[int] = []
    for step in islice(written_out(run), _LONGEST):
        state, place = names.get(step.edge.source, step.edge.source), places_of[step.edge.number]
        edge = own[state][place]
        if places and places[-1] == len(steps):
            edge = (edges.begun if state == counted.entry else edges.ended)[place]
        steps.append((edge, step.delta))
        if edge.target == JUNCTION:
            places.append(len(steps))
    return steps, places


def _short(counted: Counted, edges: Junction, adjacency: str) -> Iterator[RunSteps]:
    """Short ways to pass the block once, with extreme differences; equal edges have the same.

    Where they store, they also begin there, in a copy.
    """
    leaving: dict[str, list[Edge]] = {}
    for edge in edges.own:
        if edge.source in counted.states:
            leaving.setdefault(edge.source, []).append(edge)
    walks = [[edge] for edge in edges.begun]
    for _ in range(max(_MOST_STEPS, len(counted.states) + 2)):
        longer: list[list[Edge]] = []
        for walk in walks[:_MOST_RUNS]:
            if walk[-1].target == JUNCTION:
                yield from _differing(walk, adjacency)
            else:
                longer += [[*walk, edge] for edge in leaving.get(walk[-1].target, ())]
        walks = longer


def _differing(walk: Sequence[Edge], adjacency: str) -> Iterator[RunSteps]:
    same: Mapping[int, tuple[str, str]] = {edge.number: (edge.output, str(edge.guard)) for edge in walk}
    kinds = {key: next(e for e in walk if same[e.number] == key) for key in same.values()}
    ways = [extreme_points(adjacency, edge.input) for edge in kinds.values()]
    for deltas in product(*ways):
        chosen = dict(zip(kinds, deltas, strict=True))
        yield [(edge, chosen[same[edge.number]]) for edge in walk]


def _best(parts: Sequence[RunSteps]) -> tuple[Block, ...] | None:
    """The blocks with the multipliers whose total with one turn is largest; None if there is no largest."""
    flat = [(number, edge, delta) for number, part in enumerate(parts) for edge, delta in part]
    loads: list[dict[int, Fraction]] = [{} for _ in flat]
    grows: list[dict[int, Fraction]] = [{} for _ in flat]
    columns: list[list[tuple[int, int]]] = [[] for _ in flat]  # of each step: its variables, with their signs
    width, home, one = 0, None, Fraction(1)
    last_turn = False  # whether the stored value may be that of the turn before
    for k, (number, edge, _) in enumerate(flat):
        if k == len(parts[0]) and any(other.assign for other, _ in parts[1]):
            last_turn = True
        crosses = home is not None and flat[home][0] != number
        if edge.bounds and home is not None and not last_turn and not (crosses and flat[home][0] == 1):
            sign = -one if edge.relation == ">=" else one
            for factor in (one, -one) if edge.relation == "=" else (one,):
                loads[k][width] = sign * factor
                loads[home][width] = loads[home].get(width, Fraction(0)) - (
                    Fraction(0) if number == 1 and crosses else sign * factor
                )
                if number == 1 and crosses:
                    grows[home][width] = -sign * factor
                columns[k].append((width, int(factor)))
                width += 1
        if edge.assign:
            home, last_turn = k, False
    objective = [Fraction(0)] * width
    rows: list[dict[int, Fraction]] = []
    bounds: list[Fraction] = []
    for (_, edge, delta), load, growth in zip(flat, loads, grows, strict=True):
        if edge.pinned:
            continue
        for column, entry in (*load.items(), *growth.items()):
            objective[column] += entry * delta * edge.sensitivity
        for sign, rate in ((one, edge.left), (-one, edge.right)):
            if isinstance(rate, Fraction):
                rows += [{c: sign * x for c, x in row.items()} for row in (load, growth)]
                bounds += [rate, Fraction(0)]
    try:
        point = maximise(objective, rows, bounds).point
    except UnboundedProgram:
        return None
    steps = [
        RunStep(
            edge, delta, tuple(Linear(sum((point[c] * s for c, s in own), Fraction(0))) for _ in edge.bounds)
        )
        for (_, edge, delta), own in zip(flat, columns, strict=True)
    ]
    blocks, start = list[Block](), 0
    for number, part in enumerate(parts):
        if part:
            blocks.append(Block(number == 1, tuple(steps[start : start + len(part)])))
        start += len(part)
    return tuple(blocks)
