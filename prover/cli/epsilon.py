"""The command about the least ε for a δ."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from prover.cli.options import answering, directions_option, gap_option, pair_options, rational, with_options

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.progress import Progress
    from prover.report.reply import Reply


@click.command(short_help="Which epsilon does a delta need? The least one.")
@click.argument("model")
@click.option("--delta", callback=rational, required=True, metavar="D", help="The delta that is allowed.")
@with_options(pair_options)
@directions_option
@gap_option("How far the ends of the answer may be apart: e^epsilon up to a factor of 1 + G.")
@click.option(
    "--limit",
    callback=rational,
    metavar="A",
    default="1000000",
    show_default=True,
    help="The largest alpha = e^epsilon that is tried.",
)
@with_options(answering)
def epsilon(
    model: str,
    delta: Fraction,
    source: str | None,
    target: str | None,
    kind: str,
    gap: Fraction,
    limit: Fraction,
    as_json: bool,
    certificate: str | None,
    timeout: float | None,
) -> int:
    """The least epsilon for which the chain in the file MODEL is (epsilon, D)-differentially private.

    Without --from and --to, for all pairs that the model's "relation" lists. e^epsilon is a rational number
    and exact where delta is exactly known as a function of alpha = e^epsilon; otherwise both ends of an
    interval are certified: the upper one in the certificate FILE, and in FILE.lower that delta is larger than
    D just below the lower one. Exit status 1: no epsilon has so small a delta, as something that is observed
    is possible in one case only.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover epsilon pin.json --delta 1/100
      prover epsilon pin.json --from 0 --to 1 --kind lv --delta 0 --certificate pin.cert
    """

    def work(progress: Progress, leave: Callable[[Reply], None]) -> Reply:
        from prover.chain.epsilon import epsilon_for
        from prover.formats.load import load_chain
        from prover.report.epsilon import leaving, reply_of

        progress("reading the model", 0, None)
        answer = epsilon_for(
            load_chain(model),
            source,
            target,
            delta,
            kind=kind,
            gap=gap,
            limit=limit,
            progress=progress,
            on_interval=leaving(leave, gap=gap, certified=certificate is not None),
        )
        return reply_of(answer, gap=gap, certified=certificate is not None)

    def nothing() -> Reply:
        from prover.report.epsilon import nothing_proved

        return nothing_proved(delta, kind, source, target, limit)

    from prover.cli.answering import answer_with, lower_path
    from prover.cli.destination import check_destination

    if certificate is not None:
        check_destination(certificate, model)
        check_destination(lower_path(certificate), model)
    return answer_with(work, nothing, as_json=as_json, certificate=certificate, timeout=timeout)
