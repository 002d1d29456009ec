"""What people at a terminal see while they wait."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

from prover.progress import Progress, silent


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error, from the first report of progress on; silence if that is no terminal."""
    stream: TextIO | None = sys.stderr  # None where the program was started without one
    if stream is None or not stream.isatty():
        yield silent
        return
    with ExitStack() as screen:
        draw: Progress | None = None

        def report(stage: str, done: int, total: int | None) -> None:
            nonlocal draw
            # Not before: loading the library must not hold up the work, nor its thread the fork.
            draw = draw or screen.enter_context(_bar())
            draw(stage, done, total)

        yield report


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("", total=None, count="")

        def draw(stage: str, done: int, total: int | None) -> None:
            count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            bar.update(task, description=stage, completed=done, total=total, count=count)

        yield draw
