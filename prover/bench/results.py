"""Files of results: lines of JSON, first what was run on which machine, then a row for every job.

A run that is continued adds lines at the end. A last line without its end, the trace of a machine that
stopped, is no row.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TextIO

from prover.bench.machine import machine, versions
from prover.bench.result import INFINITE
from prover.bench.row import MAX_DIGITS, NAMES, STATUSES, Row
from prover.errors import BadDocument, BadInput, Unwritable, abbreviated, in_file, quoted
from prover.exact.rational import parse_rational
from prover.formats.files import no_such_file, unreadable_file

TYPE = "benchmark-results"
VERSION = 1
STANDARD_OUTPUT = "-"
_START = f'{{"type": "{TYPE}"'.encode()

_TABLES = ("parameters", "options", "versions")
_VALUES = ("value", "lower", "upper", "width", "expected")
_ALWAYS = ("suite", "family", "name", "model", "question", "engine", "job")
_LATER = {"nodes"}  # keys that files of earlier versions lack
_NUMBERS = tuple(field.name for field in fields(Row) if str(field.type).startswith(("int", "float")))


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of a suite, and the machine they were measured on."""

    suite: str
    machine: Mapping[str, Any]
    versions: Mapping[str, Any]
    rows: tuple[Row, ...]


def read_results(path: str | os.PathLike[str]) -> Results:
    """The results in a file; raises BadDocument."""
    name = os.fspath(path)
    with in_file(name):
        try:
            content = Path(name).read_bytes()
        except FileNotFoundError:
            raise no_such_file() from None
        except (OSError, ValueError) as error:
            raise unreadable_file(getattr(error, "strerror", None) or str(error)) from None
        first, *lines = content.split(b"\n")[:-1] or [content]
        head = _head(first)
        rows: dict[tuple[str, int], Row] = {}
        for number, line in enumerate(lines, start=2):
            row = _row(_object(line, number), number)
            rows[row.key] = row
        try:
            return Results(str(head["suite"]), head["machine"], head["versions"], tuple(rows.values()))
        except KeyError as error:
            raise BadDocument(f"the first line lacks {error}", line=1, code="not-results") from None


def _head(line: bytes) -> dict[str, Any]:
    """The first line of a file of results."""
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or (head.get("type"), head.get("version")) != (TYPE, VERSION):
        raise BadDocument(
            f'has no benchmark results; they begin with a line {{"type": "{TYPE}", "version": {VERSION}, …}}',
            code="not-results",
        )
    return head


def _no_row(why: str, number: int) -> BadDocument:
    return BadDocument(f"is not a row: {why}", line=number, code="not-results")


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _no_row("it is not JSON", number) from None
    if not isinstance(found, dict):
        raise _no_row("it is not a JSON object", number)
    return found


def _row(found: dict[str, Any], number: int) -> Row:
    for strange in sorted((found.keys() ^ set(NAMES)) - (_LATER - found.keys())):
        raise _no_row(f'"{strange}" is {"unknown" if strange in found else "missing"}', number)
    for name, value in found.items():
        if not _fits(name, value):
            raise _no_row(f"{name} is {abbreviated(json.dumps(value))}", number)
    return Row(**found)


def _fits(name: str, value: Any) -> bool:
    """Whether a value is one that a row's field can have."""
    if name == "status":
        return value in STATUSES
    if name in _TABLES:
        return value is None or isinstance(value, dict)
    if name in _NUMBERS:
        return value is None or (isinstance(value, float | int) and value >= 0)
    if name in _VALUES and value is not None and value != INFINITE:
        try:
            parse_rational(value, MAX_DIGITS)
        except (BadInput, TypeError):
            return False
    return isinstance(value, str) or (value is None and name not in _ALWAYS)


class Writer:
    """Adds rows to a file, each one whole and at once."""

    def __init__(self, file: TextIO, name: str) -> None:
        self._file = file
        self._name = name
        self.added = 0

    def add(self, row: Row) -> None:
        """Write a row; raises Unwritable."""
        self.line(row.document(), rows=1)

    def line(self, document: Mapping[str, Any], rows: int = 0) -> None:
        """Write a line, which holds so many rows; raises Unwritable."""
        text = json.dumps(document) + "\n"
        try:
            self.added += rows  # no call stands between the two: Ctrl-C finds both done, or none
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            raise _unwritable(self._name, error) from None


@contextmanager
def results_file(
    path: str, suite: str, *, resume: bool, force: bool = False
) -> Iterator[tuple[Writer, tuple[Row, ...]]]:
    """A file for the rows of a suite, and the rows that it already holds, if a run is to be continued.

    ``force`` lets the file replace another one; - is standard output. Raises Unwritable, and what
    ``read_results`` raises: only what holds results is continued.
    """
    done: tuple[Row, ...] = ()
    if path == STANDARD_OUTPUT:
        yield _begun(sys.stdout, path, suite), done
        return
    there = Path(path).is_file()
    if there and not resume and not force:
        raise Unwritable(
            "exists already; continue it with --resume, or replace it with --force",
            file=path,
            code="output-exists",
        )
    if there and resume and (whole := _whole_length(path)):
        known = read_results(path)
        if known.suite != suite:
            raise Unwritable(
                f"holds results of suite {quoted(known.suite)}, not of {quoted(suite)}",
                file=path,
                code="other-suite",
            )
        done = known.rows
    else:
        whole = 0
    try:
        file = Path(path).open("a", encoding="ascii")  # noqa: SIM115  closed below
    except OSError as error:
        raise _unwritable(path, error) from None
    with file:
        if there:
            file.truncate(whole)
        yield Writer(file, path) if whole else _begun(file, path, suite), done


def _begun(file: TextIO, name: str, suite: str) -> Writer:
    """A file of results with its first line."""
    writer = Writer(file, name)
    head = {"type": TYPE, "version": VERSION, "suite": suite}
    writer.line({**head, "machine": machine(), "versions": versions()})
    return writer


def _whole_length(path: str) -> int:
    """The length of a file up to the end of its last whole line; raises BadDocument if it is no such file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise _unwritable(path, error) from None
    whole = content.rfind(b"\n") + 1
    if not whole and not _START.startswith(content[: len(_START)]):
        raise BadDocument("has no benchmark results to continue", file=path, code="not-results")
    return whole


def _unwritable(path: str, error: OSError) -> BadInput:
    reason = error.strerror or type(error).__name__
    return Unwritable(f"cannot write the results: {reason}", file=path)
