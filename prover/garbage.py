"""How often unreachable cycles of objects are looked for.

Engines make millions of small objects that stay, and hardly a cycle: looking at them over and over took up to
a third of the time.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

_SELDOM = 200_000, 20, 20  # new objects from one look at the youngest to the next, and so on


def collect_seldom() -> None:
    """Let this process, which is there for one piece of work, look for them seldom."""
    gc.set_threshold(*_SELDOM)


def collect_no_more() -> None:
    """Let this process, which is about to end, not look for them once more."""
    gc.freeze()


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """While a file is read, no garbage is collected: what is read does not refer to itself, and all of a
    large model would be visited often.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
