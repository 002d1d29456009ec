"""Threshold programs: the loss, between that of a run and a closed table."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain
from operator import add

from .noise import with_rates
from .observer.blocks import ordered
from .observer.extremes import earlier_extremes, extreme_pairs
from .observer.groups import groups_rule
from .observer.last import last_rule
from .observer.merging import merged
from .observer.quotients import quotient
from .observer.words import word_rule
from .programs import CORNERS, Program, Transition
from .reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    T,
    ascending,
    at,
    demand,
    items,
    nonnegative,
    rational,
    record,
    typed,
)
from .runs import blocks_rule, scaled
from .variables.parts import parts_rule
from .variables.shifts import nodes_rule

Loss = Fraction | None  # None is infinite

Functions = dict[tuple[str, str], list[tuple[T, ...]]]  # by state and mode; of the stored shift


def epsilon(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A run that loses at least `lower`; a closed table by which no run loses more than `upper`.

    The table is one of states where there is one variable. Where there are several it is one of nodes, or one
    for each part of them. Of an observer's loss, a word may stand in place of the run, and groups of runs in
    place of the table; transitions that look alike may be merged before the loss is bounded from above, or
    the program may stand for a smaller one, or for several that order the samples of a hidden block.
    """
    smaller = sorted({"block", "merged", "quotient"} & typed(evidence, dict).keys())
    demand(len(smaller) < 2, Malformed, f"both {' and '.join(smaller)}")
    whole = program
    if "merged" in evidence:
        whole = merged(program, evidence["merged"])
    elif "quotient" in evidence:
        whole = quotient(program, evidence["quotient"])
    tables = table_keys(whole)
    known = f"block blocks extremes groups last merged quotient samples word {' '.join(tables)}"
    sides = record(evidence, "", known)
    demand(len(sides) > 0, Malformed, "there is no evidence")
    demand(not {"blocks", "word"} <= sides.keys(), Malformed, "both blocks and word")
    demand("samples" not in sides or "blocks" in sides, Malformed, "samples without blocks")
    lone = sides.keys().isdisjoint
    demand("groups" not in sides or lone({*tables, "block"}), Malformed, "groups and other bounds")
    demand("block" not in sides or lone(tables), Malformed, "a block and other bounds")
    others = {*tables, *smaller, "extremes", "groups"}
    demand("last" not in sides or lone(others), Malformed, "last steps and other bounds")
    demand("extremes" not in sides or "table" in sides, Malformed, "extremes without a table")
    demand(not {"blocks", "extremes"} <= sides.keys(), Malformed, "both blocks and extremes")
    lower, upper = Fraction(*rational(claim["lower"])), read_loss(claim["upper"])
    demand(lower >= 0 and no_more(lower, upper), BadClaim, "lower is negative or above upper")
    total = Fraction(0)
    if "blocks" in sides:
        with at("blocks"):
            total, growth = blocks_rule(
                program, claim["adjacency"], sides["blocks"], repeats=False, samples=sides.get("samples")
            )
            total += min(growth, Fraction(0))
    if "word" in sides:
        with at("word"):
            total = word_rule(program, claim["adjacency"], sides["word"])
    demand(lower <= total, ClaimOpen, f"the {'word' if 'word' in sides else 'run'} loses less than lower")
    bound = None if upper is None else (upper.numerator, upper.denominator)
    if "groups" in sides:
        with at("groups"):
            groups_rule(whole, claim["adjacency"], sides["groups"], bound)
    elif "last" in sides:
        with at("last"):
            for way, value in by_way(claim["adjacency"], sides["last"]).items():
                last_rule(program, way, value, bound)
    elif "block" in sides:
        with at("block"):
            for number, (own, bounds) in enumerate(ordered(program, sides["block"])):
                with at("bound", number):
                    runs_rule(own, claim["adjacency"], record(bounds, "", " ".join(table_keys(own))), upper)
    else:
        runs_rule(whole, claim["adjacency"], sides, upper)


def table_keys(program: Program) -> tuple[str, ...]:
    """What the evidence of the loss of runs is called."""
    return ("table",) if len(program.variables) == 1 else ("nodes", "parts")


def runs_rule(program: Program, adjacency: str, sides: Mapping[str, Json], upper: Loss) -> None:
    """No run loses more than `upper`."""
    if "table" in sides:
        hidden = set[int](), set[int]()
        if "extremes" in sides:
            with at("extremes"):
                hidden = extreme_pairs(program, sides["extremes"])
        with at("table"):
            for way, table in by_way(adjacency, sides["table"]).items():
                table_rule(program, way, table, upper, *hidden)
    elif "parts" in sides:
        demand("nodes" not in sides, Malformed, "both nodes and parts")
        with at("parts"):
            for way, table in by_way(adjacency, sides["parts"]).items():
                parts_rule(program, way, table, upper)
    elif "nodes" in sides:
        bound = None if upper is None else (upper.numerator, upper.denominator)
        with at("nodes"):
            for way, table in by_way(adjacency, sides["nodes"]).items():
                nodes_rule(program, way, table, bound)
    else:
        demand(upper is None, ClaimOpen, "upper is finite, and the evidence has no bound from above")


def by_way(adjacency: str, table: Json) -> Mapping[str, Json]:
    """The evidence from above, by adjacency; for monotonic one for increasing and one for decreasing
    inputs."""
    return record(table, "decreasing increasing") if adjacency == "monotonic" else {adjacency: table}


def read_loss(value: Json) -> Loss:
    found = read_ratio(value)
    return None if found is None else Fraction(*found)


def read_ratio(value: Json) -> Ratio | None:
    """The same as numerator and denominator."""
    return None if value == "inf" else nonnegative(value)


def no_more(x: Loss, y: Loss) -> bool:
    return y is None or (x is not None and x <= y)


@dataclass(frozen=True, slots=True)
class ClosedTable:
    """A table by state and mode, over one denominator; the function 0 is the last one of every list."""

    functions: Functions[int]
    unit: int
    infinite: int
    modes: Sequence[str]
    size: int

    def of(self, state: str, mode: str) -> Sequence[tuple[int, ...]]:
        """The functions of a state, which need not be listed."""
        return self.functions.get((state, mode), [(0,) * self.size])

    def worst(self, state: str) -> Loss:
        """What can be lost from a state on, whatever is stored there, before inputs have differed."""
        worst = max(map(min, self.of(state, self.modes[0])))
        return None if worst == self.infinite else Fraction(worst, self.unit)


def table_rule(
    program: Program,
    adjacency: str,
    value: Json,
    upper: Loss,
    storing: Collection[int],
    keeping: Collection[int],
) -> None:
    """The table is closed, and what can be lost from the start on is at most `upper`."""
    found = closed_table(program, adjacency, value, storing, keeping)
    demand(no_more(found.worst(program.initial), upper), ClaimOpen, "the table does not prove upper")


def closed_table(
    program: Program,
    adjacency: str,
    value: Json,
    storing: Collection[int] = (),
    keeping: Collection[int] = (),
) -> ClosedTable:
    """The table, which dominates the earlier function of every transition, difference and function, the
    function 0 included.

    Of hidden extremes the transitions in `storing` also stand for those in `keeping`.
    """
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    table, unit, infinite = scaled_table(program, read_table_functions(program, value, modes))
    found = ClosedTable(table, unit, infinite, modes, size := len(program.shifts))
    # On a grid what hidden extremes lose is not known to be convex in the differences.
    every = program.noise[1] is not None and bool(storing)
    between = [(0, mode, mode) for mode in modes] if every and 0 not in CORNERS[adjacency] else []
    moves = [  # with the functions of the state before, and of the state after
        (n, delta, found.of(t.source, mode), found.of(t.to, after))
        for n, t in enumerate(program.transitions)
        if t.source in program.reached and n not in keeping
        for delta, mode, after in chain(t.moves(adjacency), between if t.takes_input else ())
    ]
    if program.even:
        pairs = (24 if storing else 12) * sum(len(before) + len(after) for _, _, before, after in moves)
    else:
        pairs = sum(size * (size + len(before)) * len(after) for _, _, before, after in moves)
    program.budget.spend(pairs, infinite.bit_length())
    dominated = all_dominated if program.even else each_dominated
    for n, delta, before, after in moves:
        results = earlier_functions(
            program, program.transitions[n], delta, after, unit, infinite, hidden=n in storing
        )
        closed = dominated(results, before)
        demand(closed, RuleBroken, f"not closed under transition {n} with delta {delta}")
    return found


def read_table_functions(program: Program, value: Json, modes: Sequence[str]) -> Functions[Ratio | None]:
    table = Functions[Ratio | None]()
    entries = typed(value, dict)
    demand(entries.keys() <= set(program.states), BadEvidence, "functions of a name that is not a state")
    size = len(program.shifts)
    for state, entry in entries.items():
        lists = {"": entry} if modes == ("",) else record(entry, " ".join(modes))
        for mode in modes:
            values = [map(read_ratio, items(own, size)) for own in typed(lists[mode], list)]
            table[state, mode] = [tuple(own) for own in values]
    return table


def scaled_table(program: Program, table: Functions[Ratio | None]) -> tuple[Functions[int], int, int]:
    """The table over one denominator, the denominator, and the number for infinite: more than any sum.

    Lists end with the function 0, and are in falling order.
    """
    losses = [loss for functions in table.values() for function in functions for loss in function]
    rates = [rate.as_integer_ratio() for t in program.transitions for rate in t.rates]
    finite = [loss for loss in losses if loss is not None]
    numerators, unit = program.budget.common([*finite, *rates])
    # A function, a rate for twice the farthest shift, and another one for the farthest are less.
    infinite = 4 * max(numerators) * max(program.parts, *program.shifts) * program.parts + 1
    known = map(program.parts.__mul__, numerators)
    falling = dict[tuple[str, str], list[tuple[int, ...]]]()
    for place, functions in table.items():
        rising = [tuple(infinite if x is None else next(known) for x in own) for own in functions]
        ascending(rising, BadEvidence, "functions")
        falling[place] = [*reversed(rising), (0,) * len(program.shifts)]
    return falling, unit * program.parts, infinite


def earlier_functions(
    program: Program,
    t: Transition,
    delta: int,
    after: Iterable[tuple[int, ...]],
    unit: int,
    infinite: int,
    *,
    hidden: bool,
) -> list[tuple[int, ...]]:
    """The loss from before the transition on, by the shift stored before it."""
    difference, whole = delta * scaled(t.reach, program.parts), unit // program.parts
    prime = abs(difference) * scaled(t.rate_prime, whole) if t.primed else 0
    left, right = (infinite if rate is None else scaled(rate, whole) for rate in with_rates(t.noise))
    costs = [
        infinite
        if t.pinned and shift
        else (right if shift > difference else left) * abs(shift - difference) + prime
        for shift in program.shifts
    ]
    if hidden:
        return earlier_extremes(costs, after, infinite)
    if t.assigns:
        return [least_allowed(t.guard, sums(costs, later, infinite)) for later in after]
    allowed = least_allowed(t.guard, costs)
    return [sums(allowed, later, infinite) for later in after]


def sums(costs: Sequence[int], later: Sequence[int], infinite: int) -> tuple[int, ...]:
    found = tuple(map(add, costs, later))
    return found if max(found) < infinite else tuple(min(infinite, x) for x in found)


def least_allowed(guard: str, values: Sequence[int]) -> tuple[int, ...]:
    """By the shift that is stored, in rising order, the least value of a shift that the guard allows."""
    if guard == "<":
        return tuple(accumulate(values, min))
    if guard == ">=":
        return tuple(accumulate(reversed(values), min))[::-1]
    return tuple(values) if guard else (min(values),) * len(values)


def each_dominated(functions: Iterable[tuple[int, ...]], others: Sequence[tuple[int, ...]]) -> bool:
    """Whether each function is at most one of the others, everywhere."""
    return all(
        any(all(x <= y for x, y in zip(function, other, strict=True)) for other in others)
        for function in functions
    )


def all_dominated(functions: Iterable[tuple[int, ...]], others: Sequence[tuple[int, ...]]) -> bool:
    """Whether each function of three shifts is at most one of the others, in falling order, everywhere.

    In falling order of the first numbers, the others to compare with only become more. Of their second and
    third numbers only such pairs are kept that no pair reaches in both: the former rise, the latter fall.
    """
    seconds, thirds, place = list[int](), list[int](), 0
    for x, y, z in sorted(functions, reverse=True):
        while place < len(others) and others[place][0] >= x:
            _, second, third = others[place]
            place += 1
            last = bisect_right(seconds, second)
            first = last
            while first and thirds[first - 1] <= third:
                first -= 1
            if last == len(thirds) or thirds[last] < third:
                seconds[first:last], thirds[first:last] = [second], [third]
        least_second = bisect_left(seconds, y)
        if least_second == len(seconds) or thirds[least_second] < z:
            return False
    return True
