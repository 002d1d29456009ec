"""Long work in a process of its own, so that a deadline or Ctrl-C ends it at once, whatever it is doing.

Native code may look away from signals for seconds; a process can always be ended. The worker sends its
progress, any results that are already sound, and the final result; who waits keeps the latest of them.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Generic, TypeVar

from prover.errors import BadInput, Fault
from prover.parallel import collect_seldom, end_with
from prover.progress import Progress, silent

T = TypeVar("T")

Work = Callable[[Progress, Callable[[T], None]], T]
"""Called with where to report progress and where to leave what is proved so far; returns the result."""

_LONGEST_WAIT = 3600.0  # the system's clocks do not take any number of seconds
_OFTEN = 0.1  # seconds between two reports of the progress of one stage
_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)

_OUT_OF_RESOURCES = (signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU, signal.SIGABRT)
"""How a process ends that the system gives no more memory or time; libraries abort without memory."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The result if the work ended; else the latest one left on the way, if any, and why it did not end."""

    result: T | None
    finished: bool
    reason: str | None = None


def run(
    work: Work[T],
    timeout: float | None = None,
    progress: Progress = silent,
    on_partial: Callable[[T], None] | None = None,
) -> Outcome[T]:
    """Do the work in a child process, for at most ``timeout`` seconds or until Ctrl-C.

    ``progress`` and ``on_partial`` hear of the progress, and of each result that is left on the way.

    Nothing of the child outlives this call, or this process; what it has left before it is ended counts.
    Raises what the work raised if that is BadInput, and Fault for anything else that it raised except
    a lack of memory.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(work, ours, theirs, os.getpid()), daemon=True)
    inbox: _Inbox[T] = _Inbox(ours, progress, on_partial)
    talking = True
    try:
        try:
            with undivided():
                child.start()
                theirs.close()
            while talking and _arrives(ours, deadline):
                talking = inbox.receive()
            reason = "the time is up"
        except KeyboardInterrupt:
            reason = "interrupted"
        except OSError as error:
            return Outcome(None, finished=False, reason=f"no process can be started: {error.strerror}")
        if not talking:
            return _outcome(inbox, lambda: _death(child))
        _end(child)
        while inbox.receive():
            pass
        return _outcome(inbox, lambda: reason)
    finally:
        _end(child)
        ours.close()
        theirs.close()


class _Inbox(Generic[T]):
    """What was received of a worker: the latest result that it left, and its last message.

    The last message is ``("result", it)``, ``("bad input", error)``, ``("no memory", None)``, ``("fault",
    traceback)``, or, as long as there was none, ``("silence", None)``.
    """

    def __init__(self, pipe: Connection, progress: Progress, on_partial: Callable[[T], None] | None) -> None:
        self.latest: T | None = None
        self.last: tuple[str, Any] = ("silence", None)
        self._pipe = pipe
        self._progress = progress
        self._on_partial = on_partial

    def receive(self) -> bool:
        """Wait for the next message and take it; False if there is no other to come."""
        with undivided():
            try:
                kind, content = self._pipe.recv()
            except (EOFError, OSError):  # the worker has ended, maybe within a message
                return False
            if kind == "progress":
                self._progress(*content)
            elif kind == "partial":
                self.latest = content
                if self._on_partial is not None:
                    self._on_partial(content)
            else:
                self.last = kind, content
            return kind in ("progress", "partial")


def _outcome(inbox: _Inbox[T], why_silent: Callable[[], str]) -> Outcome[T]:
    kind, content = inbox.last
    if kind == "bad input":
        raise content
    if kind == "fault":
        raise Fault(content)
    if kind == "result":
        return Outcome(content, finished=True)
    memory = "the computation does not fit into memory"
    return Outcome(inbox.latest, finished=False, reason=memory if kind == "no memory" else why_silent())


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


def _arrives(pipe: Connection, deadline: float | None) -> bool:
    """Whether there is something to receive before the deadline."""
    while deadline is None or time.monotonic() < deadline:
        left = _LONGEST_WAIT if deadline is None else deadline - time.monotonic()
        if pipe.poll(min(max(0.0, left), _LONGEST_WAIT)):
            return True
    return False


def _end(child: BaseProcess) -> None:
    if child.pid is not None:
        child.kill()
        child.join()


def _death(child: BaseProcess) -> str:
    """Why the system has ended a worker; raises Fault if it was the worker's own fault."""
    child.join()
    status = child.exitcode
    if status is None or status >= 0:
        raise Fault(f"the computation ended without a result (exit status {status})")
    if -status not in _OUT_OF_RESOURCES:
        raise Fault(f"the computation was ended by signal {-status}")
    return f"the computation was ended by signal {-status} (out of memory?)"


def _child(work: Work[Any], theirs: Connection, pipe: Connection, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    theirs.close()  # or sending would not fail when the parent is gone
    end_with(parent)
    collect_seldom()
    with contextlib.suppress(OSError):
        os.dup2(2, 1)  # whatever libraries print, standard output holds the answer only

    with contextlib.suppress(BrokenPipeError):  # nobody waits any more
        try:
            teller = _Teller(pipe)
            result = work(teller.report, teller.leave)
            pipe.send(("result", result))
        except BadInput as error:
            pipe.send(("bad input", error))
        except MemoryError:
            pipe.send(("no memory", None))
        except BaseException:  # noqa: BLE001  whatever it is, the parent reports it
            import traceback

            pipe.send(("fault", traceback.format_exc()))


class _Teller:
    """Sends what is found on the way, the beginning of every stage and, not too often, how far it is.

    How far it is after something was found is sent in any case: it may be long before there is more to say.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._stage, self._time = "", 0.0

    def report(self, stage: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._time > _OFTEN:
            self._stage, self._time = stage, now
            self._pipe.send(("progress", (stage, done, total)))

    def leave(self, partial: object) -> None:
        self._pipe.send(("partial", partial))
        self._time = 0.0
