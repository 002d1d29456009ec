"""Options that several commands have, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from prover.errors import BadInput

if TYPE_CHECKING:
    from fractions import Fraction

LONGEST_TIMEOUT = 10**9


def rational(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number that an option's text writes."""
    del context
    from prover.exact.rational import parse_rational

    try:
        return None if text is None else parse_rational(text)
    except BadInput as error:
        error.path = parameter.opts[0]
        raise


def positive(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number above 0 that an option's text writes."""
    given = rational(context, parameter, text)
    if given is not None and given <= 0:
        raise click.BadParameter(f"this is a number above 0, not {text}", context, parameter)
    return given


def seconds(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """The duration that an option's text writes, as rational numbers are written."""
    given = rational(context, parameter, text)
    if given is not None and given <= 0:
        raise click.BadParameter("a timeout is more than 0 seconds", context, parameter)
    return None if given is None else float(given if given < LONGEST_TIMEOUT else LONGEST_TIMEOUT)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
timeout_option = click.option(
    "--timeout",
    callback=seconds,
    metavar="SECONDS",
    help="Stop after so many seconds with what is proved by then (exit status 3).",
)
adjacencies = click.Choice(["all-differ", "one-differ", "increasing", "decreasing"])

answering = [
    json_option,
    click.option("--certificate", metavar="FILE", help="Write the proof to FILE, for prover verify."),
    timeout_option,
]


def with_options(options: list[Callable[..., Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds several options to a command."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
