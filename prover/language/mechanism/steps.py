"""Steps of a mechanism: what happens from one draw to the next, on every way that comparisons may go.

A step draws a number, compares it with numbers that are stored, lets something be seen, and stores the number
or forgets it. That is a transition of a threshold program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from prover.errors import quoted
from prover.language.errors import NotYetInTheModel, SourcePlace, Unbounded, Unsupported, WrongCode
from prover.language.mechanism.comparisons import Comparisons
from prover.language.mechanism.moved import Pair, due, postponed, samples
from prover.language.mechanism.path import PathEvent, Trace
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Fail, plain_step, value_of
from prover.language.values import (
    CURRENT,
    GONE,
    PRIME,
    SEEN,
    Difference,
    Query,
    Sample,
    Stream,
    described,
    leaves,
    letter,
    mapped,
    without_letter,
)
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, REAL_OUTPUTS
from prover.program.outputs import Gap as GapOutput

NOTHING = "_"
"""What is seen when a query is read and nothing else is seen: observers count queries."""

MOST_PENDING = 50
"""The most draws that are postponed at a time."""

LONGEST = 100_000
"""The most instructions between two draws."""


class MechanismSteps(Comparisons):
    """Runs code from the place after a draw to the next draw, on all ways.

    ``late`` are the places at which a number is seen that another draw may have followed. There a step of its
    own compares the number with 0: it outputs the gap, without noise. With ``moves`` draws are made where
    their numbers are first used, and ``pairs`` are compared where the later number is drawn; ``postponed``
    are the lines of draws that something else happens before.
    """

    def __init__(
        self,
        code: Code,
        fail: Fail,
        late: frozenset[int] = frozenset(),
        pairs: frozenset[Pair] = frozenset(),
        *,
        remembers: bool = False,
        moves: bool = False,
    ) -> None:
        super().__init__(code, fail, remembers=remembers, moves=moves)
        self.late = late
        self.pairs = pairs
        self.postponed: frozenset[int] = frozenset()

    def paths(self, start: Trace) -> Iterator[Trace]:
        """The ways from a start to where the next step begins: at a draw, at a see, or at the return."""
        waiting = [start]
        while waiting:
            path = waiting.pop()
            if (forks := self._run(path)) is None and (forks := self.ordered(path, self.live(path))) is None:
                yield path
            else:
                waiting += reversed(forks)

    def live(self, path: Trace) -> list[Sample]:
        """The samples that are still used."""
        return samples(path.values.get(name) for name in sorted(self.code.live[path.at]))

    def _run(self, path: Trace) -> list[Trace] | None:
        """Go on until the step ends (None) or a comparison may go several ways."""
        while True:
            path.length += 1
            step = self.code.instructions[path.at]
            if path.length > LONGEST:
                raise self.error(
                    Unbounded, step, "the code runs too long without a draw or see", "see something"
                )
            following = plain_step(self.code, path.at, path.values, self.fail)
            if following is not None:
                path.at = following
                continue
            if due(path, step) is not None:
                return None
            if step.operation in ("draw", "compare", "see"):
                self.postponed |= {drawn.place.line for _, drawn in path.pending}
            given = [value_of(name, path.values, step, self.fail) for name in step.args]
            match step.operation:
                case "add":
                    if self.unread(path, step) is not None:
                        return None
                    path.values[step.dst or ""] = self.sum(path, step, given[0], given[1])
                case "compare":
                    forks = self.compare(path, step, given[0], given[1])
                    if forks is None or len(forks) > 1:
                        return forks
                    continue
                case "see" if isinstance(given[0], Query) or self.is_late(path, given[0]):
                    if path.fixed or path.drawn is None or path.drawn.place != step.place:
                        return None
                    if isinstance(given[0], Query):  # which is seen as it is, without noise
                        given[0] = Sample(CURRENT, query=path.drawn.query, based=given[0].based)
                    path.unread = False
                    path.fixed = True
                    self._see_number(path, step, given[0])
                case "see":
                    if not self._see(path, step, given[0]):
                        return None
                case "read" | "advance" | "iterate" if not isinstance(given[0], Stream):
                    problem = f"{described(given[0])} is not a stream of queries"
                    raise self.error(WrongCode, step, problem, "read from the parameter queries")
                case "read" | "advance":
                    if not self._read(path, step):
                        return None
                case "iterate":
                    path.values[step.dst or ""] = given[0]
                case "draw" if self.moves:
                    if len(path.pending) >= MOST_PENDING:
                        problem = f"more than {MOST_PENDING} numbers are drawn before they are used"
                        raise self.error(NotYetInTheModel, step, problem, "use numbers sooner")
                    drawn = replace(self.drawn(path, step), at=path.at)
                    based = isinstance(given[0], Query) and given[0].based
                    path.values[step.dst or ""] = postponed(path, drawn, based=based)
                case "draw":
                    if not self.is_second(path, step):
                        return None
                case "return":
                    if path.unread:
                        self._put(path, NOTHING, step.place)
                    path.unread = False
                    return None
                case word:
                    name = step.data if word == "count" else word
                    raise self.error(
                        Unsupported, step, f"{name} is for protocols", "draw noise in mechanisms"
                    )
            path.at += 1

    def is_late(self, path: Trace, value: Any) -> bool:
        """Whether a number is seen in a step of its own; its place is remembered where it has to be."""
        if not isinstance(value, Sample) or value.store in (PRIME, GONE):
            return False
        if value.store != CURRENT:
            self.late |= {path.at}
        return path.at in self.late

    def _read(self, path: Trace, step: Instruction) -> bool:
        """Read the next query; False where the step ends before."""
        if path.unread and not self._put(path, NOTHING, step.place):
            return False
        held = [one for value in path.values.values() for one in leaves(value) if isinstance(one, Query)]
        drawn = [one for one in (path.drawn, *(waits for _, waits in path.pending)) if one is not None]
        held += [one.query for one in drawn if one.query is not None]
        numbers = [number for one in held for number in (one.number, *(n for _, n in one.more))]
        path.values[step.dst or ""] = Query(max([*numbers, *path.used], default=-1) + 1)
        path.unread = True
        return True

    def _see(self, path: Trace, step: Instruction, value: Any) -> bool:
        """Let a value be seen; False where the step ends before."""
        text = letter(value)
        if text is None:
            self._see_number(path, step, value)
        elif text in REAL_OUTPUTS:
            raise self.error(WrongCode, step, f"{quoted(text)} is reserved in the model", "see another word")
        elif not self._put(path, text, step.place):
            return False
        path.unread = False
        return True

    def _put(self, path: Trace, text: str, place: SourcePlace) -> bool:
        """Put out a letter; False, and nothing is done, where that was put out before in this step."""
        if path.at in path.sites:
            return False
        path.sites.add(path.at)
        path.events.append(PathEvent(text, place, is_number=False))
        return True

    def _see_number(self, path: Trace, step: Instruction, value: Any) -> None:
        event = (
            self._gap(path, step, value) if isinstance(value, Difference) else self._number(path, step, value)
        )
        if any(before.output == event.output for before in path.events):
            raise self.error(NotYetInTheModel, step, "the same number is seen twice", "see it once")
        path.events.append(event)
        if isinstance(value, Sample):
            known = value.store, value.query
            for name, held in path.values.items():
                path.values[name] = mapped(
                    lambda one: (
                        replace(one, seen=True)
                        if isinstance(one, Sample) and (one.store, one.query) == known
                        else one
                    ),
                    held,
                )

    def _number(self, path: Trace, step: Instruction, value: Any) -> PathEvent:
        if not isinstance(value, Sample):
            raise self.error(
                WrongCode, step, f"{without_letter(value)} cannot be seen",
                f"see {SEEN}, or a drawn number",
            )  # fmt: skip
        if value.store == GONE:
            raise self.error(
                NotYetInTheModel, step, "this number is a second draw of a query, from an earlier step",
                "see it right after it is drawn",
            )  # fmt: skip
        if value.store not in (CURRENT, PRIME):
            gap = GapOutput(value.store)
            return PathEvent(gap, step.place, True, -1, value.offset, value.based)
        if value.store == CURRENT:
            self.use(path, value, step)
        output = INSAMPLE if value.store == CURRENT else INSAMPLE_PRIME
        return PathEvent(output, step.place, True, 1, value.offset, value.based)

    def _gap(self, path: Trace, step: Instruction, value: Difference) -> PathEvent:
        """The output of a difference, of which the current sample is one side and a stored one the other."""
        pair = (value.above, value.below)
        stored = [sample for sample in pair if sample.store not in (CURRENT, PRIME)]
        current = [sample for sample in pair if sample.store == CURRENT]
        if len(stored) != 1 or len(current) != 1 or path.drawn is None:
            raise self.error(
                NotYetInTheModel,
                step,
                "this is not a difference of the last drawn number and an earlier one",
                "see a difference right after the later number is drawn",
            )  # fmt: skip
        self.use(path, current[0], step)
        return PathEvent(
            GapOutput(stored[0].store),
            step.place,
            is_number=True,
            sign=1 if value.above.store == CURRENT else -1,
            offset=value.above.offset - value.below.offset,
        )
