"""Independent pieces of work in several processes at once: the results are those of one process, in order."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

from prover.errors import BadInput, Fault
from prover.garbage import collect_seldom

Item = TypeVar("Item")
Result = TypeVar("Result")

_SHARES = 8  # for each process, so that none waits long for another
_OFTEN = 0.1  # seconds between two looks whether the parent is there
_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)
_UNTOLD = (signal.SIGKILL, signal.SIGABRT)  # how a process ends that the system gives no more memory


def each(work: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """``work(item)`` for each item, in their order, each as soon as it and all before it are known.

    Up to ``jobs`` processes work at the same time. An item is taken when a process is free for it, with one
    job after the result before it has been used. Items and results are sent, so they have to be what pickle
    takes; ``work`` may be anything, but what it changes is lost. Nothing of the processes outlives the
    iteration, nor this process. Raises what ``work`` raises if that is BadInput or MemoryError, and else
    Fault with the traceback.
    """
    if jobs <= 1:
        yield from map(work, items)
        return
    team = _Team(work, jobs)
    try:
        yield from team.results(iter(items))
    finally:
        team.end()


class Child:
    """A process that is forked from this one to do a task, with a line between the two.

    The task is called with the other end of ``line``; what is sent has to be what pickle takes. Nothing of
    it outlives this process. ``status`` is None as long as it may live, and then its exit status, or minus
    the signal that has ended it.
    """

    def __init__(self, task: Callable[[Connection], object]) -> None:
        self.status: int | None = None
        self.line, theirs = Pipe()
        parent = os.getpid()
        with undivided():  # or an interrupted child would go on as if it were this process
            self._pid = os.fork()
            if self._pid == 0:
                self.line.close()  # or sending would not fail when the parent is gone
                _live(task, theirs, parent)
        theirs.close()

    def kill(self) -> None:
        """Let it end, whatever it is doing."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def end(self) -> int:
        """Let it be no more, whatever it is doing; its status. What it has sent can still be received."""
        self.kill()
        if self.status is None:
            try:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            except ChildProcessError:  # somebody else has waited for it
                self.status = 0
        return self.status


class Member(Child):
    """A process that answers items with what ``work`` makes of them."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        super().__init__(partial(_serve, work))

    def received(self) -> tuple[str, Any]:
        """Its answer to the last item, for ``result_of``: a kind, and what belongs to it."""
        try:
            kind, content = self.line.recv()
        except (EOFError, OSError):
            return end_of(self.end())
        return kind, content


def _serve(work: Callable[[Any], Any], line: Connection) -> None:
    while True:
        line.send_bytes(answer(work, line.recv()))


def _live(task: Callable[[Connection], object], line: Connection, parent: int) -> NoReturn:
    """Do a task in a process that has just been forked, and end this."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and decides
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with(parent)
        collect_seldom()
        task(line)
        status = 0
    except (EOFError, OSError):  # nobody waits any more
        status = 0
    finally:
        os._exit(status)


def in_shares(work: Callable[[Item], Result], items: Sequence[Item], jobs: int = 1) -> Iterator[Result]:
    """The same for many items that take little time each: processes are given shares of them, by number.

    Only results are sent. Whether it pays is for the caller to say.
    """
    size = max(1, len(items) // (_SHARES * jobs))
    spans = [range(first, min(first + size, len(items))) for first in range(0, len(items), size)]
    for found in each(lambda span: [work(items[k]) for k in span], spans, jobs):
        yield from found


class _Team:
    """The processes, which are started when there is work for them."""

    def __init__(self, work: Callable[[Any], Any], size: int) -> None:
        self._work = work
        self._size = size
        self._members: dict[Connection, Member] = {}

    def results(self, items: Iterator[Any]) -> Iterator[Any]:
        """The results of all items, in order."""
        busy: dict[Connection, int] = {}
        done: dict[int, tuple[str, Any]] = {}
        taken = given = 0
        there_are_more = True
        while there_are_more or busy:
            while there_are_more and len(busy) < self._size:
                try:
                    item = next(items)
                except StopIteration:
                    there_are_more = False
                    break
                free = (member for line, member in self._members.items() if line not in busy)
                member = next(free, None) or self._start()
                member.line.send(item)
                busy[member.line] = taken
                taken += 1
            ready = wait(list(busy)) if busy else []
            for line in [line for line in busy if line in ready]:
                member = self._members[line]
                done[busy.pop(line)] = member.received()
                if member.status is not None:
                    del self._members[line]
            while given in done:
                yield result_of(*done.pop(given))
                given += 1

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for member in self._members.values():
            member.end()
        self._members.clear()

    def _start(self) -> Member:
        with undivided():  # who is started is known, and will be ended
            member = Member(self._work)
            self._members[member.line] = member
        return member


def answer(work: Callable[[Any], Any], item: Any) -> bytes:
    """What ``result_of`` makes the result of ``work(item)`` of, pickled, whatever happens."""
    try:
        return pickle.dumps(("result", work(item)))
    except BadInput as error:
        return pickle.dumps(("bad input", error))
    except MemoryError:
        return pickle.dumps(("no memory", None))
    except BaseException:  # noqa: BLE001  whatever it is, the parent reports it
        import traceback

        return pickle.dumps(("fault", traceback.format_exc()))


def end_of(status: int) -> tuple[str, Any]:
    """What stands for the answer of a process that has ended without one, by its exit status."""
    if -status in _UNTOLD:
        return "no memory", None
    return "fault", f"a process has ended without a result (status {status})"


def result_of(kind: str, content: Any) -> Any:
    """The result that an answer holds. Raises BadInput, MemoryError or Fault if it holds none."""
    if kind == "bad input":
        raise content
    if kind == "no memory":
        raise MemoryError
    if kind == "fault":
        raise Fault(content)
    return content


@contextlib.contextmanager
def undivided() -> Iterator[None]:
    """Let interruptions wait until the block is done, whichever thread the system tells of them."""
    if threading.current_thread() is not threading.main_thread():  # which alone is interrupted
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    before = {number: signal.getsignal(number) for number in _INTERRUPTIONS}
    handlers = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in handlers:
            signal.signal(number, lambda *arrived: waiting.append(arrived))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for arrived in waiting[:1]:
            handlers[signal.Signals(arrived[0])](*arrived)


def interpreter(module: str, home: str | None = None) -> tuple[list[str], dict[str, str]]:
    """The command, and the environment, of a fresh process that runs a module of this package, or of the one
    in the folder ``home``.

    It can be started by any thread, in any folder; its only argument is the process to end with.
    """
    first = home or str(Path(__file__).resolve().parents[1])
    known = os.environ.get("PYTHONPATH")
    path = first if not known else first + os.pathsep + known
    return [sys.executable, "-m", module, str(os.getpid())], {**os.environ, "PYTHONPATH": path}


def begin_fresh() -> int:
    """What such a process does first; the descriptor for what it says, as libraries may print."""
    end_with(int(sys.argv[1]))
    collect_seldom()
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def end_with(parent: int) -> None:
    """Let this process end when its parent does, even if that is killed and cannot say so.

    Linux sees to it, whatever this process is busy with. Elsewhere a thread looks, and may have to wait for
    native code.
    """
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it was already gone
            os._exit(1)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_OFTEN)
    os._exit(1)
