"""The commands that print or write models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from prover.chain.kinds import RELATED
from prover.cli.options import File, force_option, seconds, with_reading, with_reading_without_related
from prover.cli.output import complain, say
from prover.cli.status import Status
from prover.errors import shown


@click.command(short_help="Write a model in another format.")
@click.argument("source", metavar="IN", type=File())
@click.argument("target", metavar="OUT", type=File("the model"))
@click.option(
    "--stuck",
    is_flag=True,
    help="Threshold programs: add transitions with outputs of their own where guards leave a gap, and where "
    "a run ends while others with the same outputs go on.",
)
@with_reading
@force_option
@click.option(
    "--timeout",
    callback=seconds,
    metavar="SECONDS",
    help="Stop after this many seconds and write nothing (exit status 3).",
)
def convert(
    source: str, target: str, stuck: bool, force: bool, timeout: float | None, reading: Mapping[str, Any]
) -> int:
    """Read the model in the file IN and write it to OUT. The endings of the two names choose the formats.

    Markov chains and decision processes: .json, .drn (Storm), .pexp or .tra (PRISM; the files .lab and .sta
    lie beside .tra). Threshold programs: .json or .dipa. A chain in .json keeps only the labels that the
    observer sees, according to the options; otherwise nothing is lost. With - as OUT, the model is printed as
    JSON. An existing file is replaced only with --force.

    \b
    Examples:
      prover convert examples/svt.dipa svt.json
      prover zoo pin-checker > pin.json
      prover convert pin.json pin.drn
      prover convert --stuck examples/svt.dipa seen.json
    """
    from prover.cli.destination import STANDARD, check_files, write_files
    from prover.cli.worker import run
    from prover.formats.convert import converted, files_of, stuck_seen, write_json
    from prover.formats.load import load
    from prover.formats.reading import Reading

    if target != STANDARD:
        pairs = [reading["secret_pairs"]] if "secret_pairs" in reading else []
        check_files([(file, "the model") for file in files_of(target)], [source, *pairs], force=force)

    def work(*_: object) -> tuple[list[tuple[str, bytes]], list[str]]:
        notes: list[str] = []
        if target == STANDARD:
            model = load(source, on_note=notes.append, **reading)
            text = write_json(stuck_seen(model) if stuck else model)
            return [(target, text.encode("utf-8"))], notes
        return converted(source, target, Reading.of(**reading), notes.append, stuck=stuck), notes

    outcome = run(work, timeout)
    if outcome.result is None:
        complain(f"nothing was written: {outcome.reason}")
        return Status.UNDECIDED
    files, notes = outcome.result
    for note in notes:
        complain(note)
    write_files(files, "the model", force=force)
    if target != STANDARD:
        say(f"wrote {shown(target)}")
    return Status.HOLDS


@click.command(short_help="Print the model of several independent runs, observed together.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...", type=File())
@click.option(
    "--times", type=click.IntRange(min=1), metavar="N", help="N runs of one model from the same secret."
)
@click.option(
    "--related",
    type=click.Choice(RELATED),
    help="Which secrets of several models are related. one: those related in one model and equal in the "
    "others. both: those related in all models. some: those related in at least one model, and equal in the "
    "others.  [default: some]",
)
@with_reading_without_related
def compose(
    models: tuple[str, ...], times: int | None, related: str | None, reading: Mapping[str, Any]
) -> int:
    """Print the model of independent runs of the models in the files, all observed at the same time.

    Its states and labels are tuples of states and labels. Ask prover delta, curve or epsilon how much the
    runs give away together. The secrets are the states in the models' relations. With --times N, one model
    runs N times from the same secret. Markov chains move in step; if an attacker chooses actions in one of
    the models, the attacker also chooses which model moves next.

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
        raise click.UsageError("--times needs exactly one MODEL, and no --related")
    if times is None and len(models) == 1:
        raise click.UsageError("give at least two models, or --times")
    options = Reading.of(**reading)
    systems = [load_system(model, options, complain) for model in models]
    if times is None:
        composed = reduce(lambda left, right: product(left, right, related=related or "some"), systems)
    else:
        composed = repeat(systems[0], times)
    say(write_json(composed).removesuffix("\n"))
    return Status.HOLDS
