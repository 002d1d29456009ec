"""A loss without bound for an observer: words all of whose runs lose more with every turn of some blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..programs import UNPLACED, Program, Transition
from ..reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    T,
    ascending,
    at,
    demand,
    rational,
    record,
    typed,
)
from ..variables.orders import Order, defined, known_after, known_order, orders_cost, read_order
from .places import Key, Steps, span_of, width
from .words import MORE_PLACES, integers, possible

Potential = tuple[T, T, T]  # start, end and constant: start (N − n) + end n + constant after n of N turns


@dataclass(frozen=True, slots=True)
class Block:
    """Steps that are seen once, or N times in a row; then with the potentials of places."""

    steps: Sequence[tuple[Transition, int]]
    table: Mapping[Key, Potential[Fraction]] | None


def words_rule(program: Program, adjacency: str, value: Json) -> None:
    """All runs of the words cost more with every turn, by potentials that never rise along a step or a turn.

    Or no run is possible at the other inputs.
    """
    fields = record(value, "blocks places")
    defined(program)
    demand(program.placed, BadClaim, UNPLACED)
    rates = [(r.numerator, r.denominator) for t in program.transitions for r in t.rates]
    entries = [record(entry, "kind steps", "places") for entry in typed(fields["blocks"], list)]
    numbers = [x for entry in entries for row in typed(entry.get("places", []), list) for x in written(row)]
    scaled, unit = program.budget.common([*rates, *numbers])
    steps = Steps(program, unit)
    blocks = [read_block(steps, entry) for entry in entries]
    a_run(steps, blocks)
    deltas(blocks, adjacency)
    span = span_of([delta for block in blocks for _, delta in block.steps])
    number = sum(len(block.steps) for block in blocks)
    highest = max(sum(t.rates) for t in program.transitions) * unit * number * (span.stop - 1 - span.start)
    largest = 2 * max([0, *map(abs, scaled[len(rates) :])])
    widest = max(len(leaving) for leaving in program.by_state.values())
    count = typed(fields["places"], int)
    program.budget.spend(3 * count * widest * width(program, span), int(highest + largest).bit_length())
    walk = Walk(steps, span, count, max(len(block.table or ()) for block in blocks))
    layer: dict[Key, Potential[int]] = {(program.initial, Order(), ()): (0, 0, 0)}
    for n, block in enumerate(blocks):
        with at("block", n):
            if block.table is None:
                layer = walk.through(layer, block, last=n == len(blocks) - 1)
            else:
                layer = walk.repeated(layer, block)
    demand(all(start > 0 for start, _, _ in layer.values()), ClaimOpen, "the cost of the words does not grow")


def written(value: Json) -> list[tuple[int, int]]:
    """The three numbers of a place."""
    row = record(value, "constant end order shifts start state")
    return [rational(row[key]) for key in ("start", "end", "constant")]


def read_block(steps: Steps, entry: Mapping[str, Json]) -> Block:
    program, repeat = steps.program, typed(entry["kind"], str) == "repeat"
    demand(repeat or entry["kind"] == "once", Malformed, "the kind of a block is unknown")
    demand(repeat == ("places" in entry), Malformed, "a once block has places, or a repeat block has none")
    taken = []
    for step in typed(entry["steps"], list):
        number = typed(record(step, "delta transition")["transition"], int)
        demand(0 <= number < len(program.transitions), Malformed, "unknown transition")
        taken.append((program.transitions[number], typed(step["delta"], int)))
    demand(len(taken) > 0, BadEvidence, "a block has no steps")
    if not repeat:
        return Block(taken, None)
    table: dict[Key, Potential[Fraction]] = {}
    for row in entry["places"]:
        state = typed(row["state"], str)
        names = steps.live.get(state, ())
        shifts = tuple(integers(row["shifts"], len(names)))
        demand({*shifts} <= {-1, 0, 1}, BadEvidence, "a shift of a place is not -1, 0 or 1")
        start, end, constant = (Fraction(*number) for number in written(row))
        table[state, read_order(program, row["order"]), shifts] = start, end, constant
    keys = [(state, sorted(order), shifts) for state, order, shifts in table]
    demand(len(keys) == len(entry["places"]), BadEvidence, "a place is listed twice")
    ascending(keys, BadEvidence, "places")
    return Block(taken, table)


def a_run(steps: Steps, blocks: Sequence[Block]) -> None:
    """The blocks are a run that can be taken, however often each repeated one is."""
    program = steps.program
    demand(len(blocks) > 0, BadEvidence, "there are no blocks")
    here, order = program.initial, Order()
    for n, block in enumerate(blocks):
        start = here, order
        for t, _ in block.steps:
            demand(t.source == here, BadEvidence, f"block {n} has a step that does not follow the one before")
            program.budget.spend(orders_cost(program, order))
            demand(known_after(order, t) is not None, RuleBroken, "the run has probability 0")
            here, order = t.to, known_order(order, t, steps.live.get(t.to, ()))
        again = block.table is None or start == (here, order)
        demand(again, BadEvidence, f"block {n} does not end where it starts")


def deltas(blocks: Sequence[Block], adjacency: str) -> None:
    """The differences are those of neighbours, with every number of turns."""
    every = [delta for block in blocks for _, delta in block.steps]
    possible(every, adjacency)
    turning = [delta for block in blocks if block.table is not None for _, delta in block.steps]
    demand(adjacency != "one-differ" or not any(turning), BadEvidence, "more than one delta is not 0")


class Walk:
    """Walks of places along blocks, with shifts in a span, which begin steps at so many places. After a block
    they begin a step, or are listed where it is repeated; no block lists more than so many."""

    def __init__(self, steps: Steps, span: range, places: int, listed: int) -> None:
        self.steps, self.span, self.places, self.listed = steps, span, places, listed

    def through(
        self, layer: Mapping[Key, Potential[int]], block: Block, *, last: bool
    ) -> dict[Key, Potential[int]]:
        """The least of each of three numbers after the steps, on all ways to a place; the third one grows.
        After the last block places with the same state are not distinguished."""
        after = dict(layer)
        for n, (t, delta) in enumerate(block.steps, 1):
            ends = n == len(block.steps)
            before, after = after, {}
            self.places -= len(before)
            demand(self.places >= 0, BadEvidence, MORE_PLACES)
            most = max(self.places, self.listed) if ends else self.places
            for key, (start, end, constant) in before.items():
                for place, cost in self.steps.seen(key, t.seen, delta, self.span, last=ends and last):
                    least = after.get(place, (start, end, constant + cost))
                    after[place] = min(start, least[0]), min(end, least[1]), min(constant + cost, least[2])
                    if len(after) > most and not (ends and last):
                        raise BadEvidence(MORE_PLACES)
        return after

    def repeated(self, layer: Mapping[Key, Potential[int]], block: Block) -> dict[Key, Potential[int]]:
        """The potentials after the last turn of a block, if they hold before it and in every turn."""
        unit = self.steps.unit
        table = {
            key: (int(start * unit), int(end * unit), int(constant * unit))
            for key, (start, end, constant) in (block.table or {}).items()
        }
        for key, (start, _, constant) in layer.items():
            demand(key in table, RuleBroken, "a place that is reached is not listed")
            own = table[key]
            demand(own[0] <= start and own[2] <= constant, RuleBroken, "a place exceeds the cost before it")
        turned = self.through(
            {key: (start, end, start + constant) for key, (start, end, constant) in table.items()},
            block,
            last=False,
        )
        for key, (start, end, constant) in turned.items():
            demand(key in table, RuleBroken, "a place that is reached is not listed")
            own = table[key]
            kept = own[0] <= start and own[1] <= end and own[1] + own[2] <= constant
            demand(kept, RuleBroken, "a place exceeds the cost after a turn")
        return {key: (table[key][1], 0, table[key][2]) for key in turned}
