"""The command line: reads arguments, calls the library, prints. It computes nothing itself."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from prover import __version__
from prover.cli.bench import bench
from prover.cli.compose import compose
from prover.cli.curve import curve
from prover.cli.delta import delta
from prover.cli.encode import encode
from prover.cli.epsilon import epsilon
from prover.cli.options import alpha_option, answering, pair_options, with_options
from prover.cli.output import complain, drop_output, prepare_streams, say
from prover.cli.programs import convert, privacy
from prover.cli.status import Status
from prover.errors import BadInput, Fault, quoted, shown

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.progress import Progress
    from prover.report.reply import Reply


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="prover")
@click.pass_context
def main(context: click.Context) -> int:
    """How private is this system? Exact answers with proofs that anyone can check.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
      prover verify pin.cert
      prover zoo svt > svt.json
      prover privacy svt.json --witness

    Exit status: 0 answered, and what was asked to hold holds; 1 refuted or rejected; 2 bad input or usage;
    3 not decided within the budget; 70 a fault of this program.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        return Status.BAD_INPUT
    return Status.HOLDS


@main.command(short_help="How far apart are two states of a Markov chain?")
@click.argument("model")
@alpha_option
@with_options(pair_options)
@click.option("--all-pairs", is_flag=True, help="All ordered pairs of states.")
@click.option(
    "--kind",
    type=click.Choice(["ld", "lgd", "bd", "lv", "tv", "kernel", "bisimilarity"]),
    default="ld",
    show_default=True,
    help="ld: bounds delta from S to T. lgd: the same number, by another definition. bd: bounds delta both "
    "ways. lv: delta itself from S to T, tv: both ways (see prover delta). kernel: 0 if ld is 0, else 1. "
    "bisimilarity: 0 if nothing tells S and T apart, else 1.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "lp", "linear", "nonlinear"]),
    default="auto",
    show_default=True,
    help="How to compute it. auto is lp: linear programs. linear and nonlinear ask formulas (small models). "
    "The answer is the same.",
)
@click.option(
    "--bounds",
    type=click.Choice(["both", "upper"]),
    default="both",
    show_default=True,
    help="upper: a certified upper bound only, which is faster and enough to bound delta.",
)
@click.option(
    "--max-bits",
    type=click.IntRange(min=1),
    metavar="N",
    help="Answer with an interval where an exact number would have more than N bits (exit status 3).",
)
@click.option(
    "--reachable-only",
    is_flag=True,
    help="First delete the states that the query does not reach (this can raise ld).",
)
@with_options(answering)
def distance(
    model: str,
    alpha: Fraction | None,
    source: str | None,
    target: str | None,
    all_pairs: bool,
    kind: str,
    engine: str,
    bounds: str,
    max_bits: int | None,
    reachable_only: bool,
    as_json: bool,
    certificate: str | None,
    timeout: float | None,
) -> int:
    """How far apart are two states of the labelled Markov chain in the file MODEL?

    A small distance means privacy: ld bounds delta, as whatever is observed,

    \b
      P[it | S]  <=  alpha P[it | T] + ld.

    Distances are numbers between 0 and 1, and exact. Without --from and --to the answer is the largest
    distance over the pairs that the model's "relation" lists.

    MODEL is a JSON file, or - for standard input; prover zoo prints some to begin with.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover distance pin.json --from 0 --to 1 --alpha 11/10
      prover distance pin.json --from 0 --to 1 --kind bisimilarity
      prover distance pin.json --all-pairs --alpha 1.1 --json
      prover zoo randomised-response > survey.json
      prover distance survey.json --alpha 6/5 --certificate survey.cert
      prover distance survey.json --alpha 6/5 --bounds upper --timeout 60
      prover distance pin.json --from 0 --to 1 --alpha 11/10 --engine nonlinear --timeout 60
    """
    if all_pairs and (source is not None or target is not None or reachable_only):
        raise click.UsageError("--all-pairs asks for every pair; leave out --from, --to and --reachable-only")
    unrolled = kind in ("lv", "tv")
    if unrolled and (all_pairs or bounds == "upper" or max_bits is not None or engine != "auto"):
        raise click.UsageError(f"--kind {kind} goes without --all-pairs, --bounds, --max-bits and --engine")

    def work(progress: Progress, leave: Callable[[Reply], None]) -> Reply:
        from prover.chain.distance import distance as of_pair
        from prover.chain.distance import distances, query_pairs
        from prover.chain.model import restrict
        from prover.formats.load import load_chain
        from prover.report.answers import narrowing, reply_of

        certified = certificate is not None
        options: dict[str, Any] = {"kind": kind, "bounds": bounds, "max_bits": max_bits, "progress": progress}
        options["engine"] = engine
        options["on_interval"] = narrowing(leave, certified=certified)
        progress("reading the model", 0, None)
        chain = load_chain(model)
        if all_pairs:
            return reply_of(distances(chain, alpha, **options), certified=certified)
        if reachable_only:
            chain = restrict(chain, {s for pair in query_pairs(chain, source, target) for s in pair})
        if unrolled:
            from prover.chain.delta import delta as of_unrolling
            from prover.chain.distance import checked_alpha
            from prover.report import delta as replies

            answer = of_unrolling(
                chain,
                source,
                target,
                checked_alpha(kind, alpha),
                kind=kind,
                progress=progress,
                on_interval=replies.narrowing(leave, replies.distance_reply, certified=certified),
            )
            return replies.distance_reply(answer, certified=certified)
        return reply_of(of_pair(chain, source, target, alpha, **options), certified=certified)

    def nothing() -> Reply:
        from prover.report.answers import nothing_proved

        return nothing_proved(kind, alpha, source, target, all_pairs=all_pairs)

    from prover.cli.answering import answer_with
    from prover.cli.destination import check_destination

    if certificate is not None:
        check_destination(certificate, model)
    return answer_with(
        work,
        nothing,
        as_json=as_json,
        certificate=certificate,
        timeout=timeout,
        open_is_fine=bounds == "upper",
    )


@main.command(short_help="Check certificates.")
@click.argument("certificates", nargs=-1, required=True, metavar="CERTIFICATE...")
def verify(certificates: tuple[str, ...]) -> int:
    """Check certificates with the stand-alone checker, which trusts nothing but the file.

    Prints VERIFIED and the claim, or REJECTED and the reason, for each; the exit status is 0 if all are
    verified. The checker also runs without an installation:

    \b
      python -I -S prover/certificate/check CERTIFICATE...

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover distance pin.json --alpha 11/10 --certificate pin.cert
      prover verify pin.cert
    """
    from prover.certificate import check

    return check.main(certificates)


@main.command(short_help="Print a model of the papers, or list them.")
@click.argument("name", required=False)
@click.argument("parameters", nargs=-1, metavar="[PARAMETER=VALUE]...")
def zoo(name: str | None, parameters: tuple[str, ...]) -> int:
    """Print a model of the papers; without a NAME, list them with their parameters and defaults.

    \b
    Examples:
      prover zoo
      prover zoo randomised-response respondents=2 > survey.json
      prover zoo random-chain states=50 seed=7 > random.json
    """
    from prover import zoo as models
    from prover.formats.convert import write_json

    if name is None:
        for known in models.NAMES:
            defaults = [f"{key}={value}" for key, value in models.parameters_of(known).items()]
            say(f"{' '.join([known, *defaults])}\n    {models.description_of(known)}")
        return Status.HOLDS
    given: dict[str, str] = {}
    for parameter in parameters:
        key, equals, value = parameter.partition("=")
        if not equals:
            raise click.UsageError(f"parameters are written name=value, not {quoted(parameter)}")
        if key in given:
            raise click.UsageError(f"parameter {quoted(key)} is given twice")
        given[key] = value
    say(write_json(models.build(name, **given)).removesuffix("\n"))
    return Status.HOLDS


main.add_command(delta)
main.add_command(compose)
main.add_command(curve)
main.add_command(epsilon)
main.add_command(privacy)
main.add_command(convert)
main.add_command(bench)
main.add_command(encode)


def entry() -> None:
    """The program ``prover``."""
    prepare_streams()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt_once)
    sys.exit(run_command(sys.argv[1:]))


def interrupt_once(*_: object) -> None:
    """Who ends us still gets what is proved, and the signals that follow do not prevent it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    raise KeyboardInterrupt


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


if __name__ == "__main__":
    entry()
