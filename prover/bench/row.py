"""Rows: what is kept of one job that was done, as a line of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any

from prover.bench.job import Job
from prover.bench.result import INFINITE
from prover.errors import abbreviated
from prover.exact.rational import parse_rational

STATUSES = ("exact", "interval", "timeout", "memory", "crash", "error", "wrong")
"""How a job may end. ``wrong``: not the value that was expected, or a certificate that was rejected."""

LIMITS = ("timeout", "memory")
"""The endings of jobs that met a limit."""

MAX_DIGITS = 1_000_000
"""The most digits of a number in a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """One job and how it ended.

    Values and bounds are texts of rationals or "inf". ``seconds`` and ``cpu_seconds`` are for the answer with
    its certificate, ``certificate_seconds`` for the certificate alone, ``check_…`` for checking it.
    ``pairs`` of states, ``rounds`` of policy iteration, ``values`` of tables and ``nodes`` of unrollings are
    what the engine reports. None is what is not known.
    """

    suite: str
    family: str
    name: str
    model: str
    parameters: Mapping[str, str]
    size: int | None
    question: str
    options: Mapping[str, str]
    engine: str
    run: int
    status: str
    value: str | None = None
    lower: str | None = None
    upper: str | None = None
    width: str | None = None
    expected: str | None = None
    reason: str | None = None
    digest: str | None = None
    error: str | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    certificate_seconds: float | None = None
    check_seconds: float | None = None
    check_cpu_seconds: float | None = None
    peak_mib: float | None = None
    pairs: int | None = None
    rounds: int | None = None
    values: int | None = None
    nodes: int | None = None
    bits: int | None = None
    certificate_bytes: int | None = None
    versions: Mapping[str, str | None] | None = None
    job: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What no other row of a suite has."""
        return self.job, self.run

    @property
    def title(self) -> str:
        """The job in a few words."""
        given = (f"{name}={abbreviated(value)}" for name, value in self.parameters.items())
        return self.name or " ".join([self.model, *given])

    def document(self) -> dict[str, Any]:
        """The row as a JSON object."""
        return asdict(self)


NAMES = tuple(field.name for field in fields(Row))
"""The keys of a row."""

COUNTED = ("pairs", "rounds", "values", "nodes")
"""Those that an engine counts of its work."""


def row_of(job: Job, status: str, error: str | None = None, more: Mapping[str, Any] | None = None) -> Row:
    """The row of a job that ended so; ``more`` are its fields that are known by their names."""
    return Row(
        suite=job.suite,
        family=job.family,
        name=job.name,
        model=job.model,
        parameters=job.given,
        size=job.size,
        question=job.question,
        options=job.options,
        engine=job.engine,
        run=job.run,
        status=status,
        expected=job.expected,
        job=job.identity,
        error=error,
        **(more or {}),
    )


def judged(row: Row, job: Job) -> Row:
    """The row, ``wrong`` if what was answered or proved contradicts what the job expects."""
    problem = _contradiction(row, job)
    return row if problem is None else replace(row, status="wrong", error=problem)


def _contradiction(row: Row, job: Job) -> str | None:
    if job.expected is not None and row.lower is not None and row.upper is not None:
        slack = parse_rational(job.tolerance)
        expected, lower, upper = map(_number, (job.expected, row.lower, row.upper))
        too_low = upper is not None and (expected is None or expected > upper + slack)
        too_high = expected is not None and (lower is None or expected < lower - slack)
        if too_low or too_high:
            found = row.lower if row.lower == row.upper else f"[{row.lower}, {row.upper}]"
            return f"the answer is {found}, but {job.expected} is expected"
    if job.expected_reason is not None and row.status == "exact" and row.reason != job.expected_reason:
        return f"the reason is {row.reason}, but {job.expected_reason} is expected"
    return None


def _number(text: str) -> Fraction | None:
    """The number of a text, None for infinity."""
    return None if text == INFINITE else parse_rational(text, MAX_DIGITS)


def is_as_expected(row: Row, job: Job) -> bool:
    """Whether a job has ended as it should: with its value, or with any answer where none is expected."""
    return row.status == "exact" or (row.status == "interval" and job.expected is None)
