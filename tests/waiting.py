"""Waiting for other processes, without any expectation of how fast a machine is."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

GUARD = 600
"""Seconds after which a test takes what it waits for as hung: no machine is that slow."""

FOREVER = 10 * GUARD
"""Seconds for which something sleeps that is to be ended."""


def interrupt(*_: object, **__: object) -> None:
    """In place of a part of a computation: what happens at Ctrl-C just then."""
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(FOREVER)


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for a condition that comes true."""
    deadline = time.monotonic() + GUARD
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet has ended, too."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False


def descendants(mark: str) -> list[str]:
    """The living processes with this text in their environment, which children inherit: their words."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found
