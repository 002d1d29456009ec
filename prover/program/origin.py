"""Programs that remember the code that they come from, so that answers can name its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from prover.program.model import Program, State
from prover.views import SourceCode


@dataclass(frozen=True, slots=True)
class StateLines:
    """Where a state is in the code: the line of its draw (or see), and of the loop around it.

    ``number`` is the public number that the state stores for later comparisons, if that is all it is for.
    """

    line: int
    loop: int | None
    number: Fraction | None = None


@dataclass(frozen=True, slots=True)
class EdgeLines:
    """Where a transition is in the code: the line of the comparison with each variable, and of what is
    seen, or None.

    ``events`` are what is seen, one by one: letters, and numbers as (sign, offset), which are the sign times
    the number of the program plus the offset. ``based`` is whether numbers that were seen before are added
    to one of them.
    """

    tested: Mapping[str, int]
    seen: int | None
    events: tuple[str | tuple[int, Fraction], ...] = ()
    based: bool = False


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The code of a program: its file and function, the lines of states and of transitions in order, and the
    ``text`` that pages show. ``postponed`` are the lines of draws that the program makes later, where
    their numbers are first used.
    """

    file: str | None
    function: str
    states: Mapping[str, StateLines]
    edges: tuple[EdgeLines, ...]
    text: SourceCode | None = None
    postponed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WrittenProgram(Program):
    """A threshold program made of a function; it is a program like any other, which knows its lines."""

    origin: LineOrigin = field(kw_only=True, compare=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Program):
            return NotImplemented
        mine, others = ((one.initial, dict(one.states), one.final, one.noise) for one in (self, other))
        return mine == others

    @property
    def based(self) -> bool:
        """Whether what is seen in the code has numbers added that were seen before."""
        return any(edge.based for edge in self.origin.edges)

    @property
    def moved(self) -> bool:
        """Whether numbers that are seen in the code have another sign or a public offset in the program."""
        numbers = [event for edge in self.origin.edges for event in edge.events if not isinstance(event, str)]
        return any(number != (1, Fraction(0)) for number in numbers)

    def __hash__(self) -> int:
        return Program.__hash__(self)

    def unfolded(
        self, initial: str, states: Mapping[str, State], names: Mapping[str, str], numbers: Sequence[int]
    ) -> Program:
        """The same with the lines of the old states and transitions."""
        lines = {name: self.origin.states[names[name]] for name in states}
        origin = replace(self.origin, states=lines, edges=tuple(self.origin.edges[n] for n in numbers))
        return WrittenProgram(initial, states, self.final, self.noise, self, self.at_epsilon, origin=origin)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.initial, dict(self.states), self.final, self.noise, self.of, self.at_epsilon)
        return partial(WrittenProgram, origin=self.origin), parts
