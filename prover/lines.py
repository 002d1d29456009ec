"""Lines between a process and one that is forked from it, over which objects go as pickle writes them.

``multiprocessing.connection`` has such lines, too, but loading it takes longer than a small question.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
from collections.abc import Iterable
from typing import Any

_SIZE = 8  # bytes before each message, which say how long it is


class Line:
    """One end of a line: what is sent arrives whole at the other end, and in order."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._is_open = True

    def __del__(self) -> None:
        self.close()

    def fileno(self) -> int:
        """The descriptor of what arrives."""
        return self._incoming

    def close(self) -> None:
        """Let the other end know that nothing more is sent or received here."""
        if self._is_open:
            self._is_open = False
            for descriptor in (self._incoming, self._outgoing):
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def send(self, item: object) -> None:
        """Send an object. Raises OSError if the other end is closed."""
        self.send_bytes(pickle.dumps(item))

    def send_bytes(self, pickled: bytes) -> None:
        """Send an object that is pickled already. Raises OSError if the other end is closed."""
        for part in (len(pickled).to_bytes(_SIZE, "big"), pickled):
            left = memoryview(part)
            while left:
                left = left[os.write(self._outgoing, left) :]

    def recv(self) -> Any:
        """Wait for the next object. Raises EOFError if the other end is closed before that has arrived."""
        return pickle.loads(self._read(int.from_bytes(self._read(_SIZE), "big")))  # noqa: S301  it is ours

    def poll(self, seconds: float) -> bool:
        """Whether there is something to receive, or the end, within so many seconds."""
        return bool(ready([self], seconds))

    def _read(self, size: int) -> bytearray:
        content = bytearray(size)
        left = memoryview(content)
        while left:
            count = os.readv(self._incoming, [left])
            if not count:
                raise EOFError
            left = left[count:]
        return content


def new_line() -> tuple[Line, Line]:
    """Both ends of a new line."""
    (read_here, write_there), (read_there, write_here) = os.pipe(), os.pipe()
    return Line(read_here, write_here), Line(read_there, write_there)


def ready(lines: Iterable[Line], seconds: float | None = None) -> list[Line]:
    """The lines with something to receive, or whose other end is closed; none if there are none in time."""
    by_descriptor = {line.fileno(): line for line in lines}
    waiting = select.poll()
    for descriptor in by_descriptor:
        waiting.register(descriptor, select.POLLIN)
    found = waiting.poll(None if seconds is None else 1000 * seconds)
    return [by_descriptor[descriptor] for descriptor, _ in found]
