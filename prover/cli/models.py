"""The commands that print or write models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from prover.chain.kinds import RELATED
from prover.cli.options import File, force_option, seconds, with_reading
from prover.cli.output import complain, say
from prover.cli.status import Status
from prover.errors import shown


@click.command(short_help="Write a model in another format.")
@click.argument("source", metavar="IN", type=File())
@click.argument("target", metavar="OUT", type=File("the model"))
@click.option(
    "--stuck",
    is_flag=True,
    help="Programs: where guards leave a gap, or a run ends where others with the same outputs go on, add "
    "transitions with an output of their own.",
)
@with_reading
@force_option
@click.option(
    "--timeout",
    callback=seconds,
    metavar="SECONDS",
    help="Stop after so many seconds, and write nothing (exit status 3).",
)
def convert(
    source: str, target: str, stuck: bool, force: bool, timeout: float | None, reading: Mapping[str, Any]
) -> int:
    """Read the model in the file IN and write it to OUT; the endings of the names say in which formats.

    Chains and decision processes are .json, .drn (Storm), .pexp or .tra files (PRISM; .lab and .sta lie
    beside .tra), threshold programs .json or .dipa files. A chain in .json holds what is observed, as the
    options say; otherwise nothing is lost. OUT may be -, for JSON on standard output; a file that is there
    already is replaced with --force only.

    \b
    Examples:
      prover convert examples/svt.dipa svt.json
      prover zoo pin-checker > pin.json
      prover convert pin.json pin.drn
      prover convert --stuck examples/svt.dipa seen.json
    """
    from prover.cli.destination import STANDARD, check_files, write_files
    from prover.cli.worker import run
    from prover.formats.convert import converted, places, stuck_seen, write_json
    from prover.formats.load import load
    from prover.formats.reading import Reading

    if target != STANDARD:
        pairs = [reading["secret_pairs"]] if "secret_pairs" in reading else []
        check_files([(place, "the model") for place in places(target)], [source, *pairs], force=force)

    def work(*_: object) -> tuple[list[tuple[str, bytes]], list[str]]:
        notes: list[str] = []
        if target == STANDARD:
            model = load(source, on_note=notes.append, **reading)
            text = write_json(stuck_seen(model) if stuck else model)
            return [(target, text.encode("utf-8"))], notes
        return converted(source, target, Reading.of(**reading), notes.append, stuck=stuck), notes

    outcome = run(work, timeout)
    if outcome.result is None:
        complain(f"nothing is written: {outcome.reason}")
        return Status.UNDECIDED
    files, notes = outcome.result
    for note in notes:
        complain(note)
    write_files(files, "the model", force=force)
    if target != STANDARD:
        say(f"wrote {shown(target)}")
    return Status.HOLDS


@click.command(short_help="The model of independent runs that are seen together.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...", type=File())
@click.option(
    "--times", type=click.IntRange(min=1), metavar="N", help="N runs of one model, from the same secret."
)
@click.option(
    "--related",
    type=click.Choice(RELATED),
    help="Secrets of several models are related if they are in one model, and the same in the others; if "
    "they are in all (both); or if they are in some.  [default: some]",
)
@with_reading
def compose(
    models: tuple[str, ...], times: int | None, related: str | None, reading: Mapping[str, Any]
) -> int:
    """Print the model of independent runs of the models in the files, all observed at the same time.

    Its states and labels are tuples of states and labels; ask prover delta, curve or epsilon how much the
    runs give away together. Secrets are the states of the models' relations. With --times N it is one model,
    N times from the same secret. Chains move together; where an attacker chooses in one of the models, he
    also chooses which of them goes on.

    \b
    Examples:
      prover zoo randomised-response > survey.json
      prover compose survey.json --times 3 > thrice.json
      prover delta thrice.json --alpha 216/125
      prover zoo pin-checker > pin.json
      prover compose survey.json pin.json --related one > both.json
    """
    from functools import reduce

    from prover.chain.product import product, repeat
    from prover.formats.convert import write_json
    from prover.formats.load import load_system
    from prover.formats.reading import Reading

    if times is not None and (len(models) > 1 or related is not None):
        raise click.UsageError("--times goes with one MODEL, and without --related")
    if times is None and len(models) == 1:
        raise click.UsageError("give two models or more, or --times")
    options = Reading.of(**reading)
    systems = [load_system(model, options, complain) for model in models]
    if times is None:
        composed = reduce(lambda left, right: product(left, right, related=related or "some"), systems)
    else:
        composed = repeat(systems[0], times)
    say(write_json(composed).removesuffix("\n"))
    return Status.HOLDS
