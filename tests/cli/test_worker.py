"""Work in a process of its own: results, deadlines, interruptions, and what is left behind."""

from __future__ import annotations

import faulthandler
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from prover import parallel
from prover.cli import worker
from prover.cli.worker import WorkerOutcome, run
from prover.errors import BadInput, Fault
from prover.exact.rational import parse_rational
from prover.progress import Progress, silent
from tests.commands import FORKS, ROOT
from tests.refusals import refuses
from tests.waiting import FOREVER, is_gone, wait_until

pytestmark = pytest.mark.filterwarnings(FORKS)

Leave = Callable[[str], None]


@pytest.fixture
def time_is_up(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the time of a worker with any timeout be up, which passes for no other reason."""
    now = [0.0]
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def pass_by() -> None:
        now[0] = math.inf

    return pass_by


@pytest.fixture(autouse=True)
def nothing_outlives_the_call() -> Iterator[None]:
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def patient(_: Progress, __: Leave) -> str:
    time.sleep(FOREVER)
    return "late"


def die_of(number: signal.Signals) -> None:
    faulthandler.disable()  # which the test runner has enabled
    os.kill(os.getpid(), number)


class TestEnds:
    def test_a_result(self) -> None:
        assert run(lambda _, __: "done") == WorkerOutcome("done", finished=True)

    def test_a_result_that_is_long(self) -> None:
        text = "x" * 10_000_000
        assert run(lambda _, __: text) == WorkerOutcome(text, finished=True)

    def test_the_result_counts_even_if_it_is_nothing(self) -> None:
        def work(_: Progress, leave: Leave) -> str:
            leave("something")
            return ""

        assert run(work) == WorkerOutcome("", finished=True)

    def test_in_time(self) -> None:
        assert run(lambda _, __: "done", timeout=60) == WorkerOutcome("done", finished=True)

    def test_it_is_another_process(self) -> None:
        def work(_: Progress, __: Leave) -> int:
            return os.getpid()

        assert run(work).result != os.getpid()

    def test_bad_input_keeps_its_kind_and_place(self) -> None:
        def work(_: Progress, __: Leave) -> str:
            try:
                parse_rational("x")
            except BadInput as error:
                error.file, error.path = "f.json", "$.a"
                raise
            return "never"

        with refuses("malformed-number") as caught:
            run(work)
        assert str(caught.value).startswith('f.json: $.a: malformed number "x"')

    @pytest.mark.parametrize("error", [KeyError("key"), SystemExit(0), KeyboardInterrupt(), RecursionError()])
    def test_any_other_error_is_a_fault(self, error: BaseException) -> None:
        def work(_: Progress, __: Leave) -> str:
            raise error

        with pytest.raises(Fault) as caught:
            run(work)
        assert str(caught.value).startswith("Traceback")
        assert type(error).__name__ in str(caught.value)

    def test_a_result_that_cannot_be_sent_is_a_fault(self) -> None:
        with pytest.raises(Fault, match="pickle"):
            run(lambda _, __: lambda: 0)

    def test_a_process_that_just_ends_is_a_fault(self) -> None:
        with pytest.raises(Fault, match="exit status 5"):
            run(lambda _, __: os._exit(5))

    @pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGFPE, signal.SIGBUS])
    def test_a_crash_is_a_fault(self, number: signal.Signals) -> None:
        with pytest.raises(Fault, match=f"signal {number.value}"):
            run(lambda _, __: die_of(number))


class TestLacks:
    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU, signal.SIGABRT])
    def test_what_the_system_ends_is_unfinished(self, number: signal.Signals) -> None:
        def work(_: Progress, leave: Leave) -> str:
            leave("something")
            die_of(number)
            return "never"

        reason = f"the computation was ended by signal {number.value} (out of memory?)"
        assert run(work) == WorkerOutcome("something", finished=False, reason=reason)

    def test_anend_within_a_message(self) -> None:
        def work(progress: Progress, leave: Leave) -> str:
            leave("something")
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
            progress("slow", os.getpid(), None)
            leave("x" * 10_000_000)  # of which little fits into the pipe while nobody reads
            return "never"

        outcome = run(work, progress=lambda _, pid, __: wait_until(lambda: is_gone(pid)))
        assert (outcome.result, outcome.finished) == ("something", False)

    def test_memory(self) -> None:
        def work(_: Progress, leave: Leave) -> str:
            leave("something")
            return "x" * (sys.maxsize // 2)

        reason = "the computation does not fit into memory"
        assert run(work) == WorkerOutcome("something", finished=False, reason=reason)

    def test_no_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fork() -> int:
            raise OSError(11, "Resource temporarily unavailable")

        monkeypatch.setattr(os, "fork", fork)
        reason = "no process can be started: Resource temporarily unavailable"
        assert run(patient) == WorkerOutcome(None, finished=False, reason=reason)


class TestDeadlines:
    @pytest.mark.parametrize("timeout", [1e-9, 0.001, 0.3])
    def test_nothing_was_left(self, timeout: float) -> None:
        assert run(patient, timeout=timeout) == WorkerOutcome(None, finished=False, reason="the time is up")

    def test_the_latest_is_kept(self, time_is_up: Callable[[], None]) -> None:
        def work(_: Progress, leave: Leave) -> str:
            for text in ("first", "second", "third"):
                leave(text)
            return patient(silent, leave)

        outcome = run(work, timeout=1, on_partial=lambda text: time_is_up() if text == "third" else None)
        assert outcome == WorkerOutcome("third", finished=False, reason="the time is up")

    def test_whatever_the_work_does_about_signals(self, time_is_up: Callable[[], None]) -> None:
        def work(_: Progress, leave: Leave) -> str:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
                signal.signal(number, signal.SIG_IGN)
            leave("deaf")
            return patient(silent, leave)

        assert run(work, timeout=1, on_partial=lambda _: time_is_up()).result == "deaf"

    def test_work_that_talks_without_end(self, time_is_up: Callable[[], None]) -> None:
        def work(_: Progress, leave: Leave) -> str:
            while True:
                leave("again")

        assert run(work, timeout=1, on_partial=lambda _: time_is_up()).result == "again"

    @pytest.mark.parametrize("timeout", [1e9, 1e300, float("inf")])
    def test_ages(self, timeout: float) -> None:
        assert run(lambda _, __: "done", timeout=timeout).finished


class TestInterruptions:
    def test_ctrl_c(self) -> None:
        def work(_: Progress, leave: Leave) -> str:
            leave("something")
            time.sleep(0.2)
            os.kill(os.getppid(), signal.SIGINT)
            return patient(silent, leave)

        assert run(work) == WorkerOutcome("something", finished=False, reason="interrupted")

    def test_ctrl_c_reaches_the_worker_too(self) -> None:
        def work(_: Progress, __: Leave) -> str:
            os.kill(os.getpid(), signal.SIGINT)
            return "unimpressed"

        assert run(work).result == "unimpressed"

    def test_ctrl_c_while_the_worker_is_started(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fork = os.fork

        def interrupted() -> int:
            os.kill(os.getpid(), signal.SIGINT)
            return fork()

        monkeypatch.setattr(os, "fork", interrupted)
        assert run(patient) == WorkerOutcome(None, finished=False, reason="interrupted")

    def test_handlers_are_left_alone(self) -> None:
        before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        run(lambda _, __: "done")
        run(patient, timeout=0.01)
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before

    @pytest.mark.parametrize("size", [1, 1_000_000])
    def test_what_was_left_just_before_counts(self, size: int) -> None:
        def work(_: Progress, leave: Leave) -> str:
            leave("early")
            leave("late" * size)
            os.kill(os.getppid(), signal.SIGINT)
            return patient(silent, leave)

        for _ in range(4):
            assert run(work) == WorkerOutcome("late" * size, finished=False, reason="interrupted")

    def test_ctrl_c_while_progress_is_shown(self) -> None:
        shown = []

        def show(stage: str, _: int, __: int | None) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            shown.append(stage)

        def work(progress: Progress, leave: Leave) -> str:
            progress("stage", 0, None)
            return patient(silent, leave)

        assert run(work, progress=show) == WorkerOutcome(None, finished=False, reason="interrupted")
        assert shown == ["stage"]

    def test_in_another_thread(self) -> None:
        outcomes = []
        thread = threading.Thread(target=lambda: outcomes.append(run(lambda _, __: "done", timeout=60)))
        thread.start()
        thread.join()
        assert outcomes == [WorkerOutcome("done", finished=True)]


class TestProgress:
    def test_reports_arrive(self) -> None:
        seen: list[tuple[str, int, int | None]] = []

        def work(progress: Progress, _: Leave) -> str:
            progress("first", 0, None)
            progress("second", 1, 2)
            return "done"

        run(work, progress=lambda *report: seen.append(report))
        assert seen == [("first", 0, None), ("second", 1, 2)]

    def test_no_flood(self) -> None:
        seen: list[int] = []

        def work(progress: Progress, _: Leave) -> str:
            for done in range(100_000):
                progress("counting", done, 100_000)
            return "done"

        began = time.monotonic()
        run(work, progress=lambda _, done, __: seen.append(done))
        assert 1 <= len(seen) <= 2 + 10 * (time.monotonic() - began)


class TestOrphans:
    PARENT = """
import os, sys, time
from prover.cli import worker
def work(progress, leave):
    print(os.getpid(), file=sys.stderr, flush=True)
    TASK
worker.run(work)
"""

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux does")
    @pytest.mark.parametrize("task", ["time.sleep(10000)", "pow(3, 10**8)"])
    def test_the_kernel_ends_them(self, task: str) -> None:
        # The second task is one long operation, during which no thread of the worker can run.
        self.is_no_orphan(self.PARENT.replace("TASK", task))

    def is_no_orphan(self, script: str) -> None:
        """The worker that this script runs ends when the script is killed."""
        with subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stderr=subprocess.PIPE, encoding="utf-8"
        ) as parent:
            assert parent.stderr is not None
            pid = int(parent.stderr.readline())
            parent.kill()
            parent.wait()
            wait_until(lambda: is_gone(pid))

    def test_who_talks_to_nobody_ends(self) -> None:
        script = self.PARENT.replace("TASK", "while True: leave('again')")
        unseen = "from prover import parallel\nparallel.end_with = lambda parent: None\n"
        script = script.replace("worker.run", f"{unseen}worker.run")
        self.is_no_orphan(script)

    def test_elsewhere_a_thread_does(self) -> None:
        # Runs in a fork of a fork, whose parent ends first.
        read, write = os.pipe()
        middle = os.fork()
        if middle == 0:
            parent = os.getpid()
            if os.fork() == 0:
                os.write(write, str(os.getpid()).encode())
                threading.Thread(target=parallel._watch, args=(parent,), daemon=True).start()
                time.sleep(FOREVER)
            time.sleep(0.5)
            os._exit(0)
        os.waitpid(middle, 0)
        pid = int(os.read(read, 20))
        os.close(read)
        os.close(write)
        wait_until(lambda: is_gone(pid))
