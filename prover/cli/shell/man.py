"""The page for ``man``: all commands and options, from what ``--help`` says of them.

The same program makes the same bytes, on whatever day and machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc

import click

from prover.cli.output import say
from prover.cli.status import Status

_AS_IT_STANDS = "\b"
"""The line before a paragraph whose lines are kept, as click has it."""

_SPECIAL = {"\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}

_MEANINGS = {
    Status.HOLDS: "Answered and, where something was asked to hold, it holds.",
    Status.REFUTED: "Refuted, or rejected: what was asked to hold does not.",
    Status.BAD_INPUT: "The input or the usage is at fault; nothing was computed.",
    Status.UNDECIDED: "Not decided within the budget: what was proved so far is printed.",
    Status.FAULT: "A fault of this program.",
}


@click.command(short_help="Print the page for man.")
@click.pass_context
def man(context: click.Context) -> int:
    """Print the manual page of prover, for man, with all its commands and options.

    An installed wheel has the page where man looks for it, beside the program: then it is `man prover`.

    \b
    Examples:
      prover man > prover.1
      prover man | head -n 1
    """
    root = context.find_root()
    say(page(root.command, root.info_name or "prover", _version(root)))
    return Status.HOLDS


def page(command: click.Command, name: str, version: str) -> str:
    """The page about a program, its commands and theirs, in the language of man (roff), in ASCII."""
    context = click.Context(command, info_name=name, **command.context_settings)
    lines = [
        f'.TH {name.upper()} 1 "" "{_text(version)}" "User Commands"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(_first_sentence(command))}",
        ".SH SYNOPSIS",
        *_usage(context),
        ".SH DESCRIPTION",
        *_description(command),
        *_options(context, ".SH OPTIONS"),
        ".SH COMMANDS",
    ]
    for below in _commands(context):
        lines += [f".SS {_text(below.command_path)}", *_usage(below)]
        lines += [*_description(below.command), *_options(below, ".PP\nOptions:")]
    lines.append(".SH EXIT STATUS")
    for status, meaning in _MEANINGS.items():
        lines += [".TP", f"\\fB{status.value}\\fR", _text(meaning)]
    return "\n".join(lines)


def _version(context: click.Context) -> str:
    from prover import __version__

    return f"{context.info_name} {__version__}"


def _first_sentence(command: click.Command) -> str:
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text[:1].lower() + text[1:].rstrip(".")


def _commands(context: click.Context) -> Iterator[click.Context]:
    """The commands below one, each with those below it behind it."""
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if command is not None and not command.hidden:
                below = click.Context(command, info_name=name, parent=context)
                yield below
                yield from _commands(below)


def _usage(context: click.Context) -> list[str]:
    pieces = " ".join(context.command.collect_usage_pieces(context))
    return [".PP", f"\\fB{_text(context.command_path)}\\fR {_text(pieces)}"]


def _description(command: click.Command) -> list[str]:
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", cleandoc(command.help or "")):
        first, *rest = paragraph.split("\n")
        if first.strip(" ") == _AS_IT_STANDS:
            lines += [".PP", ".nf", *map(_text, rest), ".fi"]
        else:
            lines += [".PP", *(_text(line.strip()) for line in (first, *rest))]
    return lines


def _options(context: click.Context, heading: str) -> list[str]:
    records = [
        record
        for option in context.command.get_params(context)
        if isinstance(option, click.Option) and (record := option.get_help_record(context)) is not None
    ]
    return [heading, *_listed(records)] if records else []


def _listed(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    for written, meaning in records:
        yield from (".TP", f"\\fB{_text(written)}\\fR", _text(" ".join(meaning.split())))


def _text(text: str) -> str:
    """A line of text that means itself, whatever it begins with."""
    escaped = "".join(_SPECIAL.get(c) or (c if c.isascii() else f"\\[u{ord(c):04X}]") for c in text)
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
