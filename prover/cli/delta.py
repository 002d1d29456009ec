"""The commands about δ itself: at one α, and the least ε for a δ."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.options import (
    CommandQuery,
    File,
    alpha_option,
    as_query,
    at_most_option,
    directions_option,
    epsilon_option,
    gap_option,
    paged,
    pair_options,
    probability,
    rational,
    simulate_options,
    with_options,
    with_reading,
)
from prover.errors import NotSupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from prover.chain.epsilon import Epsilon
    from prover.chain.process import System
    from prover.chain.unrolling.answer import Delta, InteractiveDelta
    from prover.progress import Progress
    from prover.report.reply import Reply

SCHEDULERS = ("observer", "state")
_SCHEDULED = (
    "whoever chooses sees what the attacker sees, and nothing else; so it is as if the attacker chose, and "
    "the same for both secrets"
)


_HINT = "with a larger --gap, or asked --at-most only, it may end sooner"


@click.command(short_help="How well can two states be told apart at best? The true delta.")
@click.argument("model", type=File())
@alpha_option
@epsilon_option
@with_options(pair_options)
@gap_option("How wide the interval may be that is the answer.")
@at_most_option("D", "Is delta at most D?")
@with_reading
@click.option(
    "--open-loop",
    is_flag=True,
    help="Where an attacker chooses: compare with the best sequence of actions that is fixed in advance.",
)
@click.option(
    "--scheduler",
    type=click.Choice(SCHEDULERS),
    help="Where somebody else chooses, unseen: what he sees. Of one who sees what is observed (observer) the "
    "answer is the same as if the attacker chose; of one who sees the state there is none.",
)
@with_options(simulate_options)
@with_options(paged)
@as_query(_HINT)
def delta(query: CommandQuery) -> int:
    """The true delta of the labelled Markov chain in the file MODEL: the least one such that

    \b
      P[it | S]  <=  alpha P[it | T] + delta,   and the same with S and T swapped,

    whatever is observed. It is exact where that is possible, and else an interval, narrowed until it is at
    most --gap wide. With it comes an attack: what to look for to tell the two states apart so well. Without
    --from and --to the answer is the largest delta over the pairs that the model's "relation" lists.

    With --epsilon, unless it is a logarithm, alpha is no rational: the upper end is proved for one a little
    smaller, in the certificate FILE, and the lower end for one a little larger, in FILE.lower.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
      prover delta pin.json --epsilon 0.1 --at-most 1/20
      prover zoo dining-cryptographers n=5 > diners.json
      prover delta diners.json --alpha 1.0002 --json
    """
    from prover.cli.answering import answer_with, on_system

    if query.epsilon is not None:
        query = query.with_lower_end()
    return answer_with(query, on_system(_delta), _no_delta)


def _delta(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.chain.delta import delta as of_pair
    from prover.chain.unrolling.answer import Delta
    from prover.cli.answering import answered
    from prover.cli.simulation import with_words_simulated
    from prover.report.delta import reply_of
    from prover.report.reply import narrowing

    _check_choices(query, chosen=system.leaves_a_choice)

    def reply(answer: Delta | InteractiveDelta) -> Reply:
        made = answered(query, reply_of, answer)
        return made if query.scheduler is None else replace(made, notes=(*made.notes, _SCHEDULED))

    answer = of_pair(
        system,
        query.source,
        query.target,
        query.alpha,
        epsilon=query.epsilon,
        gap=query.gap,
        at_most=query.at_most,
        open_loop=query.open_loop,
        progress=progress,
        on_interval=narrowing(emit, reply, lambda answer: answer.width),
    )
    final = reply(answer)
    return with_words_simulated(query, answer, final, progress) if isinstance(answer, Delta) else final


def _check_choices(query: CommandQuery, *, chosen: bool) -> None:
    """Refuse options about choices where nothing is chosen, and those that make no sense where it is."""
    refusals = (
        (
            not chosen and query.scheduler is not None,
            "--scheduler",
            "schedulers are for systems that leave a choice",
        ),
        (
            not chosen and query.open_loop,
            "--open-loop",
            "fixed sequences of actions are for systems that leave a choice",
        ),
        (
            chosen and query.scheduler == "state",
            "--scheduler",
            "who chooses and sees the state can give the secret away by what he chooses, whatever the system "
            "does; what he really sees of it belongs into the labels",
        ),
        (
            chosen and query.simulate is not None,
            "--simulate",
            "there is nothing yet to show for it where an attacker chooses",
        ),
    )
    for refused, option, why in refusals:
        if refused:
            raise NotSupported(why, path=option, code="not-interactive")


def _no_delta(query: CommandQuery) -> Reply:
    from prover.chain.arguments import given_slope
    from prover.report.delta import nothing_proved

    slope = given_slope("delta", query.alpha, query.epsilon)
    return nothing_proved(slope, query.source, query.target, query.at_most)


@click.command(short_help="Which epsilon does a delta need? The least one.")
@click.argument("model", type=File())
@click.option("--delta", callback=probability, required=True, metavar="D", help="The delta that is allowed.")
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
@click.option(
    "--times",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Of N independent runs from the same secret, all seen; N may be thousands.",
)
@at_most_option("E", "Is the least epsilon at most E?")
@with_reading
@with_options(paged)
@as_query(_HINT)
def epsilon(query: CommandQuery) -> int:
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
      prover epsilon pin.json --delta 1/1000000 --times 50 --certificate fifty.cert
      prover epsilon pin.json --from 0 --to 1 --kind lv --delta 0 --certificate pin.cert
    """
    from prover.cli.answering import answer_with, on_system

    return answer_with(query.with_lower_end(), on_system(_epsilon), _no_epsilon)


def _epsilon(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.accounting.repeated import epsilon_of_runs
    from prover.chain.epsilon import epsilon_for
    from prover.chain.model import LabelledMarkovChain
    from prover.cli.answering import answered
    from prover.report.epsilon import reply_of

    about: tuple[str, ...] = ()
    if not isinstance(system, LabelledMarkovChain):
        about = ("this is about all attackers, whatever they choose",)
    if query.times > 1:
        about = (f"this is about {query.times:,} independent runs from the same secret, all of them seen",)

    def reply(answer: Epsilon, *, last: bool = True) -> Reply:
        """On the way to the last reply, evidence from below would take more work."""
        make = partial(reply_of, gap=query.gap, both_ends=last)
        return replace(answered(query, make, answer, proved=last), notes=about)

    if query.times > 1:
        if not isinstance(system, LabelledMarkovChain):
            raise NotSupported(
                "where an attacker chooses, he may go from run to run as he likes; ask about the model that "
                f"prover compose MODEL --times {query.times} prints",
                path="--times",
                code="runs-interleave",
            )
        return reply(
            epsilon_of_runs(
                system,
                query.source,
                query.target,
                query.delta,
                query.times,
                kind=query.kind,
                gap=query.gap,
                limit=query.limit,
                certified=query.certificate is not None,
                progress=progress,
            )
        )
    return reply(
        epsilon_for(
            system,
            query.source,
            query.target,
            query.delta,
            kind=query.kind,
            gap=query.gap,
            at_most=query.at_most,
            limit=query.limit,
            progress=progress,
            on_interval=lambda answer: emit(reply(answer, last=False)),
        )
    )


def _no_epsilon(query: CommandQuery) -> Reply:
    from prover.report.epsilon import nothing_proved

    return nothing_proved(
        query.delta, query.kind, query.source, query.target, query.limit, query.at_most, query.times
    )
