"""The command about the least ε for a δ."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.mechanisms import (
    check_mechanism,
    epsilon_of_mechanism,
    is_about_mechanism,
    no_epsilon_of_mechanism,
    noise_options,
)
from prover.cli.options import (
    FASTER,
    CommandQuery,
    File,
    as_query,
    at_most_option,
    directions_option,
    gap_option,
    paged,
    pair_options,
    probability,
    rational,
    with_options,
    with_reading,
)
from prover.errors import NotSupported

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from prover.chain.epsilon import Epsilon
    from prover.chain.process import System
    from prover.progress import Progress
    from prover.report.reply import Reply


@click.command(short_help="Compute the least epsilon for a given delta.")
@click.argument("model", type=File())
@click.option("--delta", callback=probability, required=True, metavar="D", help="The delta that is allowed.")
@with_options(pair_options)
@directions_option
@gap_option("Largest width of the answer: the two ends of e^epsilon differ by at most a factor of 1 + G.")
@click.option(
    "--limit",
    callback=rational,
    metavar="A",
    default="1000000",
    show_default=True,
    help="The largest alpha = e^epsilon to try.",
)
@click.option(
    "--times",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Answer for N independent runs from the same secret, all observed. N may be thousands.",
)
@at_most_option("E", "Is the least epsilon at most E?")
@with_reading
@with_options(noise_options)
@with_options(paged)
@as_query(FASTER)
def epsilon(query: CommandQuery) -> int:
    """Compute the least epsilon for which the chain in the file MODEL is (epsilon, D)-differentially private.

    Without --from and --to, the answer is the least epsilon for all pairs in the model's "relation". Where
    delta is known exactly as a function of alpha = e^epsilon, the answer is exact and e^epsilon is rational.
    Otherwise the answer is an interval with two certificates: FILE proves the upper end; FILE.lower proves
    that delta is larger than D just below the lower end. So it is where probabilities are not rational, and
    where a protocol is too large and is cut.

    Exit status 1 without --at-most: no epsilon is enough, because some event has a probability above D under
    one secret and probability 0 under the other.

    With --at-epsilon, MODEL is a mechanism or a threshold program, and the least epsilon is that for all
    neighbouring inputs. The answer is an interval. FILE proves the upper end for all inputs; FILE.lower
    proves, by a pair of inputs, that delta is larger than D at the lower end.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover epsilon pin.json --delta 1/100
      prover epsilon pin.json --delta 1/1000000 --times 50 --certificate fifty.cert
      prover epsilon pin.json --from 0 --to 1 --kind lv --delta 0 --certificate pin.cert
      prover zoo svt > svt.json
      prover epsilon svt.json --at-epsilon 1 --delta 1/10 --steps 3 --certificate svt.cert
    """
    from prover.cli.answering import answer_with, on_system

    if is_about_mechanism(query):
        check_mechanism(query)
        return answer_with(query.with_lower_end(), epsilon_of_mechanism, no_epsilon_of_mechanism)
    work = on_system(_epsilon, epsilon_of_mechanism, _most_lost)
    return answer_with(query.with_lower_end(), work, _no_epsilon)


def _most_lost(query: CommandQuery) -> Fraction | None:
    """With which probability runs may be lost, so that both ends come close together unless the delta that is
    allowed is that of unlikely events only; none if no run may.
    """
    return query.delta * query.gap / 16 or None if query.times == 1 else None


def _epsilon(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.chain.epsilon import epsilon_for
    from prover.chain.model import LabelledMarkovChain
    from prover.cli.answering import decided
    from prover.report.epsilon import reply_of

    about: tuple[str, ...] = ()
    if not isinstance(system, LabelledMarkovChain):
        about = ("the answer holds for every attacker",)
    if query.times > 1:
        about = (f"the answer is for {query.times:,} independent runs from the same secret, all observed",)

    def reply(answer: Epsilon, *, last: bool = True) -> Reply:
        """On the way to the last reply, evidence from below too would take more work."""
        make = partial(reply_of, gap=query.gap, both_ends=last)
        return replace(decided(query, make, answer, proved=last), notes=about)

    if query.times > 1:
        if not isinstance(system, LabelledMarkovChain):
            raise NotSupported(
                "an attacker who chooses actions may alternate between the runs; ask about the model that "
                f"prover compose MODEL --times {query.times} prints",
                path="--times",
                code="runs-interleave",
            )
        from prover.accounting.repeated import epsilon_of_runs

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
                on_interval=lambda answer: emit(reply(answer, last=False)),
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
