"""Long work in a process of its own, so that a deadline or Ctrl-C ends it at once, whatever it is doing.

Native code may look away from signals for seconds; a process can always be ended. The worker sends its
progress, any results that are already sound, and the final result; who waits keeps the latest of them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from prover.errors import Fault
from prover.parallel import Child, answer, result_of, undivided
from prover.progress import Progress, silent

T = TypeVar("T")

ChildWork = Callable[[Progress, Callable[[T], None]], T]
"""Called with where to report progress and where to emit what is proved so far; returns the result."""

INTERRUPTED = "interrupted"
"""Why work has not ended that Ctrl-C has ended."""

_LONGEST_WAIT = 0.5  # seconds; a signal that comes just before a wait does not end it
_OFTEN = 0.1  # seconds between two reports of the progress of one stage

_OUT_OF_RESOURCES = (signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU, signal.SIGABRT)
"""How a process ends that the system gives no more memory or time; libraries abort without memory."""


@dataclass(frozen=True, slots=True)
class WorkerOutcome(Generic[T]):
    """The result if the work ended; else the latest one emitted by then, if any, and why it did not end."""

    result: T | None
    finished: bool
    reason: str | None = None


def run(
    work: ChildWork[T],
    timeout: float | None = None,
    progress: Progress = silent,
    on_partial: Callable[[T], None] | None = None,
) -> WorkerOutcome[T]:
    """Do the work in a child process, for at most ``timeout`` seconds or until Ctrl-C.

    ``progress`` and ``on_partial`` hear of the progress, and of each result that is emitted on the way.

    Nothing of the child outlives this call, or this process; what it has emitted before it is ended counts.
    Raises what the work raised if that is BadInput, and Fault for anything else that it raised except
    a lack of memory.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    child, inbox = None, _Inbox(progress, on_partial)
    try:
        if deadline is None or time.monotonic() < deadline:
            with undivided():
                child = Child(partial(_do, work))
        while child is not None and _arrives(child.line, deadline):
            if not inbox.receive(child.line):
                return _outcome(inbox, lambda: _death(child.end()))
        reason = "the time is up"
    except KeyboardInterrupt:
        reason = INTERRUPTED
    except OSError as error:
        return WorkerOutcome(None, finished=False, reason=f"no process can be started: {error.strerror}")
    finally:
        if child is not None:
            child.end()
    while child is not None and inbox.receive(child.line):
        pass
    return _outcome(inbox, lambda: reason)


class _Inbox(Generic[T]):
    """What was received of a worker: the latest result that it emitted, and its last message.

    The last message is ``("result", it)``, ``("bad input", error)``, ``("no memory", None)``, ``("fault",
    traceback)``, or, as long as there was none, ``("silence", None)``.
    """

    def __init__(self, progress: Progress, on_partial: Callable[[T], None] | None) -> None:
        self.latest: T | None = None
        self.last: tuple[str, Any] = ("silence", None)
        self._progress = progress
        self._on_partial = on_partial

    def receive(self, line: Connection) -> bool:
        """Wait for the next message and take it; False if there is no other to come."""
        with undivided():
            try:
                kind, content = line.recv()
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


def _outcome(inbox: _Inbox[T], why_silent: Callable[[], str]) -> WorkerOutcome[T]:
    kind, content = inbox.last
    if kind == "silence":
        return WorkerOutcome(inbox.latest, finished=False, reason=why_silent())
    try:
        return WorkerOutcome(result_of(kind, content), finished=True)
    except MemoryError:
        return WorkerOutcome(inbox.latest, finished=False, reason="the computation does not fit into memory")


def _arrives(pipe: Connection, deadline: float | None) -> bool:
    """Whether there is something to receive before the deadline."""
    while deadline is None or time.monotonic() < deadline:
        left = _LONGEST_WAIT if deadline is None else deadline - time.monotonic()
        if pipe.poll(min(max(0.0, left), _LONGEST_WAIT)):
            return True
    return False


def _death(status: int) -> str:
    """Why the system has ended a worker; raises Fault if it was the worker's own fault."""
    if status >= 0:
        raise Fault(f"the computation ended without a result (exit status {status})")
    if -status not in _OUT_OF_RESOURCES:
        raise Fault(f"the computation was ended by signal {-status}")
    return f"the computation was ended by signal {-status} (out of memory?)"


def _do(work: ChildWork[Any], line: Connection) -> None:
    """What the worker does."""
    with contextlib.suppress(OSError):
        os.dup2(2, 1)  # whatever libraries print, standard output holds the answer only
    teller = _Teller(line)
    line.send_bytes(answer(partial(work, teller.report), teller.emit))


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

    def emit(self, partial: object) -> None:
        self._pipe.send(("partial", partial))
        self._time = 0.0
