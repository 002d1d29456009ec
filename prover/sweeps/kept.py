"""The file in which a sweep keeps what it has computed: a line of JSON for each place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prover.errors import BadDocument, Unwritable, in_file
from prover.exact.rational import format_rational, parse_rational, rational_or_inf, rational_or_null
from prover.formats.files import content_of
from prover.sweeps.answer import SweepPoint

_START = json.dumps({"type": "prover-sweep", "version": 1}).encode()
_DIGITS = 1_000_000  # no number of an answer is longer


@dataclass(slots=True)
class Kept:
    """The latest point of every place and question, and the file that they are kept in, if there is one.

    A last line without its end, the trace of a machine that stopped, is dropped.
    """

    path: str | None
    points: dict[str, dict[str, SweepPoint]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path is None:
            return
        with in_file(self.path):
            content = content_of(self.path) if Path(self.path).exists() else b""
        whole = content.rfind(b"\n") + 1
        first, *lines = content[:whole].split(b"\n")[:-1] or [_START]
        if first != _START or not _START.startswith(content[: len(_START)]):
            raise BadDocument("holds no results of a sweep", file=self.path, code="not-results")
        for number, line in enumerate(lines, start=2):
            try:
                found = json.loads(line)
                self._note(found["question"], found["const"], _point(found))
            except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
                message = "is not a result of a sweep"
                raise BadDocument(message, file=self.path, line=number, code="not-results") from None
        self._write(b"" if whole else _START + b"\n", whole)

    def at(self, place: str) -> Mapping[str, SweepPoint]:
        """What is known at a place, about the model that stood there, by the keys of the questions."""
        return self.points.get(place, {})

    def add(self, question: Mapping[str, Any], place: str, point: SweepPoint) -> None:
        """Keep a point, in the file at once. Raises Unwritable."""
        self._note(question, place, point)
        line = {"question": question, "const": place, **point_json(point)}
        self._write(json.dumps(line).encode() + b"\n")

    def _note(self, question: Mapping[str, Any], place: str, point: SweepPoint) -> None:
        self.points.setdefault(place, {})[question_key(question)] = point

    def _write(self, data: bytes, after: int | None = None) -> None:
        """Add to the file, ``after`` so many bytes of it if that is given; others stay as they are."""
        if self.path is None:
            return
        try:
            with Path(self.path).open("ab") as file:
                if after is not None:
                    file.truncate(after)
                file.write(data)
        except OSError as error:
            raise Unwritable(f"cannot write the results: {error.strerror or error}", file=self.path) from None


def point_json(point: SweepPoint) -> dict[str, Any]:
    """What is known at a place, as an object of JSON."""
    return {
        "lower": format_rational(point.lower),
        "upper": rational_or_inf(point.upper),
        "value": rational_or_null(point.value),
        "met": point.met,
        "model": point.model,
        **point.certificates,
    }


def _point(found: Mapping[str, Any]) -> SweepPoint:
    upper = None if found["upper"] == "inf" else parse_rational(found["upper"], _DIGITS)
    files = {key: found[key] for key in ("certificate", "certificate_lower") if key in found}
    lower = parse_rational(found["lower"], _DIGITS)
    return SweepPoint((), lower, upper, found["met"] is True, None, str(found["model"]), files, kept=True)


def question_key(question: Mapping[str, Any]) -> str:
    """What no other question has."""
    return json.dumps(question, sort_keys=True)
