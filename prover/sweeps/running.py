"""The sweep itself: a model for each place, one question about each, and the search for a bound."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from prover.certificate.acceptance import accept
from prover.certificate.schema import Certificate, TooMuchWork, write_together
from prover.chain.collapsing.certificates import observer_claim
from prover.chain.collapsing.collapse import begun_at
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.epsilon import DEFAULT_WIDTH, Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.curves import epsilon_for
from prover.errors import BadInput, BadOptions, Unwritable, must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.formats.identity import identity
from prover.formats.load import Model
from prover.program.model import Program
from prover.program.profiles.delta import ProgramDelta
from prover.program.profiles.epsilon import ProgramEpsilon
from prover.progress import Progress, silent
from prover.questions import delta as delta_of
from prover.report import delta as delta_report
from prover.report import epsilon as epsilon_report
from prover.report import program_delta, program_epsilon
from prover.report.reply import Reply, certified_reply
from prover.report.verdict import is_at_most
from prover.sweeps.answer import ParameterValues, Sweep, SweepPoint
from prover.sweeps.kept import Kept
from prover.sweeps.ranges import Ranges, ranges_of


def sweep(
    model: Callable[..., Model],
    over: Mapping[str, str | Iterable[Given]],
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    delta: Given | None = None,
    gap: Given | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    at_most: Given | None = None,
    every: bool = False,
    certificates: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
    on_note: Callable[[str], None] | None = None,
    on_sweep: Callable[[Sweep], None] | None = None,
) -> Sweep:
    """δ at ``alpha`` or ``epsilon``, or the least ε for ``delta``, of each of the models of a family.

    ``model`` makes a chain, a decision process or a program from the values of one or two parameters, which
    it gets by their names: integers if all values of the parameter are whole, else Fractions. ``over`` has
    these values, in increasing order, or a text: "0:10" are whole numbers, "0:1:11" are 11 evenly spaced
    ones. The other arguments of the question are those of ``prover.delta`` and ``prover.epsilon_for``.

    With ``at_most``, a search halves the range of the one parameter until it has two neighbouring values, at
    one of which the number is at most that while it is above at the other; both is proved. Other values are
    not computed, as nothing is assumed about how the number moves. With ``every`` all are.

    Certificates go into the folder ``certificates``, as soon as the stand-alone checker has accepted them.
    The file ``results`` keeps what is computed: points that it has are not computed again, unless their
    model has changed, which ``on_note`` hears. ``on_sweep`` is called after each place.

        >>> from prover.zoo import dining_cryptographers
        >>> found = sweep(dining_cryptographers, {"n": "2:6"}, alpha="1.0002", at_most="1/2500")
        >>> found.crossing
        (Fraction(3, 1), Fraction(4, 1))

    Raises BadOptions, BadValue, BadDocument, Unwritable, WrongArgument, and what the model and the questions
    raise.
    """
    must_be(Callable, model=model)
    ranges = ranges_of(over)
    if [alpha, epsilon, delta].count(None) != 2:
        raise BadOptions("a sweep needs one of alpha, epsilon and delta", code="no-question")
    bound = None if at_most is None else given_rational(at_most, "at_most", "bad-threshold", at_least=0)
    if bound is None and every:
        raise BadOptions("every goes with at_most; without it all values are computed anyway")
    if bound is not None and len(ranges) != 1:
        raise BadOptions("a search with a bound is over one parameter, not two", code="bad-range")
    given = {
        "source": source, "target": target, "alpha": alpha, "epsilon": epsilon, "delta": delta, "gap": gap,
        "at_epsilon": at_epsilon, "q": q, "adjacency": adjacency, "steps": steps,
    }  # fmt: skip
    folder = None if certificates is None else os.fspath(certificates)
    if folder is not None:
        try:
            Path(folder).mkdir(exist_ok=True)
        except OSError as error:
            raise Unwritable(f"cannot be made: {error.strerror or error}", file=folder) from None
    kept = Kept(None if results is None else os.fspath(results))
    run = _Run(model, ranges, given, bound, folder, kept, progress, on_note or (lambda _: None))
    found: dict[ParameterValues, SweepPoint] = {}

    all_places = every or bound is None

    def so_far() -> Sweep:
        order = found if all_places else sorted(found)
        return Sweep(ranges, run.question, tuple(found[at] for at in order), bound, every)

    for at in run.places(found, every=all_places):
        found[at] = run.point(at, len(found))
        if on_sweep is not None:
            on_sweep(so_far())
    return so_far()


@dataclass(slots=True)
class _Run:
    """A sweep that is going on."""

    model: Callable[..., Model]
    ranges: Ranges
    given: Mapping[str, Any]
    bound: Fraction | None
    folder: str | None
    kept: Kept
    progress: Progress
    note: Callable[[str], None]
    question: dict[str, str | None] = field(init=False)

    def __post_init__(self) -> None:
        self.question = {name: None if value is None else str(value) for name, value in self.given.items()}

    def places(
        self, found: Mapping[ParameterValues, SweepPoint], *, every: bool
    ) -> Iterator[ParameterValues]:
        """Where to ask next: everywhere, or at both ends and then in the middle between two neighbours of
        those computed, one with a number that is at most the bound and one with a number above it.
        """
        if every:
            yield from product(*self.ranges.values())
            return
        (values,) = self.ranges.values()
        first, last = 0, len(values) - 1
        yield from dict.fromkeys([(values[first],), (values[last],)])
        here, there = found[values[first],].holds, found[values[last],].holds
        if here is None or there is None or here is there:
            return
        while last - first > 1:
            middle = (first + last) // 2
            yield (values[middle],)
            holds = found[values[middle],].holds
            if holds is None:
                return
            first, last = (middle, last) if holds is here else (first, middle)

    def point(self, at: ParameterValues, done: int) -> SweepPoint:
        """What is known at a place, computed or kept. Raises BadInput, which names the place."""
        named = dict(zip(self.ranges, at, strict=True))
        place = ",".join(f"{name}={format_rational(value)}" for name, value in named.items())
        self.progress(place, done, None)
        try:
            model = self.model(
                **{name: int(x) if _are_whole(self.ranges[name]) else x for name, x in named.items()}
            )
            must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess, Program), model=model)
            return replace(self._known(model, place), at=at)
        except BadInput as error:
            error.message = f"{error.message} (at {place})"
            raise

    def _known(self, model: Model, place: str) -> SweepPoint:
        """The point of a model. Raises BadInput."""
        if not isinstance(model, Program):
            model = begun_at(model, self.given["source"], self.given["target"])
        observer = observer_claim(model.collapsing) if isinstance(model, CollapsedChain) else None
        question, digest = {**self.question, "observer": observer}, identity(model)
        old = self.kept.find(question, place)
        if old is not None and old.model != digest:
            self.note(f"the model at {place} has changed since its result was kept; it is computed again")
        elif old is not None and self._has_files(old, place):
            old = replace(old, holds=is_at_most(old.lower, old.upper, self.bound))
            if self.bound is None or old.holds is not None:
                return old
        given = {name: value for name, value in self.given.items() if value is not None}
        ask: Callable[..., Any] = delta_of if self.given["delta"] is None else epsilon_for
        answer = ask(model, **given, progress=self.progress)
        reply = certified_reply(partial(self._reply, answer), certified=self.folder is not None)
        files = self._write(reply, place)
        holds = None if self.bound is None else answer.is_at_most(self.bound)
        point = SweepPoint((), answer.lower, answer.upper, reply.exact, holds, digest, files)
        self.kept.add(question, place, point)
        return point

    def _reply(self, answer: Any, *, certified: bool) -> Reply:
        if isinstance(answer, Epsilon):
            width = given_rational(self.given["gap"] or DEFAULT_WIDTH, "the gap", "bad-gap")
            return epsilon_report.reply_of(answer, gap=width, certified=certified)
        reports = {ProgramDelta: program_delta, ProgramEpsilon: program_epsilon}
        reply: Reply = reports.get(type(answer), delta_report).reply_of(answer, certified=certified)
        return reply

    def _paths(self, place: str) -> Iterator[tuple[str, Path]]:
        """Where the certificates of a place go, by their keys."""
        name = f"{place.replace('/', '_')}.cert"
        yield "certificate", Path(self.folder or ".", name)
        yield "certificate_lower", Path(self.folder or ".", f"{name}.lower")

    def _has_files(self, point: SweepPoint, place: str) -> bool:
        """Whether the certificates of a kept point are in the folder, if they are wanted."""
        wanted = [(path, point.certificates.get(key)) for key, path in self._paths(place)]
        there = [
            path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
            for path, digest in wanted
            if digest is not None
        ]
        return self.folder is None or (bool(there) and all(there))

    def _write(self, reply: Reply, place: str) -> dict[str, str | None]:
        """Write the certificates that there are, once the checker has accepted them; their digests."""
        if self.folder is None:
            return {}
        made = {"certificate": reply.certificate, "certificate_lower": reply.lower_certificate}
        there = [(path, data) for key, path in self._paths(place) if (data := made[key]) is not None]
        try:
            for _, data in there:
                accept(data)
        except TooMuchWork as why:
            reply, there = reply.without_proofs(str(why)), []
        if not there:
            self.note(f"no certificate was written at {place}: {reply.unproved or 'there is none'}")
            return {}
        write_together(there, "the certificate")
        return {key: None if data is None else Certificate(data).sha256 for key, data in made.items()}


def _are_whole(values: ParameterValues) -> bool:
    return all(value.denominator == 1 for value in values)
