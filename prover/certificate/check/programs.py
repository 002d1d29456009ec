"""Threshold programs, and whose loss a claim about one is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from .budget import Budget
from .cases import NO_LETTER, Case, Cases
from .noise import GAUSSIAN, SIDES, Drawings, Gaussian, Sides, read_noise, with_rates
from .reading import BadModel, Json, Malformed, ascending, at, constant, demand, record, typed

# The differences Δ of input states that suffice for upper bounds, the loss being convex in Δ, and the others;
# those of monotonic are all ≥ 0 or all ≤ 0
CORNERS = {
    "all-differ": (-1, 1),
    "one-differ": (-1, 0, 1),
    "increasing": (0, 1),
    "decreasing": (-1, 0),
    "monotonic": (-1, 0, 1),
}

STATE = "input mean mean_prime rate rate_prime transitions"
OWN = f"{SIDES} {GAUSSIAN} center sensitivity"
CASE = "assign guard output to"
OWN_OF_CASES = "registers seen"


UNPLACED = "public samples have no noise on a side, so whether a run is possible may depend on the means"


class Transition(NamedTuple):
    """A transition with the noise of its state: tests are pairs of "<" or ">=" and a variable.

    Bounds are the conditions of tests and outputs on shifts, at most one for each variable: "=" if insample
    minus the variable is output. `pinned` transitions output insample, `primed` ones insampleprime; `seen`
    are the letter and the number of numbers, which distinguish transitions. `reach` is the sensitivity of the
    state, divided by that of the program: differences of inputs are multiples of it. Of states that are
    written alike, the noise and the reach are the same objects.
    """

    number: int
    source: str
    to: str
    takes_input: bool
    noise: Sides | Gaussian  # of insample; rates are times the sensitivity
    second: Fraction | Gaussian  # of insampleprime; 0 if there is none
    means: tuple[Fraction, Fraction]
    reach: Fraction
    center: str | None  # the register around which the number is drawn
    tests: tuple[tuple[str, str], ...]
    stored: tuple[str, ...]
    bounds: tuple[tuple[str, str], ...]
    pinned: bool
    primed: bool
    seen: tuple[str, int]
    written: tuple[str, ...]  # the relations of the tests as they are, which only ties tell from those above
    gaps: tuple[str, ...] = ()
    sums: Mapping[str, Mapping[str, int]] | None = None  # what registers are set to; others become 0
    told: tuple[Fraction, ...] | None = None  # all that is seen of it, by what is added; None: as it is
    fixed: int | None = None  # the only difference, of a program that is unfolded

    def moves(self, adjacency: str) -> Sequence[tuple[int, str, str]]:
        """The differences that count, with the modes before and after: of one-differ, whether an input has
        differed, and no modes of others."""
        return moves(adjacency, self.takes_input, self.fixed)

    @property
    def left(self) -> Fraction | None:
        """The rate below 0; None is infinite."""
        return with_rates(self.noise)[0]

    @property
    def right(self) -> Fraction | None:
        """The rate above 0; None is infinite."""
        return with_rates(self.noise)[1]

    @property
    def rate_prime(self) -> Fraction:
        """The rate of insampleprime; 0 if there is none."""
        return with_rates(self.second)

    @property
    def guard(self) -> str:
        """The bound of the shift if there is one variable: "", "<", ">=" or "="."""
        return self.bounds[0][0] if self.bounds else ""

    @property
    def assigns(self) -> bool:
        return bool(self.stored)

    @property
    def rates(self) -> list[Fraction]:
        """The finite ones, that of both sides once."""
        sides = (self.left,) if self.left == self.right else (self.left, self.right)
        return [rate for rate in (*sides, self.rate_prime) if rate is not None]

    @property
    def worst(self) -> Fraction | None:
        """The larger of the rates of noise that a difference may cost."""
        return None if self.left is None or self.right is None else max(self.left, self.right)

    def cost(self, delta: int, shift: Fraction | int) -> Fraction | None:
        """The cost of a shift, without the second sample; None is infinite."""
        difference = delta * self.reach
        rate = self.right if shift > difference else self.left
        if shift == difference:
            return Fraction(0)
        return None if rate is None else rate * abs(shift - difference)


@lru_cache(2**8)
def moves(adjacency: str, takes_input: bool, fixed: int | None) -> Sequence[tuple[int, str, str]]:
    found = list[tuple[int, str, str]]()
    corners = CORNERS[adjacency] if takes_input else (0,)
    for delta in corners if fixed is None else (fixed,):
        if adjacency != "one-differ":
            found.append((delta, "", ""))
        elif delta:
            found.append((delta, "unused" if takes_input else "used", "used"))
        else:
            found += [(0, "unused", "unused"), (0, "used", "used")]
    return found


def rates_of(transitions: Iterable[Transition]) -> tuple[list[Fraction], int]:
    """The finite rates of transitions, those of one noise once; and how many there are of all."""
    found, many = dict[tuple[int, int], list[Fraction]](), 0
    for t in transitions:
        noise = id(t.noise), id(t.second)
        if noise not in found:
            found[noise] = t.rates
        many += len(found[noise])
    return [rate for rates in found.values() for rate in rates], many


class Scaled:
    """The rates and the reach of transitions as integers: rates over one denominator, and in parts of 1."""

    def __init__(self, unit: int, parts: int) -> None:
        self.unit, self.parts = unit, parts
        self.known = dict[tuple[int, int, int], tuple[Transition, Numbers]]()

    def of(self, t: Transition) -> Numbers:
        """The rates to the left and to the right (None is infinite), that of the second sample, the reach."""
        shape = id(t.noise), id(t.second), id(t.reach)
        if shape not in self.known:  # with the transition, as long as which lives nothing else has these ids
            left, right = (None if rate is None else scaled(rate, self.unit) for rate in (t.left, t.right))
            prime, reach = scaled(t.rate_prime, self.unit), scaled(t.reach, self.parts)
            self.known[shape] = t, Numbers(left, right, prime, reach)
        return self.known[shape][1]


class Numbers(NamedTuple):
    left: int | None
    right: int | None
    prime: int
    reach: int


def scaled(x: Fraction, unit: int) -> int:
    return x.numerator * (unit // x.denominator)


@dataclass(frozen=True, slots=True)
class Program:
    initial: str
    states: Collection[str]
    reached: Collection[str]  # the states that runs come to
    transitions: Sequence[Transition]
    budget: Budget
    by_state: Mapping[str, Sequence[Transition]]
    variables: Collection[str]  # of reached states
    plain: bool = True  # tests are < and >=, and inputs are on the grid of the noise
    parts: int = 1  # shifts are counted in parts of 1
    shifts: Sequence[int] = (-1, 0, 1)
    even: bool = True  # all states have the same sensitivity
    noise: tuple[Fraction, Fraction | None] = (Fraction(1), None)  # sensitivity, and grid if there is one
    rounded: bool = True  # inputs are on the grid
    registers: bool = False  # which are not unfolded
    whole: Program | None = None  # what this one unfolds

    @property
    def hides(self) -> bool:
        """Whether observers see something else of a transition than it outputs."""
        return any(t.told is not None for t in self.transitions)

    @property
    def placed(self) -> bool:
        """Whether it is clear that some inputs make a run possible whose tests do not contradict each other.

        It is where samples that are tested or stored can be anywhere, or those that cannot are compared only
        with one that can, at a time; or are all unbounded to the same side; or no run takes two of them.
        """
        reached = [t for t in self.transitions if t.source in self.reached]
        used = [t for t in reached if t.tests or t.stored]
        fixed = [t for t in used if (not t.takes_input or t.fixed is not None) and t.worst is None]
        alone = len(self.variables) < 2 and not any(t.tests for t in fixed)
        if alone or all(t.left is not None for t in fixed) or all(t.right is not None for t in fixed):
            return True
        after = {t.to for t in fixed}
        waiting = list(after)
        while waiting:
            new = {t.to for t in self.leaving(waiting.pop())} - after
            after |= new
            waiting += new
        return after.isdisjoint(t.source for t in fixed) or self._starts_with(fixed)

    def _starts_with(self, fixed: Sequence[Transition]) -> bool:
        """Whether every run starts with these, and with no other ones: increasing public numbers on the line,
        of which each is stored and, from the second on, tests that it is at least the one before.
        """
        here, left, last = self.initial, {t.number for t in fixed}, None
        while left:
            ways = self.leaving(here)
            if self.noise[1] is not None or len(ways) != 1 or ways[0].number not in left:
                return False
            (t,) = ways
            tests = () if last is None else tuple((">=", name) for name in last.stored)
            if sorted(t.tests) != sorted(tests) or not t.stored or t.left is not None or t.right is not None:
                return False
            if last is not None and t.means[0] <= last.means[0]:
                return False
            left, last, here = left - {t.number}, t, t.to
        sources = {t.source for t in fixed}
        return not any((t.to in sources and t not in fixed) or t.to == self.initial for t in self.transitions)

    def leaving(self, state: str) -> Sequence[Transition]:
        """The transitions of a state, in order; none if it is final."""
        return self.by_state.get(state, ())


def read_program(model: Json, budget: Budget, *, gaussian: bool = False, registers: bool = False) -> Program:
    """The program. Noise has rates and inputs are used once, unless the rule that asks is about Gaussian
    noise, or about registers, too."""
    fields = record(model, "initial states type version", "final grid inputs noise sensitivity")
    constant(fields["type"], "threshold-program")
    constant(fields["version"], 1)
    states, transitions, used = typed(fields["states"], dict), list[Transition](), dict[int, Case]()
    initial = typed(fields["initial"], str)
    if "final" in fields:
        final = [typed(name, str) for name in typed(fields["final"], list)]
        ascending(final, Malformed, "final states")
        demand(len(final) > 0, Malformed, "the list of final states is empty")
        demand(states.keys().isdisjoint(final), BadModel, "a final state has transitions")
    reached, tied, unclear = reached_states(states, initial), False, False
    sensitivity, grid = read_noise(fields)
    drawings, cases = Drawings(sensitivity, grid, gaussian), Cases(grid is not None)
    equal, kept = list[tuple[str, Fraction]](), list[tuple[str, Fraction]]()
    by_state = dict[str, Sequence[Transition]]()
    here = at()
    with here:
        for index, name in enumerate(sorted(states)):
            here.place = "state", index
            state = states[name] if name in reached else record(states[name], STATE, OWN)
            drawn, listed = drawings.of(state), typed(state["transitions"], list)
            if name not in reached:
                listed = [record(entry, CASE, OWN_OF_CASES) for entry in listed]
            demand(len(listed) > 0, BadModel, "the state has no transition")
            own: list[Transition] = []
            by_state[name] = own
            for entry in listed:
                way = cases.of(entry, drawn.takes_input)
                if way.primed and not drawn.second:
                    raise BadModel("insampleprime is output without a rate")
                if name in reached:
                    used[id(way)] = way
                if grid:
                    tied = tied or not {"<=", ">", "="}.isdisjoint(way.written)
                    both = {"<=", ">="}.issubset(way.written)
                    unclear = unclear or (name in reached and (both or "=" in way.written))
                    mean = drawn.means[0]
                    equal += [(variable, mean) for relation, variable in way.tests if relation == "="]
                    kept += [(variable, mean) for variable in way.stored]
                to = typed(entry["to"], str)
                own.append(Transition._make((len(transitions) + len(own), name, to, *drawn, *way, None)))
            transitions += own
    variables = {name for way in used.values() for name in (*way.stored, *(x for _, x in way.bounds))}
    demand(len(variables) < 2 or not unclear, BadModel, "several variables, and a test = or both <= and >=")
    even = all(drawn.reach == 1 for drawn in drawings.known.values())
    demand(len(variables) < 2 or even, BadModel, "several variables, and sensitivities of states")
    means = dict(equal)
    for variable, where in (*equal, *kept):
        apart = (where - means.get(variable, where)) / (grid or 1)
        demand(apart.denominator == 1, BadModel, "a test = compares samples that are never equal")
    if "inputs" in fields:
        shown = any(t.takes_input and (t.seen[1] or t.stored) for t in transitions)
        demand(
            len(variables) < 2 and not shown and not equal,
            BadModel,
            "unrounded inputs go with one variable, without tests =, and are not assigned or output",
        )
    first = by_state.get(initial, [])
    demand(
        len(first) == 1 and first[0].assigns and not first[0].bounds,
        BadModel,
        "the initial state does not have exactly one transition, which assigns and has no bounds",
    )
    plain = not tied and "inputs" not in fields
    found = Program(initial, states, reached, transitions, budget, by_state, variables, plain)
    found = replace(found, noise=(sensitivity, grid), rounded="inputs" not in fields)
    again = any(t.center is not None or t.sums for t in transitions)
    demand(registers or not again, BadModel, "the program has registers, which this claim is not about")
    clear = even and found.rounded and not first[0].sums
    demand(
        clear or not again, BadModel, "registers do not go with the start, sensitivities or unrounded inputs"
    )
    if found.hides:
        demand(registers, BadModel, "steps that are not seen, which this claim is not about")
        demand(grid is None, BadModel, "steps that are not seen, and discrete noise")
        lone = all(not t.primed and sum((t.seen[0] != NO_LETTER, t.seen[1])) == 1 for t in transitions)
        demand(lone, BadModel, "steps that are not seen, and a transition with several outputs")
    return replace(found, registers=again) if even else uneven(found)


def uneven(program: Program) -> Program:
    """With the shifts that count where states have sensitivities of their own: 0, and these both ways."""
    parts = program.budget.denominator([t.reach.denominator for t in program.transitions])
    reads = [t for t in program.transitions if t.takes_input and t.source in program.reached]
    sizes = [n for n, _ in groupby(sorted(int(t.reach * parts) for t in reads))] or [parts]
    return replace(program, parts=parts, shifts=[*(-n for n in reversed(sizes)), 0, *sizes], even=False)


def reached_states(states: Mapping[str, Json], initial: str) -> set[str]:
    """The states that transitions lead to from the initial one, itself included."""
    reached = {initial} & states.keys()
    waiting = list(reached)
    for name in waiting:
        for case in typed(record(states[name], STATE, OWN)["transitions"], list):
            to = typed(record(case, CASE, OWN_OF_CASES)["to"], str)
            if to in states and to not in reached:
                reached.add(to)
                waiting.append(to)
    return reached
