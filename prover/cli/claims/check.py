"""The command that checks the claims in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prover.cli.options import (
    Asked,
    check_cluster,
    cluster_option,
    force_option,
    jobs_option,
    json_option,
    timeout_option,
)
from prover.cli.shell import candidates

if TYPE_CHECKING:
    from prover.claims.claim import Claim
    from prover.claims.running import Found
    from prover.progress import Progress
    from prover.report.reply import Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckAsked(Asked):
    """What ``prover check`` is asked."""

    file: str
    claims: tuple[Claim, ...]
    output: str | None
    jobs: int
    cluster: str | None

    def inputs(self) -> list[str]:
        """The files that are read."""
        return [self.file, *(claim.model for claim in self.claims)]

    def how_to_go_on(self) -> str:
        """What to do if the work was ended before its time."""
        if any(claim.certificate is not None for claim in self.claims):
            return "the same command goes on: certificates that are kept are only verified"
        return "the same command begins anew; it would not where claims name a file for their certificate"

    def files(self) -> list[tuple[str, str]]:
        """The report. Certificates of claims are the prover's own, and renewed."""
        return [] if self.output is None else [(self.output, "the report")]


@click.command(short_help="Do the claims in a file hold?")
@click.argument("file", metavar="CLAIMS", shell_complete=candidates.files)
@click.option(
    "--output",
    metavar="FILE.xml",
    shell_complete=candidates.files,
    help="Write a JUnit report to FILE.xml.",
)
@jobs_option
@cluster_option
@json_option
@force_option
@timeout_option
def check(
    file: str,
    output: str | None,
    jobs: int,
    cluster: str | None,
    as_json: bool,
    force: bool,
    timeout: float | None,
) -> int:
    """Check what the TOML file CLAIMS says of models: which claims hold, are refuted, or stay open.

    \b
      [[claim]]
      model = "survey.json"           # and options about its reading: secret, observe, untimed, const ...
      alpha = "6/5"                   # or epsilon; from = "a" and to = "b", or the model's relation
      delta_at_most = "4/15"
      certificate = "survey.cert"     # where the proof is kept
      [[claim]]
      model = "mechanisms.py:above_threshold"
      adjacency = "monotonic"
      epsilon_at_most = "3/4"         # a multiple of epsilon

    A certificate that proves a claim of the model as it is now is verified, and nothing else is done; else
    the claim is proved or refuted now, and a proof is written where the claim keeps its certificate. Exit
    status 0: all hold; 1: some are refuted, with the attack; 3: some stay open. After Ctrl-C, or when the
    time is up, the claims that are decided are shown, and their certificates stay: the next run goes on.

    With --cluster the workers of a Dask cluster check the claims. They need this package, and the models at
    the same place; certificates are read and written here.

    \b
    Examples:
      prover check examples/claims/claims.toml
      prover check examples/claims/claims.toml --output claims.xml --jobs 2
    """
    from prover.claims.file import read_claims
    from prover.cli.answering import answer_with

    check_cluster(cluster, jobs)
    asked = CheckAsked(
        file=file,
        claims=read_claims(file),
        output=output,
        jobs=jobs,
        cluster=cluster,
        as_json=as_json,
        force=force,
        timeout=timeout,
    )
    nothing = [None] * len(asked.claims)
    return answer_with(
        partial(_answer, asked), partial(_reply, asked, nothing), asked, deliver=partial(_deliver, asked)
    )


def _answer(asked: CheckAsked, progress: Progress, leave: Callable[[Reply], None]) -> Reply:
    from prover.claims.running import check_all
    from prover.executors import apart, cluster, local

    def tell(found: Found) -> None:
        leave(_reply(asked, found))  # before anybody is told that there is more to see
        progress("checking claims", len(found) - found.count(None), len(found))

    progress("checking claims", 0, len(asked.claims))
    if asked.cluster is None:
        with local(asked.jobs) as executor:
            found = check_all(asked.claims, asked.file, executor, at_once=asked.jobs, on_checked=tell)
    else:
        here = partial(apart, str(Path.cwd()))
        with cluster(asked.cluster) as executor:
            found = check_all(asked.claims, asked.file, executor, apart=here, on_checked=tell)
    return _reply(asked, found)


def _deliver(asked: CheckAsked, reply: Reply) -> list[str]:
    """Write the report, if one is wanted; the path where it is."""
    from prover.cli.destination import write_file

    if asked.output is None or reply.picture is None:
        return []
    write_file(asked.output, reply.picture, "the report", force=asked.force)
    return [asked.output]


def _reply(asked: CheckAsked, found: Found) -> Reply:
    from prover.claims.table import junit, reply_of

    reply = reply_of(found)
    if asked.output is None:
        return reply
    return replace(reply, picture=junit(found, asked.claims, Path(asked.file).name))
