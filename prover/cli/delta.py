"""The command about δ itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from prover.cli.options import alpha_option, answering, gap_option, pair_options, rational, with_options

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.progress import Progress
    from prover.report.reply import Reply


@click.command(short_help="How well can two states be told apart at best? The true delta.")
@click.argument("model")
@alpha_option
@click.option("--epsilon", callback=rational, metavar="E", help="epsilon itself, in place of alpha.")
@with_options(pair_options)
@gap_option("How wide the interval may be that is the answer.")
@click.option(
    "--at-most",
    callback=rational,
    metavar="D",
    help="Is delta at most D? Exit status 0 for yes, 1 for no, 3 where the budget is used up before.",
)
@with_options(answering)
def delta(
    model: str,
    alpha: Fraction | None,
    epsilon: Fraction | None,
    source: str | None,
    target: str | None,
    gap: Fraction,
    at_most: Fraction | None,
    as_json: bool,
    certificate: str | None,
    timeout: float | None,
) -> int:
    """The true delta of the labelled Markov chain in the file MODEL: the least one such that

    \b
      P[it | S]  <=  alpha P[it | T] + delta,   and the same with S and T swapped,

    whatever is observed. It is exact where that is possible, and else an interval, narrowed until it is at
    most --gap wide. With it comes an attack: what to look for to tell the two states apart so well. Without
    --from and --to the answer is the largest delta over the pairs that the model's "relation" lists.

    With --epsilon, alpha is no rational: the upper end is proved for one a little smaller, in the
    certificate FILE, and the lower end for one a little larger, in FILE.lower.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
      prover delta pin.json --epsilon 0.1 --at-most 1/20
      prover zoo dining-cryptographers n=5 > diners.json
      prover delta diners.json --alpha 1.0002 --json
    """

    def work(progress: Progress, leave: Callable[[Reply], None]) -> Reply:
        from prover.chain.delta import delta as of_pair
        from prover.formats.load import load_chain
        from prover.report.delta import narrowing, reply_of

        certified = certificate is not None
        progress("reading the model", 0, None)
        chain = load_chain(model)
        answer = of_pair(
            chain,
            source,
            target,
            alpha,
            epsilon=epsilon,
            gap=gap,
            at_most=at_most,
            progress=progress,
            on_interval=narrowing(leave, reply_of, certified=certified, at_most=at_most),
        )
        return reply_of(answer, certified=certified, at_most=at_most)

    def nothing() -> Reply:
        from prover.report.delta import nothing_proved

        return nothing_proved(alpha, source, target)

    from prover.cli.answering import answer_with, lower_path
    from prover.cli.destination import check_destination

    if certificate is not None:
        check_destination(certificate, model)
        if epsilon is not None:
            check_destination(lower_path(certificate), model)
    return answer_with(work, nothing, as_json=as_json, certificate=certificate, timeout=timeout)
