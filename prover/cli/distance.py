"""The command about distances that bound δ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import click

from prover.chain.kinds import ALL_KINDS, AUTO, BOUNDS, DELTA_KINDS, ENGINES
from prover.cli.options import (
    OfSystem,
    alpha_option,
    asks,
    at_most_option,
    certificates,
    epsilon_option,
    jobs_option,
    on_chain,
    paged,
    pair_options,
    with_options,
    with_reading,
)
from prover.cli.shell import candidates
from prover.errors import NotSupported

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.chain.delta import Delta
    from prover.chain.model import LabelledMarkovChain
    from prover.interactive.asking import System
    from prover.interactive.delta import InteractiveDelta
    from prover.interactive.model import LabelledMarkovDecisionProcess
    from prover.progress import Progress
    from prover.report.page.document import Page
    from prover.report.reply import Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class DistanceAsked(OfSystem):
    """What ``prover distance`` is asked, as its options say."""

    sooner: ClassVar[str] = "asked --at-most only, it may end sooner"
    alpha: Fraction | None
    epsilon: str | None
    kind: str
    engine: str
    bounds: str
    max_bits: int | None
    merge: bool
    jobs: int
    reachable_only: bool
    at_most: Fraction | None

    @property
    def unrolled(self) -> bool:
        """Whether this kind of distance is found as ``prover delta`` finds it."""
        return self.kind in DELTA_KINDS

    def files(self) -> list[tuple[str, str]]:
        """With ε both ends of δ have certificates of their own."""
        return certificates(self.certificate, both_ends=self.unrolled and self.epsilon is not None)

    def check(self) -> None:
        """Refuse options that do not go together."""
        pair = self.source is not None or self.target is not None
        if self.all_pairs and (pair or self.reachable_only):
            raise click.UsageError(
                "--all-pairs asks for every pair; leave out --from, --to and --reachable-only"
            )
        limited = self.bounds == "upper" or self.max_bits is not None or self.engine != AUTO or self.merge
        if self.unrolled and (self.all_pairs or limited or self.jobs > 1):
            raise click.UsageError(
                f"--kind {self.kind} goes without --all-pairs, --bounds, --max-bits, --engine, --merge and "
                "--jobs"
            )


@click.command(short_help="How far apart are two states of a Markov chain?")
@click.argument("model", shell_complete=candidates.models)
@alpha_option
@epsilon_option
@with_options(pair_options)
@click.option("--all-pairs", is_flag=True, help="All ordered pairs of states.")
@click.option(
    "--kind",
    type=click.Choice(ALL_KINDS),
    default="ld",
    show_default=True,
    help="ld: bounds delta from S to T. lgd: the same number, by another definition. bd: bounds delta both "
    "ways. lv: delta itself from S to T, tv: both ways (see prover delta). kernel: 0 if ld is 0, else 1. "
    "bisimilarity: 0 if nothing tells S and T apart, else 1.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to compute it. auto is lp: linear programs. linear and nonlinear ask formulas (small models). "
    "The answer is the same.",
)
@click.option(
    "--bounds",
    type=click.Choice(BOUNDS),
    default="both",
    show_default=True,
    help="upper: a certified upper bound only, which is faster and enough to bound delta.",
)
@click.option(
    "--max-bits",
    type=click.IntRange(min=1),
    metavar="N",
    help="Answer with an interval where an exact number would have more than N bits (exit status 3).",
)
@click.option(
    "--merge",
    is_flag=True,
    help="Let bisimilar states count as one: this bounds delta, too, and is never larger.",
)
@click.option(
    "--reachable-only",
    is_flag=True,
    help="First delete the states that the query does not reach (this can raise ld).",
)
@at_most_option("D", "Is the distance at most D?")
@jobs_option
@with_reading
@with_options(paged)
@asks(DistanceAsked)
def distance(asked: DistanceAsked) -> int:
    """How far apart are two states of the labelled Markov chain in the file MODEL?

    A small distance means privacy: ld bounds delta, as whatever is observed,

    \b
      P[it | S]  <=  alpha P[it | T] + ld.

    Distances are numbers between 0 and 1, and exact. Without --from and --to the answer is the largest
    distance over the pairs that the model's "relation" lists.

    With --epsilon, unless it is a logarithm, alpha is no rational. The distance is then that at a rational
    number just below e^epsilon, which bounds delta at epsilon. lv and tv are intervals: the upper end is
    proved for such a number, in the certificate FILE, and the lower end for one just above, in FILE.lower.

    In a large chain, bounds are found before the number: what some event gains, which is no more than ld, and
    an upper bound as with --bounds upper. With --timeout, or after Ctrl-C, the answer is the interval between
    them; where the two are equal, it is the number.

    Where an attacker chooses what to do, ld and bd bound delta against all attackers.

    MODEL is a .json, .tra, .pexp or .drn file, or - for standard input; prover zoo prints some to begin with.

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
    from prover.cli.answering import answer_with

    asked.check()
    open_is_fine = asked.bounds == "upper" and asked.at_most is None
    return answer_with(partial(_answer, asked), partial(_nothing, asked), asked, open_is_fine=open_is_fine)


def _of_chain(
    asked: DistanceAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.chain.distance import query_pairs
    from prover.chain.model import restrict
    from prover.formats.identity import identity

    found = _unrolled if asked.unrolled else _lifted
    if not asked.reachable_only:
        return found(asked, chain, progress, leave)
    chain, pairs = query_pairs(chain, asked.source, asked.target)
    chain = restrict(chain, {s for pair in pairs for s in pair})
    kept = identity(chain)
    reply = found(asked, chain, progress, lambda wider: leave(replace(wider, model=kept)))
    return replace(reply, model=kept)


def _of_process(
    asked: DistanceAsked,
    process: LabelledMarkovDecisionProcess,
    progress: Progress,
    leave: Callable[[Reply], None],
) -> Reply:

    if asked.reachable_only:
        raise NotSupported(
            "where an attacker chooses, distances are about the whole system",
            path="--reachable-only",
            code="not-interactive",
        )
    found = _unrolled if asked.unrolled else _lifted
    return found(asked, process, progress, leave)


_answer = on_chain(_of_chain, _of_process)


def _lifted(
    asked: DistanceAsked, system: System, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.chain.answer import Distance, DistanceTable
    from prover.cli.answering import with_page
    from prover.interactive.asking import distance as of_pair
    from prover.interactive.asking import distances
    from prover.report.distance import reply_of, width
    from prover.report.reply import certified_reply, narrowing

    def reply(answer: Distance | DistanceTable) -> Reply:
        make = partial(reply_of, answer, at_most=asked.at_most)
        made = certified_reply(make, certified=asked.certificate is not None)

        def page() -> Page:
            from prover.report.page.distance import distance_page

            return distance_page(answer, at_most=asked.at_most)

        return with_page(asked, made, page)

    options: dict[str, Any] = {
        "epsilon": asked.epsilon,
        "kind": asked.kind,
        "engine": asked.engine,
        "bounds": asked.bounds,
        "max_bits": asked.max_bits,
        "merge": asked.merge,
        "jobs": asked.jobs,
        "progress": progress,
        "on_interval": narrowing(partial(_leave_or_end, leave), reply, width),
    }
    try:
        if asked.all_pairs:
            return reply(distances(system, asked.alpha, **options))
        return reply(of_pair(system, asked.source, asked.target, asked.alpha, **options))
    except _Decided as end:
        return end.reply


class _Decided(Exception):
    """An interval decides what is asked; the exact number is not needed any more."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


def _leave_or_end(leave: Callable[[Reply], None], reply: Reply) -> None:
    if reply.holds is not None:
        raise _Decided(reply)
    leave(reply)


def _unrolled(
    asked: DistanceAsked, system: System, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.cli.answering import with_page
    from prover.interactive.asking import delta
    from prover.interactive.delta import InteractiveDelta
    from prover.report.delta import distance_reply
    from prover.report.interactive import distance_reply as interactive_reply
    from prover.report.reply import certified_reply, narrowing

    def reply(answer: Delta | InteractiveDelta) -> Reply:
        if isinstance(answer, InteractiveDelta):
            make = partial(interactive_reply, answer, at_most=asked.at_most)
        else:
            make = partial(distance_reply, answer, at_most=asked.at_most)
        made = certified_reply(make, certified=asked.certificate is not None)

        def page() -> Page:
            from prover.report.page.delta import delta_page
            from prover.report.page.interactive import interactive_page

            if isinstance(answer, InteractiveDelta):
                return interactive_page(answer, at_most=asked.at_most)
            return delta_page(answer, at_most=asked.at_most)

        return with_page(asked, made, page)

    answer = delta(
        system,
        asked.source,
        asked.target,
        asked.alpha,
        epsilon=asked.epsilon,
        kind=asked.kind,
        at_most=asked.at_most,
        progress=progress,
        on_interval=narrowing(leave, reply, lambda found: found.width),
    )
    return reply(answer)


def _nothing(asked: DistanceAsked) -> Reply:
    from prover.chain.distance import checked_slope
    from prover.report.distance import nothing_proved

    return nothing_proved(
        asked.kind,
        checked_slope(asked.kind, asked.alpha, asked.epsilon),
        asked.source,
        asked.target,
        all_pairs=asked.all_pairs,
        at_most=asked.at_most,
    )
