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
from prover.gallery.index import EveryCount, GalleryEntry
from prover.gallery.inputs import measured
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.attack.probability import Loss
from prover.program.counted.privacy import OpenCount, privacy_of_counts
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.progress import Progress, silent

Comparison = Literal["same", "less", "more", "open"]
"""How the number compares with what is declared: as much, less, more, or the bounds do not tell."""

ComparisonForEvery = Literal["same", "less", "same-or-less", "more", "differs", "open"]
"""The same of a formula, for every count from its first one on; the formulas differ, or there is none."""

COUNTS = 1, 4
"""These counts are looked at for a formula, and those between them."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A mechanism with what is proved of it, in the entry's unit.

    The number that the entry asks for lies between ``lower`` and ``upper``; None stands for infinity.
    ``certificates`` prove the upper end, and the lower one where it has a certificate of its own;
    ``verified`` are their claims, as the stand-alone checker words them after so many ``seconds``.
    ``measured`` is what the entry's run loses between its two inputs, where the unit is 1, and ``attack``
    the event that shows the δ of a chain at the declared α. ``every`` has the formula in the entry's count,
    and ``verified_every`` is the claim of its certificate.
    """

    entry: GalleryEntry
    model: Program | LabelledMarkovChain
    answer: Privacy | Delta | Epsilon
    certificates: tuple[Certificate, ...]
    verified: tuple[str, ...]
    seconds: float
    measured: Loss | None = None
    attack: Attack | None = None
    every: OpenCount | None = None
    verified_every: str | None = None

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

    @property
    def compared_for_every(self) -> ComparisonForEvery | None:
        """The formula in the count beside the declared one; None if the entry has no count."""
        listed, found = self.entry.every, self.every
        return None if listed is None or found is None else _for_every(listed, found)


def prove(entry: GalleryEntry, progress: Progress = silent) -> Proved:
    """The mechanism's number, proved and verified now.

    Raises BadValue if the model is none for the question, RejectedProof if the checker rejects a proof, and
    what ``measured`` and the engines raise.
    """
    model = entry.read()
    if isinstance(model, Program) and entry.adjacency is not None:
        loss = privacy(model, entry.adjacency, progress=progress)
        every = None if entry.every is None else _formula(entry, entry.every.count, entry.adjacency, progress)
        return _verified(entry, model, loss, loss.certificate, measured=measured(model, entry), every=every)
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


def _formula(entry: GalleryEntry, count: str, adjacency: Adjacency, progress: Progress) -> OpenCount:
    """The loss as a function of the count."""

    def make(value: int) -> Program:
        model = entry.read(f"{count}={value}")
        if isinstance(model, Program):
            return model
        raise BadValue(f"{entry.program} is no threshold program", code="bad-declaration")

    return privacy_of_counts(make, count, *COUNTS, adjacency, progress=progress)


def _for_every(listed: EveryCount, found: OpenCount) -> ComparisonForEvery:
    """How the formula that is found compares with the one that is declared.

    Up to a positive factor, by which rates are divided, the declared loss less the exact one is a polynomial
    of degree at most 2 in the number k of periods after one of the first counts. It is a sum of its value at
    0 and of its differences there, times the binomial coefficients 1, k and k·(k - 1)/2, which are not
    negative.
    """
    formula, constant, each = found.formula, listed.constant, listed.each
    if formula is None:
        return "open"
    if constant is None or each is None:
        return "less"

    def above(count: int) -> Fraction:
        factor = 1 if found.divisor is None else count + found.divisor
        return (constant + each * count) * factor - formula.at(count)

    period, ways = len(formula.constants), set[ComparisonForEvery]()
    for start in range(formula.first, formula.first + period):
        first, second, third = (above(start + turns * period) for turns in range(3))
        differences = first, second - first, third - 2 * second + first
        if not any(differences):
            ways.add("same")
        elif first > 0 and min(differences) >= 0:
            ways.add("less")
        elif first < 0 and max(differences) <= 0:
            ways.add("more")
        else:
            ways.add("same-or-less" if min(differences) >= 0 else "differs")
    if len(ways) == 1:
        return ways.pop()
    return "same-or-less" if ways <= {"same", "less", "same-or-less"} else "differs"


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
    every: OpenCount | None = None,
) -> Proved:
    certificates = tuple(proof for proof in proofs if proof is not None)
    formula = None if every is None else every.certificate
    began = monotonic()
    try:
        verified = tuple(verify(certificate) for certificate in certificates)
        verified_every = None if formula is None else verify(formula)
    except Rejected as error:
        raise RejectedProof(f"the checker rejects the certificate of {entry.name}: {error}") from error
    seconds = round(monotonic() - began, 3)
    return Proved(
        entry, model, answer, certificates, verified, seconds, measured, attack, every, verified_every
    )
