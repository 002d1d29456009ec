"""The order of the samples of one run: which of them its tests put below which others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..programs import Program, Transition
from ..reading import BadEvidence, Json, Malformed, demand, typed


@dataclass(frozen=True, slots=True)
class Samples:
    """After some steps: `below[i]` has bit j set if sample j is at most sample i, by tests or what follows;
    `pairs` (j, i) are those of the tests alone; `home` says which step stored what a variable holds."""

    below: tuple[int, ...]
    pairs: frozenset[tuple[int, int]]
    home: Mapping[str, int]

    def between(self, tests: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
        """The samples below and above a new one that passes the tests; None if there is no such sample."""
        lower = {self.home[name] for relation, name in tests if relation == ">="}
        upper = {self.home[name] for relation, name in tests if relation == "<"}
        least = sum(1 << j for j in lower)
        for j in lower:
            least |= self.below[j]
        most = sum(1 << i for i in upper)
        for i, under in enumerate(self.below):
            most |= (1 << i) * any(under >> j & 1 for j in upper)
        return None if least & most else (least, most)

    def then(self, t: Transition) -> Samples | None:
        """After one step more; None if no sample passes its tests."""
        found = self.between(t.tests)
        if found is None:
            return None
        least, most = found
        new = len(self.below)
        below = [b | (least | 1 << new if most >> i & 1 else 0) for i, b in enumerate(self.below)]
        tested = {(self.home[n], new) if sign == ">=" else (new, self.home[n]) for sign, n in t.tests}
        home = {**self.home, **dict.fromkeys(t.stored, new)}
        return Samples((*below, least), self.pairs | tested, home)


START = Samples((), frozenset(), {})


def read_run(program: Program, value: Json) -> tuple[Transition, ...]:
    """Transitions that follow each other from the initial state."""
    numbers = [typed(number, int) for number in typed(value, list)]
    demand(len(numbers) > 0, BadEvidence, "a run without steps")
    demand(all(0 <= n < len(program.transitions) for n in numbers), Malformed, "no such transition")
    run = tuple(program.transitions[n] for n in numbers)
    sources = [program.initial, *(t.to for t in run[:-1])]
    demand(
        all(t.source == q for t, q in zip(run, sources, strict=True)), BadEvidence, "no run of the program"
    )
    return run
