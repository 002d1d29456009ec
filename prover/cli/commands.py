"""The commands of the program ``prover``, and how each of them ends."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from prover import __version__
from prover.cli.output import complain, drop_output
from prover.cli.status import Status
from prover.errors import BadInput, Fault, shown

_MODULES = {
    "account": "account",
    "bench": "bench",
    "check": "check",
    "completion": "shell",
    "compose": "models",
    "convert": "models",
    "curve": "curve",
    "delta": "delta",
    "distance": "distance",
    "encode": "encode",
    "epsilon": "epsilon",
    "gallery": "gallery",
    "man": "shell",
    "privacy": "privacy",
    "renyi": "divergences",
    "sweep": "sweep",
    "tradeoff": "divergences",
    "verify": "verify",
    "zoo": "zoo",
}
"""Where each command is; none is loaded before it is called, or listed."""


class _LoadedWhenCalled(click.Group):
    """Commands of which a run loads the one that is called; until then only their names are known."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, None if there is none."""
        del ctx
        if cmd_name in self.commands and self.commands[cmd_name].callback is None:
            module = import_module(f"prover.cli.{_MODULES[cmd_name]}")
            self.add_command(getattr(module, cmd_name))
        return self.commands.get(cmd_name)


@click.group(
    cls=_LoadedWhenCalled,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="prover")
@click.pass_context
def main(context: click.Context) -> int:
    """Prove how private a system is, with certificates that anyone can check.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
      prover verify pin.cert
      prover zoo svt > svt.json
      prover privacy svt.json --witness

    Exit status: 0 answered, and every bound that was asked for holds; 1 refuted or rejected; 2 wrong input or
    usage; 3 not decided within the budget; 70 a fault of this program.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        return Status.BAD_INPUT
    return Status.HOLDS


for command in _MODULES:
    main.add_command(click.Command(command))


def run_command(arguments: list[str]) -> int:
    """Run one command; every ending has its exit status, and none of them is a traceback by accident."""
    try:
        if sys.stdout is None:
            raise BadInput("standard output is closed; there is nowhere to write the answer")
        status = main.main(args=arguments, prog_name="prover", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        helpful = "prover" if context is None else context.command_path
        complain(f"{shown(error.format_message())}\nTry '{helpful} --help'.")
        return Status.BAD_INPUT
    except BadInput as error:
        complain(str(error))
        return Status.BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return Status.UNDECIDED
    except (SystemExit, BrokenPipeError):  # the former is how click takes a broken pipe
        drop_output()
        return Status.HOLDS
    except OSError as error:  # standard output cannot be written: a full disk, say
        complain(f"cannot write the answer: {error.strerror or error}")
        return Status.BAD_INPUT
    except Exception as error:  # noqa: BLE001  the last line of defence
        import traceback

        detail = str(error) if isinstance(error, Fault) else traceback.format_exc()
        complain(f"a fault of this program, please report it:\n{detail}")
        return Status.FAULT
    return status if isinstance(status, int) else Status.HOLDS
