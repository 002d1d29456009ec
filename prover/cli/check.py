"""The command that checks the claims in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prover.cli.options import (
    CommandQuery,
    File,
    as_query,
    check_cluster,
    cluster_option,
    force_option,
    jobs_option,
    json_option,
    timeout_option,
)

if TYPE_CHECKING:
    from prover.claims.checking import CheckedSoFar
    from prover.progress import Progress
    from prover.report.reply import Reply


@click.command(short_help="Prove or refute the claims in a file.")
@click.argument("file", metavar="CLAIMS", type=File())
@click.option(
    "--output",
    type=File("the report"),
    metavar="FILE.xml",
    help="Write a report in JUnit format to FILE.xml.",
)
@jobs_option
@cluster_option
@json_option
@force_option
@timeout_option
@as_query("claims that name a file for their certificate would be kept")
def check(query: CommandQuery) -> int:
    """Check the claims about models in the TOML file CLAIMS: each one holds, is refuted, or stays open.

    \b
      [[claim]]
      model = "survey.json"           # and options for reading it: secret, observe, untimed, const ...
      alpha = "6/5"                   # or epsilon; with from = "a" and to = "b", about this pair only
      delta_at_most = "4/15"
      certificate = "survey.cert"     # the file of the proof
      badge = "survey.svg"            # a picture with the claim and the proof's hash
      [[claim]]
      model = "mechanisms.py:above_threshold"
      adjacency = "monotonic"
      epsilon_at_most = "3/4"         # a multiple of epsilon

    If the file of the proof proves the claim for the model as it is now, the command only verifies it.
    Otherwise it proves or refutes the claim, and writes a proof to this file. Exit status 0: all claims hold;
    1: some are refuted (for chains the attack is shown); 3: some stay open. After Ctrl-C or a timeout, the
    command shows the claims that are decided and keeps their certificates, so that the next run continues.

    With --cluster, the workers of a Dask cluster check the claims. They need this package, and the models at
    the same paths; certificates are read and written on this machine.

    \b
    Examples:
      prover check examples/claims/claims.toml
      prover check examples/claims/claims.toml --output claims.xml --jobs 2
    """
    from prover.claims.file import read_claims
    from prover.cli.answering import answer_with

    check_cluster(query.cluster, query.jobs)
    claims = read_claims(query.file)
    query = query.beside([claim.model for claim in claims], claims=claims)
    if any(claim.certificate is not None for claim in claims):  # these are the prover's own, and renewed
        again = "the same command continues: it only verifies the certificates that are kept"
        query = query.beside(go_on=again)
    return answer_with(query, _answer, lambda query: _reply(query, [None] * len(query.claims)))


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.claims.checking import check_all
    from prover.executors import apart, cluster, local

    def tell(results: CheckedSoFar) -> None:
        emit(_reply(query, results))  # before anybody is told that there is more to see
        progress("checking claims", len(results) - results.count(None), len(results))

    progress("checking claims", 0, len(query.claims))
    if query.cluster is None:
        with local(query.jobs) as executor:
            results = check_all(query.claims, query.file, executor, at_once=query.jobs, on_checked=tell)
    else:
        here = partial(apart, str(Path.cwd()))
        with cluster(query.cluster) as executor:
            results = check_all(query.claims, query.file, executor, apart=here, on_checked=tell)
    return _reply(query, results)


def _reply(query: CommandQuery, results: CheckedSoFar) -> Reply:
    from prover.claims.table import junit, reply_of

    reply = reply_of(results)
    if query.output is None:
        return reply
    report = junit(results, query.claims, Path(query.file).name)
    return replace(reply, files=((query.output, "the report", report),))
