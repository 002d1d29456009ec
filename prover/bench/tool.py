"""Other people's programs, called through a command line and never by code of theirs.

A suite describes a tool: its command with placeholders, and where in its output the answer stands.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.errors import BadDocument, BadInput, UnknownName, quoted
from prover.exact.rational import completed_decimal, parse_rational

FORMATS = ("json", "dipa")
"""The formats of model files that tools can be given."""

ALWAYS = ("model", "suite")
"""Placeholders that every job fills: the file of its model, and the folder of its suite."""

INFINITE = "inf"

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[([0-9]+)\]")
_INFINITIES = ("inf", "+inf", "infinity", "+infinity", "∞")
_GROUPS = ("value", "lower", "upper")


@dataclass(frozen=True, slots=True)
class Tool:
    """How a tool is called and read: ``pattern`` or ``json``, whichever is not None, finds its answer.

    ``statuses`` are the exit statuses of a run that has answered.
    """

    name: str
    command: str
    format: str
    pattern: str | None
    json: str | None
    statuses: tuple[int, ...]

    def words(self, values: Mapping[str, str]) -> list[str]:
        """The words of the command, filled in; no shell reads them."""
        return [_PLACEHOLDER.sub(lambda m: values[m[1]], word) for word in shlex.split(self.command)]


def check_tool(tool: Tool, path: str) -> None:
    """Raises BadDocument if the tool cannot be called or read."""
    try:
        words = shlex.split(tool.command)
    except ValueError as error:
        raise BadDocument(
            f"{quoted(tool.command)}: {error}", path=f"{path}.command", code="bad-command"
        ) from None
    if not words:
        raise BadDocument("the command of a tool is not empty", path=f"{path}.command", code="bad-command")
    if tool.pattern is not None:
        try:
            groups = re.compile(tool.pattern).groupindex.keys()
        except re.error as error:
            message = f"{quoted(tool.pattern)} is not a regular expression: {error}"
            raise BadDocument(message, path=f"{path}.pattern", code="bad-pattern") from None
        if groups - {"seconds"} not in ({"value"}, {"lower", "upper"}):
            message = (
                f"{quoted(tool.pattern)} must have a group (?P<value>…), or one lower and one upper; it may "
                "have one (?P<seconds>…)"
            )
            raise BadDocument(message, path=f"{path}.pattern", code="bad-pattern")
    if tool.json is not None and _steps(tool.json) is None:
        raise BadDocument(
            f"{quoted(tool.json)} is not a JSON path; write keys and indices like result.bounds[0]",
            path=(f"{path}.json"),
            code="bad-json-path",
        )


def check_placeholders(tool: Tool, known: Collection[str], path: str) -> None:
    """Raises UnknownName if the command has one that is not ``known``."""
    for name in _PLACEHOLDER.findall(tool.command):
        if name not in known:
            raise UnknownName(
                f"no job here fills placeholder {quoted('{' + name + '}')}; it has "
                f"{', '.join(tuple(sorted(known)))}",
                path=path,
                code="unknown-placeholder",
            )


def read_answer(tool: Tool, output: str) -> tuple[Fraction | None, Fraction | None]:
    """The lower and the upper bound that a tool has printed, equal for a value; None is infinity.

    Decimals and powers of ten are taken literally. Raises BadDocument.
    """
    if tool.pattern is not None:
        found = re.search(tool.pattern, output)
        if found is None:
            raise BadDocument(
                f"the tool printed {quoted(output.strip())}, where nothing is found", code="unreadable-answer"
            )
        texts = {name: text for name, text in found.groupdict().items() if name in _GROUPS}
    else:
        texts = {"value": _member(output, tool.json or "")}
    numbers = {name: read_number(text) for name, text in texts.items()}
    return (
        numbers["value"] if "value" in numbers else numbers["lower"],
        numbers["value"] if "value" in numbers else numbers["upper"],
    )


def read_seconds(tool: Tool, output: str) -> float | None:
    """The processor seconds that a tool says it has used for its answer; None where its pattern has none.

    Raises BadDocument.
    """
    found = None if tool.pattern is None else re.search(tool.pattern, output)
    if found is None or "seconds" not in found.groupdict():
        return None
    return float(read_number(found["seconds"]) or 0)


def read_number(text: str | None) -> Fraction | None:
    """A number as programs print it: also like +1, .5 or 2.; None for infinity.

    Raises BadDocument.
    """
    given = (text or "").strip()
    if given.lower() in _INFINITIES:
        return None
    try:
        return parse_rational(completed_decimal(given.removeprefix("+")))
    except BadInput:
        raise BadDocument(
            f"the tool printed {quoted(given)}, which is not a number", code="unreadable-answer"
        ) from None


def _member(output: str, path: str) -> str:
    try:
        value: Any = json.loads(output, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        raise BadDocument(
            f"the tool printed {quoted(output.strip())}, which is not JSON", code="unreadable-answer"
        ) from None
    for step in _steps(path) or ():
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            raise BadDocument(
                f"the tool printed JSON without {quoted(path)}", code="unreadable-answer"
            ) from None
    if not isinstance(value, str):
        raise BadDocument(
            f"the tool printed JSON where {quoted(path)} is not a number", code="unreadable-answer"
        )
    return value


def _steps(path: str) -> tuple[str | int, ...] | None:
    """The keys and indices of a JSON path such as ``result.bounds[0]``, or None if it is none."""
    rest = path.removeprefix("$")
    steps: list[str | int] = []
    place = 0
    while place < len(rest):
        match = _STEP.match(rest, place)
        if match is None:
            return None
        steps.append(match[1] if match[1] is not None else int(match[2]))
        place = match.end()
    return tuple(steps) if steps else None
