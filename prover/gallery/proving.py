"""What is proved of a mechanism of the gallery: its loss, with a certificate that the checker has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prover.certificate.acceptance import RejectedProof
from prover.certificate.check import Rejected
from prover.certificate.schema import Certificate
from prover.certificate.verification import verify
from prover.gallery.index import GalleryEntry
from prover.gallery.inputs import measured
from prover.program.answer import Privacy
from prover.program.attack.probability import Loss
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.progress import Progress, silent

Comparison = Literal["same", "less", "more", "open"]
"""How the loss compares with what is declared: as much, less, more, or the bounds do not tell."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A mechanism with its loss; all losses are multiples of the entry's unit.

    ``verified`` is the claim of the certificate, as the stand-alone checker words it; both are None where
    nothing is proved. ``measured`` is what the entry's run loses between its two inputs, where the unit is 1.
    """

    entry: GalleryEntry
    program: Program
    answer: Privacy
    certificate: Certificate | None
    verified: str | None
    measured: Loss | None

    @property
    def compared(self) -> Comparison:
        """The loss beside what is declared."""
        lower, upper, declared = self.answer.lower, self.answer.upper, self.entry.declared
        if lower is None or lower > declared:
            return "more"
        if upper is not None and upper < declared:
            return "less"
        return "same" if self.answer.epsilon == declared else "open"


def prove(entry: GalleryEntry, progress: Progress = silent) -> Proved:
    """The mechanism's loss, proved and verified now.

    Raises RejectedProof if the checker rejects the proof, and what ``measured`` and ``privacy`` raise.
    """
    program = entry.read()
    answer = privacy(program, entry.adjacency, progress=progress)
    certificate = answer.certificate
    try:
        verified = None if certificate is None else verify(certificate)
    except Rejected as error:
        raise RejectedProof(f"the checker rejects the certificate of {entry.name}: {error}") from error
    return Proved(entry, program, answer, certificate, verified, measured(program, entry))
