"""Threshold programs: the loss, between that of a run and a closed table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain, islice
from typing import NamedTuple

from .dominating import all_dominated, each_dominated
from .programs import CORNERS, Program, Scaled, Transition, rates_of, scaled
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
    each,
    nonnegative,
    ratio,
    rational,
    record,
    typed,
)
from .runs import blocks_rule

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
        from .observer.merging import merged  # here and below: each rule is read where evidence asks for it

        whole = merged(program, evidence["merged"])
    elif "quotient" in evidence:
        from .observer.quotients import quotient

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
        from .observer.words import word_rule

        with at("word"):
            total = word_rule(program, claim["adjacency"], sides["word"])
    demand(lower <= total, ClaimOpen, f"the {'word' if 'word' in sides else 'run'} loses less than lower")
    bound = None if upper is None else (upper.numerator, upper.denominator)
    if "groups" in sides:
        from .observer.groups import groups_rule

        with at("groups"):
            groups_rule(whole, claim["adjacency"], sides["groups"], bound)
    elif "last" in sides:
        from .observer.last import last_rule

        with at("last"):
            for way, value in by_way(claim["adjacency"], sides["last"]).items():
                last_rule(program, way, value, bound)
    elif "block" in sides:
        from .observer.blocks import ordered

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
            from .observer.extremes import extreme_pairs

            with at("extremes"):
                hidden = extreme_pairs(program, sides["extremes"])
        with at("table"):
            for way, table in by_way(adjacency, sides["table"]).items():
                table_rule(program, way, table, upper, *hidden)
    elif "parts" in sides:
        from .variables.parts import parts_rule

        demand("nodes" not in sides, Malformed, "both nodes and parts")
        with at("parts"):
            for way, table in by_way(adjacency, sides["parts"]).items():
                parts_rule(program, way, table, upper)
    elif "nodes" in sides:
        from .variables.shifts import nodes_rule

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
    nothing: Sequence[tuple[int, ...]]  # the function 0 alone

    def of(self, state: str, mode: str) -> Sequence[tuple[int, ...]]:
        """The functions of a state, which need not be listed."""
        return self.functions.get((state, mode), self.nothing)

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
    table, unit, infinite = read_table(program, value, modes)
    size = len(program.shifts)
    found = ClosedTable(table, unit, infinite, modes, [(0,) * size])
    # On a grid what hidden extremes lose is not known to be convex in the differences.
    every = program.noise[1] is not None and bool(storing)
    between = [(0, mode, mode) for mode in modes] if every and 0 not in CORNERS[adjacency] else []
    moves = [
        Move(t, delta, found.of(t.source, mode), found.of(t.to, after))
        for t in program.transitions
        if t.source in program.reached and t.number not in keeping
        for delta, mode, after in chain(t.moves(adjacency), between if t.takes_input else ())
    ]
    if program.even:
        pairs = (24 if storing else 12) * sum(len(move.before) + len(move.after) for move in moves)
    else:
        pairs = sum(size * (size + len(move.before)) * len(move.after) for move in moves)
    program.budget.spend(pairs, infinite.bit_length())
    earlier = Earlier(program, unit // program.parts, infinite, storing)
    alike = dict[int, list[Move]]()
    for move in moves:
        alike.setdefault(id(move.before), []).append(move)
    if not all(map(earlier.closed, alike.values())):
        for move in moves:
            closed = earlier.closed([move])
            where = f"transition {move.transition.number} with delta {move.delta}"
            demand(closed, RuleBroken, f"not closed under {where}")
    return found


class Move(NamedTuple):
    """A transition and a difference, with the functions of the state before and of the state after."""

    transition: Transition
    delta: int
    before: Sequence[tuple[int, ...]]
    after: Sequence[tuple[int, ...]]


def read_table(program: Program, value: Json, modes: Sequence[str]) -> tuple[Functions[int], int, int]:
    """The table over one denominator, the denominator, and the number for infinite: more than any sum.

    Lists end with the function 0, and are in falling order. Every text is read once.
    """
    table, entries = dict[tuple[str, str], list[list[str]]](), typed(value, dict)
    demand(entries.keys() <= set(program.states), BadEvidence, "functions of a name that is not a state")
    size = len(program.shifts)
    for state, entry in entries.items():
        lists = {"": entry} if modes == ("",) else record(entry, " ".join(modes))
        for mode in modes:
            table[state, mode] = own = each(lists[mode], list)
            demand(set(map(len, own)) <= {size}, Malformed, "a list has the wrong length")
    numbers = each([*chain.from_iterable(chain.from_iterable(table.values()))], str)
    finite = len(numbers) - numbers.count("inf")
    losses = {text: ratio(text) for text in {*numbers} - {"inf"}}
    demand(all(n >= 0 for n, _ in losses.values()), Malformed, "a number is negative")
    rates, many = rates_of(program.transitions)
    denominators = [*(d for _, d in losses.values()), *(rate.denominator for rate in rates)]
    unit = program.budget.denominator(denominators, finite + many)
    known = {text: n * (unit // d) for text, (n, d) in losses.items()}
    largest = max([*known.values(), *(scaled(rate, unit) for rate in rates)])
    # A function, a rate for twice the farthest shift, and another one for the farthest are less.
    infinite = 4 * largest * max(program.parts, *program.shifts) * program.parts + 1
    if program.parts > 1:
        known = {text: program.parts * n for text, n in known.items()}
    known["inf"] = infinite
    each_number = map(known.__getitem__, numbers)
    functions = zip(*[each_number] * size, strict=True)
    falling = Functions[int]()
    for place, listed in table.items():
        rising = [*islice(functions, len(listed))]
        ascending(rising, BadEvidence, "functions")
        falling[place] = [*reversed(rising), (0,) * size]
    return falling, unit * program.parts, infinite


class Earlier:
    """The losses from before transitions on, by the shift stored before, in a table over one denominator."""

    def __init__(self, program: Program, unit: int, infinite: int, storing: Collection[int]) -> None:
        self.shifts, self.infinite, self.storing = program.shifts, infinite, storing
        self.dominated = all_dominated if program.even else each_dominated
        self.numbers = Scaled(unit, program.parts)
        self.known = dict[tuple[int | str | None, ...], Sequence[int]]()

    def closed(self, moves: Sequence[Move]) -> bool:
        """Whether functions of one state dominate what comes before those of other states."""
        earlier: list[tuple[int, ...]] = []
        for t, delta, _, after in moves:
            guard = t.guard
            costs = self.costs(t, delta, None if t.stored else guard)
            if t.number in self.storing:
                from .observer.extremes import earlier_extremes

                earlier += earlier_extremes(costs, after, self.infinite)
            elif not t.stored:
                earlier += self.sums(costs, after)
            elif guard:
                earlier += [least_allowed(guard, own) for own in self.sums(costs, after)]
            else:  # the largest one is as high everywhere, like all the others
                earlier.append((max(map(min, self.sums(costs, after))),) * len(costs))
        return self.dominated(earlier, moves[0].before)

    def costs(self, t: Transition, delta: int, guard: str | None) -> Sequence[int]:
        """By the shift of the sample if it is stored, where the guard is None, and otherwise the least one by
        the shift stored before.

        No other noise takes the place of that of a transition as long as the program is there.
        """
        shape = id(t.noise), id(t.second), id(t.reach), delta, t.pinned, t.primed, guard
        found = self.known.get(shape)
        if found is None:
            left, right, prime, reach = self.numbers.of(t)
            difference = delta * reach
            sides = [self.infinite if rate is None else rate for rate in (left, right)]
            shown = abs(difference) * prime if t.primed else 0
            costs = [
                self.infinite
                if t.pinned and shift
                else sides[shift > difference] * abs(shift - difference) + shown
                for shift in self.shifts
            ]
            found = self.known[shape] = costs if guard is None else least_allowed(guard, costs)
        return found

    def sums(self, costs: Sequence[int], functions: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Each of the functions with the costs added. Most have three numbers, which are named for speed."""
        top = self.infinite
        if len(costs) != 3:
            return [tuple(min(top, x + y) for x, y in zip(own, costs, strict=True)) for own in functions]
        a, b, c = costs
        return [
            (
                s if (s := x + a) < top else top,
                s if (s := y + b) < top else top,
                s if (s := z + c) < top else top,
            )
            for x, y, z in functions
        ]


def least_allowed(guard: str, values: Sequence[int]) -> tuple[int, ...]:
    """By the shift that is stored, in rising order, the least value of a shift that the guard allows."""
    if guard == "<":
        return tuple(accumulate(values, min))
    if guard == ">=":
        return tuple(accumulate(reversed(values), min))[::-1]
    return tuple(values) if guard else (min(values),) * len(values)
