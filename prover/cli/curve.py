"""The command about δ as a function of α."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from prover.cli.options import (
    directions_option,
    gap_option,
    json_option,
    pair_options,
    timeout_option,
    with_options,
)
from prover.errors import BadInput, quoted

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.progress import Progress
    from prover.report.reply import Reply


def alpha_grid(context: click.Context, parameter: click.Parameter, text: str) -> tuple[Fraction, ...]:
    """The values of α that A1:A2:POINTS writes."""
    del context, parameter
    from prover.chain.privacy_profile import BadGrid, grid
    from prover.exact.rational import parse_rational

    parts = text.split(":")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdecimal() and len(parts[2]) <= 6):
        raise BadGrid(f"{quoted(text)} is no grid; write A1:A2:POINTS, such as 1:2:11", path="--alpha")
    try:
        return grid(parse_rational(parts[0]), parse_rational(parts[1]), int(parts[2]))
    except BadInput as error:
        error.path = "--alpha"
        raise


@click.command(short_help="How does delta fall as epsilon grows?")
@click.argument("model")
@with_options(pair_options)
@click.option(
    "--alpha",
    "alphas",
    callback=alpha_grid,
    required=True,
    metavar="A1:A2:POINTS",
    help="So many values of alpha = e^epsilon, evenly spaced, both ends included.",
)
@directions_option
@click.option("--no-bounds", is_flag=True, help="Leave out ld and bd, which bound delta.")
@gap_option("How wide the intervals of delta may be where it is not exact.")
@click.option("--csv", metavar="FILE", help="Write the CSV to FILE, and print a table.")
@click.option("--plot", metavar="FILE", help="Draw the curves to FILE, an .svg or .png (needs matplotlib).")
@with_options([json_option, timeout_option])
def curve(
    model: str,
    source: str | None,
    target: str | None,
    alphas: tuple[Fraction, ...],
    kind: str,
    no_bounds: bool,
    gap: Fraction,
    csv: str | None,
    plot: str | None,
    as_json: bool,
    timeout: float | None,
) -> int:
    """How delta falls as alpha = e^epsilon grows, between two states of the chain in the file MODEL.

    Every row is a promise: the chain is (epsilon, upper)-differentially private for the pair, and at alpha no
    delta below lower is enough. Beside it are the distances ld and bd, which bound delta; ld_least is the
    least ld at the alphas so far. Decimals are rounded up, and lower is rounded down, so that all this stays
    true; --json has exact numbers. Without --from and --to, all are maxima over the model's relation.

    Where delta is exactly known as a function of alpha, its breakpoints are shown, too: it is linear between
    them.

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11
      prover curve pin.json --from 0 --to 1 --alpha 1:1.272:11 --plot pin.svg --csv pin.csv
    """

    def work(progress: Progress, leave: Callable[[Reply], None]) -> Reply:
        from prover.chain.privacy_profile import Curve
        from prover.chain.privacy_profile import curve as of_pair
        from prover.formats.load import load_chain
        from prover.report.curves import reply_of

        def reply(answer: Curve) -> Reply:
            return reply_of(answer, gap=gap, csv_elsewhere=csv is not None)

        progress("reading the model", 0, None)
        answer = of_pair(
            load_chain(model),
            source,
            target,
            alphas,
            kind=kind,
            bounds=not no_bounds,
            gap=gap,
            progress=progress,
            on_curve=lambda found: leave(reply(found)),
        )
        return reply(answer)

    def nothing() -> Reply:
        from prover.report.curves import nothing_proved

        return nothing_proved(kind, source, target, csv_elsewhere=csv is not None)

    def deliver(reply: Reply) -> None:
        from prover.certificate.schema import write_whole
        from prover.cli.output import complain
        from prover.report.curves import breakpoint_text, csv_text
        from prover.report.plot import draw

        if csv is not None:
            write_whole(csv, csv_text(reply.json).encode(), "the CSV")
        elif not as_json and (about := breakpoint_text(reply.json)) is not None:
            complain(about)  # the CSV itself has no place for it
        if plot is not None:
            draw(reply.json, plot)

    from prover.cli.answering import answer_with
    from prover.cli.destination import check_destination
    from prover.report.plot import check_plot

    if plot is not None:
        check_plot(plot)
    for path, what in ((plot, "the picture"), (csv, "the CSV")):
        if path is not None:
            check_destination(path, model, what)
    return answer_with(work, nothing, as_json=as_json, certificate=None, timeout=timeout, deliver=deliver)
