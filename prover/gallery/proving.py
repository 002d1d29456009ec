"""What is proved of a mechanism of the gallery, with certificates that the checker has seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Literal

from prover.certificate.acceptance import RejectedProof
from prover.certificate.check import Rejected
from prover.certificate.schema import Certificate
from prover.certificate.verification import verify
from prover.chain.delta import delta
from prover.chain.epsilon import Epsilon, epsilon_for
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.answer import Delta
from prover.chain.unrolling.attack import Attack
from prover.errors import BadValue
from prover.gallery.index import GalleryEntry
from prover.gallery.inputs import measured
from prover.program.answer import Privacy
from prover.program.attack.probability import Loss
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.progress import Progress, silent

Comparison = Literal["same", "less", "more", "open"]
"""How the number compares with what is declared: as much, less, more, or the bounds do not tell."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A mechanism with what is proved of it, in the entry's unit.

    The number that the entry asks for lies between ``lower`` and ``upper``; None stands for infinity.
    ``certificates`` prove the upper end, and the lower one where it has a certificate of its own;
    ``verified`` are their claims, as the stand-alone checker words them after so many ``seconds``.
    ``measured`` is what the entry's run loses between its two inputs, where the unit is 1, and ``attack``
    the event that shows the δ of a chain at the declared α.
    """

    entry: GalleryEntry
    model: Program | LabelledMarkovChain
    answer: Privacy | Delta | Epsilon
    certificates: tuple[Certificate, ...]
    verified: tuple[str, ...]
    seconds: float
    measured: Loss | None = None
    attack: Attack | None = None

    @property
    def lower(self) -> Fraction | None:
        """The number is at least this; None if it is infinite."""
        answer = self.answer
        if isinstance(answer, Epsilon):
            return None if answer.impossible else answer.alpha_lower
        return answer.lower

    @property
    def upper(self) -> Fraction | None:
        """The number is at most this; None if no finite bound is proved."""
        return self.answer.alpha_upper if isinstance(self.answer, Epsilon) else self.answer.upper

    @property
    def value(self) -> Fraction | None:
        """The number, if it is finite and known exactly."""
        return self.lower if self.lower == self.upper else None

    @property
    def compared(self) -> Comparison:
        """The number beside what is declared."""
        lower, upper, declared = self.lower, self.upper, self.entry.declared
        if declared is None:
            return "same" if lower is None else "open" if upper is None else "less"
        if lower is None or lower > declared:
            return "more"
        if upper is not None and upper < declared:
            return "less"
        return "same" if self.value == declared else "open"


def prove(entry: GalleryEntry, progress: Progress = silent) -> Proved:
    """The mechanism's number, proved and verified now.

    Raises BadValue if the model is none for the question, RejectedProof if the checker rejects a proof, and
    what ``measured`` and the engines raise.
    """
    model = entry.read()
    if isinstance(model, Program) and entry.adjacency is not None:
        loss = privacy(model, entry.adjacency, progress=progress)
        return _verified(entry, model, loss, loss.certificate, measured=measured(model, entry))
    if isinstance(model, Program) or entry.question == "epsilon":
        raise BadValue(f"the question {entry.question} is not about such a model", code="bad-declaration")
    if entry.alpha is not None:
        there = _delta(model, entry.alpha, progress)
        return _verified(entry, model, there, there.certificate, attack=there.attack)
    least = epsilon_for(model, delta=0, progress=progress)
    row = _verified(entry, model, least, least.certificate, least.lower_certificate)
    if row.compared != "more" or entry.declared is None:
        return row
    return replace(row, attack=_delta(model, entry.declared, progress).attack)


def _delta(chain: LabelledMarkovChain, alpha: Fraction, progress: Progress) -> Delta:
    found = delta(chain, alpha=alpha, progress=progress)
    if isinstance(found, Delta):
        return found
    raise BadValue("the answer is about an attacker who chooses")  # a chain has none


def _verified(
    entry: GalleryEntry,
    model: Program | LabelledMarkovChain,
    answer: Privacy | Delta | Epsilon,
    *proofs: Certificate | None,
    measured: Loss | None = None,
    attack: Attack | None = None,
) -> Proved:
    certificates = tuple(proof for proof in proofs if proof is not None)
    began = monotonic()
    try:
        verified = tuple(verify(certificate) for certificate in certificates)
    except Rejected as error:
        raise RejectedProof(f"the checker rejects the certificate of {entry.name}: {error}") from error
    seconds = round(monotonic() - began, 3)
    return Proved(entry, model, answer, certificates, verified, seconds, measured, attack)
