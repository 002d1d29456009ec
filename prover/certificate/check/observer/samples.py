"""The order of the samples of one run: which of them its tests put below which others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..programs import Program, Transition
from ..reading import BadEvidence, Json, Malformed, ascending, demand, items, typed

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Samples:
    """After some steps: `below[i]` has bit j set if sample j is at most sample i, by tests and transitivity;
    `home` has the step that stored the value of each variable."""

    below: tuple[int, ...]
    home: Mapping[str, int]

    def between(self, tests: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
        """The samples below and above a new one that passes the tests; None if there is no such sample."""
        lower = {self.home[name] for relation, name in tests if relation == ">="}
        upper = {self.home[name] for relation, name in tests if relation == "<"}
        least = sum(1 << j for j in lower)
        for j in lower:
            least |= self.below[j]
        most = highest = sum(1 << i for i in upper)
        for i, under in enumerate(self.below):
            if under & highest:
                most |= 1 << i
        return None if least & most else (least, most)

    def then(self, t: Transition) -> Samples | None:
        """After one step more; None if no sample passes its tests."""
        found = self.between(t.tests)
        if found is None:
            return None
        least, most = found
        new = len(self.below)
        more = least | 1 << new
        below = [b | more if most >> i & 1 else b for i, b in enumerate(self.below)]
        return Samples((*below, least), {**self.home, **dict.fromkeys(t.stored, new)})


START = Samples((), {})


def tested_pairs(run: Sequence[Transition]) -> set[tuple[int, int]]:
    """The steps (j, i) of a run of which a test says that the sample of j is at most that of i."""
    pairs, home = set[tuple[int, int]](), dict[str, int]()
    for i, t in enumerate(run):
        pairs.update((home[name], i) if sign == ">=" else (i, home[name]) for sign, name in t.tests)
        home.update(dict.fromkeys(t.stored, i))
    return pairs


def read_run(program: Program, value: Json) -> tuple[Transition, ...]:
    """Transitions that follow each other from the initial state."""
    numbers = [typed(number, int) for number in typed(value, list)]
    demand(len(numbers) > 0, BadEvidence, "a run has no steps")
    demand(all(0 <= n < len(program.transitions) for n in numbers), Malformed, "unknown transition")
    run = tuple(program.transitions[n] for n in numbers)
    sources = [program.initial, *(t.to for t in run[:-1])]
    demand(
        all(t.source == q for t, q in zip(run, sources, strict=True)),
        BadEvidence,
        "the transitions are not a run of the program",
    )
    return run


def read_order(value: Json, steps: int) -> list[Pair]:
    pairs = [items(pair, 2) for pair in typed(value, list)]
    order = [(typed(a, int), typed(b, int)) for a, b in pairs]
    ascending(order, BadEvidence, "pairs of an order")
    right = all(a != b and 0 <= a < steps and 0 <= b < steps for a, b in order)
    demand(right, BadEvidence, "an order of unknown steps")
    return order


def closed(order: Sequence[Pair], steps: int) -> list[int]:
    """For each step the steps below it, as bits, directly or by way of others; itself on a cycle."""
    below = [0] * steps
    for _ in range(steps):
        for a, b in order:
            below[b] |= 1 << a | below[a]
    return below
