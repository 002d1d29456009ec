"""The commands about δ itself: at one α, and the least ε for a δ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeVar

import click

from prover.cli.options import (
    OfSystem,
    alpha_option,
    asks,
    at_most_option,
    certificates,
    directions_option,
    epsilon_option,
    gap_option,
    on_chain,
    paged,
    pair_options,
    probability,
    rational,
    simulate_options,
    with_options,
    with_reading,
)
from prover.cli.shell import candidates
from prover.errors import NotSupported

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.chain.delta import EnclosedDelta
    from prover.chain.epsilon import Epsilon
    from prover.chain.model import LabelledMarkovChain
    from prover.interactive.model import LabelledMarkovDecisionProcess
    from prover.progress import Progress
    from prover.report.page.document import Page
    from prover.report.reply import Reply

Found = TypeVar("Found", bound="EnclosedDelta")


SCHEDULERS = ("observer", "state")
_SCHEDULED = (
    "whoever chooses sees what the attacker sees, and nothing else; so it is as if the attacker chose, and "
    "the same for both secrets"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class OfPair(OfSystem):
    """What all three commands are asked, as their options say."""

    sooner: ClassVar[str] = "with a larger --gap, or asked --at-most only, it may end sooner"
    gap: Fraction


@dataclass(frozen=True, kw_only=True, slots=True)
class DeltaAsked(OfPair):
    """What ``prover delta`` is asked."""

    alpha: Fraction | None
    epsilon: str | None
    at_most: Fraction | None
    open_loop: bool
    scheduler: str | None
    simulate: int | None
    seed: int

    def files(self) -> list[tuple[str, str]]:
        """With ε both ends have certificates of their own."""
        return certificates(self.certificate, both_ends=self.epsilon is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class EpsilonAsked(OfPair):
    """What ``prover epsilon`` is asked."""

    delta: Fraction
    kind: str
    limit: Fraction
    at_most: Fraction | None
    times: int

    def files(self) -> list[tuple[str, str]]:
        """Both ends may have certificates of their own."""
        return certificates(self.certificate, both_ends=True)


@click.command(short_help="How well can two states be told apart at best? The true delta.")
@click.argument("model", shell_complete=candidates.models)
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
@asks(DeltaAsked)
def delta(asked: DeltaAsked) -> int:
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
    from prover.cli.answering import answer_with

    return answer_with(partial(_delta_answer, asked), partial(_delta_nothing, asked), asked)


def _chain_delta(
    asked: DeltaAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.chain.delta import Delta
    from prover.chain.delta import delta as of_pair
    from prover.cli.code.simulation import with_words_simulated
    from prover.report.delta import reply_of

    if asked.scheduler is not None:
        raise NotSupported(
            "schedulers are for systems that leave a choice", path="--scheduler", code="not-interactive"
        )
    if asked.open_loop:
        raise NotSupported(
            "fixed sequences of actions are for systems that leave a choice",
            path="--open-loop",
            code="not-interactive",
        )

    def page(answer: Delta, at_most: Fraction | None) -> Page:
        from prover.report.page.delta import delta_page

        return delta_page(answer, at_most=at_most)

    answer, reply = _delta_of(asked, partial(of_pair, chain, progress=progress), leave, reply_of, page)
    return with_words_simulated(asked, answer, reply, progress)


def _interactive_delta(
    asked: DeltaAsked,
    process: LabelledMarkovDecisionProcess,
    progress: Progress,
    leave: Callable[[Reply], None],
) -> Reply:
    from prover.interactive.delta import InteractiveDelta
    from prover.interactive.delta import delta as of_pair
    from prover.report.interactive import reply_of

    if asked.scheduler == "state":
        raise NotSupported(
            "who chooses and sees the state can give the secret away by what he chooses, whatever the system "
            "does; what he really sees of it belongs into the labels",
            path="--scheduler",
            code="not-interactive",
        )
    if asked.simulate is not None:
        raise NotSupported(
            "there is nothing yet to show for it where an attacker chooses",
            path="--simulate",
            code="not-interactive",
        )

    def scheduled(answer: InteractiveDelta, *, certified: bool, at_most: Fraction | None) -> Reply:
        made = reply_of(answer, certified=certified, at_most=at_most)
        return made if asked.scheduler is None else replace(made, notes=(*made.notes, _SCHEDULED))

    def page(answer: InteractiveDelta, at_most: Fraction | None) -> Page:
        from prover.report.page.interactive import interactive_page

        return interactive_page(answer, at_most=at_most)

    ask = partial(of_pair, process, open_loop=asked.open_loop, progress=progress)
    return _delta_of(asked, ask, leave, scheduled, page)[1]


def _delta_of(
    asked: DeltaAsked,
    ask: Callable[..., Found],
    leave: Callable[[Reply], None],
    make: Callable[..., Reply],
    page: Callable[[Found, Fraction | None], Page],
) -> tuple[Found, Reply]:
    """What ``ask`` finds, and its reply; replies to narrower and narrower intervals are left before."""
    from prover.cli.answering import with_page
    from prover.report.reply import certified_reply, narrowing

    def reply(answer: Found) -> Reply:
        of_answer = partial(make, answer, at_most=asked.at_most)
        made = certified_reply(of_answer, certified=asked.certificate is not None)
        return with_page(asked, made, partial(page, answer, asked.at_most))

    answer = ask(
        asked.source,
        asked.target,
        asked.alpha,
        epsilon=asked.epsilon,
        gap=asked.gap,
        at_most=asked.at_most,
        on_interval=narrowing(leave, reply, lambda found: found.width),
    )
    return answer, reply(answer)


_delta_answer = on_chain(_chain_delta, _interactive_delta)


def _delta_nothing(asked: DeltaAsked) -> Reply:
    from prover.chain.arguments import given_slope
    from prover.report.delta import nothing_proved

    slope = given_slope("delta", asked.alpha, asked.epsilon)
    return nothing_proved(slope, asked.source, asked.target, asked.at_most)


@click.command(short_help="Which epsilon does a delta need? The least one.")
@click.argument("model", shell_complete=candidates.models)
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
@asks(EpsilonAsked)
def epsilon(asked: EpsilonAsked) -> int:
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
    from prover.cli.answering import answer_with

    return answer_with(partial(_epsilon_answer, asked), partial(_epsilon_nothing, asked), asked)


def _chain_epsilon(
    asked: EpsilonAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.chain.epsilon import epsilon_for

    if asked.times > 1:
        return _epsilon_of_runs(asked, chain, progress)
    return _epsilon_of(asked, partial(epsilon_for, chain, progress=progress), leave)


def _epsilon_of_runs(asked: EpsilonAsked, chain: LabelledMarkovChain, progress: Progress) -> Reply:
    from prover.accounting.repeated import epsilon_of_runs

    runs = epsilon_of_runs(
        chain,
        asked.source,
        asked.target,
        asked.delta,
        asked.times,
        kind=asked.kind,
        gap=asked.gap,
        limit=asked.limit,
        certified=asked.certificate is not None,
        progress=progress,
    )
    noted = f"this is about {asked.times:,} independent runs from the same secret, all of them seen"
    return replace(_epsilon_reply(asked, runs), notes=(noted,))


def _interactive_epsilon(
    asked: EpsilonAsked,
    process: LabelledMarkovDecisionProcess,
    progress: Progress,
    leave: Callable[[Reply], None],
) -> Reply:
    from prover.interactive.epsilon import epsilon_for

    if asked.times > 1:
        raise NotSupported(
            "where an attacker chooses, he may go from run to run as he likes; ask about the model that "
            f"prover compose MODEL --times {asked.times} prints",
            path="--times",
            code="runs-interleave",
        )
    ask = partial(epsilon_for, process, progress=progress)
    return _epsilon_of(asked, ask, leave, notes=("this is about all attackers, whatever they choose",))


def _epsilon_of(
    asked: EpsilonAsked,
    ask: Callable[..., Epsilon],
    leave: Callable[[Reply], None],
    notes: tuple[str, ...] = (),
) -> Reply:
    """The reply to what ``ask`` finds, with the notes; replies to wider intervals are left on the way."""

    def reply(answer: Epsilon, *, last: bool) -> Reply:
        made = _epsilon_reply(asked, answer, last=last)
        return replace(made, notes=(*made.notes, *notes))

    answer = ask(
        asked.source,
        asked.target,
        asked.delta,
        kind=asked.kind,
        gap=asked.gap,
        at_most=asked.at_most,
        limit=asked.limit,
        on_interval=lambda found: leave(reply(found, last=False)),
    )
    return reply(answer, last=True)


def _epsilon_reply(asked: EpsilonAsked, answer: Epsilon, *, last: bool = True) -> Reply:
    """The reply with its page; on the way to the last one, evidence from below would take more work."""
    from prover.cli.answering import with_page
    from prover.report.epsilon import reply_of
    from prover.report.reply import certified_reply

    make = partial(reply_of, answer, gap=asked.gap, at_most=asked.at_most, both_ends=last)
    made = certified_reply(make, certified=asked.certificate is not None)

    def page() -> Page:
        from prover.report.page.epsilon import epsilon_page

        return epsilon_page(answer, at_most=asked.at_most, proved=last)

    return with_page(asked, made, page)


_epsilon_answer = on_chain(_chain_epsilon, _interactive_epsilon)


def _epsilon_nothing(asked: EpsilonAsked) -> Reply:
    from prover.report.epsilon import nothing_proved

    return nothing_proved(
        asked.delta, asked.kind, asked.source, asked.target, asked.limit, asked.at_most, asked.times
    )
