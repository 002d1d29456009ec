"""The commands about benchmarks."""

from __future__ import annotations

import json
from contextlib import ExitStack, nullcontext
from pathlib import Path

import click

from prover.cli.options import FORMAT, File, check_cluster, cluster_option, force_option, seconds
from prover.cli.output import complain, progress_bar, say
from prover.cli.status import Status
from prover.errors import BadInput, shown


@click.group(
    invoke_without_command=True, short_help="Run suites of benchmarks, and compare or draw their results."
)
@click.pass_context
def bench(context: click.Context) -> int:
    """Measure prover, and other tools for comparison, on suites of questions.

    \b
    Examples:
      prover bench run benchmarks/quick.toml --output quick.jsonl
      prover bench compare before.jsonl after.jsonl
      prover bench report quick.jsonl --output quick.html
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        return Status.BAD_INPUT
    return Status.HOLDS


@bench.command(short_help="Run the jobs of a suite.")
@click.argument("suite", metavar="SUITE.toml", type=File())
@click.option(
    "--output",
    required=True,
    type=File("the file of results"),
    metavar="FILE.jsonl",
    help="The file for the rows.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Run N jobs at once.",
)
@cluster_option
@click.option(
    "--beside",
    nargs=2,
    type=File("the other file of results"),
    metavar="FOLDER OTHER.jsonl",
    help="Let the version in FOLDER, such as an older commit, do each job right before or after this one. "
    "Its rows go to OTHER.jsonl.",
)
@click.option(
    "--repeat", type=click.IntRange(min=1), metavar="N", help="Runs of each job, instead of the suite's."
)
@click.option("--resume", is_flag=True, help="Continue a run: do the jobs that FILE.jsonl does not have yet.")
@force_option
@click.option(
    "--timeout",
    callback=seconds,
    metavar="SECONDS",
    help="The limit of each job, in processor seconds.",
)
def run(
    suite: str,
    output: str,
    jobs: int,
    cluster: str | None,
    beside: tuple[str, str] | None,
    repeat: int | None,
    resume: bool,
    force: bool,
    timeout: float | None,
) -> int:
    """Run the jobs of the suite in SUITE.toml, each in a process of its own, and write one row for each.

    No job runs unless the whole suite is in order. Each row is written as soon as its job is done, as a line
    of JSON. After Ctrl-C, --resume continues the file. docs/benchmarks.md describes suites and rows.

    Exit status: 0 if every job has an answer, and none contradicts its expected value; 1 if an answer
    contradicts its expected value, or a certificate is rejected; 3 if a job has no answer (an error, a crash,
    or a limit, unless the limit ends a family that grows until it meets one), or after Ctrl-C.

    \b
    Examples:
      prover bench run benchmarks/quick.toml --output quick.jsonl
      prover bench run benchmarks/scaling.toml --output scaling.jsonl --timeout 20 --jobs 2
      prover bench run benchmarks/scaling.toml --output scaling.jsonl --resume
      prover bench run benchmarks/quick.toml --output new.jsonl --beside ../older old.jsonl --repeat 5
    """
    from prover.bench.results import results_file
    from prover.bench.runner import run as run_suite
    from prover.bench.suite import read_suite
    from prover.bench.summary import complaint, counts, outcome, unfinished
    from prover.cli.destination import STANDARD, check_files
    from prover.executors import cluster as on_cluster

    check_cluster(cluster, jobs)
    if resume and (force or output == STANDARD):
        raise click.UsageError("--resume continues a file; leave out --force and --output -")
    if beside is not None and (resume or cluster is not None):
        raise click.UsageError("--beside runs everything here and at once; leave out --resume and --cluster")
    if beside is not None and not Path(beside[0], "prover", "bench", "child.py").is_file():
        raise BadInput("holds no version of this package that runs benchmarks", file=beside[0])
    loaded = read_suite(suite)
    if repeat is not None:
        loaded = loaded.repeated(repeat)
    if timeout is not None:
        loaded = loaded.within(timeout)
    files = [output] if beside is None else [output, beside[1]]
    check_files([(file, "the file of results") for file in files], [suite], force=True)  # replaced below
    with ExitStack() as stack:
        (writer, done), *others = (
            stack.enter_context(results_file(file, loaded.name, resume=resume, force=force)) for file in files
        )
        try:
            with (
                progress_bar() as bar,
                nullcontext() if cluster is None else on_cluster(cluster) as executor,
            ):
                rows = run_suite(
                    loaded,
                    executor,
                    jobs=jobs,
                    done=done,
                    on_row=writer.add,
                    beside=None if beside is None else str(Path(beside[0]).resolve()),
                    on_beside=others[0][0].add if others else None,
                    progress=bar.report,
                )
        except KeyboardInterrupt:
            file = None if output == STANDARD or beside is not None else output
            complain(unfinished(loaded, len(done) + writer.added, file))
            return Status.UNDECIDED
    say(counts(rows), aside=output == STANDARD)
    verdict = outcome(loaded, rows)
    for row in verdict.bad:
        complain(complaint(row))
    return verdict.status


@bench.command(short_help="Compare two runs: what is slower, faster or different.")
@click.argument("before", metavar="A.jsonl", type=File())
@click.argument("after", metavar="B.jsonl", type=File())
@click.option(
    "--counts",
    is_flag=True,
    help="Compare counts (pairs, rounds, values, nodes, bytes) in place of seconds.",
)
@click.option(
    "--ratios",
    is_flag=True,
    help="Compare run by run, and show ratios only, of two files that run --beside has written.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
def compare(before: str, after: str, counts: bool, ratios: bool, as_json: bool) -> int:
    """Compare two runs of a suite: medians and ratios of each family, and what became slower by half or more.

    With --counts the runs may be of different machines: what is compared is what the engines count of their
    work, and the bytes of certificates, summed over the jobs of a family.

    With --ratios each run in B.jsonl is compared with the same run in A.jsonl: how many times as long the
    answers of a family take, and their checks; the median, the least and the most. Runs below 0.05 seconds
    are left out.

    Exit status: 1 if the two contradict each other about a value, else 0. With --counts it is also 1 if a
    count of a family has grown by half or more, or if an answer or a count is missing in B.jsonl. With
    --ratios it is also 1 if the median of a family is 1.5 or more, or if an answer is missing in B.jsonl.

    \b
    Examples:
      prover bench compare before.jsonl after.jsonl
      prover bench compare before.jsonl after.jsonl --json
      prover bench compare before.jsonl after.jsonl --counts
      prover bench compare before.jsonl after.jsonl --ratios
    """
    from prover.bench.compare import compare as compare_results
    from prover.bench.compare import compare_counts, comparison_text, counts_text
    from prover.bench.ratios import compare_ratios, ratios_text
    from prover.bench.results import read_results

    if counts and ratios:
        raise click.UsageError("--counts and --ratios compare different things; leave one of them out")
    both = read_results(before), read_results(after)
    if ratios:
        timed = compare_ratios(*both)
        document, text, worse = timed.document(), ratios_text(timed), bool(timed.complaints)
    elif counts:
        counted = compare_counts(*both)
        document, text, worse = counted.document(), counts_text(counted), bool(counted.complaints)
    else:
        found = compare_results(*both)
        document, text, worse = found.document(), comparison_text(found), bool(found.contradictions)
    say(json.dumps({"format": FORMAT, **document}) if as_json else text)
    return Status.REFUTED if worse else Status.HOLDS


@bench.command(short_help="Show results as tables, or as a page with plots.")
@click.argument("results", metavar="FILE.jsonl", type=File())
@click.option(
    "--output",
    type=File("the page"),
    metavar="PAGE.html",
    help="Write a page with plots, which needs no other file.",
)
@force_option
def report(results: str, output: str | None, force: bool) -> int:
    """Show the rows in FILE.jsonl as tables or, with --output, as a page with plots for any browser, offline.

    \b
    Examples:
      prover bench report quick.jsonl
      prover bench report scaling.jsonl --output scaling.html
    """
    from prover.bench.report import page, tables
    from prover.bench.results import read_results
    from prover.cli.destination import STANDARD, check_files, write_file

    if output is not None:
        check_files([(output, "the page")], [results], force=force)
    rows = read_results(results)
    if output is None:
        say(tables(rows))
        return Status.HOLDS
    write_file(output, page(rows).encode(), "the page", force=force)
    if output != STANDARD:
        say(f"wrote {shown(output)}")
    return Status.HOLDS
