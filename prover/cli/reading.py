"""Options about the reading of a chain, the same on every command that reads one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from prover.cli.options import with_options

if TYPE_CHECKING:
    from prover.chain.model import LabelledMarkovChain
    from prover.progress import Progress
    from prover.report.reply import Reply

_OPTIONS = [
    click.option("--observe", metavar="X,Y", help="Observed: the values of these variables."),
    click.option("--labels", metavar="A,B", help="Observed: these atomic propositions.  [default: all]"),
    click.option(
        "--secret",
        metavar="X,Y",
        help="Related: initial states that differ in these variables, and agree in all others that are not "
        "observed.",
    ),
    click.option("--initial", is_flag=True, help="Related: all initial states."),
    click.option("--secret-pairs", metavar="FILE", help="Related: the pairs of states on the lines of FILE."),
    click.option("--normalise", is_flag=True, help="Divide rows that do not sum to 1 by their sums."),
]
_NAMES = ("observe", "labels", "secret", "initial", "secret_pairs", "normalise")

Leave = Callable[["Reply"], None]


class OfChain(Protocol):
    """What is asked about the chain in a file."""

    @property
    def model(self) -> str: ...

    @property
    def reading(self) -> Mapping[str, Any]: ...


Question = TypeVar("Question", bound=OfChain)


def with_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them together, as ``reading`` by their names, those given only."""

    @wraps(command)
    def collecting(**options: Any) -> Any:
        given = {name: options.pop(name) for name in _NAMES}
        reading = {name: value for name, value in given.items() if value not in (None, False)}
        return command(**options, reading=reading)

    return with_options(_OPTIONS)(collecting)


def on_chain(
    work: Callable[[Question, LabelledMarkovChain, Progress, Leave], Reply],
) -> Callable[[Question, Progress, Leave], Reply]:
    """The work with the chain read before it; what is to be said about the reading goes into every reply."""

    @wraps(work)
    def read_first(asked: Question, progress: Progress, leave: Leave) -> Reply:
        from prover.formats.load import load_chain

        notes: list[str] = []
        progress("reading the model", 0, None)
        chain = load_chain(asked.model, on_note=notes.append, **asked.reading)

        def noted(reply: Reply) -> Reply:
            return replace(reply, notes=tuple(notes))

        return noted(work(asked, chain, progress, lambda reply: leave(noted(reply))))

    return read_first
