"""An ε at which a program is private with δ = 0: it bounds all ratios, and δ at every α, without a table."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Json
from prover.errors import NotSupported
from prover.exact.epsilon_bounds import DIGITS
from prover.exact.exponential import exponential
from prover.exact.rational import decimal_above, format_rational
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.gaps import ends_are_told, leaves_gaps, overlapping
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.program.profiles.bounds import Above, rounded_up
from prover.program.profiles.scope import is_large
from prover.program.scope import has_gaussian
from prover.progress import Progress, silent

_SYMMETRIC = {Adjacency.INCREASING: Adjacency.MONOTONIC, Adjacency.DECREASING: Adjacency.MONOTONIC}
_BITS = 64  # to which e^ε is rounded up
FARTHEST = 10_000
"""The largest ε of which e^ε is computed; a larger one would bound δ by almost 1."""

_WEAK = 5  # ε whose bound of δ is near to 1
_LEAST_MOST = 1 + Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class Pure:
    """What an ``answer`` about δ = 0, for inputs that differ either way and an observer who sees that a run
    stops, says of the losses with noise of ``at_epsilon``.
    """

    answer: Privacy
    at_epsilon: Fraction

    @property
    def epsilon(self) -> Fraction | None:
        """An ε at which a run is private with δ = 0, the least that is known; None if none is."""
        multiple = self.answer.upper
        return None if multiple is None else multiple * self.at_epsilon

    @property
    def most(self) -> Fraction | None:
        """A number above 1 and not below e^ε for that ε; all ratios are from 1/it to it. None beyond
        ``FARTHEST``.
        """
        if self.epsilon is None or self.epsilon > FARTHEST:
            return None
        return max(exponential(self.epsilon, _BITS)[1], _LEAST_MOST)

    @property
    def evidence(self) -> Json | None:
        """The evidence for this (docs/certificates.md, 3.8); None if there is none."""
        most = self.most
        proof = None if most is None else self.answer.certificate
        if proof is None or most is None:
            return None
        made = json.loads(proof.data)
        claim = made["claim"]
        if claim.get("upper") != format_rational(self.answer.upper or Fraction(0)):
            return None
        kept = {key: own for key, own in made["evidence"].items() if key not in ("blocks", "samples", "word")}
        alpha = format_rational(most)
        return {"alpha": alpha, "evidence": kept, "loss": claim["loss"], "upper": claim["upper"]}


@dataclass(frozen=True, slots=True)
class PureBounds:
    """δ at every α ≥ 1 is at most (A − α)/(A + 1), that of randomised response, where all ratios are from 1/A
    to A = ``most`` ≥ e^ε, as ``proof`` shows.

    Reference: docs/theory_profiles.md, Theorem 7.
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    q: Fraction | None
    pure: Fraction
    """The ε."""
    most: Fraction
    proof: Json

    def at(self, alpha: Fraction) -> Above:
        """What the ratios prove at α ≥ 1."""
        return Above(self, alpha, rounded_up(max(Fraction(0), (self.most - alpha) / (self.most + 1))))

    def for_delta(self, bound: Fraction) -> Above:
        """The least α ≥ 1 at which the ratios prove δ ≤ ``bound``, rounded up."""
        alpha = decimal_above(self.most - bound * (self.most + 1), DIGITS)
        return Above(self, max(Fraction(1), alpha), bound)

    @property
    def evidence(self) -> dict[str, Any]:
        """The evidence for the ratios."""
        return {"pure": self.proof}


def pure_of(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    progress: Progress = silent,
    on_better: Callable[[Pure], None] = lambda _: None,
) -> Pure | None:
    """The answer of ``prover.privacy`` about neighbours either way; None where no ε has δ = 0, or where it is
    not for an observer who sees that a run stops. ``on_better`` is called with answers on the way."""
    if has_gaussian(program) or program.is_unfolded_first or leaves_gaps(program) or overlapping(program):
        return None
    told = ends_are_told(program)

    def tell(answer: Privacy) -> None:
        if told or answer.conditions.output_distinction:
            on_better(Pure(answer, at_epsilon))

    progress("the exact epsilon", 0, None)
    either = str(_SYMMETRIC.get(adjacency, adjacency))
    try:
        answer = privacy(program, either, progress=progress, on_better=tell)
    except NotSupported:
        return None
    return Pure(answer, at_epsilon) if told or answer.conditions.output_distinction else None


def says_little(program: Program, ratios: PureBounds | None) -> bool:
    """Whether a program is large, and its exact ε bounds δ by nearly 1 or not at all."""
    return is_large(program) and (ratios is None or ratios.pure > _WEAK)


def pure_bounds(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    steps: int | None = None,
    q: Fraction | None = None,
    progress: Progress = silent,
    on_better: Callable[[PureBounds], object] = lambda _: None,
) -> tuple[Privacy | None, PureBounds | None]:
    """The answer of ``prover.privacy`` about neighbours either way, if there is one; and what it proves of δ,
    if that is anything. ``on_better`` is called with what is proved on the way."""

    def bounds(exact: Pure) -> PureBounds | None:
        if exact.epsilon is None:
            return None
        most, proof = exact.most, exact.evidence
        if most is None or proof is None:
            return None
        return PureBounds(program, adjacency, at_epsilon, steps, q, exact.epsilon, most, proof)

    def tell(exact: Pure) -> None:
        found = bounds(exact)
        if found is not None:
            on_better(found)

    exact = pure_of(program, adjacency, at_epsilon, progress, tell)
    return (None, None) if exact is None else (exact.answer, bounds(exact))
