"""Programs of which a block is repeated, once more for each 1 of a count, found by comparing programs.

Rates may grow with the count, by the same number for each 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.graphs import search
from prover.program.errors import InvalidProgram
from prover.program.model import Program, State, Transition
from prover.program.noise import Rate
from prover.program.opened import OpenProgram


@dataclass(frozen=True, slots=True)
class Counted:
    """A program with its block once. ``repeated`` makes that with so many copies in its place.

    All transitions into the block lead to ``entry``. Those out of it that lead to ``after`` lead to the next
    copy, if there is one. ``least`` is the count without the block. ``rates`` has the program with the rates
    of that count, and of the next one.
    """

    rates: OpenProgram
    states: tuple[str, ...]
    entry: str
    after: str
    least: int

    @property
    def program(self) -> Program:
        """The program with its block once, and the rates of the least count."""
        return self.rates.first

    @property
    def grows(self) -> bool:
        """Whether some rates grow with the count."""
        return self.rates.first != self.rates.last

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
        """The program with so many copies of the block, and the rates of that count."""
        return self._expanded(self.least + copies, copies)

    def _expanded(self, count: int, copies: int) -> Program:
        """The program with the rates of a count, and so many copies."""
        program = self.rates.at(Fraction(count)) if self.grows else self.program
        inside, old, named = set(self.states), program.states, self.named

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
        return Program(program.initial, states, program.final, program.noise)

    def later(self, copies: int) -> Counted:
        """The same programs, the last copies of whose blocks are no copies but come after them."""
        if not copies:
            return self
        whole = self._with_more(copies)
        after = next(
            transition.target
            for state in self.states
            for transition, was in zip(
                whole.program.states[state].transitions, self.program.states[state].transitions, strict=True
            )
            if was.target == self.after
        )
        return replace(whole, after=after)

    def earlier(self, copies: int) -> Counted:
        """The same programs, the first copies of whose blocks are no copies but come before them."""
        if not copies:
            return self
        states = tuple(self.named(state, copies) for state in self.states)
        return replace(self._with_more(copies), states=states, entry=self.named(self.entry, copies))

    def _with_more(self, copies: int) -> Counted:
        """With so many copies outside of the block."""
        count = self.least + copies
        first, last = (self._expanded(count + more, copies + 1) for more in (0, 1))
        rates = replace(self.rates, low=Fraction(count), high=Fraction(count + 1), first=first, last=last)
        return replace(self, rates=rates, least=count)

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
            "program": {key: value for key, value in self.rates.model.items() if key != "open"},
        }


def counted(programs: Mapping[int, Program]) -> Counted | None:
    """How programs at successive counts grow by the same block; None if they do not.

    ``programs`` has one for each count. The result has those from some count on, at least three, and one more
    if rates grow, up to the names of states, of variables' owners and of final states.
    """
    counts = sorted(programs)
    if any(programs[count].noise != programs[counts[0]].noise for count in counts):
        return None
    rows = {count: _rows(programs[count]) for count in counts}
    shapes = {count: (names, [_shape(state) for state in own]) for count, (names, own) in rows.items()}
    for least in counts[:-2]:
        known = [count for count in counts if count >= least]
        for block, after in _blocks(shapes, known):
            try:
                found = _fitted(programs[known[1]], block, after, rows, known)
                if found and all(_rows(found.repeated(c - least))[1] == rows[c][1] for c in known):
                    return found
            except InvalidProgram:  # such copies may test what was not stored
                continue
    return None


def same_for_all(programs: Sequence[Program]) -> bool:
    """Whether the programs differ in names of states only."""
    return all(
        one.noise == other.noise and _rows(one)[1] == _rows(other)[1] for one, other in pairwise(programs)
    )


Rows = tuple[list[str], list[State]]
"""The states of a program in the order in which they are found, and what each does, with relative targets."""

Rates = tuple[Rate, Rate, Fraction | None]
"""Those of a state, to the left and to the right, and of its second sample."""


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


def _blocks(shapes: Mapping[int, Rows], known: Sequence[int]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The ways to see one program as the one before with a block more: its states, and the one after it."""
    (_, short), (names, long) = shapes[known[0]], shapes[known[1]]
    size = len(long) - len(short)
    if size <= 0:
        return
    for start in range(1, len(short)):
        if long[:start] == short[:start] and long[start + size :] == short[start:]:
            yield tuple(names[start : start + size]), names[start + size]


def _fitted(
    once: Program, block: tuple[str, ...], after: str, rows: Mapping[int, Rows], known: Sequence[int]
) -> Counted | None:
    """The program with a block, with rates that are affine in the count; None if they are not, or fall."""
    least = known[0]
    rates = OpenProgram("count", Fraction(least), Fraction(least + 1), once, once)
    shape = Counted(rates, block, block[0], after, least)
    seen: dict[str, dict[int, Rates]] = {name: {} for name in once.states}
    for count in known:
        names, own = shape.names(count - least), rows[count][1]
        order, _ = _rows(shape.repeated(count - least))
        if len(order) != len(own):
            return None
        for name, state in zip(order, own, strict=True):
            if seen[names.get(name, name)].setdefault(count, _rates(state)) != _rates(state):
                return None
    programs = []
    for count in (least, least + 1):
        states = {}
        for name, state in once.states.items():
            found = _at(seen[name], count)
            if found is None:
                return None
            left, right, second = found
            states[name] = replace(state, rate=None, rate_left=left, rate_right=right, rate_prime=second)
        programs.append(Program(once.initial, states, once.final, once.noise))
    return replace(shape, rates=replace(rates, first=programs[0], last=programs[1]))


def _at(seen: Mapping[int, Rates], count: int) -> Rates | None:
    """The rates at a count, on lines through the known ones; None if these fall, or there are too few."""
    first, *_, last = sorted(seen) if len(seen) > 1 else (*seen, *seen)
    found: list[Any] = []
    for low, high in zip(seen[first], seen[last], strict=True):
        if low == high:
            found.append(low)
            continue
        if not (isinstance(low, Fraction) and isinstance(high, Fraction)) or high < low or len(seen) < 3:
            return None
        found.append(low + (high - low) * Fraction(count - first, last - first))
        if found[-1] <= 0:
            return None
    return found[0], found[1], found[2]


def _rates(state: State) -> Rates:
    left, right = state.rates
    second = state.rate_prime
    return left, right, second if isinstance(second, Fraction) else None


def _shape(state: State) -> State:
    """The state with 1 in place of its rates."""
    left, right = (rate if isinstance(rate, str) else Fraction(1) for rate in state.rates)
    second = None if state.rate_prime is None else Fraction(1)
    return replace(state, rate=None, rate_left=left, rate_right=right, rate_prime=second)


def _redirected(state: State, target: Callable[[str], str]) -> State:
    moved: tuple[Transition, ...] = tuple(
        replace(own, target=target(own.target)) for own in state.transitions
    )
    return replace(state, transitions=moved)
