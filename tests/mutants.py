"""Deletes the rules of the checker in turn, and says which of them no hand-written test misses.

A statement of `prover/certificate/check/` that is a `raise`, or a call of a rule, rejects or does nothing.
The tests are collected and run once, in one process, with every such statement watched. Then each is deleted,
in memory and in a process of its own, and the tests are run in which it rejected, as all others would pass:
one of them has to fail. What survives is printed, and the exit status is 1 (`make mutants`).

`python -m tests.mutants profiles/ [TESTS]` deletes only those of files whose paths begin so.

A statement that others imply, and that makes the checker plainer or quicker, stands in `tests/mutants.toml`
with the reason. One that stands there and does not survive, or does not exist, is reported as well.
"""

from __future__ import annotations

import ast
import gc
import importlib
import os
import re
import signal
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECKER = ROOT / "prover" / "certificate" / "check"
IMPLIED = ROOT / "tests" / "mutants.toml"
TESTS = ("tests/certificate/check", "-m", "not hypothesis and not thorough and not slow and not timing")
REJECTING = re.compile(r"raise\b|(demand|ascending|constant|record|typed|each|items|\w+_rule)\(")
"""How statements begin that reject or do nothing."""
MOST_SECONDS = 60
"""What a test may take: without a rule the checker may go on for ever."""


class Statement(NamedTuple):
    """A statement that rejects or does nothing: its file below the checker, its line, and its text."""

    file: str
    line: int
    text: str


class Watch:
    """The tests in which a statement rejects."""

    def __init__(self) -> None:
        self.test: pytest.Item | None = None
        self.rejected: list[pytest.Item] = []

    def __enter__(self) -> None:
        """Nothing happens before the statement."""

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if kind and self.test and self.test not in self.rejected[-1:]:
            self.rejected.append(self.test)


class Numbered(ast.NodeTransformer):
    """Puts other statements in place of those that can only reject, numbered as they stand in the file."""

    def __init__(self, change: Callable[[int, ast.stmt], ast.stmt]) -> None:
        self.change, self.count = change, 0

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return self.visit_Raise(node) if REJECTING.match(ast.unparse(node)) else node

    def visit_Raise(self, node: ast.stmt) -> ast.stmt:
        self.count += 1
        return self.change(self.count - 1, node)


class Module:
    """A module of the checker, which is imported."""

    def __init__(self, path: Path) -> None:
        self.path, self.file = path, path.relative_to(CHECKER).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.functions: list[FunctionType] = []

    def statements(self) -> list[Statement]:
        found = list[Statement]()

        def listed(_: int, node: ast.stmt) -> ast.stmt:
            found.append(Statement(self.file, node.lineno, ast.unparse(node)))
            return node

        Numbered(listed).visit(self.tree)
        return found

    def watch(self, watches: Sequence[Watch]) -> None:
        """Has a watch see what becomes of each statement."""

        def watched(number: int, node: ast.stmt) -> ast.stmt:
            watch = ast.parse(f"with __watches__[{number}]: pass").body[0]
            assert isinstance(watch, ast.With)
            return ast.With(watch.items, [node])

        self._become(watched, __watches__=watches)

    def delete(self, number: int) -> None:
        """Puts a statement where it is never reached. It still stands there: closures keep their cells."""
        never = ast.Constant(False)
        self._become(lambda n, node: ast.If(never, [node], []) if n == number else node)

    def restore(self) -> None:
        self._become(lambda _, node: node)

    def _become(self, change: Callable[[int, ast.stmt], ast.stmt], **names: Any) -> None:
        """Gives all functions the code that they have in a changed module."""
        tree = ast.fix_missing_locations(
            Numbered(change).visit(ast.parse(self.path.read_text(encoding="utf-8")))
        )
        codes = {_key(code): code for code in _codes(compile(tree, str(self.path), "exec"))}
        for function in self.functions:
            function.__globals__.update(names)
            function.__code__ = codes[_key(function.__code__)]


class Mutants:
    """The plugin for pytest that runs the collected tests as the head of this file says."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = tuple(files) or ("",)
        self.deleted: list[Statement] = []
        self.survivors: list[Statement] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        modules = [module for module in _modules() if module.file.startswith(self.files)]
        watches = {module: [Watch() for _ in module.statements()] for module in modules}
        for module in modules:
            module.watch(watches[module])
        for test in session.items:
            for watch in (watch for each in watches.values() for watch in each):
                watch.test = test
            _run(test)
        for module in modules:
            module.restore()
        if not session.testsfailed:
            self._delete(session, watches)
        return True

    def _delete(self, session: pytest.Session, watches: dict[Module, list[Watch]]) -> None:
        running: dict[int, Statement] = {}
        for module, watched in watches.items():
            for number, statement in enumerate(module.statements()):
                self.deleted.append(statement)
                if tests := watched[number].rejected:
                    while len(running) >= (os.cpu_count() or 1):
                        self._finish(running)
                    running[_started(session, module, number, tests)] = statement
                else:
                    self.survivors.append(statement)
        while running:
            self._finish(running)

    def _finish(self, running: dict[int, Statement]) -> None:
        process, status = os.wait()
        statement = running.pop(process)
        if status == 0:
            self.survivors.append(statement)


def main() -> int:
    """The exit status: 1 if a statement survives or is listed without need, 3 if a test fails as it is."""
    files = [argument for argument in sys.argv[1:] if (CHECKER / argument).exists()]
    tests = [argument for argument in sys.argv[1:] if argument not in files]
    plugin = Mutants(files)
    if pytest.main([*(tests or TESTS[:1]), *TESTS[1:], "-qq", "-p", "no:cacheprovider"], plugins=[plugin]):
        return 3
    implied = tomllib.loads(IMPLIED.read_text(encoding="utf-8")).get("implied", [])
    listed = {
        (entry["file"], entry["statement"]) for entry in implied if entry["file"].startswith(plugin.files)
    }
    survived = {(statement.file, statement.text) for statement in plugin.survivors}
    for statement in sorted(plugin.survivors):
        if (statement.file, statement.text) not in listed:
            sys.stdout.write(f"survives: {statement.file}:{statement.line}: {statement.text}\n")
    for file, text in sorted(listed - survived):
        sys.stdout.write(f"is listed, and does not survive: {file}: {text}\n")
    sys.stdout.write(
        f"{len(plugin.deleted)} statements deleted one by one, {len(plugin.survivors)} survive\n"
    )
    return int(survived != listed)


def _modules() -> list[Module]:
    """All but the script that starts the checker, with the functions in them."""
    modules = {str(path): Module(path) for path in sorted(CHECKER.rglob("*.py")) if path.stem != "__main__"}
    for path in modules:
        importlib.import_module(".".join(Path(path).relative_to(ROOT).with_suffix("").parts))
    gc.unfreeze()  # which makes known again what tests/conftest.py has put aside
    for function in [found for found in gc.get_objects() if isinstance(found, FunctionType)]:
        if function.__code__.co_filename in modules and function.__name__ != "<lambda>":
            modules[function.__code__.co_filename].functions.append(function)
    return list(modules.values())


def _started(session: pytest.Session, module: Module, number: int, tests: Sequence[pytest.Item]) -> int:
    """The process that deletes a statement and ends with 0 if all of the tests pass nevertheless."""
    if process := os.fork():
        return process
    session.config.pluginmanager.unregister(name="terminalreporter")
    module.delete(number)
    for test in tests:
        signal.alarm(MOST_SECONDS)
        _run(test)
        if session.testsfailed:
            os._exit(1)
    os._exit(0)


def _run(test: pytest.Item) -> None:
    test.config.hook.pytest_runtest_protocol(item=test, nextitem=None)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


if __name__ == "__main__":
    sys.exit(main())
