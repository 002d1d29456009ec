"""Whether a claim holds: by the certificate that is kept for it, or else by a proof that is found now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from prover.certificate.acceptance import accept
from prover.certificate.check import MAX_BYTES, Rejected
from prover.certificate.check.verdict import verified
from prover.certificate.schema import Certificate, write_whole
from prover.chain.arguments import given_slope
from prover.chain.collapsing.certificates import observer_claim
from prover.chain.collapsing.collapse import begun_at
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.delta import delta
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.claims.claim import Claim
from prover.errors import BadInput, BadValue, Fault, in_file
from prover.exact.readable import multiple, readable, readable_interval
from prover.exact.real_text import NEEDS_REAL_RATES
from prover.executors import finished
from prover.formats.identity import model_bytes
from prover.formats.load import Model, load
from prover.formats.real import load_real
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.program.real_privacy import real_privacy
from prover.report.delta import document
from prover.report.picture.badge import badge
from prover.report.privacy import is_at_most, privacy_text
from prover.report.real_privacy import real_text

HOLDS, REFUTED, OPEN = "holds", "refuted", "open"
_KNOWN = {
    "adjacency",
    "alpha",
    "epsilon",
    "from",
    "kind",
    "loss",
    "lower",
    "observer",
    "scope",
    "to",
    "upper",
}
_UNSEEN = " if no observer sees that a run stops"


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of a claim: ``status`` is "holds", "refuted" or "open".

    ``kept``: the certificate that was there proves the claim, and nothing was computed. ``found`` is what is
    known of the number that is bounded; ``details`` is the answer in full, with the attack, where the claim
    does not hold. ``digest`` is the SHA-256 of the certificate. ``notes`` are about the reading of the model.
    """

    claim: Claim
    status: str
    kept: bool
    found: str
    details: str = ""
    digest: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def failure(self) -> str:
        """What tests say of a claim that does not hold."""
        return f"{self.claim.text}: {self.status}\n{self.details}"


@dataclass(frozen=True, slots=True)
class ClaimJob:
    """A claim to check, with the content of the certificate that is kept for it, if there is one."""

    claim: Claim
    kept: bytes | None


CheckedSoFar = Sequence[Checked | None]
"""What was found of each claim of a file; None of those that are not decided yet."""

ClaimWork = Callable[[ClaimJob], tuple[Checked, bytes | None]]


def check(claim: Claim, file: str | None = None) -> Checked:
    """Whether a claim holds. A proof that is found now is written where the claim wants it.

    Errors name ``file``, which claims it, where they name no other. Raises BadValue, Unwritable, and what
    reading the model and asking about it raise.
    """
    return keep(examined(file, job_of(claim)))


def job_of(claim: Claim) -> ClaimJob:
    """What there is to do for a claim. Raises BadInput if its certificate cannot be read."""
    path = claim.certificate
    if path is None or not Path(path).is_file():
        return ClaimJob(claim, None)
    with in_file(path):
        return ClaimJob(claim, _content(path))


def examined(file: str | None, job: ClaimJob) -> tuple[Checked, bytes | None]:
    """Whether a claim holds, and a proof that is found now: accepted by the stand-alone checker, not written.

    Raises what ``check`` raises, without Unwritable.
    """
    claim, notes = job.claim, list[str]()
    try:
        try:
            model = load(claim.model, on_note=notes.append, **claim.reading)
        except BadInput as error:
            if error.code != NEEDS_REAL_RATES or claim.epsilon_at_most is None:
                raise
            answered, proof = _of_real_rates(claim, notes)
        else:
            _demand_kind(claim, model)
            by_kept = _by_kept(job, model)
            answered, proof = (by_kept, None) if by_kept is not None else _asked(claim, model)
    except BadInput as error:
        if error.file is None:
            error.file, error.path = file, error.path or claim.place
        raise
    return replace(answered, notes=tuple(notes)), proof


def keep(found: tuple[Checked, bytes | None]) -> Checked:
    """What was found of a claim, its proof and its badge written where the claim wants them.

    Raises Unwritable.
    """
    checked, proof = found
    if proof is not None and checked.claim.certificate is not None:
        write_whole(checked.claim.certificate, proof, "the certificate")
    if checked.claim.badge is not None:
        drawn = badge(checked.claim.name, checked.claim.spoken, checked.status, checked.digest)
        write_whole(checked.claim.badge, drawn, "the badge")
    return checked


def check_system(claim: Claim, model: Model) -> Checked:
    """The same for a model that is there already; no certificate is kept."""
    _demand_kind(claim, model)
    return _asked(replace(claim, certificate=None), model)[0]


def _demand_kind(claim: Claim, model: Model) -> None:
    if isinstance(model, Program) != (claim.epsilon_at_most is not None):
        wanted = "epsilon_at_most" if isinstance(model, Program) else "delta_at_most, with alpha or epsilon"
        what = "a threshold program" if isinstance(model, Program) else "a Markov chain or a decision process"
        raise BadValue(f"the model is {what}; claim {wanted}", path=claim.place, code="bad-claim")


def _by_kept(job: ClaimJob, model: Model) -> Checked | None:
    """The claim by the certificate that is kept for it, if that proves it of this model."""
    if job.kept is None:
        return None
    claim = job.claim
    try:
        found = verified(job.kept)
    except Rejected:
        return None
    observer = observer_claim(model.collapsing) if isinstance(model, CollapsedChain) else None
    if not isinstance(model, Program):
        model = begun_at(model, claim.source, claim.target)
    if found.model != model_bytes(model) or not _proves(claim, found.claim, observer):
        return None
    upper = found.claim["upper"]
    known = f"delta <= {upper}" if claim.epsilon_at_most is None else f"loss <= {multiple(Fraction(upper))}"
    return Checked(claim, HOLDS, True, known, digest=Certificate(job.kept).sha256)


def _proves(claim: Claim, proved: Mapping[str, Any], observer: Mapping[str, Any] | None) -> bool:
    """Whether what a certificate proves implies the claim, which is about this observer, or about one who
    sees every step, and about all choices of actions.
    """
    if not proved.keys() <= _KNOWN:  # such as actions of nature, which bound less
        return False
    if claim.epsilon_at_most is not None:
        right = proved["kind"] == "epsilon" and proved["adjacency"] == claim.adjacency
        return right and proved["upper"] != "inf" and Fraction(proved["upper"]) <= claim.epsilon_at_most
    if proved["kind"] != "tv" or proved.get("observer") != observer:
        return False
    named = claim.source is not None
    if proved["scope"] != ("pair" if named else "relation"):
        return False
    if named and {proved["from"], proved["to"]} != {claim.source, claim.target}:
        return False
    slope = given_slope("delta", claim.alpha, claim.epsilon)
    # δ does not grow with α: what holds at a smaller one holds here.
    small = Fraction(proved["alpha"]) <= slope.upper
    return small and Fraction(proved["upper"]) <= (claim.delta_at_most or 0)


def _asked(claim: Claim, model: Model) -> tuple[Checked, bytes | None]:
    """The claim by an answer that is found now, and its proof, if the claim wants one."""
    if isinstance(model, Program):
        return _of_program(claim, model)
    return _of_system(claim, model)


def _of_system(
    claim: Claim, system: LabelledMarkovChain | LabelledMarkovDecisionProcess
) -> tuple[Checked, bytes | None]:
    bound = claim.delta_at_most or Fraction(0)
    answer = delta(system, claim.source, claim.target, claim.alpha, epsilon=claim.epsilon, at_most=bound)
    holds = answer.is_at_most(bound)
    if answer.value is not None:
        known = f"delta = {readable(answer.value)}"
    else:
        known = "{} <= delta <= {}".format(*readable_interval(answer.lower, answer.upper))
    text = document(answer).text
    return _checked(claim, holds, known, text, lambda: answer.certificate)


def _of_program(claim: Claim, program: Program) -> tuple[Checked, bytes | None]:
    answer = privacy(program, claim.adjacency, effort=claim.effort)
    bound = claim.epsilon_at_most or Fraction(0)
    ends = multiple(answer.lower), multiple(answer.upper)
    known = f"loss = {ends[0]}" if ends[0] == ends[1] else f"{ends[0]} <= loss <= {ends[1]}"
    known += _UNSEEN * answer.conditions.stopping_tells
    return _checked(claim, is_at_most(answer, bound), known, privacy_text(answer), lambda: answer.certificate)


def _of_real_rates(claim: Claim, notes: list[str]) -> tuple[Checked, bytes | None]:
    """The same where rates are real numbers; a certificate that is kept is not used."""
    real = load_real(claim.model, on_note=notes.append, const=claim.reading.get("const"))
    answer = real_privacy(real, claim.adjacency, effort=claim.effort)
    known = "" if answer.epsilon is None else f"loss = {answer.epsilon.times}ε"
    if answer.epsilon is None:
        known = f"{multiple(answer.lower)} <= loss <= {multiple(answer.upper)}"
    own = answer.of_unit or answer.around
    known += _UNSEEN * (own is not None and own.conditions.stopping_tells)
    holds = is_at_most(answer, claim.epsilon_at_most or Fraction(0))
    return _checked(claim, holds, known, real_text(answer), lambda: answer.certificate)


def _checked(
    claim: Claim,
    holds: bool | None,
    known: str,
    details: str,
    make: Callable[[], Certificate | None],
) -> tuple[Checked, bytes | None]:
    if not holds:
        return Checked(claim, OPEN if holds is None else REFUTED, False, known, details), None
    proof = None if claim.certificate is None else make()
    if proof is None:
        return Checked(claim, HOLDS, False, known), None
    accept(proof.data)
    return Checked(claim, HOLDS, False, known, digest=proof.sha256), proof.data


def _content(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", file=os.fspath(path)) from None


def check_all(
    claims: Sequence[Claim],
    file: str,
    executor: Executor,
    *,
    at_once: int | None = None,
    apart: Callable[[ClaimWork, ClaimJob], tuple[Checked, bytes | None]] | None = None,
    on_checked: Callable[[CheckedSoFar], None] | None = None,
) -> list[Checked]:
    """What is found of each claim of a file, the same on every executor.

    At most ``at_once`` claims are handed out at a time. ``apart`` does the work where the executor cannot do
    it as it is; a claim whose worker is lost stays open. Certificates are read and written here, each as soon
    as its claim is proved. ``on_checked`` is called whenever one more is decided. If something is wrong with
    several claims, the first one is complained about. Raises what ``check`` raises.
    """
    found: list[Checked | None] = [None] * len(claims)
    wrong: dict[int, BadInput] = {}
    examine = partial(examined, file)
    work = examine if apart is None else partial(apart, examine)

    def lane(place: int) -> Iterator[ClaimJob]:
        try:
            if not wrong or place < min(wrong):
                yield job_of(claims[place])
        except BadInput as error:
            wrong[place] = error

    with closing(finished(executor, work, [lane(place) for place in range(len(claims))], at_once)) as ended:
        for place, _, future in ended:
            try:
                found[place] = keep(future.result())
            except BadInput as error:
                wrong[place] = error
                continue
            except Exception as error:
                if apart is None or isinstance(error, Fault):
                    raise
                found[place] = keep((_lost(claims[place], error), None))
            if on_checked is not None:
                on_checked(found)
    if wrong:
        raise wrong[min(wrong)]
    return [one for one in found if one is not None]


def _lost(claim: Claim, error: Exception) -> Checked:
    """What is left of a claim where an executor has failed in its own way."""
    why = ": ".join(filter(None, (type(error).__name__, str(error))))
    return Checked(claim, OPEN, False, f"its worker is lost: {why}")
