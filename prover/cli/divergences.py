"""The commands about Rényi divergences, zCDP and trade-off functions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.mechanisms import asked_of_mechanism, check_mechanism, is_about_mechanism, noise_options
from prover.cli.options import (
    CommandQuery,
    File,
    as_query,
    directions_option,
    gap_option,
    paged,
    pair_options,
    with_options,
    with_reading,
)
from prover.errors import BadInput, BadOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from prover.accounting.mechanism import Mechanism
    from prover.accounting.programs import ProgramLosses
    from prover.accounting.renyi import Divergences
    from prover.accounting.tested import SecretTradeOff
    from prover.chain.process import System
    from prover.program.model import Program
    from prover.progress import Progress
    from prover.report.reply import Reply


def read_orders(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> list[Fraction | None] | None:
    """The orders that an option's text lists with commas; None is ∞."""
    del context
    from prover.exact.divergence import given_order

    try:
        return None if text is None else [given_order(one.strip()) for one in text.split(",")]
    except BadInput as error:
        error.path = parameter.opts[0]
        raise


@click.command(short_help="Compute Rényi divergences, and the rho of zCDP.")
@click.argument("model", type=File())
@click.option(
    "--order",
    "orders",
    callback=read_orders,
    metavar="A,B",
    default="2,4,8,inf",
    show_default=True,
    help="The orders: rational numbers above 1, or inf, with commas between them.",
)
@with_options(pair_options)
@directions_option
@gap_option("Largest width of an interval that counts as an answer.")
@with_reading
@with_options(noise_options)
@with_options(paged)
@as_query("a larger --gap may make it faster")
def renyi(query: CommandQuery) -> int:
    """Compute Rényi divergences of the chain, or of the decision process, in the file MODEL.

    The divergence of order A is ln(sum of P^A Q^(1-A)) / (A - 1), where P and Q are the distributions of the
    output under two secrets. Without --from and --to, the answer is the largest for all pairs in the model's
    "relation". Where an attacker chooses, it is that of the best attacker. The answer is exact at integer
    orders if the belief pairs after all outputs are finitely many, up to a factor for each vector; otherwise
    it may be an interval. Where the likelihood ratios are known exactly, the answer has the least rho of
    zero-concentrated differential privacy (zCDP), too, in both directions.

    With --at-epsilon, MODEL is a mechanism or a threshold program. The answer is then for one run on all
    neighbouring inputs, as an interval (prover account --order is about many runs). FILE proves the
    upper ends, or approximate zCDP where a run has no exact epsilon, and FILE.lower the lower ends; for one
    number with Gaussian noise FILE proves both.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover renyi pin.json --from 0 --to 1
      prover renyi pin.json --from 0 --to 1 --order 3/2,2,inf --certificate pin.cert
      prover zoo two-doors > doors.json
      prover renyi doors.json --order 2 --json
      prover zoo svt > svt.json
      prover renyi svt.json --at-epsilon 1/10 --order 2
    """
    from prover.cli.answering import answer_with, on_system

    if is_about_mechanism(query):
        check_mechanism(query)
        return answer_with(query, _renyi_of_mechanism, _no_divergence_of_mechanism)
    return answer_with(query, on_system(_renyi, _renyi_of_mechanism), _no_divergence)


def _renyi_of_mechanism(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from fractions import Fraction

    from prover.accounting.divergences import divergences
    from prover.cli.answering import answered
    from prover.exact.divergence import order_text
    from prover.report.divergences import reply_of

    def make(losses: ProgramLosses) -> Reply:
        orders = [order_text(order) for order in query.orders]
        answer = divergences([_once(query, losses)], orders, progress=progress)
        return answered(query, partial(reply_of, gap=Fraction(0)), answer)

    return asked_of_mechanism(query, progress, emit, _losses, make)


def _once(query: CommandQuery, losses: ProgramLosses) -> Mechanism:
    """One run of the program in the file MODEL."""
    from pathlib import Path

    from prover.accounting.mechanism import Mechanism

    return Mechanism.of_program(losses, name=Path(query.model).name)


def _losses(
    program: Program,
    *,
    at_epsilon: Fraction | None,
    q: Fraction | None,
    adjacency: str | None,
    steps: int | None,
    progress: Progress,
    on_interval: Callable[[ProgramLosses], None],
) -> ProgramLosses:
    """What is known of one run; on the way what holds for all inputs."""
    from prover.accounting.programs import ProgramLosses

    return ProgramLosses.of(
        program,
        at_epsilon=at_epsilon,
        q=q,
        adjacency=adjacency or "all-differ",
        steps=steps,
        progress=progress,
        on_bounds=on_interval,
    )


def _no_divergence_of_mechanism(query: CommandQuery) -> Reply:
    from prover.report.divergences import nothing_proved

    return nothing_proved(query.orders)


def _renyi(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.accounting.renyi import renyi as renyi_of
    from prover.cli.answering import answered
    from prover.exact.divergence import order_text
    from prover.report.renyi import reply_of

    def reply(answer: Divergences) -> Reply:
        return answered(query, partial(reply_of, gap=query.gap), answer)

    return reply(
        renyi_of(
            system,
            query.source,
            query.target,
            [order_text(order) for order in query.orders],
            kind=query.kind,
            progress=progress,
            on_interval=lambda answer: emit(reply(answer)),
        )
    )


def _no_divergence(query: CommandQuery) -> Reply:
    from prover.report.renyi import nothing_proved

    return nothing_proved(query.orders, query.kind, query.source, query.target)


@click.command(short_help="Compute the trade-off function of tests of two secrets.")
@click.argument("model", type=File())
@with_options(pair_options)
@directions_option
@with_reading
@with_options(noise_options)
@with_options(paged)
@as_query("one pair of secrets, by --from and --to, may take less time than several")
def tradeoff(query: CommandQuery) -> int:
    """Compute the trade-off function of the system in the file MODEL: the least errors of tests.

    A test guesses one of two secrets from the output. The function says, for every type I error (to guess T
    under S), the least type II error (to guess S under T). Without --from and --to it is about all pairs in
    the model's "relation", and without --kind lv about both directions: then no test of any of them has
    errors below the function. The answer says the least mu of Gaussian differential privacy, too. It is exact
    if the belief pairs after all outputs are finitely many, up to a factor; otherwise it is two functions
    between which the trade-off function is, for both directions only. Where an attacker chooses it is that of
    all attackers in both directions, exact or between two functions.

    With --at-epsilon, MODEL is a mechanism or a threshold program. The answer is then for one run on all
    neighbouring inputs: two functions between which the trade-off function is. FILE proves that no test errs
    less, FILE.lower that the function is not above the second one.

    If MODEL is a file NAME.toml, as for prover account, the answer is about all runs of all its mechanisms
    together: exact if they have few likelihood ratios, and otherwise two functions.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover tradeoff pin.json --from 0 --to 1 --html pin.html
      prover tradeoff pin.json --from 0 --to 1 --kind lv --json --certificate pin.cert
      prover zoo two-doors > doors.json
      prover tradeoff doors.json --certificate doors.cert
      prover zoo svt > svt.json
      prover tradeoff svt.json --at-epsilon 1 --html svt.html
      printf '[[mechanism]]\\nknown = "randomised-response"\\nq = "1/2"\\ntimes = 7\\n' > week.toml
      prover tradeoff week.toml --certificate week.cert
    """
    from prover.cli.answering import answer_with, on_system
    from prover.report.enclosed_tradeoff import nothing_proved as no_function

    if query.model.endswith(".toml"):
        return _tradeoff_of_account(query)
    if is_about_mechanism(query):
        check_mechanism(query)
        return answer_with(query, _tradeoff_of_mechanism, lambda _: no_function())
    return answer_with(query, on_system(_tradeoff, _tradeoff_of_mechanism), _no_function)


def _tradeoff_of_mechanism(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
    from prover.cli.answering import answered
    from prover.report.enclosed_tradeoff import reply_of

    def make(losses: ProgramLosses) -> Reply:
        return answered(query, reply_of, EnclosedTradeOff.of(_once(query, losses)))

    return asked_of_mechanism(query, progress, emit, _losses, make)


def _tradeoff_of_account(query: CommandQuery) -> int:
    """Of all mechanisms in the file of an account together."""
    from prover.cli.answering import answer_with
    from prover.formats.account_file import read_account
    from prover.report.enclosed_tradeoff import nothing_proved

    others = ("at_epsilon", "q", "adjacency", "steps")
    check_mechanism(query, "MODEL is the file of an account, which has its own keys")
    if any(vars(query).get(name) is not None for name in others) or any(query.reading.values()):
        raise BadOptions("MODEL is the file of an account: how its mechanisms are read is written there")
    read = read_account(query.model, asks=False)
    if any(part.most for part in read.parts):
        message = 'the errors are those of given numbers of runs, and times = "most" asks for one'
        raise BadOptions(message, file=query.model, code="bad-question")
    if any(part.has_two_ends for part in read.parts):
        query = query.with_lower_end()
    query = query.beside(read.models, account=read)
    return answer_with(query, _of_account, lambda _: nothing_proved(together=True))


def _of_account(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
    from prover.cli.answering import answered
    from prover.report.enclosed_tradeoff import reply_of

    notes: list[str] = []

    def reply(answer: EnclosedTradeOff) -> Reply:
        return replace(answered(query, reply_of, answer), notes=tuple(notes))

    def coarsely(parts: Sequence[Mechanism]) -> None:
        emit(reply(EnclosedTradeOff.of_account(parts, gap=1)))

    parts, found = query.account.mechanisms(progress, coarsely)
    notes += found

    return reply(
        EnclosedTradeOff.of_account(parts, progress=progress, on_function=lambda some: emit(reply(some)))
    )


def _tradeoff(
    query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]
) -> Reply:
    from prover.accounting.mechanism import COARSE, Mechanism
    from prover.accounting.secret_losses import unexplored
    from prover.accounting.tested import tradeoff as tradeoff_of
    from prover.chain.collapsing.collapse import queried_system
    from prover.chain.model import LabelledMarkovChain
    from prover.chain.secrets import ROUGH, Secrets
    from prover.chain.unrolling.word_graph import TooManyWords
    from prover.cli.answering import answered
    from prover.progress import MOST_SOON, after
    from prover.report.reply import narrowing
    from prover.report.tradeoff import reply_of

    def reply(answer: SecretTradeOff) -> Reply:
        return answered(query, reply_of, answer)

    def coarsely() -> None:
        """Two functions from few belief pairs, where the exact one needs many."""
        of_part(unexplored(secrets), COARSE / 2)

    def of_part(one: Secrets, width: Fraction = ROUGH) -> None:
        emit(_enclosed_reply(query, Mechanism.of_secrets(one, width)))

    seen = queried_system(system, query.source, query.target)
    if query.kind == "tv" and isinstance(seen, LabelledMarkovChain) and seen.lost is None:
        secrets = Secrets.of(seen, query.source, query.target, "lv")
        progress = secrets.look_first(after(MOST_SOON, progress, coarsely), of_part, coarsely=True)
    try:
        return reply(
            tradeoff_of(
                system,
                query.source,
                query.target,
                kind=query.kind,
                progress=progress,
                on_interval=narrowing(emit, reply, lambda answer: answer.open_area),
            )
        )
    except TooManyWords:
        if query.kind != "tv" or not isinstance(seen, LabelledMarkovChain):
            raise
        return _enclosed_reply(query, Mechanism.of(seen, query.source, query.target, progress=progress))


def _enclosed_reply(query: CommandQuery, mechanism: Mechanism) -> Reply:
    """The reply with two functions for one run of a chain."""
    from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
    from prover.cli.answering import answered
    from prover.report.enclosed_tradeoff import reply_of

    return answered(query, reply_of, EnclosedTradeOff.of(mechanism))


def _no_function(query: CommandQuery) -> Reply:
    from prover.report.tradeoff import nothing_proved

    return nothing_proved(query.kind, query.source, query.target)
