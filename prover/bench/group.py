"""Rows put together: the runs of one job, and the jobs of one family and engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from prover.bench.row import STATUSES, Row


@dataclass(frozen=True, slots=True)
class Done:
    """The runs of one job. Numbers are medians over its runs, None where no run has them."""

    runs: tuple[Row, ...]

    @property
    def row(self) -> Row:
        """The first run, which says what was asked."""
        return self.runs[0]

    @property
    def status(self) -> str:
        """How the worst of the runs has ended."""
        return max((row.status for row in self.runs), key=STATUSES.index)

    @property
    def answered(self) -> bool:
        """Whether every run has a value or an interval."""
        return self.status in ("exact", "interval")

    def middle(self, name: str) -> float | None:
        """The median of a field that is a number."""
        found = self._known(name)
        return median(found) if found else None

    def ends(self, name: str) -> tuple[float, float] | None:
        """The least and the largest value of a field that is a number, where several runs have it."""
        found = self._known(name)
        return (min(found), max(found)) if len(found) > 1 else None

    def _known(self, name: str) -> list[float]:
        return [value for row in self.runs if (value := getattr(row, name)) is not None]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """What one engine has done of one family, in order."""

    family: str
    engine: str
    jobs: tuple[Done, ...]


def jobs_of(rows: Iterable[Row]) -> dict[str, Done]:
    """The jobs of rows, by their identities."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.job, []).append(row)
    return {job: Done(tuple(sorted(runs, key=lambda row: row.run))) for job, runs in found.items()}


def groups_of(rows: Sequence[Row]) -> list[RowGroup]:
    """The rows by family and engine, in the order of their first rows; growing families by size."""
    found: dict[tuple[str, str], list[Done]] = {}
    for job in jobs_of(rows).values():
        found.setdefault((job.row.family, job.row.engine), []).append(job)
    families = {family: place for place, (family, _) in reversed(list(enumerate(found)))}
    return [
        RowGroup(family, engine, tuple(sorted(jobs, key=lambda job: job.row.size or 0)))
        for (family, engine), jobs in sorted(found.items(), key=lambda item: families[item[0][0]])
    ]
