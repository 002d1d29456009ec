"""The commands about benchmarks."""

from __future__ import annotations

import json
from contextlib import nullcontext

import click

from prover.cli.options import FORMAT, File, check_cluster, cluster_option, force_option, seconds
from prover.cli.output import complain, progress_bar, say
from prover.cli.status import Status
from prover.errors import shown


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
    loaded = read_suite(suite)
    if timeout is not None:
        loaded = loaded.within(timeout)
    check_files([(output, "the file of results")], [suite], force=True)  # files of results: below
    with results_file(output, loaded.name, resume=resume, force=force) as (writer, done):
        try:
            with (
                progress_bar() as bar,
                nullcontext() if cluster is None else on_cluster(cluster) as executor,
            ):
                rows = run_suite(
                    loaded, executor, jobs=jobs, done=done, on_row=writer.add, progress=bar.report
                )
        except KeyboardInterrupt:
            file = None if output == STANDARD else output
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
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
def compare(before: str, after: str, counts: bool, as_json: bool) -> int:
    """Compare two runs of a suite: medians and ratios of each family, and what became slower by half or more.

    With --counts the runs may be of different machines: what is compared is what the engines count of their
    work, and the bytes of certificates, summed over the jobs of a family.

    Exit status: 1 if the two contradict each other about a value, else 0. With --counts it is also 1 if a
    count of a family has grown by half or more, or if an answer or a count is missing in B.jsonl.

    \b
    Examples:
      prover bench compare before.jsonl after.jsonl
      prover bench compare before.jsonl after.jsonl --json
      prover bench compare before.jsonl after.jsonl --counts
    """
    from prover.bench.compare import compare as compare_results
    from prover.bench.compare import compare_counts, comparison_text, counts_text
    from prover.bench.results import read_results

    both = read_results(before), read_results(after)
    if counts:
        counted = compare_counts(*both)
        document, text, worse = counted.document(), counts_text(counted), bool(counted.complaints)
    else:
        timed = compare_results(*both)
        document, text, worse = timed.document(), comparison_text(timed), bool(timed.contradictions)
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
