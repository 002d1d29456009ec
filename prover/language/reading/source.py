"""A file of Python code as text: its functions, imports, constants and enumerations, none of it executed."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from prover.errors import in_file
from prover.language.errors import CodeError, SourcePlace, WrongCode, no_source, no_such_function, not_python

WORDS = {
    **{f"prover.language.{word}": word for word in (
        "Queries", "Query", "ask", "binomial", "choose", "discrete_laplace", "exponential", "flip",
        "floor", "gaussian", "geometric", "hypergeometric", "laplace", "mechanism", "protocol", "see",
    )},
    "prover.mechanism": "mechanism",
    "prover.protocol": "protocol",
    "fractions.Fraction": "Fraction",
    "enum.Enum": "Enum",
    "enum.auto": "auto",
    "typing.Literal": "Literal",
}  # fmt: skip
"""What has a meaning of its own, by the name that it is imported from."""

KINDS = ("mechanism", "protocol")

FunctionNode = ast.FunctionDef


class Source:
    """The code of a file. Nested imports count as if they stood at the top; other statements are ignored."""

    def __init__(self, text: str, file: str | None) -> None:
        self.file = file
        self.lines = text.split("\n")
        with in_file(file):
            self.tree = _parsed(text)
        self.imported: dict[str, str] = dict(_imports(self.tree))
        self.functions: dict[str, FunctionNode] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.assigned: dict[str, list[ast.AST]] = {}
        for node in self.tree.body:
            match node:
                case ast.FunctionDef():
                    self.functions[node.name] = node
                case ast.ClassDef():
                    self.classes[node.name] = node
                case _:
                    for name in _targets(node):
                        self.assigned.setdefault(name, []).append(node)

    def used_by(self, function: FunctionNode) -> list[tuple[int, int]]:
        """The first and the last lines of the function, and of all at the top of the file that it needs."""
        found: dict[int, int] = {}
        new: list[ast.AST] = [function]
        while new:
            node = new.pop()
            if isinstance(node, ast.stmt):
                decorators = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(one.lineno for one in decorators)])
                if first in found:
                    continue
                found[first] = node.end_lineno or node.lineno
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            for name in sorted(names):
                if name in self.functions:
                    new.append(self.functions[name])
                if name in self.classes:
                    new.append(self.classes[name])
                new += self.assigned.get(name, [])
        return sorted(found.items())

    def place(self, node: ast.AST) -> SourcePlace:
        """Where a piece of the code stands."""
        return SourcePlace(node, self.lines)

    def error(
        self, kind: type[CodeError], node: ast.AST | SourcePlace, problem: str, instead: str = ""
    ) -> CodeError:
        """The error about a piece of the code."""
        place = node if isinstance(node, SourcePlace) else self.place(node)
        found = kind(place.text, problem, instead, line=place.line, column=place.column)
        found.file = self.file
        return found

    def word(self, node: ast.AST) -> str | None:
        """The word of the language that an expression is the name of, if it is one.

        Raises WrongCode for words that are looked for in prover, and not in prover.language.
        """
        dotted = self.dotted(node)
        if dotted is None:
            return None
        package, _, name = dotted.rpartition(".")
        if package == "prover" and dotted not in WORDS and f"prover.language.{name}" in WORDS:
            raise self.error(
                WrongCode, node, f"prover has no {name}", f"write from prover.language import {name}"
            )
        return WORDS.get(dotted)

    def dotted(self, node: ast.AST) -> str | None:
        """The full name of what is imported and named by an expression like ``language.laplace``."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported:
            return None
        return ".".join([self.imported[node.id], *reversed(parts)])

    def kind(self, function: FunctionNode) -> tuple[str, ast.expr] | None:
        """Whether a function is a mechanism or a protocol, and the decorator that says so."""
        for decorator in function.decorator_list:
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            if (word := self.word(named)) in KINDS and word is not None:
                return word, decorator
        return None

    def named(self, name: str) -> FunctionNode:
        """The mechanism or the protocol of a name; raises UnknownName."""
        function = self.functions.get(name)
        if function is None or self.kind(function) is None:
            known = [one for one, node in self.functions.items() if self.kind(node) is not None]
            with in_file(self.file):
                raise no_such_function(name, known, bare=function is not None)
        return function


def of_function(function: Callable[..., Any]) -> tuple[Source, FunctionNode]:
    """The file of a Python function, and the function in it; raises BadDocument."""
    name = getattr(function, "__name__", str(function))
    try:
        file = inspect.getsourcefile(function)
        lines, _ = inspect.findsource(function)
    except (OSError, TypeError):
        raise no_source(name) from None
    written = file is not None and Path(file).is_file()
    source = Source("".join(lines), _short(file) if written and file is not None else file)
    if not written:
        source.imported = {**dict(_known(function)), **source.imported}
    first = function.__code__.co_firstlineno
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            starts = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            if first in starts:
                return source, node
    raise no_source(name)


def _known(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Names that the function finds beside its text, as other cells of a notebook import them."""
    names = getattr(function, "__globals__", {})
    for full in WORDS:
        module, _, word = full.rpartition(".")
        meant = getattr(sys.modules.get(module), word, None)
        yield from ((name, full) for name, value in names.items() if meant is not None and value is meant)
    for name, value in names.items():
        if isinstance(value, ModuleType) and any(full.startswith(f"{value.__name__}.") for full in WORDS):
            yield name, value.__name__


def _short(file: str) -> str:
    """The path from the current folder where it is below that."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return file


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise not_python(error.msg, error.lineno, error.offset) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise not_python(str(error) or "it is nested too deeply", None, None) from None


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What names stand for that are imported, the full name of each."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (first, first)
            case ast.ImportFrom(module=str(module), level=0):
                for alias in node.names:
                    if alias.name == "*":
                        words = [full for full in WORDS if full.rpartition(".")[0] == module]
                        yield from ((full.rpartition(".")[2], full) for full in words)
                    else:
                        yield alias.asname or alias.name, f"{module}.{alias.name}"


def _targets(node: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a file may give a value to."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del):
            yield inner.id
