"""How a run of a suite has ended: its exit status, and what to tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from prover.bench.row import LIMITS, STATUSES, Row, is_as_expected
from prover.bench.suite import Suite
from prover.cli.status import Status
from prover.errors import shown

_PROBLEMS = {
    "timeout": "the time is up",
    "memory": "it needs more memory than its limit",
    "interval": "an exact value is expected",
}


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """The exit status of a run, and the rows that have no answer or a wrong one."""

    status: Status
    bad: tuple[Row, ...]


def outcome(suite: Suite, rows: Sequence[Row]) -> SuiteOutcome:
    """REFUTED if a row is wrong; UNDECIDED if one has no answer and should have; else HOLDS.

    In families that grow, limits are where they are meant to end.
    """
    growing = {(job.identity, job.run) for lane in suite.lanes if lane.grows for job in lane.jobs}
    jobs = {(job.identity, job.run): job for job in suite.jobs}
    bad = tuple(
        row
        for row in rows
        if not is_as_expected(row, jobs[row.key]) and not (row.status in LIMITS and row.key in growing)
    )
    if any(row.status == "wrong" for row in bad):
        return SuiteOutcome(Status.REFUTED, bad)
    return SuiteOutcome(Status.UNDECIDED if bad else Status.HOLDS, bad)


def counts(rows: Sequence[Row]) -> str:
    """How many rows there are, and of which kinds."""
    found = Counter(row.status for row in rows)
    kinds = ", ".join(f"{found[status]} {status}" for status in STATUSES if found[status])
    return f"{len(rows)} rows: {kinds}" if rows else "no rows"


def unfinished(suite: Suite, done: int, file: str | None) -> str:
    """How far an interrupted run came, and how it is continued if its rows are in a file."""
    total = len(suite.jobs)
    more = "" if file is None else f"; --resume continues {shown(file)}"
    return f"interrupted: {done} of {total} job{'s' * (total != 1)} {'is' if done == 1 else 'are'} done{more}"


def complaint(row: Row) -> str:
    """What to tell about a row that is not as it should be."""
    problem = row.error or _PROBLEMS.get(row.status, "no answer")
    return shown(f"{row.status}: {row.family}: {row.title} ({row.engine}): {problem}")
