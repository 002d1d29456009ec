"""Threshold programs (DiP automata) with rational rates and means.

At a state the program reads an input (0 if the state takes none) and adds noise to get ``insample``, Laplace
noise unless something else is said, and, where the state has a second rate, independently ``insampleprime``.
Then it compares ``insample`` with variables, outputs something, stores ``insample`` in variables or not, and
moves on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar

from prover.errors import NotSupported, quoted
from prover.graphs import search
from prover.program.edge import SIDES as SIDES
from prover.program.edge import Edge as Edge
from prover.program.edge import Relation as Relation
from prover.program.edge import Test as Test
from prover.program.errors import (
    InvalidProgram,
    TieOffGrid,
    bad_initialisation,
    inputs_used_again,
    steps_not_seen,
    text_or_type,
    tie_without_atoms,
    unrounded_input,
)
from prover.program.noise import NO_NOISE, PLAIN, Noise, in_units
from prover.program.outputs import (
    INSAMPLE_PRIME,
    Gap,
    numbers_of,
    outputs_text,
    parts_of,
)
from prover.program.state import State as State
from prover.program.state import Transition as Transition
from prover.program.state import check_numbers, check_registers, check_seen, with_sensitivity
from prover.views import DrawnAnswer

END = "end"
"""A final state that needs no declaration."""


@dataclass(frozen=True, slots=True, repr=False)
class Program(DrawnAnswer):
    """A threshold program: its states by name, in code point order, the initial one, and declared final ones.

    Runs end at targets that have no entry. ``final`` declares the intended ones, except ``end``;
    ``undeclared`` are the others, which may be misspelt. ``edges`` are all transitions, numbered in
    the order of their states and then of their list, which is how certificates number them. ``of`` is the
    program with registers that this one unfolds, if it does. With ``at_epsilon`` it stands for a mechanism
    at this ε only: its rates are those multiples of ε that they are there. It ``has_registers`` if
    inputs are used after the step that reads them, and ``hides_steps`` if observers do not see all outputs.

    The constructor sorts the states and raises InvalidProgram, whose code says why. A threshold is drawn
    and stored, and one input compared with it:

        >>> rate, mean = Fraction(1, 2), Fraction(0)
        >>> draw = State(False, rate, mean, None, None, (Transition((), ("x",), "start", "test"),))
        >>> below = Transition((("<", "x"),), (), "no", "end")
        >>> above = Transition(((">=", "x"),), (), "yes", "end")
        >>> test = State(True, rate, mean, None, None, (below, above))
        >>> program = Program("draw", {"draw": draw, "test": test})
        >>> program
        <Program: 2 states, 3 transitions>
        >>> [(edge.number, edge.relation, edge.output) for edge in program.edges]
        [(0, '', 'start'), (1, '<', 'no'), (2, '>=', 'yes')]

    Reference: docs/theory_programs.md, *The model*.
    """

    initial: str
    states: Mapping[str, State]
    final: frozenset[str] = frozenset()
    noise: Noise = PLAIN
    of: Program | None = field(default=None, compare=False)
    at_epsilon: Fraction | None = field(default=None, compare=False)
    has_registers: bool = field(init=False, compare=False)
    hides_steps: bool = field(init=False, compare=False)
    numbered: tuple[Edge, ...] = field(init=False, compare=False)
    leaving: Mapping[str, tuple[Edge, ...]] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.states:
            message = "the program has no state; it needs at least one"
            raise InvalidProgram(message, part="states", code="no-states")
        for part, names in (("states", self.states), ("final", self.final)):
            for name in names:
                _check_text(name, None, None, part)
        if self.initial not in self.states:
            message = f"the initial state {quoted(self.initial)} is not among the states; it needs an entry"
            raise InvalidProgram(message, part="initial", code="unknown-initial-state")
        if both := sorted(self.final & self.states.keys()):
            message = f"{quoted(both[0])} is declared final and has an entry; remove one of the two"
            raise InvalidProgram(message, part="final", code="final-with-entry")
        ordered = dict(sorted(self.states.items()))
        for name, state in ordered.items():
            check_numbers(name, state, on_grid=self.noise.is_discrete)
            if state.sensitivity is not None:
                ordered[name] = with_sensitivity(name, state, self.noise)
            if not state.transitions:
                unless = "if it is final, remove its entry and keep it as a target only"
                message = f"state {quoted(name)} has no transition; {unless}"
                raise InvalidProgram(message, name, part="transitions", code="no-transition")
            for index, transition in enumerate(state.transitions):
                _check_transition(name, state, index, transition, self.noise.is_discrete)
                if transition in state.transitions[:index]:
                    message = "this transition repeats one above; remove it"
                    raise InvalidProgram(message, name, index, code="repeated-transition")
        _check_initialisation(self.initial, ordered[self.initial])
        object.__setattr__(self, "states", MappingProxyType(ordered))
        object.__setattr__(self, "final", frozenset(self.final))
        centered = any(state.center is not None for state in ordered.values())
        transitions = [own for state in ordered.values() for own in state.transitions]
        object.__setattr__(self, "has_registers", centered or any(own.registers for own in transitions))
        object.__setattr__(self, "hides_steps", any(own.seen is not None for own in transitions))
        if self.has_registers:
            check_registers(ordered, self.noise)
            if any(own.registers for own in ordered[self.initial].transitions):
                raise bad_initialisation("registers", self.initial, None, "registers")
        numbered = () if self.is_unfolded_first else tuple(_numbered(ordered, self.noise))
        leaving = {name: tuple(own) for name, own in groupby(numbered, lambda edge: edge.source)}
        object.__setattr__(self, "numbered", numbered)
        object.__setattr__(self, "leaving", MappingProxyType(leaving))
        if self.is_unfolded_first:
            check_seen(ordered, self.noise)
            forgetful(self)
            return
        _check_definitions(self)
        _check_ties(self)
        if self.noise.unrounded:
            _check_unrounded(self)

    def __hash__(self) -> int:
        return hash((self.initial, tuple(self.states.items()), self.final, self.noise))

    def __repr__(self) -> str:
        many = sum(len(state.transitions) for state in self.states.values())
        return f"<Program: {len(self.states)} states, {many} transitions>"

    def __reduce__(self) -> tuple[type[Program], tuple[object, ...]]:
        # A mapping proxy keeps the states from being changed, but cannot be sent to another process.
        return Program, (self.initial, dict(self.states), self.final, self.noise, self.of, self.at_epsilon)

    @property
    def is_unfolded_first(self) -> bool:
        """Whether only the loss is asked for, that of the program that unfolds this one."""
        return self.has_registers or (self.hides_steps and self.of is None)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All transitions, numbered. Raises NotSupported for a program that has to be unfolded first."""
        if self.is_unfolded_first:
            raise _no_edges(self)
        return self.numbered

    def unfolded(
        self, initial: str, states: Mapping[str, State], _names: Mapping[str, str], _numbers: Sequence[int]
    ) -> Program:
        """This program with its registers in its states: ``names`` gives the new ones the old names, and
        ``numbers`` are those of the old transitions, in the order of the new ones.
        """
        return Program(initial, states, self.final, self.noise, self, self.at_epsilon)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Targets without an entry that are not declared final, in code point order."""
        known = {END, *self.final, *self.states}
        every = {case.target for state in self.states.values() for case in state.transitions}
        return tuple(sorted(every - known))


def forgetful(program: Program) -> Program:
    """The program as if all inputs were new, and all outputs seen, with the same order of samples."""
    states = {
        name: replace(
            state,
            input=state.input or state.center is not None,
            center=None,
            transitions=tuple(replace(own, registers=(), seen=None) for own in state.transitions),
        )
        for name, state in program.states.items()
    }
    return Program(program.initial, states, program.final, program.noise, None, program.at_epsilon)


def out_edges(program: Program) -> Mapping[str, tuple[Edge, ...]]:
    """The edges that leave each state, in order; final states have no entry.

    Raises NotSupported for a program that has to be unfolded first.
    """
    if program.is_unfolded_first:
        raise _no_edges(program)
    return program.leaving


def _no_edges(program: Program) -> NotSupported:
    """A program has to be unfolded first."""
    return inputs_used_again() if program.has_registers else steps_not_seen()


def variables(program: Program) -> tuple[str, ...]:
    """The variables that some guard or assignment names where runs can come, in code point order."""
    states = reachable(program)
    edges = [edge for edge in program.edges if edge.source in states]
    tested = {variable for edge in edges for _, variable in edge.bounds}
    return tuple(sorted(tested.union(*(edge.assign for edge in edges))))


def reachable(program: Program) -> frozenset[str]:
    """The states, final ones left out, that the transitions lead to from the initial one, itself included."""
    leaving = out_edges(program)
    return frozenset(
        search([program.initial], lambda state: (e.target for e in leaving[state] if e.target in leaving))
    )


def _numbered(states: Mapping[str, State], noise: Noise) -> Iterator[Edge]:
    number = 0
    for name, state in states.items():
        second = state.rate_prime
        for transition in state.transitions:
            yield Edge(
                number=number,
                source=name,
                target=transition.target,
                input=state.input,
                noise=in_units(state.noise, noise.sensitivity),
                noise_prime=None if second is None else in_units(second, noise.sensitivity),
                guard=tuple((SIDES[relation], variable) for relation, variable in transition.guard),
                assign=transition.assign,
                output=outputs_text(transition.output),
                written=transition.guard,
                outputs=parts_of(transition.output),
                sensitivity=(state.sensitivity or noise.sensitivity) / noise.sensitivity,
                fixed=transition.fixed,
                seen=transition.seen,
            )
            number += 1


def _check_text(text: object, state: str | None, place: int | None, part: str) -> None:
    if not isinstance(text, str):
        message = f"expected a text, not a value of type {type(text).__name__}"
        raise InvalidProgram(message, state, place, part, code="not-text")
    if not text:
        message = "the name is empty; it needs at least one character"
        raise InvalidProgram(message, state, place, part, code="empty-name")


def _check_transition(name: str, state: State, place: int, transition: Transition, ties: bool) -> None:
    outputs = parts_of(transition.output)
    texts = [("output", part.variable if isinstance(part, Gap) else part) for part in outputs]
    texts.append(("to", transition.target))
    texts += [("assign", variable) for variable in transition.assign]
    texts += [("guard", variable) for _, variable in transition.guard]
    for part, text in texts:
        _check_text(text, name, place, part)
    tests = set()
    for relation, variable in transition.guard:
        if relation not in SIDES:
            message = f'relation {text_or_type(relation)} is unknown; write "<" or ">="'
            raise InvalidProgram(message, name, place, "guard", code="unknown-relation")
        if relation not in ("<", ">=") and not ties:
            raise tie_without_atoms(relation, name, place)
        if (relation, variable) in tests:
            message = f"the guard has the test insample {relation} {quoted(variable)} twice; write it once"
            raise InvalidProgram(message, name, place, "guard", code="repeated-test")
        tests.add((relation, variable))
    for k, (relation, variable) in enumerate(transition.guard):
        before = [first for first, other in transition.guard[:k] if other == variable]
        if before and (SIDES[before[0]] == SIDES[relation] or ("=" in before[0] and "=" in relation)):
            message = f"the guard tests {quoted(variable)} twice; one test of each variable is enough"
            raise InvalidProgram(message, name, place, "guard", code="two-tests")
        if before:
            message = f"the guard tests insample < and >= {quoted(variable)} at once, which never holds"
            raise InvalidProgram(message, name, place, "guard", code="contradictory-guard")
    for k, variable in enumerate(transition.assign):
        if variable in transition.assign[:k]:
            message = f"variable {quoted(variable)} is assigned twice; assign it once"
            raise InvalidProgram(message, name, place, "assign", code="repeated-assignment")
    if INSAMPLE_PRIME in outputs and state.rate_prime is None:
        message = f"insampleprime is output, but state {quoted(name)} has no rate' and mean' for it"
        raise InvalidProgram(message, name, place, "output", code="no-second-sample")
    if isinstance(transition.output, tuple):
        letters = len(outputs) - len(numbers_of(outputs))
        if len(outputs) < 2 or letters > 1 or len(set(outputs)) < len(outputs):
            message = "the outputs of a transition must differ, with at most one letter among them"
            raise InvalidProgram(message, name, place, "output", code="useless-outputs")


def _check_ties(program: Program) -> None:
    """What is tested by = can be equal: all means of a test and of what it may be compared with fit."""
    stored: dict[str, list[str]] = {}
    for edge in program.edges:
        for variable in edge.assign:
            stored.setdefault(variable, []).append(edge.source)
    for name, state in program.states.items():
        for index, transition in enumerate(state.transitions):
            for relation, variable in transition.guard:
                for other in stored.get(variable, []) if relation == "=" else []:
                    apart = state.mean - program.states[other].mean
                    if (apart / (program.noise.grid or 1)).denominator > 1:
                        raise TieOffGrid(variable, name, index, other)


def _check_unrounded(program: Program) -> None:
    """What samples on a grid say of an input that is none of its points is that of a rounded one.

    So it is if only inputs that are compared with the one stored value, which is public, are not rounded; a
    number that is output shows the fraction of its input (docs/theory_noise.md, *Unrounded inputs*).
    """
    names = variables(program)
    for name, state in program.states.items():
        for index, transition in enumerate(state.transitions):
            number = bool(numbers_of(transition.output))
            tie = any(relation == "=" for relation, _ in transition.guard)
            if state.input and (number or tie or transition.assign or len(names) > 1):
                raise unrounded_input(name, index, number=number)


def _check_initialisation(name: str, state: State) -> None:
    if len(state.transitions) != 1:
        raise bad_initialisation(f"{len(state.transitions)} transitions", name, None, "transitions")
    if state.transitions[0].guard:
        raise bad_initialisation("a guard", name, 0, "guard")
    if not state.transitions[0].assign:
        raise bad_initialisation("no assignment", name, 0, "assign")


AnyKnown = TypeVar("AnyKnown")


def known_by_all(
    program: Program, after: Callable[[frozenset[AnyKnown], Edge], frozenset[AnyKnown]]
) -> dict[str, frozenset[AnyKnown]]:
    """For each reachable state what every run to it knows, if ``after`` is what one knows after an edge.

    The knowledge of a state is the intersection of that of all runs to it: the greatest fixpoint.
    """
    leaving = out_edges(program)
    known: dict[str, frozenset[AnyKnown]] = {program.initial: frozenset()}
    waiting = [program.initial]
    while waiting:
        state = waiting.pop()
        for edge in leaving[state]:
            before, now = known.get(edge.target), after(known[state], edge)
            if before is not None:
                now &= before
            if edge.target in leaving and now != before:
                known[edge.target] = now
                waiting.append(edge.target)
    return dict(sorted(known.items()))


def _check_definitions(program: Program) -> None:
    """A variable is defined at a state if every path from the initial state to it assigns the variable."""
    leaving = out_edges(program)
    defined: dict[str, frozenset[str]] = known_by_all(program, lambda known, edge: known.union(edge.assign))
    for state, known in defined.items():
        for index, edge in enumerate(leaving[state]):
            for _, variable in edge.bounds:
                if variable not in known:
                    part = "output" if variable in edge.gaps else "guard"
                    raise InvalidProgram(
                        f"variable {quoted(variable)} may be undefined: some path from the initial state to "
                        f"{quoted(state)} does not assign it",
                        state,
                        index,
                        part,
                        code="undefined-variable",
                    )


def public_numbers(program: Program) -> tuple[str, ...]:
    """The states in front of a program that store public numbers, each larger than the one before, which it
    tests; as far as they go. Nothing leads back to them (docs/theory_noise.md, Theorem 2).
    """
    found: list[str] = []
    name, before, mean = program.initial, list[Test](), Fraction(0)
    while (state := program.states.get(name)) is not None and name not in found:
        case = state.transitions[0]
        larger = not before or state.mean > mean
        if state.input or state.noise != NO_NOISE or len(state.transitions) > 1 or not case.assign:
            break
        if not larger or sorted(case.guard) != sorted(before):
            break
        found.append(name)
        name, before, mean = case.target, [(">=", variable) for variable in case.assign], state.mean
    later = {edge.target for edge in program.edges if edge.source not in found}
    again = any(edge.target == program.initial for edge in program.edges)
    return () if again or later & {*found} else tuple(found)
