"""How long work tells the outside what it is doing: engines call, front ends draw."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a stage, how much of it is done, and how much there is (None if unknown)."""


MOST_SOON = 2_000
"""Pieces of work after which it is worth while to find bounds that take few of them."""


def silent(stage: str, done: int, total: int | None) -> None:
    """The progress of nobody who watches."""


def after(most: int, progress: Progress, do: Callable[[], None]) -> Progress:
    """The same progress, which does something else first when it hears of a piece of work for the time number
    ``most``: what takes so long is worth bounds before.
    """
    heard = 0

    def report(stage: str, done: int, total: int | None) -> None:
        nonlocal heard
        heard += 1
        if heard == most:
            do()
        progress(stage, done, total)

    return report
