"""One claim: a model, and how private it is said to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from prover.exact.rational import format_rational
from prover.exact.readable import multiple
from prover.program.adjacency import Adjacency
from prover.program.optimum.budget import DEFAULT_EFFORT


@dataclass(frozen=True, slots=True)
class Claim:
    """δ of a chain, or of a system in which an attacker chooses, is at most ``delta_at_most`` at ``alpha`` or
    ``epsilon``; or a threshold program is private with a loss of at most ``epsilon_at_most`` times ε.

    ``name`` is how tables call it, ``place`` where it stands in its file. ``reading`` are options about the
    reading of the model; ``effort`` is for programs. ``certificate`` is the path where the proof is kept, and
    looked for; ``badge`` that of a picture which says whether the claim holds.
    """

    name: str
    place: str
    model: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    target: str | None = None
    alpha: str | None = None
    epsilon: str | None = None
    delta_at_most: Fraction | None = None
    epsilon_at_most: Fraction | None = None
    adjacency: str = Adjacency.ALL_DIFFER.value
    effort: int = DEFAULT_EFFORT
    certificate: str | None = None
    badge: str | None = None

    @property
    def spoken(self) -> str:
        """What is claimed, as a badge says it: δ is left out where it is 0."""
        if self.epsilon_at_most is not None:
            return f"loss ≤ {multiple(self.epsilon_at_most)}, {self.adjacency}"
        at = f"ε ≤ {self.epsilon}" if self.alpha is None else f"e^ε ≤ {self.alpha}"
        pair = "" if self.source is None else f" ({self.source}, {self.target})"
        return at + (f", δ ≤ {format_rational(self.delta_at_most)}" if self.delta_at_most else "") + pair

    @property
    def text(self) -> str:
        """What is claimed, in a few words."""
        if self.epsilon_at_most is not None:
            return f"loss <= {multiple(self.epsilon_at_most)} ({self.adjacency})"
        at = f"alpha = {self.alpha}" if self.alpha is not None else f"epsilon = {self.epsilon}"
        pair = "" if self.source is None else f" ({self.source}, {self.target})"
        return f"delta{pair} <= {format_rational(self.delta_at_most or Fraction(0))} at {at}"
