"""How long work tells the outside what it is doing: engines call, front ends draw."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a stage, how much of it is done, and how much there is (None if unknown)."""


def silent(stage: str, done: int, total: int | None) -> None:
    """The progress of nobody who watches."""
