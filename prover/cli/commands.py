"""The commands of the program ``prover``, and how each of them ends."""

from __future__ import annotations

import sys

import click

from prover import __version__
from prover.cli.account import account
from prover.cli.bench import bench
from prover.cli.check import check
from prover.cli.curve import curve
from prover.cli.delta import delta
from prover.cli.distance import distance
from prover.cli.divergences import renyi, tradeoff
from prover.cli.encode import encode
from prover.cli.epsilon import epsilon
from prover.cli.gallery import gallery
from prover.cli.models import compose, convert
from prover.cli.output import complain, drop_output
from prover.cli.privacy import privacy
from prover.cli.shell import completion, man
from prover.cli.status import Status
from prover.cli.sweep import sweep
from prover.cli.verify import verify
from prover.cli.zoo import zoo
from prover.errors import BadInput, Fault, shown


@click.group(
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


for command in (
    distance,
    delta,
    curve,
    epsilon,
    renyi,
    tradeoff,
    sweep,
    compose,
    account,
    privacy,
    convert,
    verify,
    check,
    zoo,
    gallery,
    encode,
    bench,
    completion,
    man,
):
    main.add_command(command)


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
