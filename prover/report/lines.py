"""What an answer about a program means for the lines of the code that the program was written as."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.exact.rational import format_rational
from prover.exact.readable import multiple
from prover.program.answer import Privacy, listed_or
from prover.program.decision.blocks import Block, RunStep
from prover.program.model import Edge
from prover.program.noise import INFINITE, NO_NOISE
from prover.program.optimum.witness import Witness
from prover.program.origin import LineOrigin, WrittenProgram
from prover.program.shifts import price
from prover.report.observer import OTHER_RUNS

MOST_LINES = 12
"""How many lines of code are named, and how many sentences there are about leaks."""

_ASSIGNED_DRAW = re.compile(r"\s*(\w+)\s*=\s*[\w.]*(?:laplace|exponential|geometric|gaussian)\(")

_CONTINUOUS: Mapping[str, str] = {"<": "below", ">=": "above"}
_DISCRETE: Mapping[str, str] = {
    "<": "below",
    "<=": "at or below",
    ">": "above",
    ">=": "at or above",
    "=": "equal to",
}


def code_lines(answer: Privacy) -> list[str]:
    """Sentences about the lines that an answer is about: those that leak, or what each of them loses.

    None about a program that was not written as code.
    """
    program = answer.unfolded
    if not isinstance(program, WrittenProgram):
        return []
    if answer.family and answer.private is not True:
        leaks = _Leaks(program, answer.family, reveals=answer.conditions.output_distinction)
        return leaks.sentences()[:MOST_LINES]
    if answer.witness is not None and answer.witness.loss:
        return _costs(program.origin, answer, answer.witness)
    return []


def postponed_draws(answer: Privacy) -> list[str]:
    """The lines of draws that the program makes later than the code, if there are any, in a sentence."""
    program = answer.program
    lines = program.origin.postponed if isinstance(program, WrittenProgram) else ()
    if not lines:
        return []
    numbers = f"line{'s' if len(lines) > 1 else ''} {listed_or(list(map(str, lines)), 'and')}"
    return [
        f"The draws of {numbers} are made where their numbers are first used; outputs are as likely as if "
        "they were made where the code has them."
    ]


@dataclass(frozen=True, slots=True)
class _Test:
    """A test that is repeated: its line, what it compares, with what, and on which side that is, if known."""

    line: int
    subject: str
    compared: str
    side: str | None

    def sentence(self, *, reveals: bool) -> str:
        """What the test does, without its full stop."""
        text = f"Line {self.line} compares unboundedly many {self.subject} with {self.compared}"
        if not reveals:
            return text
        return f"{text} and reveals " + (f"that they are {self.side} it" if self.side else "the results")


@dataclass(frozen=True, slots=True)
class _Leaks:
    """The steps of a family of runs that make its loss grow: tests with a multiplier, and numbers that are
    output. ``reveals``: outputs show every result of a test.
    """

    program: WrittenProgram
    family: Sequence[Block]
    reveals: bool

    @property
    def origin(self) -> LineOrigin:
        """The lines of the program."""
        return self.program.origin

    def sentences(self) -> list[str]:
        """One for each of these steps, in the order of the run, each only once."""
        found: list[str] = []
        repeated: dict[str, tuple[int, _Test]] = {}
        for fact in dict.fromkeys(self._facts()):
            if isinstance(fact, str):
                found.append(fact)
                continue
            place, before = repeated.setdefault(fact.compared, (len(found), fact))
            if before is fact or not (self.reveals and fact.side and before.side):
                found.append(fact.sentence(reveals=self.reveals))
            elif before.side != fact.side:
                line = "the same line" if before.line == fact.line else f"line {fact.line}"
                found[place] += f"; {line} reveals that others are {fact.side} it"
        return [f"{text}." for text in found]

    def _facts(self) -> Iterator[str | _Test]:
        stored: dict[str, Edge] = {}
        for block in self.family:
            inside = [step.edge for step in block.steps if block.repeat]
            for edge in inside:  # what a turn stores, the next one finds
                stored.update(dict.fromkeys(edge.assign, edge))
            for step in block.steps:
                yield from self._tests(step, stored, inside)
                yield from self._outputs(step, repeat=block.repeat)
                stored.update(dict.fromkeys(step.edge.assign, step.edge))

    def _outputs(self, step: RunStep, *, repeat: bool) -> Iterator[str]:
        edge = step.edge
        seen = self.origin.edges[edge.number].seen
        if repeat and edge.discloses and step.delta:
            yield f"Line {seen} outputs a number that depends on the query, for unboundedly many queries"
        elif edge.pinned and not repeat:
            yield f"Line {seen} outputs {self._drawn(edge)}"

    def _tests(
        self, step: RunStep, stored: Mapping[str, Edge], inside: Sequence[Edge]
    ) -> Iterator[str | _Test]:
        edge = step.edge
        lines = self.origin.edges[edge.number]
        for (_, variable), dual in zip(edge.bounds, step.duals, strict=True):
            source = stored.get(variable)
            if source is None or not dual or self.origin.states[edge.source].number is not None:
                continue
            compared = self._compared(source, edge, inside)
            if variable in edge.gaps:
                alone = not edge.input and (edge.left, edge.right) == NO_NOISE
                number = compared if alone else f"the difference between {self._drawn(edge)} and {compared}"
                yield f"Line {lines.seen} outputs {number}"
                continue
            line = lines.tested.get(variable, self.origin.states[edge.source].line)
            side = self._side(edge, variable)
            if inside:
                yield _Test(line, "queries" if edge.input else "numbers", compared, side)
            elif self.reveals and side:
                yield f"Line {line} reveals that {self._drawn(edge, line)} is {side} {compared}"
            else:
                result = " and reveals the result" if self.reveals else ""
                yield f"Line {line} compares {self._drawn(edge, line)} with {compared}{result}"

    def _side(self, edge: Edge, variable: str) -> str | None:
        """Where a sample is that passes the test; None where the code adds a number before it compares."""
        if self.program.states[edge.source].mean:
            return None
        words = _CONTINUOUS if self.program.noise.grid is None else _DISCRETE
        return next((words.get(relation) for relation, name in edge.written if name == variable), None)

    def _compared(self, source: Edge, edge: Edge, inside: Sequence[Edge]) -> str:
        """What a test compares with: a public number, or a number drawn before."""
        state = self.origin.states[source.source]
        if state.number is not None:
            return f"the public number {format_rational(state.number)}"
        if inside and state.line == self.origin.states[edge.source].line:
            return f"the number that line {state.line} drew in an earlier turn of the loop"
        return self._drawn(source, where=" in the same loop" if source in inside else "")

    def _drawn(self, edge: Edge, line: int | None = None, *, where: str = "") -> str:
        """A number that is drawn, by its name and line; ``line`` is where the sentence already is."""
        at = self.origin.states[edge.source].line
        missing = (edge.left, edge.right).count(INFINITE)
        noise = ("", " with noise in one direction only", " without noise")[missing]
        if missing == 2 and edge.input:
            return f"a query{noise}" if at == line else f"the query at line {at}{noise}"
        if name := self._name(at):
            return f"{name} (drawn at line {at}{where}{noise})"
        return f"the number drawn {'there' if at == line else f'at line {at}'}{where}{noise}"

    def _name(self, line: int) -> str | None:
        """The variable to which a line assigns what it draws."""
        text = self.origin.text
        code = "" if text is None else dict(text.lines).get(line, "")
        found = _ASSIGNED_DRAW.match(code)
        return found and found[1]


def _costs(origin: LineOrigin, answer: Privacy, witness: Witness) -> list[str]:
    """What the worst run loses at each line; an observer who does not know the run may learn less."""
    turns = [count for steps, count in witness.turns for _ in range(steps)]
    costs: dict[int, Fraction] = {}
    for step, shift, count in zip(witness.steps, witness.shifts, turns, strict=True):
        line = origin.states[step.edge.source].line
        costs[line] = costs.get(line, Fraction(0)) + count * price(step.edge, step.delta, shift)
    paid = [f"{multiple(cost)} at line {line}" for line, cost in sorted(costs.items()) if cost]
    if not paid or len(paid) > MOST_LINES:
        return []
    parts = " and ".join([", ".join(paid[:-1]), paid[-1]] if len(paid) > 1 else paid)
    if answer.worst_run_counts:
        return [f"The worst run found loses {parts}."]
    together = f", {multiple(witness.loss)} together" if len(paid) > 1 else ""
    return [f"The worst single run found loses {parts}{together}. {OTHER_RUNS}"]
