"""The command about δ as a function of α."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import click

from prover.cli.delta import OfPair
from prover.cli.options import (
    Asked,
    asks,
    directions_option,
    gap_option,
    jobs_option,
    on_chain,
    paged,
    pair_options,
    with_options,
    with_reading,
)
from prover.cli.shell import candidates
from prover.errors import BadInput, NotSupported

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.certificate.schema import Certificate
    from prover.chain.model import LabelledMarkovChain
    from prover.chain.privacy_profile import Curve
    from prover.interactive.model import LabelledMarkovDecisionProcess
    from prover.progress import Progress
    from prover.report.page.document import Page
    from prover.report.reply import Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class CurveAsked(OfPair):
    """What ``prover curve`` is asked."""

    sooner: ClassVar[str] = "with fewer points, or a larger --gap, it may end sooner"
    alphas: tuple[Fraction, ...] | None
    epsilons: tuple[Fraction, ...] | None
    kind: str
    no_bounds: bool
    csv: str | None
    plot: str | None
    log: bool
    jobs: int

    def files(self) -> list[tuple[str, str]]:
        """The table and the picture."""
        wanted = ((self.plot, "the picture"), (self.csv, "the CSV"))
        return [*Asked.files(self), *((path, what) for path, what in wanted if path is not None)]


def given_grid(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[Fraction, ...] | None:
    """The values of α or ε that A1:A2:POINTS writes."""
    del context
    from prover.chain.privacy_profile import written_grid

    option = parameter.opts[0]
    try:
        return None if text is None else written_grid(text, option.removeprefix("--"))
    except BadInput as error:
        error.path = option
        raise


@click.command(short_help="How does delta fall as epsilon grows?")
@click.argument("model", shell_complete=candidates.models)
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
    help="So many values of epsilon, in place of alpha.",
)
@directions_option
@click.option("--no-bounds", is_flag=True, help="Leave out ld and bd, which bound delta.")
@gap_option("How wide the intervals of delta may be where it is not exact.")
@click.option(
    "--csv",
    metavar="FILE",
    shell_complete=candidates.files,
    help="Write the CSV to FILE, and print a table.",
)
@click.option(
    "--plot",
    metavar="FILE",
    shell_complete=candidates.files,
    help="Draw the curves to FILE, an .svg.",
)
@click.option("--log", is_flag=True, help="Draw delta on a logarithmic axis.")
@jobs_option
@with_reading
@with_options(paged)
@asks(CurveAsked)
def curve(asked: CurveAsked) -> int:
    """How delta falls as alpha = e^epsilon grows, between two states of the chain in the file MODEL.

    Every row is a promise: the chain is (epsilon, upper)-differentially private for the pair, and at alpha
    no delta below lower is enough. The values are given as alpha = e^epsilon or as epsilon. Beside it are
    the distances ld and bd, which bound delta; ld_least is the least ld at the alphas so far. Decimals are
    rounded up, and lower is rounded down, so that all this stays true; --json has exact numbers. Without
    --from and --to, all are maxima over the model's relation.

    Where delta is exactly known as a function of alpha, its breakpoints are shown, too: it is linear between
    them. The certificate then is about this function, for all alpha at once, and else about lower and upper
    at all points together.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --certificate pin.cert
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --plot pin.svg --csv pin.csv
      prover curve pin.json --from 0 --to 1 --epsilon 0:0.24:11 --log --plot log.svg
    """

    from prover.cli.answering import answer_with
    from prover.cli.output import complain
    from prover.report.picture.svg import check_svg

    if (asked.alphas is None) == (asked.epsilons is None):
        from prover.chain.arguments import alpha_or_epsilon

        raise alpha_or_epsilon("--alpha 1:2:11 or --epsilon 0:2:11")
    if asked.plot is not None:
        check_svg(asked.plot)
    return answer_with(
        partial(_curve_answer, asked),
        partial(_curve_nothing, asked),
        asked,
        deliver=partial(_deliver_curve, asked),
        note=complain,
    )


def _chain_curve(
    asked: CurveAsked, chain: LabelledMarkovChain, progress: Progress, leave: Callable[[Reply], None]
) -> Reply:
    from prover.accounting.certificates import profile_certificate
    from prover.certificate.schema import TooMuchWork
    from prover.chain.privacy_profile import curve as of_pair

    answer = of_pair(
        chain,
        asked.source,
        asked.target,
        asked.alphas or (),
        epsilons=asked.epsilons or (),
        kind=asked.kind,
        bounds=not asked.no_bounds,
        provable=asked.certificate is not None,
        gap=asked.gap,
        jobs=asked.jobs,
        progress=progress,
        on_curve=lambda found: leave(_reply(asked, found)),
    )
    if asked.certificate is None:
        return _reply(asked, answer)
    try:
        return _reply(asked, answer, profile_certificate(chain, answer, progress))
    except TooMuchWork as why:
        return _reply(asked, answer).without_proofs(str(why))


def _reply(asked: CurveAsked, answer: Curve, proof: Certificate | None = None) -> Reply:
    """The reply with its certificate, its picture and its page, where they are wanted."""
    from prover.cli.answering import with_page
    from prover.report.curve import reply_of

    found = reply_of(answer, gap=asked.gap, csv_elsewhere=asked.csv is not None)
    data = None if proof is None else proof.data

    def page() -> Page:
        from prover.report.page.curve import curve_page

        return curve_page(answer, proof)

    return with_page(asked, _drawn(asked, replace(found, certificate=data), answer), page)


def _interactive_curve(
    asked: CurveAsked,
    process: LabelledMarkovDecisionProcess,
    progress: Progress,
    leave: Callable[[Reply], None],
) -> Reply:
    from prover.interactive.curve import curve as of_pair

    if asked.certificate is not None:
        raise NotSupported(
            "where an attacker chooses, prover delta proves single points",
            path="--certificate",
            code="not-interactive",
        )

    def reply(answer: Curve) -> Reply:
        about = ("this is about all attackers, whatever they choose",)
        return replace(_reply(asked, answer), notes=about)

    return reply(
        of_pair(
            process,
            asked.source,
            asked.target,
            asked.alphas or (),
            epsilons=asked.epsilons or (),
            kind=asked.kind,
            bounds=not asked.no_bounds,
            gap=asked.gap,
            jobs=asked.jobs,
            progress=progress,
            on_curve=lambda found: leave(reply(found)),
        )
    )


def _drawn(asked: CurveAsked, reply: Reply, answer: Curve) -> Reply:
    """The reply with the picture, where one is wanted."""
    if asked.plot is None:
        return reply
    from prover.report.page.curve import picture
    from prover.report.picture.svg import svg_file

    figure = picture(answer, logarithmic=asked.log)
    return replace(reply, picture=svg_file(figure.drawn, figure.words))


_curve_answer = on_chain(_chain_curve, _interactive_curve)


def _curve_nothing(asked: CurveAsked) -> Reply:
    from prover.report.curve import nothing_proved

    return nothing_proved(asked.kind, asked.source, asked.target, csv_elsewhere=asked.csv is not None)


def _deliver_curve(asked: CurveAsked, reply: Reply) -> list[str]:
    """Write the files that are wanted; their paths."""
    from prover.cli.destination import write_file
    from prover.cli.output import complain
    from prover.report.curve import breakpoint_text, csv_text

    written = []
    if asked.csv is not None:
        write_file(asked.csv, csv_text(reply.json).encode(), "the CSV", force=asked.force)
        written.append(asked.csv)
    elif not asked.as_json and (about := breakpoint_text(reply.json)) is not None:
        complain(about)  # the CSV itself has no place for it
    if asked.plot is not None and reply.picture is not None:
        write_file(asked.plot, reply.picture, "the picture", force=asked.force)
        written.append(asked.plot)
    return written
