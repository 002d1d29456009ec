"""Standard output for answers, standard error for all else: what may be wrong with either, and a bar."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

import click


def say(text: str, *, aside: bool = False) -> None:
    """Print an answer; quietly go on without if nobody reads it any more.

    It goes to standard error if it stands ``aside``, as standard output is for a file.
    """
    try:
        click.echo(text, err=aside)
    except BrokenPipeError:
        drop_output()


def complain(text: str) -> None:
    """Tell the user something beside the answer."""
    with contextlib.suppress(OSError):
        click.echo(f"prover: {text}", err=True)


def drop_output() -> None:
    """Let what is still to be printed go nowhere, or the interpreter would fail once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def prepare_streams() -> None:
    """Let no text be unprintable, and no file that is opened later pass for a closed standard stream."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


class ProgressLine:
    """A line on a terminal that says what is done, how far it is, and what is proved by then.

    Nothing is drawn before there is something to say.
    """

    def __init__(self, screen: contextlib.ExitStack) -> None:
        self._screen = screen
        self._update: Callable[..., None] | None = None

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Progress, as engines report it."""
        count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
        self._draw(description=stage, completed=done, total=total, count=count)

    def tell(self, proved: str) -> None:
        """What is proved so far."""
        if proved:
            self._draw(proved=f"{proved} |")

    def _draw(self, **fields: object) -> None:
        if self._update is None:
            # Not before: loading the library must not hold up the work, nor its thread the fork.
            self._update = self._screen.enter_context(_drawing())
        self._update(**fields)


class NoProgressLine(ProgressLine):
    """Where nobody watches."""

    def _draw(self, **fields: object) -> None:
        del fields


@contextlib.contextmanager
def progress_bar(*, wanted: bool = True) -> Iterator[ProgressLine]:
    """A bar on standard error; silence if that is no terminal, or none is wanted."""
    stream: TextIO | None = sys.stderr  # None where the program was started without one
    with contextlib.ExitStack() as screen:
        watched = wanted and stream is not None and stream.isatty()
        yield ProgressLine(screen) if watched else NoProgressLine(screen)


@contextlib.contextmanager
def _drawing() -> Iterator[Callable[..., None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.fields[proved]}", markup=False),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        TextColumn("{task.fields[count]}", markup=False),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as lines:
        task = lines.add_task("", total=None, count="", proved="")
        yield partial(lines.update, task)
