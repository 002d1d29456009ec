"""Where jobs are done that know nothing of each other: in this process, in some beside it, on a cluster.

All of them are executors of ``concurrent.futures``, and ``finished`` keeps one of them busy: so suites of
benchmarks and files of claims are done. Jobs and results are sent, so they have to be what pickle takes.
"""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import ParamSpec

from prover.errors import NotInstalled
from prover.parallel import (
    Item,
    Member,
    Result,
    answer,
    begin_fresh,
    end_of,
    interpreter,
    result_of,
    undivided,
)

Args = ParamSpec("Args")

_OFTEN = 0.1
"""Seconds between two looks whether the work is interrupted."""

_RETRIES = 3
"""How often a cluster gives a job to another worker when one has died."""

_PATIENCE = "10s"
"""How long a cluster is given to answer."""


def finished(
    executor: Executor,
    work: Callable[[Item], Result],
    lanes: Sequence[Iterator[Item]],
    at_once: int | None = None,
) -> Generator[tuple[int, Item, Future[Result]], None, None]:
    """The place of a lane, a job of it, and what has become of that, as soon as it is done.

    The jobs of a lane are done one after the other: the next one is taken when the result before it has been
    used. Lanes are worked on side by side, at most ``at_once`` of them. When the iteration ends before its
    time, jobs that have not begun are cancelled. An interruption (Ctrl-C) is raised after at most a tenth of
    a second, but not within ``submit``.
    """
    waiting = deque(range(len(lanes)))
    running: dict[Future[Result], tuple[int, Item]] = {}
    try:
        while waiting or running:
            # What a signal raises can leave a lock of futures held for ever, and a signal just before a wait
            # does not end the wait. So interruptions take effect between short waits.
            with undivided():
                while waiting and (at_once is None or len(running) < at_once):
                    place = waiting.popleft()
                    for item in lanes[place]:
                        running[executor.submit(work, item)] = place, item
                        break
                done, _ = wait(running, timeout=_OFTEN, return_when=FIRST_COMPLETED)
            for future in done:
                place, item = running.pop(future)
                yield place, item, future
                waiting.append(place)
    finally:
        for future in running:
            future.cancel()


class Here(Executor):
    """This process, which does a job as soon as it has it."""

    def submit(
        self, work: Callable[Args, Result], /, *args: Args.args, **kwargs: Args.kwargs
    ) -> Future[Result]:
        """The job, done."""
        future: Future[Result] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  whoever asks for the result gets it
            future.set_exception(error)
        return future


class _Beside(Executor):
    """Processes that are forked from this one, before it has any thread, and wait for jobs."""

    def __init__(self, size: int) -> None:
        self._members = [Member(_called) for _ in range(size)]
        self._free: SimpleQueue[Member] = SimpleQueue()
        for member in self._members:
            self._free.put(member)
        self._threads = ThreadPoolExecutor(size)

    def submit(
        self, work: Callable[Args, Result], /, *args: Args.args, **kwargs: Args.kwargs
    ) -> Future[Result]:
        """The job, in the next process that is free. Work that raises BadInput or lacks memory says so."""
        return self._threads.submit(self._done, partial(work, *args, **kwargs))

    def _done(self, job: Callable[[], Result]) -> Result:
        member = self._free.get()
        try:
            member.line.send(job)
            result: Result = result_of(*member.received())
            return result
        finally:
            self._free.put(member)

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for member in self._members:
            member.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for member in self._members:
            member.end()


def _called(job: Callable[[], Result]) -> Result:
    return job()


@contextmanager
def local(jobs: int) -> Iterator[Executor]:
    """This process for one job at a time, and else so many processes, none of which is left behind."""
    if jobs <= 1:
        yield Here()
        return
    team = _Beside(jobs)
    try:
        yield team
    finally:
        team.end()


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The Dask cluster of a scheduler, by its address or the file that it has written. Raises NotInstalled.

    Workers need this package. What one of them has begun it may finish, even if nobody waits for it any more.
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise NotInstalled(
            "a cluster needs Dask, which is not installed: python -m pip install 'privacy-prover[cluster]'",
            code="no-cluster",
        ) from None
    place = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    try:
        client = distributed.Client(**place, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise NotInstalled(
            f"the cluster does not answer: {str(error) or type(error).__name__}",
            file=address,
            code="no-cluster",
        ) from None
    with client:
        executor = client.get_executor(pure=False, retries=_RETRIES)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)  # jobs that nobody has waited for are of no use any more


def apart(folder: str, work: Callable[[Item], Result], item: Item) -> Result:
    """``work(item)`` in a process of its own, in this folder, as if it had been started there.

    So it may be done by any thread of a worker, which has a folder of its own. Raises what ``work`` raises if
    that is BadInput or MemoryError, and else Fault.
    """
    command, environment = interpreter("prover.executors")
    done = subprocess.run(  # noqa: S603  this interpreter, with this package
        command,
        input=pickle.dumps((work, item)),
        stdout=subprocess.PIPE,
        cwd=folder,
        env=environment,
        check=False,
    )
    if done.returncode == 0:
        kind, content = pickle.loads(done.stdout)  # noqa: S301  of a process of ours
    else:
        kind, content = end_of(done.returncode)
    result: Result = result_of(kind, content)
    return result


def main() -> None:
    """Do the job on standard input, for the process that is the only argument."""
    with os.fdopen(begin_fresh(), "wb") as stream:
        work, item = pickle.load(sys.stdin.buffer)  # noqa: S301  from a process of ours
        stream.write(answer(work, item))


if __name__ == "__main__":
    main()
