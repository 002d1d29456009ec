"""Programs of which a block is repeated, once more for each 1 of a count, found by comparing programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from prover.graphs import search
from prover.program.canonical import program_model
from prover.program.model import Program, State, Transition


@dataclass(frozen=True, slots=True)
class Counted:
    """A program with its block once. ``repeated`` makes that with so many copies in its place.

    All transitions into the block lead to ``entry``. Those out of it that lead to ``after`` lead to the next
    copy, if there is one. ``least`` is the count without the block.
    """

    program: Program
    states: tuple[str, ...]
    entry: str
    after: str
    least: int

    def named(self, state: str, copy: int) -> str:
        """The name of a state of the block in a copy; the first one has those of the block."""
        name = state if copy == 0 else f"{state} {copy + 1}"
        while copy and name in self.program.states:
            name += "'"
        return name

    def names(self, copies: int) -> Mapping[str, str]:
        """The states of so many copies, with what they are called in the block."""
        return {self.named(state, copy): state for copy in range(copies) for state in self.states}

    def repeated(self, copies: int) -> Program:
        """The program with so many copies of the block."""
        inside, old, named = set(self.states), self.program.states, self.named

        def begin(copy: int) -> str:
            return named(self.entry, copy) if copy < copies else self.after

        states: dict[str, State] = {}
        for name, state in old.items():
            if name not in inside:
                states[name] = _redirected(state, lambda to: begin(0) if to in inside else to)
        for copy in range(copies):

            def target(to: str, copy: int = copy) -> str:
                return named(to, copy) if to in inside else begin(copy + 1) if to == self.after else to

            states |= {named(name, copy): _redirected(old[name], target) for name in self.states}
        return Program(self.program.initial, states, self.program.final, self.program.noise)

    def later(self, copies: int) -> Counted:
        """The same programs, the last copies of whose blocks are no copies but come after them."""
        whole = self.repeated(copies + 1)
        if not copies:
            return self
        after = next(
            transition.target
            for state in self.states
            for transition, was in zip(
                whole.states[state].transitions, self.program.states[state].transitions, strict=True
            )
            if was.target == self.after
        )
        return replace(self, program=whole, after=after, least=self.least + copies)

    @property
    def reached_after(self) -> set[str]:
        """The state after the block, and all that can be reached from it, or from the block's other ends."""
        states, inside = self.program.states, set(self.states)
        out = {t.target for name in inside for t in states[name].transitions} - inside
        return set(
            search(
                [self.after, *out], lambda s: (t.target for t in states[s].transitions) if s in states else ()
            )
        )

    @property
    def model(self) -> Mapping[str, Any]:
        """The form of certificates (docs/theory_programs.md, *Counts*)."""
        return {
            "type": "counted-program",
            "version": 1,
            "block": {"after": self.after, "entry": self.entry, "states": sorted(self.states)},
            "least": self.least,
            "program": program_model(self.program),
        }


def counted(programs: Mapping[int, Program]) -> Counted | None:
    """How programs at successive counts grow by the same block; None if they do not.

    ``programs`` has one for each count. The result has those from some count on, at least three, up to the
    names of states, of variables' owners and of final states.
    """
    counts = sorted(programs)
    if any(programs[count].noise != programs[counts[0]].noise for count in counts):
        return None
    rows = {count: _rows(programs[count]) for count in counts}
    for least in counts[:-2]:
        known = [count for count in counts if count >= least]
        for found in _blocks(programs, rows, known):
            if all(_rows(found.repeated(count - least))[1] == rows[count][1] for count in known):
                return found
    return None


def same_for_all(programs: Sequence[Program]) -> bool:
    """Whether the programs differ in names of states only."""
    return all(
        one.noise == other.noise and _rows(one)[1] == _rows(other)[1] for one, other in pairwise(programs)
    )


Rows = tuple[list[str], list[State]]
"""The states of a program in the order in which they are found, and what each does, with relative targets."""


def _rows(program: Program) -> Rows:
    states = program.states
    found: list[str] = list(
        search(
            [program.initial], lambda name: [t.target for t in states[name].transitions if t.target in states]
        )
    )
    order = {name: place for place, name in enumerate(found)}

    def relative(name: str) -> Callable[[str], str]:
        return lambda to: str(order[to] - order[name]) if to in order else "end"

    return found, [_redirected(states[name], relative(name)) for name in found]


def _blocks(
    programs: Mapping[int, Program], rows: Mapping[int, Rows], known: Sequence[int]
) -> Iterator[Counted]:
    """The ways to see one program as the one before with a block more."""
    (_, short), (names, long) = rows[known[0]], rows[known[1]]
    size = len(long) - len(short)
    if size <= 0:
        return
    for start in range(1, len(short)):
        if long[:start] == short[:start] and long[start + size :] == short[start:]:
            block = tuple(names[start : start + size])
            yield Counted(programs[known[1]], block, block[0], names[start + size], known[0])


def _redirected(state: State, target: Callable[[str], str]) -> State:
    moved: tuple[Transition, ...] = tuple(
        replace(own, target=target(own.target)) for own in state.transitions
    )
    return replace(state, transitions=moved)
