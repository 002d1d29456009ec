"""The command about δ at one α."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from prover.cli.mechanisms import (
    check_mechanism,
    delta_of_mechanism,
    is_about_mechanism,
    no_delta_of_mechanism,
    noise_options,
    pair_of_inputs_options,
)
from prover.cli.options import (
    FASTER,
    CommandQuery,
    File,
    alpha_option,
    as_query,
    at_most_option,
    epsilon_option,
    gap_option,
    paged,
    pair_options,
    simulate_options,
    with_options,
    with_reading,
)
from prover.errors import NotSupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from prover.chain.process import System
    from prover.chain.unrolling.answer import Delta, InteractiveDelta
    from prover.progress import Progress
    from prover.report.reply import Reply

SCHEDULERS = ("observer", "state", "for", "against")
_SCHEDULED = (
    "the scheduler sees exactly what the attacker sees and is the same under both secrets; so the answer is "
    "the same as if the attacker chose the actions"
)
_AGAINST = (
    "the scheduler sees what the attacker sees, knows which two secrets are compared and in which direction, "
    "and is the same under both"
)


@click.command(short_help="Compute delta, the largest P[E | s] - alpha*P[E | t].")
@click.argument("model", type=File())
@alpha_option
@epsilon_option
@with_options(pair_options)
@gap_option(
    "Largest width of the interval, where delta is not found exactly. Of a mechanism, where all that is "
    "stored is a constant: 0.00001 unless given."
)
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
    "because the scheduler's choices could then give the secret away. for, against: what the attacker sees, "
    "and the choices help the attacker most, or least.",
)
@click.option(
    "--nature",
    multiple=True,
    metavar="ACTION",
    help="An action that the scheduler chooses, not the attacker; ACTION* stands for all that begin so. May "
    "be given several times, with --scheduler for or against; without it the scheduler chooses all actions.",
)
@with_options(simulate_options)
@with_options(noise_options)
@with_options(pair_of_inputs_options)
@with_options(paged)
@as_query(FASTER)
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
    neighbouring inputs of any length, or of at most N numbers with --steps N. The answer is an interval. Its
    upper end is proved for all inputs (certificate FILE); its lower end is what the best pair of inputs that
    was found proves (FILE.lower). Where the mechanism stores constants only, and its outputs distinguish its
    transitions, the two ends are brought together to --gap, as far as a table can be checked. With --inputs
    and --neighbour, it is delta of these two inputs only, within 10^-12. With --values and --steps N, it is
    the largest for all neighbouring inputs of exactly N of these values, within 10^-12.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
      prover delta pin.json --epsilon 0.1 --at-most 1/20
      prover zoo dining-cryptographers n=5 > diners.json
      prover delta diners.json --alpha 1.0002 --json
      prover zoo svt > svt.json
      prover delta svt.json --at-epsilon 1 --epsilon 1/2 --certificate svt.cert
      prover delta svt.json --at-epsilon 1 --alpha 1 --inputs 1/2,0 --neighbour=-1/2,1
      prover delta svt.json --at-epsilon 1 --alpha 1 --values=-1,0,1 --steps 4
    """
    from prover.cli.answering import answer_with, on_system

    if is_about_mechanism(query):
        check_mechanism(query)
        return answer_with(query.with_lower_end(), delta_of_mechanism, no_delta_of_mechanism)
    if query.epsilon is not None:
        query = query.with_lower_end()
    return answer_with(query, on_system(_delta, delta_of_mechanism, _most_lost), _no_delta)


def _delta(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.chain.delta import delta as of_pair
    from prover.cli.answering import decided
    from prover.cli.simulation import with_attack_simulated
    from prover.report.delta import reply_of
    from prover.report.reply import narrowing

    _check_choices(query, chosen=system.leaves_a_choice)
    against = _nature(query, system) if query.scheduler is not None else None
    notes = {None: (), "against": (_AGAINST,)}.get(query.scheduler, (_SCHEDULED,))

    def reply(answer: Delta | InteractiveDelta) -> Reply:
        made = decided(query, reply_of, answer)
        return replace(made, notes=(*made.notes, *notes))

    answer = of_pair(
        system,
        query.source,
        query.target,
        query.alpha,
        epsilon=query.epsilon,
        gap=query.gap,
        at_most=query.at_most,
        open_loop=query.open_loop,
        against=against,
        progress=progress,
        on_interval=narrowing(emit, reply, lambda answer: answer.width),
    )
    return with_attack_simulated(query, answer, reply(answer), progress)


def _most_lost(query: CommandQuery) -> Fraction | None:
    """With which probability runs may be lost."""
    from prover.chain.arguments import given_slope
    from prover.chain.real import lost_within

    if query.alpha is None and query.epsilon is None:
        return None
    return lost_within(query.gap, given_slope("tv", query.alpha, query.epsilon).upper)


def _nature(query: CommandQuery, system: System) -> Iterable[str] | None:
    """The actions that the scheduler chooses, where it is against the attacker. Raises UnknownName."""
    from prover.chain.process import LabelledMarkovDecisionProcess, named_actions

    if not isinstance(system, LabelledMarkovDecisionProcess):
        return None
    named = named_actions(system, query.nature or system.actions)
    return named if query.scheduler == "against" else None


def _check_choices(query: CommandQuery, *, chosen: bool) -> None:
    """Refuse options about choices where nothing is chosen, and those that make no sense where it is."""
    refusals = (
        (
            not chosen and query.scheduler is not None,
            "--scheduler",
            "the model has no choice of actions, so it has no scheduler",
        ),
        (
            query.nature and query.scheduler is None,
            "--nature",
            "actions that the attacker does not choose need --scheduler for or against",
        ),
        (
            query.scheduler == "against" and query.simulate is not None,
            "--simulate",
            "where a scheduler chooses against the attacker, runs cannot be simulated",
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
    )
    for refused, option, why in refusals:
        if refused:
            raise NotSupported(why, path=option, code="not-interactive")


def _no_delta(query: CommandQuery) -> Reply:
    from prover.chain.arguments import given_slope
    from prover.report.delta import nothing_proved

    slope = given_slope("delta", query.alpha, query.epsilon)
    return nothing_proved(slope, query.source, query.target, query.at_most)
