"""The commands about δ itself: at one α, as a function of α, and the least ε for a δ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prover.cli.options import (
    Asked,
    alpha_option,
    answering,
    at_most_option,
    certificates,
    directions_option,
    epsilon_option,
    gap_option,
    on_chain,
    pair_options,
    rational,
    read_files,
    simulate_options,
    with_options,
    with_reading,
)
from prover.errors import BadInput, quoted

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.chain.delta import Delta
    from prover.chain.model import LabelledMarkovChain
    from prover.chain.privacy_profile import Curve
    from prover.progress import Progress
    from prover.report.reply import Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class OfPair(Asked):
    """What all three commands are asked, as their options say."""

    model: str
    reading: Mapping[str, Any]
    source: str | None
    target: str | None
    gap: Fraction

    def inputs(self) -> list[str]:
        """The files that are read."""
        return read_files(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeltaAsked(OfPair):
    """What ``prover delta`` is asked."""

    alpha: Fraction | None
    epsilon: str | None
    at_most: Fraction | None
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


@dataclass(frozen=True, kw_only=True, slots=True)
class CurveAsked(OfPair):
    """What ``prover curve`` is asked."""

    alphas: tuple[Fraction, ...] | None
    epsilons: tuple[Fraction, ...] | None
    kind: str
    no_bounds: bool
    csv: str | None
    plot: str | None
    log: bool

    def files(self) -> list[tuple[str, str]]:
        """The table and the picture."""
        wanted = ((self.plot, "the picture"), (self.csv, "the CSV"))
        return [*Asked.files(self), *((path, what) for path, what in wanted if path is not None)]


@click.command(short_help="How well can two states be told apart at best? The true delta.")
@click.argument("model")
@alpha_option
@epsilon_option
@with_options(pair_options)
@gap_option("How wide the interval may be that is the answer.")
@at_most_option("D", "Is delta at most D?")
@with_reading
@with_options(simulate_options)
@with_options(answering)
def delta(**options: Any) -> int:
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

    asked = DeltaAsked(**options)
    return answer_with(partial(_delta_answer, asked), partial(_delta_nothing, asked), asked)


@on_chain
def _delta_answer(
    asked: DeltaAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.chain.delta import delta as of_pair
    from prover.report.delta import reply_of, width
    from prover.report.reply import narrowing

    reply = partial(reply_of, certified=asked.certificate is not None, at_most=asked.at_most)
    answer = of_pair(
        chain,
        asked.source,
        asked.target,
        asked.alpha,
        epsilon=asked.epsilon,
        gap=asked.gap,
        at_most=asked.at_most,
        progress=progress,
        on_interval=narrowing(leave, reply, width),
    )
    return _simulated(asked, answer, reply(answer), progress)


def _simulated(asked: DeltaAsked, answer: Delta, reply: Reply, progress: Progress) -> Reply:
    """The reply with how often runs of the code show the attack's words, if that is asked for."""
    if asked.simulate is None or answer.attack is None:
        return reply
    from prover.formats.load import NotInCode, function_of
    from prover.language.written import Protocol
    from prover.report.source import with_words

    function = function_of(asked.model)
    if not isinstance(function, Protocol) or {"untimed", "silent"} & asked.reading.keys():
        raise NotInCode(asked.model)
    progress("running the code", 0, None)
    const = asked.reading.get("const", "")
    return with_words(reply, function, const, answer.attack, asked.simulate, asked.seed)


def _delta_nothing(asked: DeltaAsked) -> Reply:
    from prover.chain.arguments import given_slope
    from prover.report.delta import nothing_proved

    slope = given_slope("delta", asked.alpha, asked.epsilon)
    return nothing_proved(slope, asked.source, asked.target, asked.at_most)


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
@with_options(answering)
def epsilon(**options: Any) -> int:
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

    asked = EpsilonAsked(**options)
    return answer_with(partial(_epsilon_answer, asked), partial(_epsilon_nothing, asked), asked)


@on_chain
def _epsilon_answer(
    asked: EpsilonAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.chain.epsilon import epsilon_for
    from prover.report.epsilon import leaving, reply_of

    wanted: dict[str, Any] = {
        "gap": asked.gap,
        "certified": asked.certificate is not None,
        "at_most": asked.at_most,
    }
    if asked.times > 1:
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
            progress=progress,
        )
        noted = f"this is about {asked.times:,} independent runs from the same secret, all of them seen"
        return replace(reply_of(runs, **wanted), notes=(noted,))
    answer = epsilon_for(
        chain,
        asked.source,
        asked.target,
        asked.delta,
        kind=asked.kind,
        gap=asked.gap,
        at_most=asked.at_most,
        limit=asked.limit,
        progress=progress,
        on_interval=leaving(leave, **wanted),
    )
    return reply_of(answer, **wanted)


def _epsilon_nothing(asked: EpsilonAsked) -> Reply:
    from prover.report.epsilon import nothing_proved

    return nothing_proved(asked.delta, asked.kind, asked.source, asked.target, asked.limit, asked.at_most)


def given_grid(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[Fraction, ...] | None:
    """The values of α or ε that A1:A2:POINTS writes."""
    del context
    from prover.chain.privacy_profile import BadGrid, epsilon_grid, grid
    from prover.exact.rational import parse_rational

    if text is None:
        return None
    option, form = parameter.opts[0], parameter.metavar
    spaced, example = (grid, "1:2:11") if option == "--alpha" else (epsilon_grid, "0:2:11")
    parts = text.split(":")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdecimal() and len(parts[2]) <= 6):
        raise BadGrid(f"{quoted(text)} is no grid; write {form}, such as {example}", path=option)
    try:
        return spaced(parse_rational(parts[0]), parse_rational(parts[1]), int(parts[2]))
    except BadInput as error:
        error.path = option
        raise


@click.command(short_help="How does delta fall as epsilon grows?")
@click.argument("model")
@with_options(pair_options)
@click.option(
    "--alpha",
    "alphas",
    callback=given_grid,
    metavar="A1:A2:POINTS",
    help="So many values of alpha = e^epsilon, evenly spaced, both ends included.",
)
@click.option(
    "--epsilon",
    "epsilons",
    callback=given_grid,
    metavar="E1:E2:POINTS",
    help="So many values of epsilon, in place of alpha; then epsilon is the axis of the picture, too.",
)
@directions_option
@click.option("--no-bounds", is_flag=True, help="Leave out ld and bd, which bound delta.")
@gap_option("How wide the intervals of delta may be where it is not exact.")
@click.option("--csv", metavar="FILE", help="Write the CSV to FILE, and print a table.")
@click.option("--plot", metavar="FILE", help="Draw the curves to FILE, an .svg or .png (needs matplotlib).")
@click.option("--log", is_flag=True, help="Draw delta on a logarithmic axis.")
@with_reading
@with_options(answering)
def curve(**options: Any) -> int:
    """How delta falls as alpha = e^epsilon grows, between two states of the chain in the file MODEL.

    Every row is a promise: the chain is (epsilon, upper)-differentially private for the pair, and at alpha
    no delta below lower is enough. The values are given as alpha = e^epsilon or as epsilon. Beside it are
    the distances ld and bd, which bound delta; ld_least is the least ld at the alphas so far. Decimals are
    rounded up, and lower is rounded down, so that all this stays true; --json has exact numbers. Without
    --from and --to, all are maxima over the model's relation.

    Where delta is exactly known as a function of alpha, its breakpoints are shown, too: it is linear between
    them. The certificate then is about this function, for all alpha at once.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --certificate pin.cert
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --plot pin.svg --csv pin.csv
      prover curve pin.json --from 0 --to 1 --epsilon 0:0.24:11 --log --plot pin.png
    """

    from prover.chain.arguments import AlphaOrEpsilon
    from prover.cli.answering import answer_with
    from prover.cli.output import complain
    from prover.report.curve_plot import check_plot

    asked = CurveAsked(**options)
    if (asked.alphas is None) == (asked.epsilons is None):
        raise AlphaOrEpsilon
    if asked.plot is not None:
        check_plot(asked.plot)
    return answer_with(
        partial(_curve_answer, asked),
        partial(_curve_nothing, asked),
        asked,
        deliver=partial(_deliver_curve, asked),
        note=complain,
    )


@on_chain
def _curve_answer(
    asked: CurveAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.accounting.certificates import profile_certificate
    from prover.chain.privacy_profile import curve as of_pair
    from prover.report.curve import reply_of

    def reply(answer: Curve, certificate: bytes | None = None) -> Reply:
        found = reply_of(answer, gap=asked.gap, csv_elsewhere=asked.csv is not None)
        return replace(found, certificate=certificate)

    answer = of_pair(
        chain,
        asked.source,
        asked.target,
        asked.alphas or (),
        epsilons=asked.epsilons or (),
        kind=asked.kind,
        bounds=not asked.no_bounds,
        gap=asked.gap,
        progress=progress,
        on_curve=lambda found: leave(reply(found)),
    )
    if asked.certificate is None:
        return reply(answer)
    return reply(answer, profile_certificate(chain, answer, progress).data)


def _curve_nothing(asked: CurveAsked) -> Reply:
    from prover.report.curve import nothing_proved

    return nothing_proved(asked.kind, asked.source, asked.target, csv_elsewhere=asked.csv is not None)


def _deliver_curve(asked: CurveAsked, reply: Reply) -> None:
    """Write the files that are wanted."""
    from prover.cli.destination import write_file
    from prover.cli.output import complain
    from prover.report.curve import breakpoint_text, csv_text
    from prover.report.curve_plot import form_of, picture

    if asked.csv is not None:
        write_file(asked.csv, csv_text(reply.json).encode(), "the CSV", force=asked.force)
    elif not asked.as_json and (about := breakpoint_text(reply.json)) is not None:
        complain(about)  # the CSV itself has no place for it
    if asked.plot is not None:
        drawn = picture(reply.json, form_of(asked.plot), log=asked.log)
        write_file(asked.plot, drawn, "the picture", force=asked.force)
