"""The command about what many mechanisms give away together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import click

from prover.cli.options import Asked, certificates, paged, with_options
from prover.cli.shell import candidates
from prover.errors import BadValue

if TYPE_CHECKING:
    from prover.accounting.account import Account
    from prover.chain.arguments import Slope
    from prover.formats.account_file import AccountFile
    from prover.progress import Progress
    from prover.report.page.document import Page
    from prover.report.reply import Reply


_ENCLOSED = (
    "exact, the answer takes longer to check than checkers work; so it is an interval, as narrow as gap if "
    "that can be checked. Without --certificate it may be exact"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountAsked(Asked):
    """What ``prover account`` is asked."""

    sooner: ClassVar[str] = "with a larger gap in [ask] it may end sooner"
    file: str
    account: AccountFile

    def inputs(self) -> list[str]:
        """The files that are read."""
        return [self.file, *(part.model for part in self.account.parts if part.model is not None)]

    def files(self) -> list[tuple[str, str]]:
        """The certificate, the table and the picture."""
        wanted = ((self.account.plot, "the picture"), (self.account.curve, "the CSV"))
        slopes = self.account.questions.slopes
        both = any(slope.epsilon is not None for slope in slopes)
        proofs = certificates(self.certificate, both_ends=both)
        return [*proofs, *((path, what) for path, what in wanted if path is not None)]


@click.command(short_help="How private are many mechanisms together?")
@click.argument("file", shell_complete=candidates.files)
@with_options(paged)
def account(
    file: str,
    html: str | None,
    as_json: bool,
    certificate: str | None,
    unchecked: bool,
    force: bool,
    timeout: float | None,
) -> int:
    """What the mechanisms in the TOML file FILE give away together, all independent, all seen.

    \b
      [[mechanism]]
      model = "survey.json"      # its relation, or from = "a" and to = "b"
      times = 1000
      [[mechanism]]
      known = "discrete-laplace" # or randomised-response, approximate
      q = "3/4"                  # e^(-epsilon) of one unit
      times = 5
      [ask]
      delta = "1e-6"             # the least epsilon; or epsilon, alpha: delta there
      curve = "out.csv"          # delta as epsilon grows; plot = "out.svg" draws it

    Answers are exact as long as there are not too many likelihood ratios, and else intervals as narrow as
    gap = "1e-6" in [ask]; they may be wider where delta of a model is only enclosed as a function of alpha.
    Beside them is what basic and advanced composition promise. Of related pairs the worst combination
    counts, in either direction, the same throughout. Paths are relative to FILE.
    A certificate is about one number; for an epsilon it says that delta is so small there.

    \b
    Examples:
      prover zoo randomised-response > survey.json
      printf '[[mechanism]]\\nmodel = "survey.json"\\ntimes = 1000\\n[ask]\\ndelta = "1e-6"\\n' > year.toml
      prover account year.toml --certificate year.cert
      prover verify year.cert
    """

    from prover.cli.answering import answer_with
    from prover.formats.account_file import read_account
    from prover.report.account import nothing_proved
    from prover.report.picture.svg import check_svg

    read = read_account(file)
    if read.plot is not None:
        check_svg(read.plot)
    questions = read.questions
    if certificate is not None and len(questions.slopes) + len(questions.deltas) != 1:
        raise BadValue(
            "a certificate is about one number: ask for one delta, epsilon or alpha",
            file=file,
            code="bad-question",
        )
    asked = AccountAsked(
        file=file,
        account=read,
        html=html,
        as_json=as_json,
        certificate=certificate,
        unchecked=unchecked,
        force=force,
        timeout=timeout,
    )
    return answer_with(partial(_answer, asked), nothing_proved, asked, deliver=partial(_deliver, asked))


def _answer(asked: AccountAsked, progress: Progress, leave: Callable[[Reply], None]) -> Reply:
    from prover.accounting.account import Questions, account
    from prover.accounting.certificates import certifiable
    from prover.chain.arguments import Slope
    from prover.cli.answering import with_page
    from prover.errors import in_file
    from prover.report.account import certificates_of, reply_of
    from prover.report.losses import falling_slopes
    from prover.report.reply import certified_reply

    read = asked.account
    notes: list[str] = []
    with in_file(asked.file):
        parts = [part.mechanism(notes.append, progress, read.gap / len(read.parts)) for part in read.parts]
    drawn = read.curve is not None or read.plot is not None
    fixed = [Slope.of_epsilon(epsilon) for epsilon in read.points or ()] if drawn else []

    def reply(found: Account, *, last: bool = True, certified: bool = asked.certificate is not None) -> Reply:
        slopes = fixed or (falling_slopes(found, read.questions.deltas) if drawn else [])
        picture = _picture(found, slopes) if read.plot is not None else None

        def make(*, certified: bool) -> Reply:
            proofs = certificates_of(found, read.questions) if certified else (None, None)
            return reply_of(found, read.questions, read.gap, slopes, proofs)

        told = certified_reply(make, certified=certified)
        made = replace(told, notes=tuple(notes), picture=picture)

        def page() -> Page:
            from prover.report.page.account import account_page

            return account_page(found, read.questions, slopes, proved=last)

        return with_page(asked, made, page)

    def leave_some(some: Account) -> None:
        leave(reply(some, last=False))

    if asked.certificate is None:
        wanted = Questions((*read.questions.slopes, *fixed), read.questions.deltas)
        return reply(account(parts, wanted, gap=read.gap, progress=progress, on_account=leave_some))
    found = certifiable(
        parts, read.questions, beside=fixed, gap=read.gap, progress=progress, on_account=leave_some
    )
    if found.enclosed:
        notes.append(_ENCLOSED)
    if found.why is not None:
        return reply(found.account, certified=False).without_proofs(str(found.why))
    return reply(found.account)


def _picture(found: Account, slopes: Sequence[Slope]) -> bytes:
    from prover.report.page.account import curve_figure
    from prover.report.picture.svg import svg_file

    figure = curve_figure(found, slopes, logarithmic=True)
    return svg_file(figure.drawn, figure.words)


def _deliver(asked: AccountAsked, reply: Reply) -> list[str]:
    """Write the files that are wanted; their paths."""
    from prover.cli.destination import write_file
    from prover.report.curve import csv_text

    curve, read = reply.json["curve"], asked.account
    written = []
    if read.curve is not None and curve is not None:
        write_file(read.curve, csv_text(curve).encode(), "the CSV", force=asked.force)
        written.append(read.curve)
    if read.plot is not None and reply.picture is not None:
        write_file(read.plot, reply.picture, "the picture", force=asked.force)
        written.append(read.plot)
    return written
