"""Mechanisms and protocols as they stand in a file: their parameters, and the models that they are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadInput, BadValue, in_file, quoted
from prover.exact.expressions import names_parameter, positive_at, refuse_parameter
from prover.exact.given import LARGEST_EPSILON, given_rational
from prover.language.epsilon import EPSILON, OPEN, REALS, RENAME, GivenEpsilon
from prover.language.errors import CodeError, SourcePlace, WrongCode
from prover.language.mechanism.building import program_of
from prover.language.mechanism.states import explored
from prover.language.neighbours import SecretRelation, Starts, function_node, related_pairs
from prover.language.protocol import system_of_code
from prover.language.reading.compiler import compiled, defaults, parameters
from prover.language.reading.instructions import Code
from prover.language.reading.machine import Bindings, FileConstants
from prover.language.reading.source import FunctionNode, Source
from prover.language.simulation import Shown, Simulated, run_code
from prover.language.values import Enumeration, EnumMember, Query, Stream, frozen, read, written_value
from prover.program.origin import WrittenProgram
from prover.views import SourceCode

STREAM = "queries"
"""The parameter that is the stream of private queries, whatever its type."""

_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a private "query", the "stream" of them, or a "constant"; perhaps its type's values.

    The type is bool, an enumeration, a Literal or a range.

    ``read`` says what a value given for it means: texts of fractions are numbers, unless its type is str.
    """

    name: str
    kind: str
    default: ast.expr | None
    domain: Sequence[Any] | None
    read: Callable[[Any], Any] = read


@dataclass(slots=True)
class Written:
    """A mechanism or a protocol in a file of code: what all of them have in common."""

    source: Source
    function: FunctionNode
    constants: FileConstants = field(init=False)
    epsilon: GivenEpsilon = field(init=False, default_factory=GivenEpsilon)
    """What was given last of the ε that texts may name."""
    opened: tuple[str, Fraction] | None = field(init=False, default=None)
    """A name in the texts of rates that is left open, and the value at which the code is read."""
    reals: Callable[[str], Fraction] | None = field(init=False, default=None)
    """What stands for rates that are real numbers, by their texts."""

    def __post_init__(self) -> None:
        self.constants = FileConstants(self.source)

    def fail(self, kind: type[CodeError], place: SourcePlace, problem: str, instead: str) -> CodeError:
        """The error about a place in the code."""
        return self.source.error(kind, place, problem, instead)

    def code(self) -> Code:
        """The function as instructions; raises CodeError."""
        settings = self._settings() | {EPSILON: self.epsilon}
        if self.opened is not None:
            settings[OPEN] = self.opened
        if self.reals is not None:
            settings[REALS] = self.reals
        return compiled(self.source, self.function, self.constants.find, settings)

    def text(self, given: Mapping[str, Any], also: FunctionNode | None = None) -> SourceCode:
        """The function with the numbers of its lines, and what it uses of the top of its file."""
        lines = self.source.lines
        parts = {*self.source.used_by(self.function), *(() if also is None else self.source.used_by(also))}
        numbers = sorted({n for first, last in parts for n in range(first, last + 1)})
        constants = ", ".join(f"{name}={_given_text(value)}" for name, value in given.items())
        return SourceCode(self.function.name, tuple((n, lines[n - 1]) for n in numbers), constants)

    def parameters(self) -> list[Parameter]:
        """The parameters in their order."""
        ready = defaults(self.function)
        return [self._parameter(arg, ready.get(arg.arg)) for arg in parameters(self.function)]

    def constants_given(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The values of parameters that are given or have a default; raises BadValue.

        ``epsilon``, if it is no parameter, is the ε at which texts are read that name it.
        """
        known = {one.name: one for one in self.parameters()}
        self.epsilon = GivenEpsilon(instead=RENAME) if EPSILON in known else GivenEpsilon()
        with in_file(self.source.file):
            for name in given:
                if name == EPSILON and name not in known:
                    number = given_rational(given[name], name, more_than=0, at_most=LARGEST_EPSILON)
                    self.epsilon = GivenEpsilon(number)
                    continue
                if name not in known:
                    raise self._no_parameter(name)
                if known[name].kind != "constant":
                    raise BadValue(f"{name} is private and cannot be a constant; leave it out")
        values: dict[str, Any] = {}
        for name, one in known.items():
            if name in given:
                values[name] = given[name]
            elif isinstance(one.default, ast.List | ast.Set):
                values[name] = [one.read(self.constants.value(item)) for item in one.default.elts]
            elif one.default is not None:
                values[name] = one.read(self.constants.value(one.default))
        return values

    def epsilon_used(self) -> Fraction | None:
        """The ε at which the code was read, if a text names it; raises BadValue if one is given in vain."""
        if self.epsilon.value is not None and not self.epsilon.used:
            with in_file(self.source.file):
                raise self._no_parameter(EPSILON)
        return self.epsilon.value

    def _no_parameter(self, name: str) -> BadValue:
        names = ", ".join(one.name for one in self.parameters() if one.kind == "constant") or "none"
        return BadValue(f"{self.function.name} has no parameter {quoted(name)}; it has {names}")

    def constant(self, name: str, value: Any) -> Any:
        """A value that a caller gives as a value of the language; raises BadValue."""
        one = next(one for one in self.parameters() if one.name == name)
        with in_file(self.source.file):
            if isinstance(value, float):
                raise BadValue(
                    f'{name} is a float, which is not exact; write the number as a string, such as "1/10"'
                )
            if one.domain is not None:
                return _of_domain(name, value, one.domain)
        if isinstance(value, tuple):
            return tuple(self.constant(name, item) for item in value)
        with in_file(self.source.file):
            if value is None or (
                isinstance(value, bool | int | str | Fraction) and not isinstance(value, Enum)
            ):
                return one.read(value)
            raise BadValue(f"{name} is a {type(value).__name__}; constants are numbers, strings and tuples")

    def _settings(self) -> dict[str, Any]:
        found = self.source.kind(self.function)
        decorator = None if found is None else found[1]
        settings: dict[str, Any] = {}
        if not isinstance(decorator, ast.Call) or found is None:
            return settings
        for keyword in decorator.keywords:
            if keyword.arg != "sensitivity" or found[0] != "mechanism":
                problem = f"{keyword.arg} is not an option of this decorator"
                raise self.source.error(WrongCode, keyword.value, problem, "leave it out")
            try:
                number = self.constants.value(keyword.value)
                settings["sensitivity"] = self._sensitivity(number)
            except CodeError:
                raise
            except BadInput as error:
                raise self.source.error(WrongCode, keyword.value, error.message) from None
        return settings

    def _sensitivity(self, given: Any) -> Fraction:
        """The sensitivity, at a value of the open parameter if it names one. Raises BadInput."""
        if isinstance(given, str):
            if self.opened is not None and names_parameter(given, self.opened[0]):
                given = positive_at(given, *self.opened, "sensitivity")
            else:
                refuse_parameter(given, "sensitivity")
        return given_rational(given, "the sensitivity", more_than=0)

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> Parameter:
        word = None if arg.annotation is None else self.source.word(arg.annotation)
        if word == "Query":
            return Parameter(arg.arg, "query", None, None)
        if word == "Queries" or arg.arg == STREAM:
            return Parameter(arg.arg, "stream", None, None)
        domain: Sequence[Any] | None = None
        match arg.annotation:
            case ast.Call(func=ast.Name(id="range")):
                domain = self.constants.value(arg.annotation)
            case ast.Subscript(value=named, slice=values) if self.source.word(named) == "Literal":
                items = values.elts if isinstance(values, ast.Tuple) else [values]
                domain = tuple(self.constants.value(item) for item in items)
        if domain is not None:
            return Parameter(arg.arg, "constant", default, domain, _as_it_is)
        if isinstance(arg.annotation, ast.Name):
            if arg.annotation.id == "str":
                return Parameter(arg.arg, "constant", default, None, _as_it_is)
            if arg.annotation.id == "bool":
                domain = (True, False)
            elif arg.annotation.id in self.source.classes:
                found = self.constants.find(arg.annotation.id, arg.annotation)
                domain = found.members if isinstance(found, Enumeration) else None
        return Parameter(arg.arg, "constant", default, domain)

    def private(self, name: str) -> str:
        """How a parameter is written that is no public constant."""
        return f"write a private number as {name}: Query, a stream of them as {name}: Queries"

    def missing(self, name: str) -> BadValue:
        """The error about a parameter without a value."""
        with in_file(self.source.file):
            error = BadValue(
                f"the parameter {name} of {self.function.name} needs a value: "
                f"{self.function.name}({name}=…), or --const {name}=…; {self.private(name)}"
            )
            error.file = self.source.file
            return error


class Mechanism(Written):
    """A mechanism: its function as a threshold program."""

    def values(self, given: Mapping[str, Any]) -> Bindings:
        """What the parameters are when the code begins; raises BadValue."""
        found = self.constants_given(given)
        values: Bindings = {}
        number = 0
        for one in self.parameters():
            if one.kind == "stream":
                values[one.name] = Stream()
            elif one.kind == "query":
                values[one.name], number = Query(number), number + 1
            elif one.name not in found:
                raise self.missing(one.name)
            else:
                values[one.name] = (
                    self.constant(one.name, found[one.name]) if one.name in given else found[one.name]
                )
        return values

    def program(self, given: Mapping[str, Any]) -> WrittenProgram:
        """The program, with values for the public parameters; raises CodeError and BadValue."""
        values = self.values(given)
        code = self.code()
        automaton = explored(code, values, self.fail)
        made = program_of(automaton, code, self.source.file, self.fail, self.text(given))
        return replace(made, at_epsilon=self.epsilon_used())

    def simulator(self, given: Mapping[str, Any]) -> Callable[[Iterable[Any], Simulated], list[Shown]]:
        """Runs of the code on queries, the private parameters first, then those of the stream."""
        values, code = self.values(given), self.code()
        private = [name for name, value in values.items() if isinstance(value, Query)]

        def simulated(queries: Iterable[Any], run: Simulated) -> list[Shown]:
            stream = iter(queries)
            own = {name: next(stream, 0) for name in private}
            return run_code(code, {**values, **own}, stream, run, self.fail)

        return simulated


class Protocol(Written):
    """A protocol: its function as a labelled Markov chain."""

    def private(self, name: str) -> str:
        """How a secret is written."""
        return f"write a secret as {name}: bool or {name}: range(4), or give its values, --const {name}=[1,2]"

    def starts(self, given: Mapping[str, Any]) -> dict[str, Bindings]:
        """The values of all parameters for each secret, by the names of initial states."""
        choices: dict[str, list[Any]] = {}
        found = self.constants_given(given)
        for one in self.parameters():
            if one.kind != "constant":
                raise self.source.error(
                    WrongCode, self.function, f"{one.name} is a private query", "name secrets"
                )
            value = found.get(one.name)
            if isinstance(value, list | range | set | frozenset):
                choices[one.name] = [self.constant(one.name, item) for item in value]
            elif one.name in found:
                choices[one.name] = [self.constant(one.name, value) if one.name in given else value]
            elif one.domain is not None:
                choices[one.name] = list(one.domain)
            else:
                raise self.missing(one.name)
        secret = [name for name, values in choices.items() if len(values) > 1]
        if not secret:
            with in_file(self.source.file):
                problem = f"no parameter of {self.function.name} has several values, so nothing is secret"
                if not choices:
                    problem = f"{self.function.name} has no parameter, so nothing is secret"
                raise BadValue(f"{problem}; {self.private(next(iter(choices), 'answer'))}")
        starts = {}
        for values in product(*choices.values()):
            whole = dict(zip(choices, values, strict=True))
            starts[", ".join(f"{name}={written_value(whole[name])}" for name in secret)] = whole
        return starts

    def chain(
        self,
        given: Mapping[str, Any],
        secret: Iterable[str] | None = None,
        related: SecretRelation | None = None,
        *,
        lost: Fraction | None = None,
    ) -> LabelledMarkovChain:
        """The chain, its secrets related: all pairs of them, those that differ in ``secret`` alone, or of
        these the neighbours.

        Runs may be ``lost`` with this probability, as ``system_of_code`` says. Raises BadValue where the
        protocol asks, and what ``system`` raises.
        """
        found = self.system(given, secret, related, lost=lost)
        if isinstance(found, LabelledMarkovChain):
            return found
        with in_file(self.source.file):
            raise BadValue(
                f"{self.function.name} calls ask: an attacker chooses actions, so this is not a chain"
            )

    def system(
        self,
        given: Mapping[str, Any],
        secret: Iterable[str] | None = None,
        related: SecretRelation | None = None,
        pairs: Callable[[Starts], Sequence[tuple[str, str]]] | None = None,
        *,
        lost: Fraction | None = None,
    ) -> LabelledMarkovChain | LabelledMarkovDecisionProcess:
        """The same, or the decision process of a protocol that asks; ``pairs`` may say what is related.

        Raises what ``related_pairs`` and ``system_of_code`` raise.
        """
        starts = self.starts(given)
        if pairs is not None:
            found = pairs(starts)
        else:
            with in_file(self.source.file):
                found = related_pairs(self.constants, starts, secret, related)
        text = self.text(given, function_node(self.constants, related))
        made = system_of_code(self.code(), starts, found, self.fail, text=text, lost=lost)
        self.epsilon_used()
        return made

    def simulator(self, values: Bindings) -> Callable[[Simulated], list[Shown]]:
        """Runs of the code with values for the parameters."""
        code = self.code()
        return lambda run: run_code(code, values, (), run, self.fail)


def _as_it_is(value: Any) -> Any:
    return value


def _of_domain(name: str, value: Any, domain: Sequence[Any]) -> Any:
    """The value of its type, or the member of an enumeration, that is given for a parameter.

    Members are given as Python has them, or by name, in full or by itself.
    """
    given = f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else value
    for one in domain:
        names = (one.name, f"{one.enumeration}.{one.name}") if isinstance(one, EnumMember) else ()
        if given in names or frozen(given) == frozen(one):
            return one
    known = ", ".join([*map(written_value, domain[:_MOST_SHOWN]), *["…"] * (len(domain) > _MOST_SHOWN)])
    raise BadValue(f"{name} must be one of {known}, not {quoted(given)}")


def _given_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_given_text, value))}]"
    return written_value(value)


def written(source: Source, function: FunctionNode) -> Mechanism | Protocol:
    """The mechanism or the protocol that a decorated function is."""
    found = source.kind(function)
    return (
        Protocol(source, function)
        if found is not None and found[0] == "protocol"
        else Mechanism(source, function)
    )
