"""The command about δ as a function of α."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Certificate
from prover.cli.mechanisms import asked_of_mechanism, check_mechanism, is_about_mechanism, noise_options
from prover.cli.options import (
    CommandQuery,
    File,
    as_query,
    directions_option,
    gap_option,
    jobs_option,
    paged,
    pair_options,
    with_options,
    with_reading,
)
from prover.errors import BadInput, NotSupported

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.chain.model import LabelledMarkovChain
    from prover.chain.privacy_profile import Curve
    from prover.chain.process import System
    from prover.cli.answering import Emit
    from prover.program.profiles.curve import ProgramCurve
    from prover.progress import Progress
    from prover.report.reply import Reply


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


@click.command(short_help="Compute delta for many values of epsilon.")
@click.argument("model", type=File())
@with_options(pair_options)
@click.option(
    "--alpha",
    "alphas",
    callback=given_grid,
    metavar="A1:A2:POINTS",
    help="POINTS values of alpha = e^epsilon from A1 to A2, evenly spaced, both ends included.",
)
@click.option(
    "--epsilon",
    "epsilons",
    callback=given_grid,
    metavar="E1:E2:POINTS",
    help="POINTS values of epsilon from E1 to E2, instead of alpha.",
)
@directions_option
@click.option("--no-bounds", is_flag=True, help="Leave out ld and bd, the upper bounds for delta.")
@gap_option("Largest width of the intervals, where delta is not found exactly.")
@click.option(
    "--csv",
    type=File("the CSV"),
    metavar="FILE",
    help="Write the CSV to FILE, and print a table instead.",
)
@click.option(
    "--plot",
    type=File("the picture"),
    metavar="FILE",
    help="Draw the curves into FILE, an .svg file.",
)
@click.option("--log", is_flag=True, help="Draw delta on a logarithmic axis.")
@jobs_option
@with_reading
@with_options(noise_options)
@with_options(paged)
@as_query("fewer points, or a larger --gap, may make it faster")
def curve(query: CommandQuery) -> int:
    """Compute delta for many values of alpha = e^epsilon, for two states of the chain in the file MODEL.

    Each row says: the chain is (epsilon, upper)-differentially private for the two states, and no delta below
    lower is enough at this alpha (with --kind lv: in this direction). The columns ld and bd are distances,
    upper bounds for delta; ld_least is the least ld in the rows so far. Decimals are rounded up, those of
    lower down, so that every row stays true; --json prints exact numbers. Without --from and --to, each
    number is the largest over the pairs in the model's "relation".

    Where delta is known exactly as a function of alpha, the command also prints the breakpoints of this
    function, which is linear between them. The certificate then proves the function, for all alpha at once;
    otherwise it proves lower and upper at all points together. Where probabilities are not rational, or a
    protocol is too large and is cut, each delta is an interval, and there is no ld and no bd.

    With --at-epsilon, MODEL is a mechanism or a threshold program, and lower and upper bound the largest
    delta of all neighbouring inputs. The column pure is what the exact epsilon alone bounds delta by. The
    certificate FILE proves all upper ends, and FILE.lower all lower ends.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --certificate pin.cert
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --plot pin.svg --csv pin.csv
      prover curve pin.json --from 0 --to 1 --epsilon 0:0.24:11 --log --plot log.svg
      prover zoo svt > svt.json
      prover curve svt.json --at-epsilon 1 --epsilon 0:1:3 --steps 3 --plot svt.svg
      prover curve svt.json --at-epsilon 1 --alpha 1:2:3 --steps 3 --certificate svt.cert
    """
    from prover.chain.arguments import alpha_or_epsilon
    from prover.cli.answering import answer_with, on_system
    from prover.cli.output import complain
    from prover.report.picture.svg import check_svg

    if (query.alphas is None) == (query.epsilons is None):
        raise alpha_or_epsilon("--alpha 1:2:11 or --epsilon 0:2:11")
    if query.plot is not None:
        check_svg(query.plot)
    if is_about_mechanism(query):
        check_mechanism(query)
        return answer_with(query.with_lower_end(), _of_mechanism, _nothing_of_mechanism, note=complain)
    return answer_with(query, on_system(_answer, _of_mechanism, _most_lost), _nothing, note=complain)


def _of_mechanism(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    from prover.cli.answering import answered
    from prover.curves import curve as of_any
    from prover.report.picture.svg import svg_file
    from prover.report.program_curve import csv_text, picture, reply_of

    def reply(answer: ProgramCurve) -> Reply:
        made = answered(query, partial(reply_of, csv_elsewhere=query.csv is not None), answer)
        files = [] if query.csv is None else [(query.csv, "the CSV", csv_text(answer).encode())]
        if query.plot is not None:
            figure = picture(answer, logarithmic=query.log)
            files.append((query.plot, "the picture", svg_file(figure.drawn, figure.words)))
        return replace(made, files=tuple(files))

    asked = {"alphas": query.alphas or (), "epsilons": query.epsilons or ()}
    return asked_of_mechanism(query, progress, emit, partial(of_any, **asked), reply, "on_curve")


def _nothing_of_mechanism(query: CommandQuery) -> Reply:
    from prover.report.program_curve import nothing_proved

    noise = query.at_epsilon, query.q
    return nothing_proved(query.adjacency or "all-differ", noise, query.steps)


def _answer(query: CommandQuery, system: System, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.chain.model import LabelledMarkovChain
    from prover.chain.privacy_profile import curve as of_pair

    chosen = not isinstance(system, LabelledMarkovChain)
    certified = query.certificate is not None
    if chosen and certified:
        message = "where an attacker chooses actions, only single points are certified, by prover delta"
        raise NotSupported(message, path="--certificate", code="not-interactive")
    about = ("the answer holds for every attacker",) if chosen else ()
    proofs: list[Certificate | TooMuchWork] = []
    told = False

    def reply(answer: Curve) -> Reply:
        """With the proof that is known, if any; it serves all later curves, as these add distances only."""
        proof = proofs[0] if proofs else None
        if answer.leaves_out_pairs and certified and isinstance(system, LabelledMarkovChain):
            proof = _proof(system, answer, progress)
        if isinstance(proof, Certificate):
            return replace(_reply(query, answer, proof), notes=about)
        made = replace(_reply(query, answer, None), notes=about)
        if not certified:
            return made
        return made.without_proofs("the work ended before it was made" if proof is None else str(proof))

    def take(answer: Curve) -> None:
        """A better curve waits for its certificate where a worse one has one already."""
        nonlocal told
        whole = certified and not answer.leaves_out_pairs
        if whole and not proofs and isinstance(system, LabelledMarkovChain):
            if not told:
                emit(reply(answer))
            proofs.append(_proof(system, answer, progress))
        told = True
        emit(reply(answer))

    answer = of_pair(
        system,
        query.source,
        query.target,
        query.alphas or (),
        epsilons=query.epsilons or (),
        kind=query.kind,
        bounds=not query.no_bounds,
        provable=certified,
        gap=query.gap,
        jobs=query.jobs,
        progress=progress,
        on_curve=take,
    )
    return reply(answer)


def _proof(chain: LabelledMarkovChain, answer: Curve, progress: Progress) -> Certificate | TooMuchWork:
    """The certificate of a curve of a chain, which holds no distances, or why there is none."""
    from prover.accounting.profile_certificates import profile_certificate

    try:
        return profile_certificate(chain, answer, progress)
    except TooMuchWork as why:
        return why


def _most_lost(query: CommandQuery) -> Fraction:
    """With which probability runs may be lost, at the last point as at all others."""
    from prover.chain.arguments import given_slope
    from prover.chain.real import lost_within

    alpha, epsilon = (None if given is None else given[-1] for given in (query.alphas, query.epsilons))
    return lost_within(query.gap, given_slope("tv", alpha, epsilon).upper)


def _reply(query: CommandQuery, answer: Curve, proof: Certificate | None) -> Reply:
    """The reply with its certificate, its files and its page, where they are wanted."""
    from prover.cli.answering import with_page
    from prover.report.curve import reply_of

    reply = reply_of(answer, gap=query.gap, csv_elsewhere=query.csv is not None)
    everywhere = len(answer) == len(query.alphas or query.epsilons) and not answer.leaves_out_pairs
    distances = query.no_bounds or all(point.bd is not None for point in answer)
    made = replace(
        reply,
        certificate=None if proof is None else proof.data,
        exact=reply.exact and everywhere,
        missing=""
        if distances or not everywhere
        else f"{answer.name} is there at all points, ld and bd are not",
    )
    return with_page(query, _with_files(query, made, answer), answer, proof=proof)


def _with_files(query: CommandQuery, reply: Reply, answer: Curve | None = None) -> Reply:
    """The reply with the CSV and the picture, where they are wanted; of no answer yet there is no picture."""
    from prover.report.curve import csv_text

    files = [] if query.csv is None else [(query.csv, "the CSV", csv_text(reply.json).encode())]
    if query.plot is not None and answer is not None:
        from prover.report.curve import picture
        from prover.report.picture.svg import svg_file

        figure = picture(answer, logarithmic=query.log)
        files.append((query.plot, "the picture", svg_file(figure.drawn, figure.words)))
    return replace(reply, files=tuple(files))


def _nothing(query: CommandQuery) -> Reply:
    from prover.report.curve import nothing_proved

    made = nothing_proved(query.kind, query.source, query.target, csv_elsewhere=query.csv is not None)
    return _with_files(query, made)
