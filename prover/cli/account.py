"""The command about what many mechanisms give away together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.divergences import read_orders
from prover.cli.options import CommandQuery, File, as_query, paged, with_options
from prover.errors import BadOptions, BadValue

if TYPE_CHECKING:
    from prover.accounting.account import Account
    from prover.accounting.mechanism import Mechanism
    from prover.progress import Progress
    from prover.report.reply import Reply


_ENCLOSED = (
    "the exact answer would take longer to check than checkers work; so the answer is an interval, as narrow "
    "as gap if that can be checked. Without --certificate it may be exact"
)


@click.command(short_help="Compute epsilon or delta of many mechanisms together.")
@click.argument("file", type=File())
@click.option(
    "--order",
    "orders",
    callback=read_orders,
    metavar="A,B",
    help="Answer with the Rényi divergences of these orders (rational numbers above 1, or inf) and the rho "
    "of zCDP, in place of what [ask] asks.",
)
@with_options(paged)
@as_query("a larger gap in [ask] may make it faster")
def account(query: CommandQuery) -> int:
    """Compute epsilon or delta of all mechanisms in the TOML file FILE together.

    The mechanisms are independent, and the outputs of all are observed.

    \b
      [[mechanism]]
      model = "survey.json"      # with from = "a" and to = "b", this pair of secrets only
      times = 1000
      [[mechanism]]
      known = "discrete-laplace" # or discrete-gaussian, randomised-response, approximate …
      q = "3/4"                  # e^(-epsilon) of one unit
      times = 5                  # "most" asks how many fit: [ask] is then the budget
      [[mechanism]]
      model = "svt.dipa"         # a mechanism with noise: FILE.py:NAME, .dipa or .json
      at_epsilon = "1/10"        # the epsilon of its rates; q = "1/2" for discrete noise
      adjacency = "all-differ"   # the default; steps = 50 limits the number of inputs
      [[mechanism]]
      losses = "pld.json"        # a privacy loss distribution of dp_accounting (docs/accounting.md)
      [[mechanism]]
      one_of = [                 # chosen after what was seen; not beside mechanisms with noise
        { known = "randomised-response", q = "2/3" },
        { known = "approximate", alpha = "1", delta = "1/10" },
      ]
      [ask]
      delta = "1e-6"             # asks for the least epsilon; epsilon or alpha ask for delta
      curve = "out.csv"          # delta at many values of epsilon; plot = "out.svg" draws it

    Answers are exact unless there are too many likelihood ratios; then they are intervals as narrow as gap =
    "1e-6" in [ask], or wider if delta of a model is itself known only as an interval. With mechanisms with
    noise, the upper end holds for all their neighbouring inputs, and the lower end is proved by two inputs
    that were found; each end has a certificate (FILE, FILE.lower). The command also prints
    the bounds of basic and advanced composition, for comparison. If models have several related pairs, one
    pair of each model counts for all its runs, in the combination and the direction that give the largest
    answer. Paths are relative to FILE. A certificate is about one number; for an epsilon it proves that delta
    is small enough there.

    \b
    Examples:
      prover zoo randomised-response > survey.json
      printf '[[mechanism]]\\nmodel = "survey.json"\\ntimes = 1000\\n[ask]\\ndelta = "1e-6"\\n' > year.toml
      prover account year.toml --certificate year.cert
      prover verify year.cert
      prover account year.toml --order 2,4,8,inf
    """
    from prover.cli.answering import answer_with
    from prover.formats.account_file import read_account
    from prover.report.account import nothing_proved

    read = read_account(query.file, asks=query.orders is None)
    if query.orders is not None:
        from prover.report.divergences import nothing_proved as no_divergence

        if any(part.most for part in read.parts):
            message = 'divergences are those of given numbers of runs, and times = "most" asks for one'
            raise BadOptions(message, file=query.file, code="bad-question")
        if query.certificate is not None:
            read.demand_certifiable(query.orders)
        query = query.beside(read.models, account=read)
        return answer_with(query, _divergences, lambda _: no_divergence(query.orders))
    if read.plot is not None:
        from prover.report.picture.svg import check_svg

        check_svg(read.plot)
    questions = read.questions
    runs = any(part.most for part in read.parts)
    if query.certificate is not None and not runs and len(questions.slopes) + len(questions.deltas) != 1:
        message = "a certificate is about one number: ask for one delta, one epsilon or one alpha"
        raise BadValue(message, file=query.file, code="bad-question")
    two_ends = any(part.has_two_ends for part in read.parts)
    lower = runs or two_ends or questions.deltas
    if lower or any(slope.epsilon is not None for slope in questions.slopes):
        query = query.with_lower_end()
    wanted = ((read.plot, "the picture"), (read.curve, "the CSV"))
    writes = [(path, what) for path, what in wanted if path is not None]
    query = query.beside(read.models, writes, account=read)
    return answer_with(query, _answer, lambda _: nothing_proved())


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from fractions import Fraction

    from prover.accounting.account import Questions, account
    from prover.accounting.certificates import certifiable
    from prover.accounting.theorems import with_finite_epsilons
    from prover.chain.arguments import Slope
    from prover.cli.answering import with_page
    from prover.report.account import certificates_of, curve_figure, reply_of
    from prover.report.losses import falling_slopes
    from prover.report.reply import certified_reply

    read = query.account
    if any(part.most for part in read.parts):
        chosen, about = read.mechanisms(progress)
        return _most(query, chosen, about, progress)
    notes: list[str] = []
    drawn = read.curve is not None or read.plot is not None
    fixed = [Slope.of_epsilon(epsilon) for epsilon in read.points or ()] if drawn else []

    def reply(
        composed: Account, *, last: bool = True, certified: bool = query.certificate is not None
    ) -> Reply:
        slopes = fixed or (falling_slopes(composed, read.questions.deltas) if drawn else [])

        def make(*, certified: bool) -> Reply:
            proofs = certificates_of(composed, read.questions) if certified else (None, None)
            return reply_of(composed, read.questions, read.gap, slopes, proofs, last=last)

        replied = certified_reply(make, certified=certified)
        files = []
        if read.curve is not None:
            from prover.report.curve import csv_text

            files.append((read.curve, "the CSV", csv_text(replied.json["curve"]).encode()))
        if read.plot is not None:
            from prover.report.picture.svg import svg_file

            figure = curve_figure(composed, slopes, logarithmic=True)
            files.append((read.plot, "the picture", svg_file(figure.drawn, figure.words)))
        made = replace(replied, notes=tuple(notes), files=tuple(files))
        return with_page(query, made, composed, questions=read.questions, slopes=slopes, last=last)

    def emit_some(some: Account) -> None:
        emit(reply(with_finite_epsilons(some, wanted), last=False))

    wanted = Questions((*read.questions.slopes, *fixed), read.questions.deltas)

    def coarsely(parts: Sequence[Mechanism]) -> None:
        emit_some(account(parts, wanted, exact=False, finer_by=lambda _: Fraction(0)))

    parts, found = read.mechanisms(progress, coarsely)
    notes += found
    if query.certificate is None:
        ask = partial(account, parts, wanted, gap=read.gap, everywhere=drawn)
        return reply(with_finite_epsilons(ask(progress=progress, on_account=emit_some), wanted))
    provable = certifiable(
        parts, read.questions, beside=fixed, gap=read.gap, progress=progress, on_account=emit_some
    )
    if provable.enclosed:
        notes.append(_ENCLOSED)
    chosen = with_finite_epsilons(provable.account, wanted)
    if provable.why is not None and chosen is provable.account:
        return reply(chosen, certified=False).without_proofs(str(provable.why))
    last = reply(chosen)
    proofs = last.certificate, last.lower_certificate
    nothing = proofs == (None, None) and last.unproved is None and not last.refuted
    return last.without_proofs("no epsilon with this delta was found") if nothing else last


def _divergences(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    """Rényi divergences, and ρ."""
    from prover.accounting.divergences import divergences
    from prover.cli.answering import answered
    from prover.exact.divergence import order_text
    from prover.report.divergences import reply_of

    def reply(parts: Sequence[Mechanism]) -> Reply:
        found = divergences(parts, [order_text(order) for order in query.orders], progress=progress)
        return answered(query, partial(reply_of, gap=query.account.gap), found)

    parts, notes = query.account.mechanisms(progress, lambda coarse: emit(reply(coarse)))
    return replace(reply(parts), notes=tuple(notes))


def _most(query: CommandQuery, parts: Sequence[Mechanism], notes: Sequence[str], progress: Progress) -> Reply:
    """How many runs fit into the budget."""
    from prover.accounting.account import Questions
    from prover.accounting.fitting import most_runs
    from prover.cli.answering import with_page
    from prover.report.fitting import reply_of_runs
    from prover.report.reply import certified_reply

    read = query.account
    (place,) = (k for k, part in enumerate(read.parts) if part.most)
    (slope,), (delta,) = read.questions.slopes, read.questions.deltas
    found = most_runs(parts, place, slope, delta, progress=progress)
    reply = certified_reply(partial(reply_of_runs, found), certified=query.certificate is not None)
    reply = with_page(query, reply, found.account, questions=Questions((slope,)), runs=found)
    return replace(reply, notes=tuple(notes))
