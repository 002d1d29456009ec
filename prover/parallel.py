"""Independent pieces of work in several processes at once: the results are those of one process, in order."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from prover.errors import BadInput, Fault

Item = TypeVar("Item")
Result = TypeVar("Result")

_SHARES = 8  # for each process, so that none waits long for another
_SELDOM = 200_000, 20, 20  # new objects from one look at the youngest to the next, and so on
_OFTEN = 0.1  # seconds between two looks whether the parent is there
UNTOLD = (signal.SIGKILL, signal.SIGABRT)
"""How a process ends that the system gives no more memory."""


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


class Member:
    """A process that is forked from this one, and answers items with what ``work`` makes of them."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self.line, theirs = Pipe()
        parent, self._pid = os.getpid(), os.fork()
        if self._pid == 0:
            _serve(work, theirs, parent)
        theirs.close()

    def send(self, item: Any) -> None:
        """Give it an item; it has none yet. Raises OSError if it is no more."""
        self.line.send(item)

    def received(self) -> tuple[str, Any]:
        """Its answer, for ``result_of``: a kind, and what belongs to it; also if it is no more."""
        try:
            kind, content = self.line.recv()
        except (EOFError, OSError):
            status = self.end()
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) in UNTOLD:
                return "no memory", None
            return "fault", f"a process has ended without a result (status {status})"
        return kind, content

    def kill(self) -> None:
        """Let it end, whatever it is doing."""
        with contextlib.suppress(ProcessLookupError):
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)

    def end(self) -> int:
        """Let it be no more; the status with which it has ended."""
        status = 0
        self.line.close()
        self.kill()
        with contextlib.suppress(ChildProcessError):
            if self._pid:
                _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return status


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
                member.send(item)
                busy[member.line] = taken
                taken += 1
            ready = wait(list(busy)) if busy else []
            for line in [line for line in busy if line in ready]:
                done[busy.pop(line)] = self._members[line].received()
                if line.closed:
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
        member = Member(self._work)
        self._members[member.line] = member
        return member


def result_of(kind: str, content: Any) -> Any:
    """The result that an answer holds. Raises BadInput, MemoryError or Fault if it holds none."""
    if kind == "bad input":
        raise content
    if kind == "no memory":
        raise MemoryError
    if kind == "fault":
        raise Fault(content)
    return content


def _serve(work: Callable[[Any], Any], line: Connection, parent: int) -> None:
    """Answer items with results, until nobody asks; never returns."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and decides
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with(parent)
        collect_seldom()
        while True:
            line.send(answer(work, line.recv()))
    except (EOFError, OSError):  # nobody waits any more
        os._exit(0)
    finally:
        os._exit(1)


def answer(work: Callable[[Any], Any], item: Any) -> tuple[str, Any]:
    """What ``result_of`` makes the result of ``work(item)`` of, whatever happens."""
    try:
        return "result", work(item)
    except BadInput as error:
        return "bad input", error
    except MemoryError:
        return "no memory", None
    except BaseException:  # noqa: BLE001  whatever it is, the parent reports it
        import traceback

        return "fault", traceback.format_exc()


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


def collect_seldom() -> None:
    """Let this process, which is there for one piece of work, look for unreachable cycles seldom.

    Engines make millions of small objects that stay, and hardly a cycle: looking at them over and over took
    up to a third of the time.
    """
    gc.set_threshold(*_SELDOM)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_OFTEN)
    os._exit(1)
