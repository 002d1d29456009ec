"""What answers about all neighbouring inputs of a threshold program share."""

from __future__ import annotations

from fractions import Fraction

from prover.program.adjacency import Adjacency
from prover.program.answer import assumption
from prover.program.attack.probability import program_unit
from prover.program.model import Program

Noise = tuple[Fraction | None, Fraction | None]
"""Its ε, or with discrete noise e^(−ε·unit), and None for the other one."""


class OverInputs:
    """Answers about neighbouring inputs, of at most ``steps`` numbers unless that is None, and noise of
    ``at_epsilon``; with ``q``, noise where e^(−ε·``unit``) is q.
    """

    __slots__ = ()

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    q: Fraction | None

    @property
    def unit(self) -> Fraction:
        """With discrete noise: all rates times the grid are multiples of it."""
        return program_unit(self.program)

    @property
    def assumption(self) -> str:
        """Which inputs there are, and which of them are neighbours."""
        return assumption(self.program)

    @property
    def noise(self) -> Noise:
        """As it was given: its ε, or q."""
        return (self.at_epsilon if self.q is None else None), self.q

    @property
    def length(self) -> str:
        """How long inputs are at most; empty if they have any length."""
        return "" if self.steps is None else length_text(self.steps)

    @property
    def inputs_text(self) -> str:
        """Which inputs the answer is about."""
        return "all neighbouring inputs" + (f" of {self.length}" if self.length else "")


def length_text(steps: int) -> str:
    """How long inputs are at most."""
    return f"at most {steps:,} number{'s' * (steps > 1)}"
