"""Instructions on constants, done in the same way by everything that interprets code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from prover.errors import quoted
from prover.language.errors import CodeError, SourcePlace, Unbounded, Unsupported, WrongCode
from prover.language.reading.compiler import compiled_constant
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.operations import CannotCompute, apply, compare, truth
from prover.language.reading.source import Source
from prover.language.values import (
    Cursor,
    Enumeration,
    EnumMember,
    Stream,
    described,
    frozen,
    is_constant,
    items_of,
)

Fail = Callable[[type[CodeError], SourcePlace, str, str], CodeError]
Bindings = dict[str, Any]


def plain_step(code: Code, at: int, values: Bindings, fail: Fail) -> int | None:
    """Do the instruction at a place, changing ``values``, if only constants matter; where to go on.

    None, and nothing changed, where the instruction draws, sees, reads, ends, or works on what was drawn.
    Raises WrongCode for what has no result.
    """
    step = code.instructions[at]
    given = tuple(value_of(name, values, step, fail) for name in step.args)
    dst = step.dst or ""
    try:
        match step.operation:
            case "constant":
                values[dst] = step.data
            case "copy":
                values[dst] = given[0]
            case "apply":
                values[dst] = apply(step.data, given)
            case "add" if step.data == "+" and all(isinstance(one, tuple) for one in given):
                values[dst] = apply("joined", given)
            case "add" if is_constant(given):
                values[dst] = apply(step.data, given)
            case "compare" if is_constant(given):
                values[dst] = compare(step.data, *given)
            case "unpack":
                _unpack(step, given[0], values)
            case "iterate" if not isinstance(given[0], Stream):
                if items_of(given[0]) is None:
                    raise CannotCompute(f"{described(given[0])} cannot be iterated over")
                values[dst] = Cursor(items_of(given[0]), 0)
            case "advance" if isinstance(given[0], Cursor):
                cursor = given[0]
                if cursor.position >= len(cursor.items):
                    return step.target
                values[dst] = cursor.items[cursor.position]
                values[step.args[0]] = Cursor(cursor.items, cursor.position + 1)
            case "jump":
                return step.target
            case "branch":
                return at + 1 if truth(given[0]) else step.target
            case _:
                return None
    except CannotCompute as problem:
        raise fail(WrongCode, step.place, str(problem), "") from None
    return at + 1


def value_of(name: str, values: Bindings, step: Instruction, fail: Fail) -> Any:
    """The value of a variable; raises WrongCode where it has none on the way here."""
    if name not in values:
        shown = name.rpartition(".")[2]
        raise fail(WrongCode, step.place, f"{shown} has no value on some path here", "give it one before")
    return values[name]


def _unpack(step: Instruction, value: Any, values: Bindings) -> None:
    items = value if isinstance(value, tuple) else items_of(value)
    if items is None:
        raise CannotCompute(f"{described(value)} has no items")
    if len(items) != len(step.data):
        raise CannotCompute(f"{len(items)} values do not fit {len(step.data)} names")
    values.update(zip(step.data, items, strict=True))


@dataclass(slots=True)
class FileConstants:
    """The constants and enumerations of a file, computed when they are asked for."""

    source: Source
    known: dict[str, Any] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)

    def find(self, name: str, node: Any) -> Any:
        """The value of a name at the top of the file, used at ``node``; raises WrongCode and Unsupported."""
        if name in self.known:
            return self.known[name]
        if name in self.pending:
            raise self.source.error(WrongCode, node, f"the constant {name} is defined in terms of itself")
        self.pending.append(name)
        self.known[name] = self._enumeration(name) if name in self.source.classes else self._of(name, node)
        self.pending.pop()
        return self.known[name]

    def value(self, node: Any) -> Any:
        """The value of an expression of constants; raises WrongCode and Unsupported."""
        code = compiled_constant(self.source, node, self.find)
        values: Bindings = {}
        at = 0
        while (following := plain_step(code, at, values, self.source.error)) is not None:
            at = following
        if code.instructions[at].operation != "return":
            place = code.instructions[at].place
            raise self.source.error(Unsupported, place, "a constant cannot be drawn or seen")
        return values["value"]

    def _of(self, name: str, node: Any) -> Any:
        statements = self.source.assigned[name]
        if len(statements) > 1:
            raise self.source.error(
                WrongCode,
                node,
                f"{name} is given several values at the top of the file",
                "constants have one",
            )
        match statements[0]:
            case (
                ast.Assign(targets=[ast.Name()], value=value)
                | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
            ):
                return self.value(value)
        raise self.source.error(
            Unsupported, node, f"{name} is not given its value by a plain assignment", f"write {name} = …"
        )

    def _enumeration(self, name: str) -> Enumeration:
        node = self.source.classes[name]
        if not any(self.source.word(base) == "Enum" for base in node.bases):
            raise self.source.error(
                Unsupported, node, f"the class {quoted(name)} is not an Enum", "only enumerations are read"
            )
        members: list[EnumMember] = []
        for statement in node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=member)], value=ast.Call(func=made, args=[])) if (
                    self.source.word(made) == "auto"
                ):
                    members.append(EnumMember(name, member, len(members) + 1))
                case ast.Assign(targets=[ast.Name(id=member)], value=value):
                    members.append(EnumMember(name, member, self.value(value)))
                case ast.Expr(value=ast.Constant()) | ast.Pass():
                    pass
                case _:
                    raise self.source.error(
                        Unsupported, statement, "enumerations have members only", "write NAME = value"
                    )
        return Enumeration(name, tuple(members))


def too_many_states(fail: Fail, place: SourcePlace, limit: int, kept: Iterable[Bindings]) -> CodeError:
    """The error that there are more states than that: it names the variables that take the most values."""
    taken: dict[str, set[Hashable]] = {}
    for values in kept:
        for name in filter(str.isidentifier, values):
            taken.setdefault(name, set()).add(frozen(values[name]))
    several = [name for name in taken if len(taken[name]) > 1]
    most = sorted(several, key=lambda name: (-len(taken[name]), name))[:3]
    counted = " and ".join(f"{name} takes {len(taken[name]):,} values" for name in most)
    instead = "keep fewer values of variables that are still used, or do fewer rounds"
    return fail(
        Unbounded, place, f"there are more than {limit:,} states", f"so far {counted}: {instead}" * bool(most)
    )
