"""One place of a sweep: the model that stands there, the question about it, its number with certificates.

All of it is what pickle takes, so that processes and workers of a cluster can do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from prover.certificate.acceptance import accept
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Certificate
from prover.chain.collapsing.certificates import observer_claim
from prover.chain.collapsing.collapse import begun_at
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.epsilon import DEFAULT_WIDTH, Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.curves import epsilon_for
from prover.errors import BadInput, must_be
from prover.exact.given import given_rational
from prover.formats.identity import identity
from prover.formats.load import Model, read_model
from prover.formats.reading import Reading
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
from prover.sweeps.answer import ParameterValues, SweepPoint
from prover.sweeps.kept import question_key

OnNote = Callable[[str], None]
MakeModel = Callable[[Mapping[str, int | Fraction], OnNote], Model]
"""The model for the values of the parameters; notes are about its reading."""


@dataclass(frozen=True, slots=True)
class FunctionModels:
    """Models that a function makes."""

    make: Callable[..., Model]

    def __call__(self, values: Mapping[str, int | Fraction], note: OnNote) -> Model:
        """The model for these values, of which there is nothing to note."""
        del note
        return self.make(**values)


@dataclass(frozen=True, slots=True)
class FileModels:
    """Models of a file, read with these options, and with constants beside those of the sweep."""

    path: str
    reading: Mapping[str, Any]
    rest: str

    def __call__(self, values: Mapping[str, int | Fraction], note: OnNote) -> Model:
        """The model for these values. Raises BadInput."""
        given = [self.rest, *(f"{name}={value}" for name, value in values.items())]
        const = ",".join(filter(None, given))
        return read_model(self.path, Reading.of(**{**self.reading, "const": const}), note)


@dataclass(frozen=True, slots=True)
class SweepPlace:
    """Where to ask: the values of the parameters, their text, and the values as models get them.

    ``kept`` are the points that are known here, each with whether its certificates are there as well.
    """

    at: ParameterValues
    text: str
    values: Mapping[str, int | Fraction]
    kept: Mapping[str, tuple[SweepPoint, bool]]


@dataclass(frozen=True, slots=True)
class PlaceFound:
    """The point of a place. Of one that was computed: the question in full, and certificates that are
    accepted and not yet written, by their keys.
    """

    point: SweepPoint
    question: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    certificates: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SweepWork:
    """What is asked at every place: the arguments ``given`` of the question, and whether the number is at
    most the bound. ``certified``: certificates are wanted, and accepted by the stand-alone checker.
    """

    make: MakeModel
    given: Mapping[str, Any]
    bound: Fraction | None
    certified: bool

    @property
    def question(self) -> dict[str, str | None]:
        """The question as texts."""
        return {name: None if value is None else str(value) for name, value in self.given.items()}

    def found(self, place: SweepPlace, progress: Progress = silent) -> PlaceFound:
        """What is known at a place, computed or kept. Raises BadInput, which names the place."""
        notes: list[str] = []
        try:
            model = self.make(place.values, notes.append)
            must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess, Program), model=model)
            found = self._known(model, place, notes.append, progress)
        except BadInput as error:
            error.message = f"{error.message} (at {place.text})"
            raise
        return replace(found, notes=tuple(notes))

    def _known(self, model: Model, place: SweepPlace, note: OnNote, progress: Progress) -> PlaceFound:
        if not isinstance(model, Program):
            model = begun_at(model, self.given["source"], self.given["target"])
        observer = observer_claim(model.collapsing) if isinstance(model, CollapsedChain) else None
        question, digest = {**self.question, "observer": observer}, identity(model)
        old, has_files = place.kept.get(question_key(question), (None, False))
        if old is not None and old.model != digest:
            note(f"the model at {place.text} has changed since its result was kept; it is computed again")
        elif old is not None and has_files:
            holds = is_at_most(old.lower, old.upper, self.bound)
            if self.bound is None or holds is not None:
                return PlaceFound(replace(old, at=place.at, holds=holds), question)
        given = {name: value for name, value in self.given.items() if value is not None}
        ask: Callable[..., Any] = delta_of if self.given["delta"] is None else epsilon_for
        answer = ask(model, **given, progress=progress)
        reply = certified_reply(partial(self._reply, answer), certified=self.certified)
        reply, proofs = self._accepted(reply, place, note)
        digests = {key: None if data is None else Certificate(data).sha256 for key, data in proofs.items()}
        holds = None if self.bound is None else answer.is_at_most(self.bound)
        point = SweepPoint(place.at, answer.lower, answer.upper, reply.exact, holds, digest, digests)
        written = {key: data for key, data in proofs.items() if data is not None}
        return PlaceFound(point, question, certificates=written)

    def _reply(self, answer: Any, *, certified: bool) -> Reply:
        if isinstance(answer, Epsilon):
            width = given_rational(self.given["gap"] or DEFAULT_WIDTH, "the gap", "bad-gap")
            return epsilon_report.reply_of(answer, gap=width, certified=certified)
        reports = {ProgramDelta: program_delta, ProgramEpsilon: program_epsilon}
        reply: Reply = reports.get(type(answer), delta_report).reply_of(answer, certified=certified)
        return reply

    def _accepted(
        self, reply: Reply, place: SweepPlace, note: OnNote
    ) -> tuple[Reply, dict[str, bytes | None]]:
        """The certificates that there are, once the checker has accepted them."""
        if not self.certified:
            return reply, {}
        made = {"certificate": reply.certificate, "certificate_lower": reply.lower_certificate}
        there = [data for data in made.values() if data is not None]
        try:
            for data in there:
                accept(data)
        except TooMuchWork as why:
            reply, there = reply.without_proofs(str(why)), []
        if not there:
            note(f"no certificate was written at {place.text}: {reply.unproved or 'there is none'}")
            return reply, {}
        return reply, made
