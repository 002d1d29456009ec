"""Upper bounds on the optimum by shifts that do not depend on the inputs: approximate and relaxed cost.

Both are for adjacency all-differ and one variable. In a *looping branch* a run goes from component to
component along given edges, and may repeat all cycles of the components it passes. Edges on cycles follow the
inputs at no cost, which a guard allows only if the stored value has shift 1 (<) or −1 (>=). For other edges

* *approximate*: one constant shift each, (1+|γ|)·rate, with two rates what is costlier of (1+γ) times the
  right one and (1−γ) times the left one, and rate' for insampleprime;
* *relaxed*: constant shifts where something is stored, (1+|γ|)·rate; elsewhere the best shift for each
  difference, at worst (1−x)·rate for <, (1+x)·rate for >= and 0 for true, where x is the stored shift.

At public states differences are 0: |γ|·rate. An edge on a cycle that stores is charged once, for the last
turn. For a branch the cost is the least over all shifts, for a program the largest over all branches; then
optimum ≤ relaxed ≤ approximate ≤ optimum + excess (docs/theory_programs.md, *Approximate and relaxed cost*).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from prover.program.adjacency import Adjacency
from prover.program.graph import Components, OutEdges, search
from prover.program.model import Edge, Program, out_edges
from prover.program.optimum.budget import Budget
from prover.program.optimum.cells import Cell, CellMove, Cells
from prover.program.optimum.refinement import enclose
from prover.program.optimum.staircases import Staircases, StairCell, StairCells
from prover.program.optimum.transfer import SHIFTS, Arc, Scale, Values, arc_of, shift_units, weighed
from prover.program.order_graph import FINAL, Order, order_graph
from prover.program.shifts import differences_of

LIMITS = Budget(values=1024)
"""How far the cost of a program is searched for; beyond that there is no answer."""


def approximate(program: Program, parts: Components, scale: Scale) -> Fraction | None:
    """The approximate cost of a program whose loss is bounded; None where it is not found within LIMITS."""
    return _costliest_branch(program, parts, scale, lambda edge: constant_arc(edge, scale))


def relaxed(program: Program, parts: Components, scale: Scale) -> Fraction | None:
    """The relaxed cost of a program whose loss is bounded; None where it is not found within LIMITS."""
    return _costliest_branch(program, parts, scale, lambda edge: relaxed_arc(edge, scale))


def excess(parts: Components, scale: Scale) -> Fraction:
    """The largest sum of the rates of the input steps that a branch is charged for.

    By no more can the approximate cost of a program with one rate a state exceed its optimum.
    """
    most: dict[int, int] = {}
    last: dict[int, int] = {}
    for edge in sorted(parts.edges, key=lambda edge: -parts.number[edge.source]):
        number, charge = parts.number[edge.source], scale.units(edge.rate) if edge.input else 0
        if parts.holds(edge):
            last[number] = max(last.get(number, 0), charge * edge.assigns)
        else:
            target = parts.number.get(edge.target)
            rest = most.get(target, 0) + last.get(target, 0) if target is not None else 0
            most[number] = max(most.get(number, 0), charge + rest)
    units = max(most.get(number, 0) + last.get(number, 0) for number in {*most, *last})
    return Fraction(units, scale.denominator)


def constant_arc(edge: Edge, scale: Scale) -> Arc:
    """The costs of an edge whose shift is the same for all differences of its inputs, at worst."""
    costs = zip(*(shift_units(edge, delta, scale) for delta in differences_of(edge)), strict=True)
    return weighed(edge, int(edge.input), scale, list(map(max, costs)))


def relaxed_arc(edge: Edge, scale: Scale) -> Arc:
    """The costs of an edge whose shift is constant if it assigns, and else the best for each difference.

    Then guard < costs most with difference 1 and >= with −1, whatever the stored shift. What is bound to the
    stored shift, or put out, has no choice.
    """
    if edge.assigns or edge.pinned or edge.relation == "=":
        return constant_arc(edge, scale)
    return arc_of(edge, edge.input * (-1 if edge.relation == ">=" else 1), scale)


def _costliest_branch(
    program: Program, parts: Components, scale: Scale, charge: Callable[[Edge], Arc]
) -> Fraction | None:
    found = enclose(_branches(program, parts, scale, charge), LIMITS)
    return scale.number(found.upper) if found.lower == found.upper else None


def _branches(program: Program, parts: Components, scale: Scale, charge: Callable[[Edge], Arc]) -> StairCells:
    """The looping branches of a program as cells; each edge costs what ``charge`` says."""
    writer = _BranchWriter(out_edges(program), parts, scale, charge)
    for members in reversed(parts.members):
        writer.enter(members)
    cells, groups = tuple(writer.cells), tuple(writer.groups)
    first = [writer.at[program.initial]]  # the only node that tables ask for
    return Cells(order_graph(program), Adjacency.ALL_DIFFER, Staircases(scale), cells, groups, first)


@dataclass(frozen=True, slots=True)
class _BranchWriter:
    """Visits of components as cells: layer 0 before the last edge on a cycle that stores is taken, 1 after.

    Where a component stores on cycles, what a run can still reach without storing again depends on the state,
    so each state has cells of its own. Components are entered after those they lead to.
    """

    leaving: OutEdges
    parts: Components
    scale: Scale
    charge: Callable[[Edge], Arc]
    cells: list[StairCell] = field(default_factory=list)
    groups: list[tuple[int, ...]] = field(default_factory=list)
    at: dict[str, tuple[int, int]] = field(default_factory=dict)

    def enter(self, members: list[str]) -> None:
        """Add the cells of a component."""
        edges = [edge for state in members for edge in self.leaving[state]]
        storing = [edge for edge in edges if self.parts.holds(edge) and edge.assigns]
        visits = [[state] for state in members] if storing else [members]
        first = len(self.cells)
        for k, states in enumerate(visits):
            self.at.update(dict.fromkeys(states, (first + 2 * k, first + 2 * k + 1)))
        mask = self._mask(edges)
        last = tuple(CellMove(self.charge(edge), 0, self.at[edge.target][1]) for edge in storing)
        for states in visits:
            leave = self._leaving_from(states, edges)
            self.cells.append(Cell((), 0, Order(), (), leave + last, mask))
            self.cells.append(Cell((), 1, Order(), (), leave, mask))
        own = range(first, len(self.cells), 2)
        self.groups.extend((cell + 1,) for cell in own)
        self.groups.extend((cell,) for cell in own)

    def _mask(self, edges: list[Edge]) -> Values:
        """Infinite at the shifts at which the edges on cycles cannot follow their inputs, else 0."""
        free = [relaxed_arc(e, self.scale) for e in edges if self.parts.holds(e) and not e.assigns]
        return self.scale.capped(
            self.scale.cap * any(arc.costs[x] for arc in free) for x in range(len(SHIFTS))
        )

    def _leaving_from(self, states: list[str], edges: list[Edge]) -> tuple[CellMove[Arc], ...]:
        """The steps out of the component that some states reach without storing."""
        keeps = search(self.leaving, states, lambda e: self.parts.holds(e) and not e.assigns)
        out = [edge for edge in edges if edge.source in keeps and not self.parts.holds(edge)]
        return tuple(
            CellMove(self.charge(edge), 0, self.at[edge.target][0] if edge.target in self.at else FINAL)
            for edge in out
        )
