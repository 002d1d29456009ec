"""Jobs on executors: lanes side by side, processes that end with who asks, and work far from here."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, _base
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from prover.errors import Fault
from prover.exact.rational import parse_rational
from prover.executors import Here, apart, cluster, finished, local
from tests.commands import FORKS
from tests.refusals import refuses
from tests.waiting import FOREVER, GUARD, is_gone, wait_until

pytestmark = pytest.mark.filterwarnings(FORKS)


def doubled(k: int) -> tuple[int, int]:
    return 2 * k, os.getpid()


def here(k: int) -> str:
    return f"{k} in {Path.cwd()}"


def killed(k: int) -> None:
    del k
    os.kill(os.getpid(), signal.SIGKILL)


def faulty(k: int) -> None:
    raise RuntimeError(f"no {k}")


@pytest.mark.parametrize("executor", [Here(), ThreadPoolExecutor(2)])
@pytest.mark.parametrize("at_once", [1, 2, None])
def test_the_next_job_of_a_lane_is_taken_when_the_result_is_used(
    executor: Executor, at_once: int | None
) -> None:
    used: list[tuple[int, int]] = []

    def lane(place: int) -> Iterator[int]:
        for k in range(3):
            assert [item for where, item in used if where == place] == list(range(k))
            yield k

    for place, item, future in finished(executor, doubled, [lane(0), lane(1), iter(())], at_once):
        assert future.result()[0] == 2 * item
        used.append((place, item))
    assert sorted(used) == [(place, k) for place in range(2) for k in range(3)]
    if at_once == 1:
        assert used[:2] == [(0, 0), (1, 0)]


def test_processes_do_several_jobs_and_end() -> None:
    with local(2) as executor:
        jobs = finished(executor, doubled, [iter([k]) for k in range(6)], 2)
        found = [future.result() for _, _, future in jobs]
    assert sorted(number for number, _ in found) == [0, 2, 4, 6, 8, 10]
    processes = {pid for _, pid in found}
    assert len(processes) == 2
    assert os.getpid() not in processes
    wait_until(lambda: all(map(is_gone, processes)))


def test_one_job_at_a_time_is_done_here() -> None:
    with local(1) as executor:
        assert executor.submit(doubled, 3).result() == (6, os.getpid())


def test_what_goes_wrong_in_a_process_is_told() -> None:
    with local(3) as executor:
        with refuses("malformed-number"):
            executor.submit(parse_rational, "x").result()
        with pytest.raises(Fault, match="no 7"):
            executor.submit(faulty, 7).result()
        with pytest.raises(MemoryError):
            executor.submit(killed, 7).result()


def test_processes_are_not_waited_for_when_there_is_no_use() -> None:
    with local(2) as executor:
        jobs = [executor.submit(time.sleep, FOREVER) for _ in range(5)]
    assert all(job.done() for job in jobs)


def test_work_apart_is_done_in_its_folder(tmp_path: Path) -> None:
    assert apart(str(tmp_path), here, 3) == f"3 in {tmp_path.resolve()}"


@pytest.mark.slow
def test_what_goes_wrong_apart_is_told(tmp_path: Path) -> None:
    with refuses("malformed-number") as caught:
        apart(str(tmp_path), parse_rational, "x")
    with refuses("malformed-number") as raised_here:
        parse_rational("x")
    assert str(caught.value) == str(raised_here.value)
    with pytest.raises(Fault, match="no 7"):
        apart(str(tmp_path), faulty, 7)
    with pytest.raises(MemoryError):
        apart(str(tmp_path), killed, 7)
    with pytest.raises(Fault, match="status 3"):
        apart(str(tmp_path), os._exit, 3)


def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with refuses("no-cluster", match="not installed"), cluster("tcp://127.0.0.1:9"):
        pass


def test_an_interruption_that_does_not_wake_whoever_waits_is_heard() -> None:
    """The system may tell another thread of the signal, or tell this one just before it waits."""
    stopped = threading.Event()
    ended: list[bool] = []

    def work(_: int) -> None:
        time.sleep(0.3)  # until this thread's caller waits for it
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        ended.append(stopped.wait(GUARD))

    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(KeyboardInterrupt):
            next(finished(threads, work, [iter([0])]))
        assert not ended
        stopped.set()


def test_an_interruption_leaves_no_lock_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is interrupted while it holds the locks of all futures, as it may be after any call."""
    begin = _base._AcquireFutures.__enter__

    def interrupted(held: _base._AcquireFutures) -> None:
        begin(held)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_base._AcquireFutures, "__enter__", interrupted)
    future: Future[None] = Future()
    with pytest.raises(KeyboardInterrupt):
        next(finished(Given(future), print, [iter([0])]))
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(future._condition.acquire, blocking=False).result()


class Given(Executor):
    """Gives the same future for every job."""

    def __init__(self, future: Future[None]) -> None:
        self._future = future

    def submit(self, *_: object, **__: object) -> Any:
        return self._future


def test_jobs_that_have_not_begun_are_cancelled() -> None:
    with ThreadPoolExecutor(1) as threads:
        jobs = finished(threads, partial(time.sleep), [iter([0.01]), iter([0.5]), iter([30])])
        next(jobs)
        jobs.close()
