"""A lower bound of an observer's loss: the rise of the cost of a word between two neighbouring inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..programs import CORNERS, UNPLACED, Program, Transition
from ..reading import (
    BadClaim,
    BadEvidence,
    Json,
    Malformed,
    RuleBroken,
    demand,
    items,
    rational,
    record,
    typed,
)
from ..variables.orders import Order, defined
from .places import Key, Steps, span_of, width
from .samples import START, read_run

MORE_PLACES = "more places are reached than the evidence declares"


def word_rule(program: Program, adjacency: str, value: Json) -> Fraction:
    """The least cost of all runs of a word at the inputs b + Δ, minus the cost of one of them at b."""
    fields = record(value, "delta inputs places run shifts")
    defined(program)
    run = read_run(program, fields["run"])
    inputs, shifts = (integers(fields[key], len(run)) for key in ("inputs", "shifts"))
    delta = [typed(d, int) for d in items(fields["delta"], len(run))]
    possible(delta, adjacency)
    demand(program.placed, BadClaim, UNPLACED)
    unit = program.budget.denominator([r.denominator for t in program.transitions for r in t.rates])
    word = Word(program, [t.seen for t in run], unit)
    moved = [b + d for b, d in zip(inputs, delta, strict=True)]
    here = word.cost(run, inputs, shifts)  # first, as this shows that the word has a run
    return Fraction(word.least_cost(moved, typed(fields["places"], int)) - here, unit)


def integers(value: Json, length: int) -> list[int]:
    ratios = [rational(x) for x in items(value, length)]
    demand(all(below == 1 for _, below in ratios), Malformed, "a number is not an integer")
    return [above for above, _ in ratios]


def possible(delta: Sequence[int], adjacency: str) -> None:
    """The differences are those of neighbours."""
    demand(all(d in (0, *CORNERS[adjacency]) for d in delta), BadEvidence, "the adjacency excludes a delta")
    demand(adjacency != "monotonic" or not {-1, 1} <= {*delta}, BadEvidence, "two deltas have opposite signs")
    demand(
        adjacency != "one-differ" or sum(map(abs, delta)) <= 1, BadEvidence, "more than one delta is not 0"
    )


class Word:
    """The outputs of the steps of a run, in a program whose rates are integers times 1/unit."""

    def __init__(self, program: Program, symbols: Sequence[tuple[str, int]], unit: int) -> None:
        self.program, self.symbols, self.unit = program, symbols, unit
        self.steps = Steps(program, unit)

    def cost(self, run: Sequence[Transition], inputs: Sequence[int], shifts: Sequence[int]) -> int:
        """The cost of the shifts of a run of positive probability."""
        self.program.budget.spend(len(run) ** 2 + sum(len(t.bounds) for t in run))
        samples, total = START, 0
        for t, b, shift in zip(run, inputs, shifts, strict=True):
            for relation, name in t.bounds:
                stored = shifts[samples.home[name]]
                valid = (relation == ">=" or shift <= stored) and (relation == "<" or shift >= stored)
                demand(valid, RuleBroken, "a shift violates a test")
            demand(not t.pinned or shift == 0, RuleBroken, "a step outputs insample, and its shift is not 0")
            price = self.steps.price(t, b, shift)
            if price is None:
                raise RuleBroken("a shift has infinite cost")
            total += price
            after = samples.then(t)
            if after is None:
                raise RuleBroken("the run has probability 0")
            samples = after
        return total

    def least_cost(self, inputs: Sequence[int], places: int) -> int:
        """The least cost of all runs and integral shifts: a shortest path, with so many keys before steps."""
        span = span_of(inputs)
        widest = max(len(leaving) for leaving in self.program.by_state.values())
        highest = max(sum(t.rates) for t in self.program.transitions) * self.unit * len(inputs)
        bits = int(highest * (span.stop - 1 - span.start)).bit_length()
        self.program.budget.spend(places * widest * width(self.program, span), bits)
        layer: dict[Key, int] = {(self.program.initial, Order(), ()): 0}
        for n, (seen, b) in enumerate(zip(self.symbols, inputs, strict=True), 1):
            places -= len(layer)
            demand(places >= 0, BadEvidence, MORE_PLACES)
            last, after = n == len(inputs), dict[Key, int]()
            for key, cost in layer.items():
                for place, more in self.steps.seen(key, seen, b, span, last=last):
                    after[place] = min(cost + more, after.get(place, cost + more))
                    if len(after) > places and not last:
                        raise BadEvidence(MORE_PLACES)
            layer = after
        demand(len(layer) > 0, RuleBroken, "the word has infinite cost")
        return min(layer.values())
