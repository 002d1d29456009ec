"""The command about models with parameters."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prover.cli.mechanisms import noise_options
from prover.cli.options import (
    CommandQuery,
    File,
    alpha_option,
    as_query,
    check_cluster,
    cluster_option,
    epsilon_option,
    force_option,
    jobs_option,
    json_option,
    not_negative,
    pair_options,
    probability,
    rational,
    timeout_option,
    with_options,
    with_reading,
)
from prover.errors import Unwritable

if TYPE_CHECKING:
    from prover.cli.answering import Emit
    from prover.progress import Progress
    from prover.report.reply import Reply
    from prover.sweeps.answer import Sweep

_ASKED = (
    "source", "target", "alpha", "epsilon", "delta", "gap", "at_epsilon", "q", "adjacency", "steps",
)  # fmt: skip
"""The options of the question that is asked of every model."""


@click.command(short_help="Compute delta or epsilon over the parameters of a model.")
@click.argument("model", type=File())
@alpha_option
@epsilon_option
@click.option("--delta", callback=probability, metavar="D", help="Ask for the least epsilon with this delta.")
@click.option(
    "--target",
    "at_most",
    callback=not_negative,
    metavar="T",
    help="Find two neighbouring values of the one parameter: the number is at most T at one, above T at the "
    "other.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="With --target: compute all values, and find the least one with a number of at most T.",
)
@with_options(pair_options)
@click.option(
    "--gap",
    callback=rational,
    metavar="G",
    help="Largest width of the intervals, where numbers are not found exactly.",
)
@with_reading
@with_options(noise_options)
@click.option(
    "--plot",
    type=File("the picture"),
    metavar="FILE",
    help="Draw the numbers into FILE, an .svg file: a line over one parameter, a map over two.",
)
@click.option(
    "--certificate",
    "folder",
    type=File(kind="dir"),
    metavar="FOLDER",
    help="Write the certificates of all numbers into FOLDER, each as soon as the stand-alone checker has "
    "accepted it.",
)
@click.option(
    "--output",
    type=File(),
    metavar="FILE.jsonl",
    help="Keep the numbers in FILE.jsonl, each as soon as it is known.",
)
@click.option(
    "--resume", is_flag=True, help="Use the numbers that FILE.jsonl has, of models as they are now."
)
@jobs_option
@cluster_option
@json_option
@force_option
@timeout_option
@as_query("a larger --gap may make it faster")
def sweep(query: CommandQuery) -> int:
    """Compute delta, or the least epsilon, for many values of one or two parameters of the model in MODEL.

    Parameters are constants of PRISM and JANI models, or parameters of Python code. --const gives a range to
    one or two of them: others=0:20 are the whole numbers from 0 to 20, p=0:1:11 are 11 evenly spaced numbers.
    Each row says what is proved of the model with these values.

    --target T halves the range of one parameter until it has two neighbouring values: the number is at most T
    at one of them, and above T at the other. Both is proved. Nothing is assumed about the values between, so
    the least value of the range with a number of at most T is found with --all only.

    With --output, the command keeps every number as soon as it is known, and --resume continues after Ctrl-C
    or --timeout. Every model is read again; if it has changed, its number is computed again.

    With --jobs or --cluster, several values are worked on at once, with --target one after the other. The
    workers of a Dask cluster need this package, and MODEL at the same path; the command itself writes all
    files. If a worker is lost, only what it was working on is computed again.

    Exit status: 0 if all numbers are found, or the values for --target; 1 if --all proves that no value of
    the range has a number of at most T; 3 if the search is not decided.

    \b
    Examples:
      prover sweep examples/sweeps/tally.py --const others=0:20 --alpha 2
      prover sweep examples/sweeps/tally.py --const others=0:20 --alpha 2 --target 1/10
      prover sweep examples/sweeps/tally.py --const others=0:6,p=1/10:1/2:5 --alpha 2 --plot tally.svg
      prover sweep examples/sweeps/tally.py --const others=2:8 --delta 1/10 --certificate proofs --jobs 2
    """
    from prover.cli.answering import answer_with
    from prover.cli.destination import STANDARD
    from prover.cli.output import complain
    from prover.report.picture.svg import check_svg
    from prover.sweeps.ranges import ranges_of, split

    check_cluster(query.cluster, query.jobs)
    if query.every and query.at_most is None:
        raise click.UsageError("--all goes with --target; without it all values are computed anyway")
    over, rest = split(query.reading.get("const", ""))
    ranges_of(over)
    if query.plot is not None:
        check_svg(query.plot)
    if query.resume and query.output is None:
        raise click.UsageError("--resume continues the file of --output; give both")
    if STANDARD in (query.output, query.folder):
        raise click.UsageError("--output takes a file and --certificate a folder; --json prints all numbers")
    for path, what in ((query.output, "the results"), (query.folder, "the certificates")):
        if path is not None and Path(path).exists() and not query.resume and not query.force:
            message = f"exists already; continue with --output and --resume, or replace {what} with --force"
            raise Unwritable(message, file=path, code="file-exists")
    query = query.beside(over=over, rest=rest)
    if query.output is not None:
        query.go_on = f"the same command with --resume continues {query.output}"
    return answer_with(query, _answer, _nothing, note=complain)


def _answer(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    from prover.executors import apart, cluster, local
    from prover.sweeps.place import FileModels
    from prover.sweeps.ranges import ranges_of
    from prover.sweeps.running import swept

    models = FileModels(query.model, query.reading, query.rest)
    notes: dict[str, None] = {}

    def note(text: str) -> None:
        notes[text] = None

    ended, took = 0.0, 0.0

    def tell(found: Sweep) -> None:
        """Emit what is proved so far, at most a twentieth of the time."""
        nonlocal ended, took
        began = time.monotonic()
        if began - ended >= 20 * took:
            emit(_reply(query, found, tuple(notes)))
            ended = time.monotonic()
            took = ended - began

    if query.output is not None and query.force and not query.resume:
        models({name: values[0] for name, values in ranges_of(query.over).items()}, note)
        Path(query.output).unlink(missing_ok=True)  # not before: old results stay where nothing can be read

    of_models = partial(
        swept,
        models,
        query.over,
        {name: getattr(query, name) for name in _ASKED},
        query.at_most,
        every=query.every,
        certificates=query.folder,
        results=query.output,
        progress=progress,
        on_note=note,
        on_sweep=tell,
    )
    if query.cluster is not None:
        with cluster(query.cluster) as executor:
            found = of_models(executor=executor, apart=partial(apart, str(Path.cwd())))
    elif query.jobs > 1:
        with local(query.jobs) as executor:
            found = of_models(executor=executor, at_once=query.jobs)
    else:
        found = of_models()
    return _reply(query, found, tuple(notes))


def _reply(query: CommandQuery, found: Sweep, notes: tuple[str, ...]) -> Reply:
    from dataclasses import replace

    from prover.report.picture.svg import svg_file
    from prover.sweeps.table import drawing, reply_of

    reply = reply_of(found, notes)
    if query.folder is not None and any(not point.certificates for point in found.points):
        reply = replace(reply, exact=False, refuted=False, obstacle="some numbers have no certificate")
    if query.plot is None:
        return reply
    picture = drawing(found)
    return replace(reply, files=((query.plot, "the picture", svg_file(picture.drawn, picture.words)),))


def _nothing(query: CommandQuery) -> Reply:
    from prover.sweeps.answer import Sweep
    from prover.sweeps.ranges import ranges_of

    given = {name: getattr(query, name) for name in _ASKED[:6]}
    asked = {name: None if value is None else str(value) for name, value in given.items()}
    return _reply(query, Sweep(ranges_of(query.over), asked, (), query.at_most, query.every), ())
