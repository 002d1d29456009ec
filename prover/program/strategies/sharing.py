"""What it costs to prove several programs private with one strategy (all-differ).

The programs share transitions: those that leave states of the same name, with the same rates, guard,
assignment and output, wherever they lead. A *shared strategy* sees all differences Δ, one for each
transition, and chooses one shift for each transition, whatever branch it is part of. It costs

    max over Δ of min over shifts of max over branches of what the branch costs,

and at least as much as the costliest optimum of the branches, each with a strategy of its own. A transition
on a cycle follows its inputs. For given Δ the shifts solve a linear program; they need not be integral. The
cost is convex in Δ, so corners suffice, and among these branch and bound searches: where Δ is open, a
transition is charged (1+|γ|)·rate, with the larger rate if there are two, which bounds both of its corners
from above (docs/strategies.md, *Sharing*).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from prover.errors import BadOptions, Fault, must_be
from prover.exact.given import given_integer
from prover.exact.rational import largest_or_none
from prover.exact.readable import multiple
from prover.program.branches import Branch
from prover.program.conditions import require_plain
from prover.program.decision.boundedness import decide
from prover.program.model import Edge, Program, variables
from prover.program.optimum.measure import measure
from prover.program.scope import demand_two_sides
from prover.program.shifts import largest_rate
from prover.program.strategies.possible import possible_branches
from prover.program.strategies.shared_lp import Ledger, SharedShifts, ledger_of, shared_shifts
from prover.program.strategies.strategy import Outlay, cost_for, optimum
from prover.views import Lined

MOST_PROGRAMS = 2_000
"""How many linear programs a search may solve."""


@dataclass(frozen=True, slots=True, repr=False)
class SharedCost(Lined):
    """Bounds on the cost of the best shared coupling strategy: lower ≤ cost ≤ upper.

    ``lower`` is None, and then upper too, if no shared strategy has a finite cost; ``upper`` alone is None if
    no bound was found.
    ``separate`` is the largest optimum of a branch: None if it is infinite or takes too much work.
    ``transitions`` are those of the branches, each once; ``differences`` are their differences of inputs at
    the lower bound, and ``shifts`` the best shared shifts for these.

        >>> from prover.zoo import sharing_pair
        >>> str(shared_cost(sharing_pair(tests=3)).value)
        '4'
    """

    lower: Fraction | None
    upper: Fraction | None
    separate: Fraction | None
    branches: tuple[Branch, ...]
    transitions: tuple[Edge, ...]
    differences: tuple[int, ...]
    shifts: tuple[Fraction, ...]

    @property
    def value(self) -> Fraction | None:
        """The cost, if it is known and finite; else None."""
        return self.lower if self.lower == self.upper else None

    @property
    def is_infinite(self) -> bool:
        """Whether no shared strategy has a finite cost."""
        return self.lower is None

    @property
    def headline(self) -> str:
        """The cost in a line."""
        count = len(self.branches)
        one = f"one strategy for {count} looping branch{'es' * (count > 1)}"
        apart = "" if self.separate is None else f"; one for each costs {multiple(self.separate)}"
        if self.lower is None:
            return f"{one} has no finite cost{apart}"
        if self.value is not None:
            return f"{one} costs {multiple(self.value)}{apart}"
        return f"{one} costs between {multiple(self.lower)} and {multiple(self.upper)}{apart}"


def shared_cost(*programs: Program, most: int = MOST_PROGRAMS) -> SharedCost:
    """The cost of one strategy for all looping branches of some programs that share transitions.

    For one program: the cost of its branches if every transition has the same shift in all of them. The
    search ends after ``most`` linear programs and returns the bounds found by then. Raises BadOptions,
    NotSupported, TooManyBranches, TooManyShifts and StoringCycle.

        >>> from prover.zoo import sharing_pair
        >>> print(shared_cost(sharing_pair(tests=3)))
        one strategy for 2 looping branches costs 4·ε; one for each costs 2·ε

    Reference: docs/strategies.md, *Sharing*.
    """
    most = given_integer(most, "most")
    for program in programs:
        must_be(Program, program=program)
        demand_two_sides(program)
        require_plain(program, "coupling strategies are")
    return shared_cost_of(programs, [b for program in programs for b in possible_branches(program)], most)


def shared_cost_of(
    programs: Sequence[Program], branches: Sequence[Branch], most: int = MOST_PROGRAMS
) -> SharedCost:
    """The same where the branches of the programs are known. Raises BadOptions and TooManyShifts."""
    found = cost_of_branches(branches, most)
    if all(len(variables(program)) == 1 for program in programs):
        return found
    return replace(found, separate=_costliest(programs))


def _costliest(programs: Sequence[Program]) -> Fraction | None:
    """The costliest optimum of some programs, by the tables of several variables; None if it is not found."""
    uppers = []
    for program in programs:
        known = decide(program)
        uppers.append(measure(program, known=known).upper if known.bounded else None)
    return largest_or_none(uppers)


def cost_of_branches(branches: Sequence[Branch], most: int = MOST_PROGRAMS) -> SharedCost:
    """The same for a set of branches. Raises BadOptions."""
    found = tuple(branches)
    if not found:
        raise BadOptions("a shared cost needs at least one program, or one branch", code="nothing-to-share")
    optima = [optimum(branch) for branch in found]
    costs = [best.cost for best in optima if best is not None and best.cost is not None]
    separate = max(costs) if len(costs) == len(found) else None
    ledger = ledger_of(found)
    best = None
    if ledger is not None:
        alone = _alone(ledger, found[0], optima[0]) if len(set(found)) == 1 else None
        best = alone or _search(ledger, most)
    if ledger is None or best is None:
        return SharedCost(None, None, separate, found, (), (), ())
    return SharedCost(
        best.lower,
        best.upper,
        separate,
        found,
        ledger.edges,
        tuple(best.differences[k] for k in range(len(ledger.edges))),
        best.shifts.shifts,
    )


@dataclass(frozen=True, slots=True)
class _Best:
    """Bounds of the cost, and differences that attain the lower one, with the best shifts for them."""

    lower: Fraction
    upper: Fraction | None
    differences: Mapping[int, int]
    shifts: SharedShifts


@dataclass(frozen=True, slots=True, order=True)
class _Node:
    """Differences of which some are open, and a bound of what they can be completed to; None bounds nothing.

    Nodes without a bound, and then those with the largest, come first.
    """

    rank: tuple[bool, Fraction, int]
    differences: Mapping[int, int] = field(compare=False)
    bound: SharedShifts | None = field(compare=False)


def _alone(ledger: Ledger, branch: Branch, found: Outlay | None) -> _Best | None:
    """The optimum of a branch, for nothing is shared if no assignment is on a cycle; None if one is.

    Also None if the optimum is infinite, or takes too much.
    """
    if any(place.on_cycle and place.edge.assigns for place in branch.steps):
        return None
    if found is None or found.differences is None or len(ledger.edges) < len(branch.steps):
        return None
    least = cost_for(branch, found.differences)
    if least is None:
        raise Fault("the optimum of a branch is finite, and no shifts have a finite cost")
    cost, shifts = least
    return _Best(
        cost, cost, dict(enumerate(found.differences)), SharedShifts(cost, tuple(map(Fraction, shifts)))
    )


def _search(ledger: Ledger, most: int) -> _Best | None:
    """Branch and bound over the open differences; None if some differences have no shared shifts."""
    order = sorted(ledger.open, key=lambda k: (k not in ledger.following, -largest_rate(ledger.edges[k]), k))
    best: _Best | None = None
    waiting: list[_Node] = []
    new: list[Mapping[int, int]] = [ledger.differences]
    tried: set[tuple[int, ...]] = set()
    solved = 0
    while new or waiting:
        for differences in new:
            bound = shared_shifts(ledger, differences)
            candidate = _completed(ledger, differences, bound)
            solved += 1
            if (corner := tuple(candidate.values())) not in tried:
                tried.add(corner)
                reached = bound if len(candidate) == len(differences) else shared_shifts(ledger, candidate)
                solved += 1
                if reached is None:
                    return None
                if best is None or reached.cost > best.lower:
                    best = _Best(reached.cost, reached.cost, candidate, reached)
            if len(candidate) > len(differences):
                rank = (bound is not None, Fraction(0) if bound is None else -bound.cost, solved)
                heapq.heappush(waiting, _Node(rank, differences, bound))
        new = []
        if best is None or not waiting:
            break
        first = heapq.heappop(waiting)
        if first.bound is not None and first.bound.cost <= best.lower:
            break
        if solved >= most:
            return replace(best, upper=None if first.bound is None else first.bound.cost)
        k = next(k for k in order if k not in first.differences)
        new = [{**first.differences, k: delta} for delta in (-1, 1)]
    return best


def _completed(ledger: Ledger, differences: Mapping[int, int], bound: SharedShifts | None) -> dict[int, int]:
    """All differences: those given, and for open ones the corners farther from the shifts of the bound."""
    shifts = [Fraction(0)] * len(ledger.edges) if bound is None else bound.shifts
    return {k: differences.get(k, 1 if shift <= 0 else -1) for k, shift in enumerate(shifts)}
