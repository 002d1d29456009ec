"""Standard output for answers, standard error for everything else, and what may be wrong with either."""

from __future__ import annotations

import contextlib
import os
import sys

import click


def say(text: str) -> None:
    """Print an answer; quietly go on without if nobody reads it any more."""
    try:
        click.echo(text)
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
