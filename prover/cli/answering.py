"""What all commands that answer a question do with their work and its reply."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prover.certificate.schema import Certificate
from prover.cli.destination import STANDARD, check_files, write_file, write_files
from prover.cli.options import FORMAT, CommandQuery, lower_path
from prover.cli.output import complain, progress_bar, say
from prover.cli.status import Status
from prover.cli.worker import run
from prover.errors import BadInput, BadOptions, short_name, shown
from prover.progress import Progress
from prover.report.reply import Reply, certified_reply

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.formats.load import Model
    from prover.report.document import Page

Emit = Callable[[Reply], None]
ReplyWork = Callable[[CommandQuery, Progress, Emit], Reply]


def answer_with(
    query: CommandQuery,
    work: ReplyWork,
    nothing: Callable[[CommandQuery], Reply],
    *,
    open_is_fine: bool = False,
    note: Callable[[str], None] = say,
) -> Status:
    """Do the work in a process of its own, have its certificate checked, write it, print the reply.

    Nothing is done if the files that are asked for cannot or should not be written. ``nothing`` makes the
    reply if the work is ended before it emits one. What was asked with --at-most HOLDS or is REFUTED as soon
    as that is proved, even if the work is ended before it is done. Else an interval instead of a number is
    UNDECIDED, unless ``open_is_fine``; a completed refutation is REFUTED. A certificate that cannot be
    written is an error, but only after the answer is printed. ``note`` prints what has to be said about the
    reading of the model. Where work is ended, it is said what is saved of it, and how to go on.
    """
    from prover.cli.acceptance import kept_with

    check_files(query.writes, query.reads, force=query.force)
    aside = any(path == STANDARD for path, _ in query.writes)
    if aside and query.as_json:
        raise click.UsageError("--json prints to standard output; give the other output a file, not -")
    began, kept = time.monotonic(), list[Reply]()
    with progress_bar(wanted=not query.as_json) as bar:

        def hear(some: Reply) -> None:
            bar.tell(some.so_far)
            kept[:] = kept_with(kept, some)

        outcome = run(partial(work, query), query.timeout, bar.report, hear)
        seconds = round(time.monotonic() - began, 3)
        last = outcome.result or nothing(query)
        hurried = query.timeout is not None or not outcome.finished
        left = max(seconds, (query.timeout or 0) - seconds) if hurried else None
        reply, check, why_earlier = _accepted([*kept, last], query, left, bar.report)
        if why_earlier is not None:
            outcome = replace(outcome, finished=False, reason=why_earlier)
    proofs = _proofs(reply, query.certificate)
    saved: list[str] = []
    failure = None
    try:
        write_files([(path, data) for _, data, path in proofs], "the certificate", force=query.force)
        saved += [path for _, _, path in proofs]
    except BadInput as error:
        failure, proofs = error, []
    if query.as_json:
        notes = {"notes": list(reply.notes)} if reply.notes else {}
        identities = {"certificate": None} | {key: Certificate(data).sha256 for key, data, _ in proofs}
        about = {"model": reply.model, "seconds": seconds, "check": check, **identities, **notes}
        say(json.dumps({"format": FORMAT, **reply.json, **about}))
    else:
        say(reply.text, aside=aside)
        for remark in reply.notes:
            (complain if aside else note)(f"Note: {shown(remark)}")
        for key, data, path in proofs:
            name = key.replace("_", " ").capitalize()
            where = "standard output" if path == STANDARD else shown(path)
            say(f"{name}: {where} (sha256 {Certificate(data).sha256})", aside=aside)
    if failure is not None:
        raise failure
    if query.html is not None and reply.page is not None:
        write_file(query.html, _html(reply.page, reply.notes), "the page", force=query.force)
        saved.append(query.html)
    for path, what, data in reply.files:
        write_file(path, data, what, force=query.force)
        saved.append(path)
    if reply.aside and not query.as_json:
        complain(reply.aside)
    finished = outcome.finished or reply.complete
    if not finished:
        verb = "decided" if reply.holds is None and not reply.exact else "finished"
        complain("; ".join(filter(None, (f"not {verb}: {outcome.reason}", reply.missing))))
        if not reply.exact:
            if query.writes:
                complain(_saved([path for path in saved if path != STANDARD], outcome.result is None))
            complain(query.go_on)
    if reply.unproved is not None and query.certificate is not None:
        whole = " of the whole answer" if proofs else ""
        complain(f"no certificate{whole} was written: {reply.unproved}")
        return Status.UNDECIDED
    if reply.holds is not None:
        return Status.HOLDS if reply.holds else Status.REFUTED
    if not finished:
        return Status.UNDECIDED
    if not reply.exact and not open_is_fine:
        complain(f"not decided: {reply.obstacle}")
        return Status.UNDECIDED
    return Status.REFUTED if reply.refuted else Status.HOLDS


def on_system(
    work: Callable[[CommandQuery, Any, Progress, Emit], Reply],
    of_mechanism: ReplyWork | None = None,
    most_lost: Callable[[CommandQuery], Fraction | None] | None = None,
) -> ReplyWork:
    """The work with the model read before it; what is to be said about the reading goes into every reply.

    If the model is a threshold program, ``of_mechanism`` is done in its place. ``most_lost`` says how likely
    runs may be lost, if protocols with too many states are cut.
    """

    def read_first(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
        from prover.chain.collapsing.collapse import begun_anywhere, begun_at
        from prover.chain.process import System
        from prover.formats.load import load_system, read_at, read_model
        from prover.formats.reading import Reading

        notes: list[str] = []
        progress("reading the model", 0, None)
        reading = Reading.of(**query.reading)
        if of_mechanism is None:
            found = load_system(query.model, reading, notes.append)
        else:
            at, lost = vars(query).get("at_epsilon"), most_lost and most_lost(query)
            read, const = read_at(
                lambda const: read_model(query.model, replace(reading, const=const), notes.append, lost),
                reading.const,
                at,
            )
            if at is not None and const == reading.const:
                raise BadOptions("--at-epsilon says nothing about this protocol: its code names no epsilon")
            query = query.beside(reading={**query.reading, **({"const": const} if const else {})})
            if not isinstance(read, System):
                return of_mechanism(query.beside(mechanism=read, notes=notes), progress, emit)
            found = read
        model = begun_anywhere(found) if query.all_pairs else begun_at(found, query.source, query.target)
        digest = identity_for(query, model)

        def noted(reply: Reply) -> Reply:
            return replace(reply, notes=(*notes, *reply.notes), model=reply.model or digest)

        return noted(work(query, model, progress, lambda reply: emit(noted(reply))))

    return read_first


def identity_for(query: CommandQuery, model: Model) -> str | None:
    """The identity of a model for an answer in JSON, which alone says it: of a large one it takes a while."""
    if not query.as_json:
        return None
    from prover.formats.identity import identity

    return identity(model)


def answered(query: CommandQuery, make: Callable[..., Reply], answer: object, **of_page: object) -> Reply:
    """The reply that ``make`` makes of an answer, with its certificates and its page where they are wanted.

    ``of_page`` is what the page is made from beside the answer.
    """
    reply = certified_reply(partial(make, answer), certified=query.certificate is not None)
    return with_page(query, reply, answer, **of_page)


def decided(query: CommandQuery, make: Callable[..., Reply], answer: object, **of_page: object) -> Reply:
    """The same where it may be asked whether the answer is at most a number."""
    of_answer = partial(make, at_most=query.at_most)
    return answered(query, of_answer, answer, at_most=query.at_most, **of_page)


def with_page(query: CommandQuery, reply: Reply, answer: object, **of_page: object) -> Reply:
    """The reply with the page of its answer, where one is wanted, which names the model and itself."""
    if query.html is None:
        return reply
    from prover.report.views import page_of

    page = page_of(answer, **of_page)
    named = page.model or ", ".join(short_name(Path(path).name) for path in query.reads[:1] if path != "-")
    return replace(reply, page=replace(page, model=named, file=Path(query.html).name))


def _saved(paths: list[str], nothing: bool) -> str:
    """Which files there are of work that was ended, maybe before anything was proved."""
    if not paths:
        return "no file was written"
    files = " and ".join(filter(None, (", ".join(map(shown, paths[:-1])), shown(paths[-1]))))
    ending = "s" if len(paths) == 1 else ""
    return (
        f"{files} show{ending} that nothing is proved yet"
        if nothing
        else (f"{files} hold{ending} what is proved so far")
    )


def _html(page: Page, notes: tuple[str, ...]) -> bytes:
    from prover.report.document import html

    return html(replace(page, notes=notes)).encode()


def _proofs(reply: Reply, certificate: str | None) -> list[tuple[str, bytes, str]]:
    """What is to be written: its JSON key, its bytes, its path."""
    if certificate is None:
        return []
    proofs = []
    if reply.certificate is not None:
        proofs.append(("certificate", reply.certificate, certificate))
    if reply.lower_certificate is not None:
        proofs.append(("certificate_lower", reply.lower_certificate, lower_path(certificate)))
    return proofs


def _accepted(
    replies: Sequence[Reply], query: CommandQuery, left: float | None, progress: Progress
) -> tuple[Reply, dict[str, float | None] | None, str | None]:
    """The last reply with the proofs that the checker accepts, and what that took; None if there are none.

    Checking has the seconds that are ``left``, but LEAST_TIME in any case, where that is not None. Where it
    does not end by then, the reply is the best one before the last whose proofs are accepted in LEAST_TIME,
    if there is one; then it is also said why.
    """
    from prover.cli.acceptance import LEAST_TIME, accepted

    *earlier, last = replies
    earlier = [one for one in earlier if one is not last]
    proofs = _to_check(last, query)
    if query.unchecked or not proofs:
        return last, None, None
    if last.checked is not None:
        return last, {"seconds": last.checked, "peak_mib": None}, None
    verdict = accepted([proofs], None if left is None else max(left, LEAST_TIME), progress)
    if verdict.why_not is None:
        return last, verdict.took, None
    if left is not None and not verdict.interrupted and earlier:
        known = accepted([_to_check(one, query) for one in earlier], LEAST_TIME, progress)
        if known.place is not None:
            kept = earlier[known.place]
            note = f"{last.so_far or 'a better answer'} was found, too, but {verdict.why_not}"
            return replace(kept, notes=(*kept.notes, note)), known.took, verdict.why_not
    return last.without_proofs(verdict.why_not), None, None


def _to_check(reply: Reply, query: CommandQuery) -> list[bytes]:
    """The certificates that are to be written, into files of their own and into the page."""
    proofs = {data for _, data, _ in _proofs(reply, query.certificate)}
    if reply.page is not None:
        from prover.report.certificate import embedded

        proofs |= set(embedded(reply.page))
    return sorted(proofs)
