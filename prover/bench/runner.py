"""Running a suite: lanes side by side, rows as soon as they are there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from prover.bench.family import Lane
from prover.bench.job import Job
from prover.bench.process import run_job
from prover.bench.row import Row, row_of
from prover.bench.suite import Suite
from prover.executors import finished
from prover.progress import Progress, silent

_ENDS_GROWTH = ("timeout", "memory", "crash", "error")


@dataclass(slots=True)
class _Open:
    """A lane of which jobs are left, the next one first."""

    lane: Lane
    left: list[Job]
    ended_at: int | None = None
    """The size at which growth has ended."""

    def jobs(self) -> Iterator[Job]:
        """The jobs to do, one after the other; what is noted of one tells whether there are more."""
        for job in self.left:
            if self.ended_at is None or job.size == self.ended_at:
                yield job

    def note(self, row: Row) -> None:
        """A job of the lane has ended so. Repetitions of one size are all done."""
        if self.lane.grows and row.status in _ENDS_GROWTH:
            self.ended_at = row.size


def run(
    suite: Suite,
    executor: Executor | None = None,
    *,
    jobs: int = 1,
    done: Iterable[Row] = (),
    on_row: Callable[[Row], None] | None = None,
    progress: Progress = silent,
) -> list[Row]:
    """Do the jobs of a suite and give their rows, in the order of the suite.

    Each job runs in a process of its own. They are started by any ``executor`` (its workers need this
    package, and the suite's files at the same place), else by this process, ``jobs`` at a time. Rows of an
    earlier run that are ``done`` are not done again. ``on_row`` is called with every new row as it comes,
    one at a time. When this call is interrupted, no process of its own is left behind.
    """
    if executor is not None:
        return _run(suite, executor, run_job, done, on_row, progress)
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=jobs) as threads:
        try:
            return _run(suite, threads, partial(run_job, stop=stop), done, on_row, progress)
        except BaseException:
            stop.set()
            threads.shutdown(wait=True, cancel_futures=True)
            raise


def _run(
    suite: Suite,
    executor: Executor,
    work: Callable[[Job], Row | None],
    done: Iterable[Row],
    on_row: Callable[[Row], None] | None,
    progress: Progress,
) -> list[Row]:
    rows = {row.key: row for row in done}
    lanes = [_opened(lane, rows) for lane in suite.lanes]
    total = len(suite.jobs)
    progress(suite.name, len(rows), total)
    with closing(finished(executor, work, [lane.jobs() for lane in lanes])) as ended:
        for place, job, future in ended:
            row = _row(future, job)
            rows[row.key] = row
            if on_row is not None:
                on_row(row)
            lanes[place].note(row)
            progress(suite.name, len(rows), total)
    return [rows[job.identity, job.run] for job in suite.jobs if (job.identity, job.run) in rows]


def _opened(lane: Lane, known: Mapping[tuple[str, int], Row]) -> _Open:
    opened = _Open(lane, [job for job in lane.jobs if (job.identity, job.run) not in known])
    for job in lane.jobs:
        if (job.identity, job.run) in known:
            opened.note(known[job.identity, job.run])
    return opened


def _row(future: Future[Row | None], job: Job) -> Row:
    """The row of a job that has ended, whatever has become of its worker."""
    try:
        row = future.result()
    except Exception as error:  # noqa: BLE001  executors fail in their own ways
        return row_of(job, "crash", error=f"its worker is lost: {type(error).__name__}: {error}")
    return row_of(job, "crash", error="its worker was stopped") if row is None else row
