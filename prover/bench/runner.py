"""Running a suite: lanes side by side, rows as soon as they are there."""

from __future__ import annotations

import compileall
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from prover.bench.family import Lane
from prover.bench.job import Job
from prover.bench.process import run_job
from prover.bench.row import LIMITS, Row, row_of
from prover.bench.suite import Suite
from prover.executors import finished
from prover.progress import Progress, silent

_ENDS_GROWTH = ("timeout", "memory", "crash", "error")


@dataclass(slots=True)
class _Open:
    """A lane of which jobs are left, the next one first."""

    lane: Lane
    left: list[Job]
    ended: bool = False

    def jobs(self) -> Iterator[Job]:
        """The jobs to do, one after the other; what is noted of one tells whether there are more."""
        for job in self.left:
            if not self.ended:
                yield job

    def note(self, row: Row) -> None:
        """A job of the lane has ended so. One that met a limit is not repeated."""
        self.ended |= row.status in (_ENDS_GROWTH if self.lane.grows else LIMITS)


def run(
    suite: Suite,
    executor: Executor | None = None,
    *,
    jobs: int = 1,
    done: Iterable[Row] = (),
    on_row: Callable[[Row], None] | None = None,
    beside: str | None = None,
    on_beside: Callable[[Row], None] | None = None,
    progress: Progress = silent,
) -> list[Row]:
    """Do the jobs of a suite and give their rows, in the order of the suite.

    Each job runs in a process of its own. They are started by any ``executor`` (its workers need this
    package, and the suite's files at the same place), else by this process, ``jobs`` at a time. Rows of an
    earlier run that are ``done`` are not done again. ``on_row`` is called with every new row as it comes,
    one at a time. When this call is interrupted, no process of its own is left behind.

    Another version of this package in the folder ``beside`` does every job, too, of which ``on_beside`` gets
    the rows: the two do a job one right after the other, and each of them is the first one every other time.
    No ``executor`` does that.
    """
    if executor is not None:
        return _run(suite, executor, run_job, done, on_row, progress)
    for home in [] if beside is None else [Path(__file__).parents[2], Path(beside)]:
        compileall.compile_dir(home / "prover", quiet=2)  # or the first jobs would, and one of the two more
    stop = threading.Event()
    others: dict[tuple[str, int], Row] = {}

    def both(job: Job) -> Row | None:
        found: dict[str | None, Row] = {}
        for home in (None, beside) if job.run % 2 else (beside, None):
            row = run_job(job, stop, home)
            if row is None:
                return None
            found[home] = row
        others[found[beside].key] = found[beside]
        return found[None]

    def told(row: Row) -> None:
        if on_row is not None:
            on_row(row)
        if on_beside is not None and row.key in others:
            on_beside(others.pop(row.key))

    with ThreadPoolExecutor(max_workers=jobs) as threads:
        try:
            work = partial(run_job, stop=stop) if beside is None else both
            return _run(suite, threads, work, done, told, progress)
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
