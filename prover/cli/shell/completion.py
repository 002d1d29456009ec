"""Completion of commands in bash, zsh and fish, by click's mechanism.

A shell calls ``prover`` with the line so far in its environment, and click asks the parameter at the cursor
what it may be (``candidates.py``).
"""

from __future__ import annotations

import os

import click

from prover.cli.output import say
from prover.cli.status import Status

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_PROVER_COMPLETE"
"""Where the environment says that a shell asks, and what."""


def prepare() -> None:
    """If a shell asks, be ready for it; it has no use for anything on standard error."""
    if VARIABLE in os.environ:
        from click.shell_completion import add_completion_class

        from prover.cli.shell.shells import COMPLETING

        for kind in COMPLETING:
            add_completion_class(kind)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def script(shell: str, command: click.Command) -> str:
    """What a shell has to read once to complete ``prover``."""
    from prover.cli.shell.shells import COMPLETING

    kinds = {kind.name: kind for kind in COMPLETING}
    return kinds[shell](command, {}, "prover", VARIABLE).source()


@click.command(short_help="Have bash, zsh or fish complete commands, files and names.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script that has SHELL complete commands of prover when Tab is pressed.

    Files are completed, options and their values, models of the zoo with their parameters, mechanisms of
    the gallery, functions in FILE.py:, and states, labels and variables of the model that stands before
    them. Models are read for that, for a second at most, and Python code is never executed.

    \b
    Where the scripts belong, or what to add to a configuration of your own:
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
