"""A closed table: every step of the program, from every node, is worth at most the bound of its node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise

from ..noise import Gaussian
from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    BadModel,
    Json,
    Malformed,
    RuleBroken,
    at,
    demand,
    items,
    rational,
    record,
    typed,
)
from ..variables.orders import defined
from .functions import (
    VALUE,
    Function,
    bounds_test,
    evaluate,
    largest,
    read_function,
    read_knots,
    through,
    trivial,
)
from .guarded import Line, Segment, read_cuts, worth
from .regions import WHOLE, Regions, Vertices, read_regions
from .scale import Scale, bits, read_scale

Interval = tuple[Fraction, Fraction]
Shifts = Mapping[str, Interval]  # of variables; those that are left out may have any
Nodes = Mapping[tuple[str, bool, int | None], Sequence["Node"]]
Known = MutableMapping[int, Function]  # bounds before and after insampleprime; by identity

WAYS = {"all-differ": (-1, 1), "one-differ": (-1, 1), "increasing": (0, 1), "decreasing": (-1, 0)}


@dataclass(frozen=True, slots=True)
class Node:
    """A state with intervals of shifts of what is stored; open: no input has differed so far, which only
    matters where one may; and how many inputs are left to read, if the claim bounds that."""

    state: str
    shifts: Shifts
    open: bool
    left: int | None
    function: Function
    cells: Json


@dataclass(frozen=True, slots=True)
class Way:
    """How far inputs may differ at a step, and after it whether none has differed so far and how many are
    left."""

    differences: Interval
    open: bool
    left: int | None


@dataclass(frozen=True, slots=True)
class Table:
    program: Program
    adjacency: str
    regions: Regions
    knots: Sequence[int]
    nodes: Nodes
    ended: Function
    longest: int  # bits of the ends of intervals
    lines: Mapping[str, Line]  # of states that test and store, or output the sample

    def target(self, t: Transition, shifts: Shifts, way: Way) -> Function:
        """The bound after a transition for all of these shifts, without insampleprime."""
        leaving = self.program.leaving(t.to)
        if not leaving or (way.left == 0 and leaving[0].takes_input):
            return self.ended
        found = self.nodes.get((t.to, way.open, way.left), ())
        widest = max((bits(low) + bits(high) for low, high in shifts.values()), default=0)
        self.program.budget.spend(8 * len(found) * len(self.program.variables), self.longest, widest)
        for node in found:
            if all(
                v in shifts and a <= shifts[v][0] and shifts[v][1] <= b for v, (a, b) in node.shifts.items()
            ):
                return node.function
        raise BadEvidence("no node for a shift")

    def after(self, t: Transition, shifts: Shifts, way: Way, known: Known) -> Function:
        """The same with insampleprime, if it is output; known is what was found so for this transition."""
        bound = self.target(t, shifts, way)
        farthest = max(map(abs, way.differences))
        if not t.primed or farthest == 0:
            return bound
        if id(bound) not in known:
            second = t.second if isinstance(t.second, Gaussian) else (t.second, t.second)
            vertices = self.regions.vertices(second, farthest)
            known[id(bound)] = self.mixed(bound, vertices)
        return known[id(bound)]

    def mixed(self, function: Function, vertices: Vertices) -> Function:
        evaluate(self.program.budget, len(vertices) * len(self.knots))
        return function.mixed(vertices)

    def ways(self, node: Node, t: Transition) -> Iterator[Way]:
        still = Fraction(0), Fraction(0)
        left = None if node.left is None else node.left - t.takes_input
        if not t.takes_input:
            yield Way(still, node.open, left)
        elif self.adjacency != "one-differ":
            low, high = WAYS[self.adjacency]
            yield Way((low * t.reach, high * t.reach), node.open, left)
        else:
            yield Way(still, node.open, left)
            if node.open:
                yield Way((-t.reach, t.reach), False, left)

    def noise(self, t: Transition, shift: Fraction) -> Vertices:
        return self.regions.vertices(t.noise, shift)


def closed_table(
    program: Program, adjacency: str, claim: Mapping[str, Json], evidence: Json
) -> Sequence[Function]:
    """What a closed table proves of the initial state, in one direction, for noise and inputs as in a claim:
    at least one function."""
    if len(program.variables) > 1:
        defined(program)
    scale = read_scale(program, claim)
    fields = record(evidence, "knots nodes regions", "cuts")
    knots = read_knots(fields["knots"])
    regions = read_regions(fields["regions"], scale)
    most = claim.get("steps")
    nodes: dict[tuple[str, bool, int | None], list[Node]] = {}
    for index, entry in enumerate(typed(fields["nodes"], list)):
        with at("node", index):
            node = read_node(entry, program, adjacency, knots, most)
            nodes.setdefault((node.state, node.open, node.left), []).append(node)
    listed = [node for own in nodes.values() for node in own]
    longest = max((bits(end) for node in listed for own in node.shifts.values() for end in own), default=0)
    lines = read_lines(fields.get("cuts", {}), program, scale)
    table = Table(program, adjacency, regions, knots, nodes, trivial(knots), longest, lines)
    places = {name: index for index, name in enumerate(sorted(program.states))}
    for node in listed:
        with at("a node of state", places[node.state]):
            node_rule(table, node)
    starts = nodes.get((program.initial, adjacency == "one-differ", most), [])
    demand(len(starts) > 0, BadEvidence, "no node of the initial state")
    return [node.function for node in starts]


def read_node(value: Json, program: Program, adjacency: str, knots: Sequence[int], most: int | None) -> Node:
    fields = record(value, "shifts state values" + ("" if most is None else " left"), "cells open")
    state = typed(fields["state"], str)
    demand(state in program.reached, BadEvidence, "a node of no state that runs come to")
    shifts = read_shifts(fields["shifts"], program)
    still = typed(fields.get("open", False), bool)
    demand(adjacency == "one-differ" or not still, Malformed, "open where all inputs may differ")
    cells = typed(fields["cells"], list) if "cells" in fields else None
    left = None if most is None else typed(fields["left"], int)
    if left is not None and most is not None:
        least = int(program.leaving(state)[0].takes_input)
        demand(least <= left <= most, BadEvidence, "a node with too few inputs left, or too many")
    return Node(state, shifts, still, left, read_function(fields["values"], knots), cells)


def read_lines(value: Json, program: Program, scale: Scale) -> Mapping[str, Line]:
    """The cuts of the states whose guarded transitions store or output the sample."""
    found = {}
    for index, name in enumerate(sorted(typed(value, dict))):
        with at("cuts", index):
            leaving = program.leaving(name)
            demand(keeps(leaving), Malformed, "cuts of a state that needs none")
            found[name] = Line(scale, leaving[0].noise, read_cuts(value[name]))
    return found


def keeps(leaving: Sequence[Transition]) -> bool:
    """Whether a transition with a guard stores or outputs the sample."""
    return any(t.tests and (t.assigns or t.pinned) for t in leaving)


def read_shifts(value: Json, program: Program) -> Shifts:
    """One interval if there is one variable, else some by their names."""
    named = {min(program.variables): value} if len(program.variables) == 1 else typed(value, dict)
    found: dict[str, Interval] = {}
    for name, own in named.items():
        low, high = (Fraction(*rational(end)) for end in items(own, 2))
        demand(low <= high, BadEvidence, "an empty interval of shifts")
        found[name] = low, high
    demand(found.keys() <= set(program.variables), BadEvidence, "a shift of no variable")
    return found


def node_rule(table: Table, node: Node) -> None:
    """Every way in which inputs may differ at the state is worth at most the bound of its node."""
    leaving = table.program.leaving(node.state)
    first = leaving[0]
    ways = list(table.ways(node, first))
    if not first.tests and not first.bounds:
        demand(len(leaving) == 1, BadModel, "transitions of which one has no guard")
        drawing = first.assigns and not first.pinned
        demand((node.cells is not None) == drawing, Malformed, "cells where nothing is drawn, or none")
        cells = items(node.cells, len(ways)) if drawing else [None] * len(ways)
        for way, own in zip(ways, cells, strict=True):
            if drawing:
                closed(node, in_cells(table, way, own, partial(drawn, table, node, first, way, {}), 1))
            else:
                closed(node, shown(table, node, first, way))
        return
    guards = [t.guard for t in leaving]
    different = len(set(guards)) == len(guards) and set(guards) <= {"<", ">="}
    plain = all(t.tests == t.bounds and len(t.tests) == 1 for t in leaving)
    demand(different and plain, BadModel, "a test that is none of < and >=, or outputs a gap")
    (name, *others) = {v for t in leaving for _, v in t.tests}
    demand(not others, BadModel, "tests of several variables at a state")
    demand(name in node.shifts, BadEvidence, "no shift of a variable that is tested")
    ties = {t.written for t in leaving} in ({("<",), (">",)}, {("<=",), (">=",)})
    demand(not ties, BadModel, "guards of which none or both hold at a tie")
    if keeps(leaving):
        demand(node.cells is not None, Malformed, "no cells where a sample is tested and kept")
        for way, own in zip(ways, items(node.cells, len(ways)), strict=True):
            known: Mapping[str, Known] = {"<": {}, ">=": {}}
            closed(node, in_cells(table, way, own, partial(guarded, table, node, name, way, known), 2))
        return
    demand(node.cells is None, Malformed, "cells where nothing is drawn")
    for way in ways:
        test_rule(table, node, name, leaving, way)


def test_rule(table: Table, node: Node, name: str, leaving: Sequence[Transition], way: Way) -> None:
    outcome = {t.guard: table.after(t, node.shifts, way, {}) for t in leaving}
    below, above = (outcome.get(guard, table.ended) for guard in ("<", ">="))
    low, high = node.shifts[name][0] - way.differences[1], node.shifts[name][1] - way.differences[0]
    corners = [*table.noise(leaving[0], low), *table.noise(leaving[0], high)]
    evaluate(table.program.budget, 2 * len(corners) * len(table.knots))
    bounded = bounds_test(node.function, below, above, corners)
    demand(bounded, RuleBroken, "a test is worth more than the bound of its node")


def closed(node: Node, function: Function) -> None:
    pairs = zip(node.function.values, function.values, strict=True)
    demand(
        all(value >= least for value, least in pairs),
        RuleBroken,
        "a step is worth more than the bound of its node",
    )


def shown(table: Table, node: Node, t: Transition, way: Way) -> Function:
    """A step that tests nothing and draws nothing that stays hidden."""
    if not t.pinned:
        return table.after(t, node.shifts, way, {})
    kept = dict.fromkeys(t.stored, (Fraction(0), Fraction(0)))
    bound = table.after(t, {**node.shifts, **kept}, way, {})
    return largest([table.mixed(bound, table.noise(t, -end)) for end in way.differences])


Move = tuple[Json, Fraction]  # an offset or a shift, and how far
Step = Callable[[Interval, Sequence[Move], int], int]  # differences, the moves of an anchor, and its knot


def in_cells(table: Table, way: Way, value: Json, step: Step, moves: int) -> Function:
    """A step whose sample is stored or tested and output: in each cell of differences the chords through its
    anchors, with so many moves each."""
    found = table.ended
    low = last = way.differences[0]
    entries = typed(value, list)
    demand(len(entries) > 0, BadEvidence, "no cell")
    for entry in entries:
        fields = record(entry, "anchors until")
        high = Fraction(*rational(fields["until"]))
        table.regions.scale.demand_on_grid(high)
        begun = low < high if table.regions.scale.grid is None else low <= high
        demand(begun or low == high == way.differences[1], BadEvidence, "cells out of order")
        found = largest([found, chords(table, partial(step, (low, high)), fields["anchors"], moves)])
        last, low = high, high + (table.regions.scale.grid or 0)
    demand(last == way.differences[1], BadEvidence, "the cells do not cover the differences")
    return found


def chords(table: Table, step: Callable[[Sequence[Move], int], int], value: Json, moves: int) -> Function:
    """At every anchor shifts, or offsets from the difference, bound what the step is worth; so do chords
    between anchors, as what it is worth is convex."""
    knots, points = table.knots, [(0, VALUE)]
    for entry in typed(value, list):
        number, *rest = items(entry, 1 + 2 * moves)
        demand(0 < typed(number, int) < len(knots), Malformed, "no such knot")
        demand(knots[number] > points[-1][0], BadEvidence, "anchors out of order")
        known = all(kind in ("offset", "shift") for kind in rest[::2])
        demand(known, Malformed, "neither an offset nor a shift")
        amounts = [Fraction(*rational(amount)) for amount in rest[1::2]]
        points.append((knots[number], step(list(zip(rest[::2], amounts, strict=True)), number)))
    demand(len(points) > 1, Malformed, "no anchor")
    table.program.budget.spend(8 * len(knots), 64, 64)
    return through(knots, points)


def moved(cell: Interval, move: Move) -> tuple[Interval, list[Fraction]]:
    """Between which numbers the sample moves, and the least and the greatest shift of its noise."""
    kind, amount = move
    if kind == "shift":
        return (amount, amount), [amount - end for end in cell]
    return (cell[0] + amount, cell[1] + amount), [amount]


def drawn(
    table: Table,
    node: Node,
    t: Transition,
    way: Way,
    known: Known,
    cell: Interval,
    moves: Sequence[Move],
    number: int,
) -> int:
    """What a step that stores its sample is worth at most at a knot, with this move of what is stored."""
    kept, shifts = moved(cell, moves[0])
    bound = table.after(t, {**node.shifts, **dict.fromkeys(t.stored, kept)}, way, known)
    knot = table.knots[number]
    sums = []
    for shift in shifts:
        vertices = table.noise(t, shift)
        evaluate(table.program.budget, len(vertices))
        atoms = [(q[0] - p[0], q[1] - p[1]) for p, q in pairwise(vertices)]
        sums.append(sum(bound.perspective(p, knot * q) for p, q in atoms))
    return -(-max(sums) // WHOLE)


def guarded(
    table: Table,
    node: Node,
    name: str,
    way: Way,
    known: Mapping[str, Known],
    cell: Interval,
    moves: Sequence[Move],
    number: int,
) -> int:
    """What a step that tests its sample, and stores or outputs it, is worth at most at a knot, with these
    moves of the samples that are below what is stored, and of those that are not."""
    demand(node.state in table.lines, BadEvidence, "no cuts of a state that tests and keeps its sample")
    line, functions, segments = table.lines[node.state], list[Function](), list[Sequence[Segment]]()
    leaving = {t.guard: t for t in table.program.leaving(node.state)}
    least, most = node.shifts[name]
    for guard, move in zip(("<", ">="), moves, strict=True):
        t = leaving.get(guard)
        kept, shifts = moved(cell, move)
        table.regions.scale.demand_on_grid(move[1])
        if t is not None and t.pinned:
            demand(move[0] == "shift" and move[1] == 0, BadEvidence, "a sample that is output is moved")
        inside = kept[1] <= least if guard == "<" else kept[0] >= most
        segments.append(line.segments(shifts if inside else []))
        if t is None:
            functions.append(table.ended)
        else:
            after = {**node.shifts, **dict.fromkeys(t.stored, kept)}
            functions.append(table.after(t, after, way, known[guard]))
    evaluate(table.program.budget, 3 * sum(map(len, segments)))
    return min(VALUE, -(-worth(functions[0], functions[1], segments, table.knots[number]) // WHOLE))
