"""The command about distances that bound δ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prover.chain.kinds import ALL_KINDS, AUTO, BOUNDS, DELTA_KINDS, ENGINES
from prover.cli.options import (
    CommandQuery,
    File,
    alpha_option,
    as_query,
    at_most_option,
    epsilon_option,
    jobs_option,
    paged,
    pair_options,
    with_options,
    with_reading,
)
from prover.errors import NotSupported

if TYPE_CHECKING:
    from prover.chain.answer import Distance, DistanceTable
    from prover.chain.process import System
    from prover.chain.unrolling.answer import Delta, InteractiveDelta
    from prover.progress import Progress
    from prover.report.reply import Reply

_MOST_SAYING_NOTHING = 10_000  # pairs of a table


@click.command(short_help="Compute a distance between two states, an upper bound for delta.")
@click.argument("model", type=File())
@alpha_option
@epsilon_option
@with_options(pair_options)
@click.option("--all-pairs", is_flag=True, help="Compute the distances of all ordered pairs of states.")
@click.option(
    "--kind",
    type=click.Choice(ALL_KINDS),
    default="ld",
    show_default=True,
    help="ld: an upper bound for delta from S to T. lgd: the same number by another definition. bd: an upper "
    "bound for delta in both directions. lv: delta itself from S to T. tv: delta itself in both directions "
    "(see prover delta). kernel: 0 if ld is 0, else 1. bisimilarity: 0 if S and T are bisimilar, else 1.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to compute the distance; the answer is the same. auto is lp: linear programs. linear and "
    "nonlinear solve formulas (for small models).",
)
@click.option(
    "--bounds",
    type=click.Choice(BOUNDS),
    default="both",
    show_default=True,
    help="upper: compute only an upper bound, which is faster and enough to bound delta.",
)
@click.option(
    "--max-bits",
    type=click.IntRange(min=1),
    metavar="N",
    help="Answer with an interval if an exact number would have more than N bits (exit status 3).",
)
@click.option(
    "--merge",
    is_flag=True,
    help="First merge bisimilar states. The distance still bounds delta and is never larger.",
)
@click.option(
    "--reachable-only",
    is_flag=True,
    help="First delete the states that the pairs asked about do not reach (this can raise ld).",
)
@at_most_option("D", "Is the distance at most D?")
@jobs_option
@with_reading
@with_options(paged)
@as_query("--at-most may make it faster")
def distance(query: CommandQuery) -> int:
    """Compute a distance between two states S and T of the Markov chain in the file MODEL.

    A small distance proves privacy. The default distance, ld, is an upper bound for delta; for every event E:

    \b
      P[E | S]  <=  alpha*P[E | T] + ld

    Distances lie between 0 and 1. They are exact, apart from the intervals described here. Without --from and
    --to, the answer is the largest distance over the pairs in the model's "relation". If an attacker chooses
    actions, ld and bd are upper bounds for delta against every attacker.

    If e^E is not rational for an --epsilon E, the distance is the one at a rational number just below e^E,
    which bounds delta at E. For lv and tv the answer is then an interval: the upper end is proved at such a
    number (certificate FILE), the lower end at a rational number just above e^E (FILE.lower).

    In a large chain the command finds a lower bound (from an event) and an upper bound (as with --bounds
    upper) before the distance itself. With --timeout, or after Ctrl-C, the answer is the interval between
    them, or the number if they are equal.

    MODEL is a .json, .tra, .pexp or .drn file, or - for standard input. prover zoo prints examples.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover distance pin.json --from 0 --to 1 --alpha 11/10
      prover distance pin.json --from 0 --to 1 --epsilon "ln 11/10"
      prover distance pin.json --from 0 --to 1 --kind bisimilarity
      prover distance pin.json --all-pairs --alpha 1.1 --json
      prover zoo randomised-response > survey.json
      prover distance survey.json --alpha 6/5 --certificate survey.cert
      prover distance survey.json --alpha 6/5 --bounds upper
      prover distance pin.json --from 0 --to 1 --alpha 11/10 --engine nonlinear
      prover zoo two-doors > doors.json
      prover distance doors.json --alpha 2 --certificate doors.cert
    """
    from prover.cli.answering import answer_with, on_system

    _check(query)
    if query.kind in DELTA_KINDS and query.epsilon is not None:
        query = query.with_lower_end()
    open_is_fine = query.bounds == "upper" and query.at_most is None
    return answer_with(query, on_system(_answer), _nothing, open_is_fine=open_is_fine)


def _check(query: CommandQuery) -> None:
    """Refuse options that do not go together."""
    pair = query.source is not None or query.target is not None
    if query.all_pairs and (pair or query.reachable_only):
        raise click.UsageError("--all-pairs is about every pair; leave out --from, --to and --reachable-only")
    limited = query.bounds == "upper" or query.max_bits is not None or query.engine != AUTO or query.merge
    if query.kind in DELTA_KINDS and (query.all_pairs or limited or query.jobs > 1):
        raise click.UsageError(
            f"--kind {query.kind} cannot be combined with --all-pairs, --bounds, --max-bits, --engine, "
            "--merge or --jobs"
        )


def _answer(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.chain.model import LabelledMarkovChain, restrict
    from prover.chain.secrets import query_pairs
    from prover.cli.answering import identity_for

    compute = _unrolled if query.kind in DELTA_KINDS else _lifted
    if not query.reachable_only:
        return compute(query, system, progress, emit)
    if not isinstance(system, LabelledMarkovChain):
        message = "where an attacker chooses actions, distances are about all states of the model"
        raise NotSupported(message, path="--reachable-only", code="not-interactive")
    chain, pairs = query_pairs(system, query.source, query.target)
    chain = restrict(chain, {s for pair in pairs for s in pair})
    kept = identity_for(query, chain)
    reply = compute(query, chain, progress, lambda wider: emit(replace(wider, model=kept)))
    return replace(reply, model=kept)


def _lifted(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.chain.distance import distance as of_pair
    from prover.chain.distance import distances
    from prover.chain.ld.found import TRIVIAL
    from prover.cli.answering import decided
    from prover.report.distance import reply_of, width
    from prover.report.reply import narrowing

    def reply(answer: Distance | DistanceTable) -> Reply:
        return decided(query, reply_of, answer)

    told = narrowing(partial(_emit_or_end, emit), reply, width)

    def hear(answer: Distance | DistanceTable) -> None:
        """A large table that says nothing would take seconds to write."""
        if answer.engine != TRIVIAL.engine or not query.all_pairs or len(system) ** 2 <= _MOST_SAYING_NOTHING:
            told(answer)

    options: dict[str, Any] = {
        "epsilon": query.epsilon,
        "kind": query.kind,
        "engine": query.engine,
        "bounds": query.bounds,
        "max_bits": query.max_bits,
        "merge": query.merge,
        "jobs": query.jobs,
        "progress": progress,
        "on_interval": hear,
    }
    try:
        if query.all_pairs:
            return reply(distances(system, query.alpha, **options))
        return reply(of_pair(system, query.source, query.target, query.alpha, **options))
    except _Decided as end:
        return end.reply


class _Decided(Exception):
    """An interval decides what is asked; the exact number is not needed any more."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


def _emit_or_end(emit: Callable[[Reply], None], reply: Reply) -> None:
    if reply.holds is not None:
        raise _Decided(reply)
    emit(reply)


def _unrolled(
    query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]
) -> Reply:
    from prover.chain.delta import delta
    from prover.cli.answering import decided
    from prover.report.delta import distance_reply
    from prover.report.reply import narrowing

    def reply(answer: Delta | InteractiveDelta) -> Reply:
        return decided(query, distance_reply, answer)

    answer = delta(
        system,
        query.source,
        query.target,
        query.alpha,
        epsilon=query.epsilon,
        kind=query.kind,
        at_most=query.at_most,
        progress=progress,
        on_interval=narrowing(emit, reply, lambda answer: answer.width),
    )
    return reply(answer)


def _nothing(query: CommandQuery) -> Reply:
    from prover.chain.distance import checked_slope
    from prover.report.distance import nothing_proved

    return nothing_proved(
        query.kind,
        checked_slope(query.kind, query.alpha, query.epsilon),
        query.source,
        query.target,
        all_pairs=query.all_pairs,
        at_most=query.at_most,
    )
