"""What the command line does for the shell that it is typed in: completion, and the page for ``man``.

Completion is click's own: a shell calls ``prover`` with the line so far in its environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click

from prover.cli.output import say
from prover.cli.status import Status

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_PROVER_COMPLETE"
"""Where the environment says that a shell asks, and what."""

_SPECIAL = {"\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}

_MEANINGS = {
    Status.HOLDS: "Answered; every bound that was asked for holds.",
    Status.REFUTED: "Refuted, or rejected: a bound that was asked for does not hold.",
    Status.BAD_INPUT: "The input or the usage is wrong; nothing was computed.",
    Status.UNDECIDED: "Not decided within the budget; the answer is what was proved so far.",
    Status.FAULT: "A fault of this program.",
}


@click.command(short_help="Print a script that makes bash, zsh or fish complete commands.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script that makes SHELL complete the commands of prover when Tab is pressed.

    It completes commands, files, options and their values, models of the zoo, and mechanisms of the gallery,
    and reads no model.

    \b
    Add one line to the configuration of the shell:
      bash:  eval "$(prover completion bash)"          in ~/.bashrc
      zsh:   eval "$(prover completion zsh)"           in ~/.zshrc, after compinit
      fish:  prover completion fish | source           in ~/.config/fish/config.fish

    \b
    Examples:
      prover completion bash > prover.bash
      prover completion fish > prover.fish
    """
    say(script(shell, context.find_root().command).rstrip("\n"))
    return Status.HOLDS


def script(shell: str, command: click.Command) -> str:
    """What a shell has to read once to complete ``prover``."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    return "" if kind is None else kind(command, {}, "prover", VARIABLE).source()


@click.command(short_help="Print the manual page.")
@click.pass_context
def man(context: click.Context) -> int:
    """Print the manual page of prover, with all commands and options, in the format of man.

    An installed wheel has this page beside the program, where man finds it: `man prover` shows it.

    \b
    Examples:
      prover man > prover.1
      prover man | head -n 1
    """
    from prover import __version__

    root = context.find_root()
    name = root.info_name or "prover"
    say(page(root.command, name, f"{name} {__version__}"))
    return Status.HOLDS


def page(command: click.Command, name: str, version: str) -> str:
    """The page about a program, its commands and theirs, in the language of man (roff), in ASCII.

    The same program makes the same bytes, on whatever day and machine.
    """
    roff = _Roff()
    root, *below = _contexts(click.Context(command, info_name=name, **command.context_settings))
    sentence = " ".join((command.help or "").split("\n\n")[0].split()).rstrip(".")
    roff.lines(f'.TH {name.upper()} 1 "" "{_text(version)}" "User Commands"', ".SH NAME")
    roff.lines(f"{_text(name)} \\- {_text(sentence[:1].lower() + sentence[1:])}", ".SH SYNOPSIS")
    command.format_usage(root, roff)
    roff.lines(".SH DESCRIPTION")
    command.format_help_text(root, roff)
    command.format_options(root, roff)
    roff.lines(".SH COMMANDS")
    for context in below:
        roff.lines(f".SS {_text(context.command_path)}")
        context.command.format_help(context, roff)
    roff.lines(".SH EXIT STATUS")
    roff.write_dl([(str(status.value), meaning) for status, meaning in _MEANINGS.items()])
    return roff.getvalue().rstrip("\n")


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """A command, and those below it, each with those below it behind it."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if command is not None:
                yield from _contexts(click.Context(command, info_name=name, parent=context))


class _Roff(click.HelpFormatter):
    """Writes what commands say of themselves with ``--help`` in the language of man."""

    def lines(self, *lines: str) -> None:
        """Write lines as they are."""
        self.write("".join(f"{line}\n" for line in lines))

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """How a command is called."""
        del prefix
        self.lines(".PP", f"\\fB{_text(prog)}\\fR {_text(args)}")

    def write_heading(self, heading: str) -> None:
        """The heading of a list."""
        self.lines(".PP", f"{_text(heading)}:")

    def write_paragraph(self) -> None:
        """Nothing: every paragraph says itself that it begins."""

    def write_text(self, text: str) -> None:
        """Paragraphs; those behind a line with a backspace keep their lines, as click has it."""
        for paragraph in re.split(r"\n\s*\n", text):
            first, *rest = paragraph.split("\n")
            if first.strip(" ") == "\b":
                self.lines(".PP", ".nf", *map(_text, rest), ".fi")
            else:
                self.lines(".PP", *(_text(line.strip()) for line in (first, *rest)))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """A list of words with what they mean."""
        del col_max, col_spacing
        for word, meaning in rows:
            self.lines(".TP", f"\\fB{_text(word)}\\fR", _text(" ".join(meaning.split())))


def _text(text: str) -> str:
    """A line of text that means itself, whatever it begins with."""
    escaped = "".join(_SPECIAL.get(c) or (c if c.isascii() else f"\\[u{ord(c):04X}]") for c in text)
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
