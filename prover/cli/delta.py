"""The commands about δ itself: at one α, and the least ε for a δ."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.options import (
    CommandQuery,
    File,
    adjacencies,
    alpha_option,
    as_query,
    at_most_option,
    directions_option,
    epsilon_option,
    gap_option,
    paged,
    pair_options,
    positive,
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
    "the scheduler sees exactly what the attacker sees and is the same under both secrets; so the answer is "
    "the same as if the attacker chose the actions"
)


_HINT = "a larger --gap, or --at-most, may make it faster"


@click.command(short_help="Compute delta, the largest P[E | s] - alpha*P[E | t].")
@click.argument("model", type=File())
@alpha_option
@epsilon_option
@with_options(pair_options)
@gap_option("Largest width of the interval, where delta is not found exactly.")
@at_most_option("D", "Is delta at most D?")
@with_reading
@click.option(
    "--open-loop",
    is_flag=True,
    help="If an attacker chooses actions: compare with the best sequence of actions fixed in advance.",
)
@click.option(
    "--scheduler",
    type=click.Choice(SCHEDULERS),
    help="If a scheduler chooses actions, not the attacker: what the scheduler sees. observer: what the "
    "attacker sees; the answer is then the same as if the attacker chose. state: the state; this is refused, "
    "because the scheduler's choices could then give the secret away.",
)
@with_options(simulate_options)
@click.option(
    "--at-epsilon",
    callback=positive,
    metavar="E",
    help="MODEL is a mechanism or a threshold program: the epsilon that its rates are multiples of.",
)
@click.option(
    "--adjacency",
    type=adjacencies,
    metavar="NAME",
    help="With --at-epsilon: how neighbouring inputs differ, as in prover privacy (default all-differ).",
)
@with_options(paged)
@as_query(_HINT)
def delta(query: CommandQuery) -> int:
    """Compute delta for two states S and T, the secrets, of the Markov chain in the file MODEL:

    \b
      delta = the largest  P[E | S] - alpha*P[E | T]  over all events E, in both directions.

    An output is everything that an observer sees in one run; an event is a set of outputs. The chain is
    (epsilon, delta)-differentially private for S and T, where alpha = e^epsilon. Example: if an event has
    probability 2/3 under S and 1/3 under T, delta at alpha = 6/5 is at least 2/3 - 6/5*1/3 = 4/15.

    The answer is exact where that is possible; otherwise it is an interval, narrowed until it is at
    most --gap wide. If the command finds an attack, it prints it: outputs from which to guess one of the
    secrets, with their probabilities under both. Without --from and --to, the answer is the largest delta
    over the pairs in the model's "relation". If an attacker chooses actions, it is the largest delta over all
    attackers.

    If e^E is not rational for an --epsilon E, two rational numbers stand in for it: the upper end of the
    answer is proved at one just below e^E (certificate FILE), the lower end at one just above (FILE.lower).

    With --at-epsilon, MODEL is a mechanism or a threshold program, and delta is the largest for all
    neighbouring inputs of any length. The answer is an interval. Its upper end is proved for all inputs
    (certificate FILE); its lower end is what the best pair of inputs that was found proves (FILE.lower).

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
      prover delta pin.json --epsilon 0.1 --at-most 1/20
      prover zoo dining-cryptographers n=5 > diners.json
      prover delta diners.json --alpha 1.0002 --json
      prover zoo svt > svt.json
      prover delta svt.json --at-epsilon 1 --epsilon 1/2 --certificate svt.cert
    """
    from prover.cli.answering import answer_with, on_system

    if query.at_epsilon is not None:
        _check_program(query)
        return answer_with(query.with_lower_end(), _delta_of_program, _no_delta_of_program)
    if query.adjacency is not None:
        raise click.UsageError(
            "--adjacency is about neighbouring inputs of mechanisms; give --at-epsilon, too"
        )
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


_OF_CHAINS = {
    "source": "--from",
    "target": "--to",
    "untimed": "--untimed",
    "silent": "--silent",
    "related": "--related",
    "open_loop": "--open-loop",
    "scheduler": "--scheduler",
    "simulate": "--simulate",
}
"""Options that say nothing about a mechanism."""


def _check_program(query: CommandQuery) -> None:
    """Refuse options of chains, and an interval of no use."""
    given = vars(query) | query.reading
    for name, option in _OF_CHAINS.items():
        if given.get(name):
            raise click.UsageError(f"{option} is for Markov chains; with --at-epsilon, MODEL is a mechanism")


def _delta_of_program(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.cli.answering import answered
    from prover.formats.identity import identity
    from prover.formats.load import load_program
    from prover.program.profiles.delta import ProgramDelta
    from prover.questions import delta as of_any
    from prover.report.program_delta import reply_of

    notes: list[str] = []
    progress("reading the program", 0, None)
    program = load_program(query.model, on_note=notes.append, const=query.reading.get("const"))
    digest = identity(program)

    def reply(answer: ProgramDelta) -> Reply:
        made = answered(query, reply_of, answer)
        return replace(made, notes=(*notes, *made.notes), model=digest)

    return reply(
        of_any(
            program,
            at_epsilon=query.at_epsilon,
            alpha=query.alpha,
            epsilon=query.epsilon,
            adjacency=query.adjacency or "all-differ",
            progress=progress,
            on_interval=lambda answer: emit(reply(answer)),
        )
    )


def _no_delta_of_program(query: CommandQuery) -> Reply:
    from prover.chain.arguments import given_slope
    from prover.report.program_delta import nothing_proved

    slope = given_slope("delta", query.alpha, query.epsilon)
    return nothing_proved(slope, query.adjacency or "all-differ", query.at_epsilon, query.at_most)


def _check_choices(query: CommandQuery, *, chosen: bool) -> None:
    """Refuse options about choices where nothing is chosen, and those that make no sense where it is."""
    refusals = (
        (
            not chosen and query.scheduler is not None,
            "--scheduler",
            "the model has no choice of actions, so it has no scheduler",
        ),
        (
            not chosen and query.open_loop,
            "--open-loop",
            "the model has no choice of actions, so it has no sequences of actions",
        ),
        (
            chosen and query.scheduler == "state",
            "--scheduler",
            "a scheduler that sees the state can give the secret away by its choices, whatever the system "
            "does; add to the labels what the scheduler really sees, and use --scheduler observer",
        ),
        (
            chosen and query.simulate is not None,
            "--simulate",
            "where an attacker chooses actions, runs cannot be simulated yet",
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
@with_options(paged)
@as_query(_HINT)
def epsilon(query: CommandQuery) -> int:
    """Compute the least epsilon for which the chain in the file MODEL is (epsilon, D)-differentially private.

    Without --from and --to, the answer is the least epsilon for all pairs in the model's "relation". Where
    delta is known exactly as a function of alpha = e^epsilon, the answer is exact and e^epsilon is rational.
    Otherwise the answer is an interval with two certificates: FILE proves the upper end; FILE.lower proves
    that delta is larger than D just below the lower end.

    Exit status 1 without --at-most: no epsilon is enough, because some event has a probability above D under
    one secret and probability 0 under the other.

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
        about = ("the answer holds for every attacker",)
    if query.times > 1:
        about = (f"the answer is for {query.times:,} independent runs from the same secret, all observed",)

    def reply(answer: Epsilon, *, last: bool = True) -> Reply:
        """On the way to the last reply, evidence from below would take more work."""
        make = partial(reply_of, gap=query.gap, both_ends=last)
        return replace(answered(query, make, answer, proved=last), notes=about)

    if query.times > 1:
        if not isinstance(system, LabelledMarkovChain):
            raise NotSupported(
                "an attacker who chooses actions may alternate between the runs; ask about the model that "
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
