"""Transitions with numbers, as engines see them: tests, and what is asked of shifts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from prover.errors import Fault
from prover.program.errors import gaussian_noise
from prover.program.noise import Gaussian, Rate, Shape
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Gap, Output

Relation = Literal["", "<", ">=", "="]
"""How insample, or its shift, is compared with what is stored; ``""``: not at all."""

_RELATIONS: Mapping[str, Relation] = MappingProxyType({"<": "<", ">=": ">=", "=": "="})

Test = tuple[str, str]
"""("<", x) is the test insample < x, and (">=", x) the test insample ≥ x.

With discrete noise, where ties have positive probability, there are also ("<=", x), (">", x) and ("=", x).
"""

SIDES: Mapping[str, Literal["<", ">=", "="]] = MappingProxyType(
    {"<": "<", "<=": "<", ">": ">=", ">=": ">=", "=": "="}
)
"""What a relation asks of shifts, for which strictness does not matter (docs/theory_noise.md, Theorem 1)."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A transition together with its number and what its state says: the view that engines work on.

    Rates are times the program's sensitivity, standard deviations are divided by it, and ``sensitivity`` is
    the state's own in its units: inputs of neighbours differ by up to so much, 1 unless the state has one of
    its own. ``noise_prime`` is that of insampleprime, a rate or Gaussian noise. In ``guard`` all tests
    are <, >= and =, and ``written`` is the guard as it is. ``bounds`` is what guard and output ask of the
    shift of insample: at most one relation to each variable, in the order of the guard and then of the
    output; a gap that is output makes it ``"="``. ``pinned``: insample is output, so that its shift is 0.
    ``primed``: insampleprime is output. ``output`` is for people and for formulas where there are several
    ``outputs``. ``fixed`` is the only difference here of what insample is drawn around, in a program
    that unfolds one with registers. ``seen`` is what observers see instead, where that is not ``outputs``.
    """

    number: int
    source: str
    target: str
    input: bool
    noise: Shape
    noise_prime: Fraction | Gaussian | None
    guard: tuple[Test, ...]
    assign: tuple[str, ...]
    output: str
    written: tuple[Test, ...]
    outputs: tuple[Output, ...] = ()
    sensitivity: Fraction = Fraction(1)
    bounds: tuple[Test, ...] = field(init=False, compare=False)
    pinned: bool = field(init=False, compare=False)
    primed: bool = field(init=False, compare=False)
    fixed: int | None = None
    seen: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        outputs = self.outputs or (self.output,)
        gaps = [output.variable for output in outputs if isinstance(output, Gap)]
        object.__setattr__(self, "outputs", outputs)
        bounds = {variable: relation for relation, variable in self.guard}
        bounds.update(dict.fromkeys(gaps, "="))
        object.__setattr__(self, "bounds", tuple((relation, v) for v, relation in bounds.items()))
        object.__setattr__(self, "pinned", INSAMPLE in outputs)
        object.__setattr__(self, "primed", INSAMPLE_PRIME in outputs)

    @property
    def rates(self) -> tuple[Rate, Rate]:
        """The rates to the left and to the right. Raises NotSupported for Gaussian noise, which has none."""
        if isinstance(self.noise, Gaussian):
            raise gaussian_noise(self.source)
        return self.noise

    @property
    def left(self) -> Rate:
        """The rate to the left. Raises NotSupported for Gaussian noise."""
        return self.rates[0]

    @property
    def right(self) -> Rate:
        """The rate to the right. Raises NotSupported for Gaussian noise."""
        return self.rates[1]

    @property
    def rate(self) -> Fraction:
        """The rate on both sides. Raises Fault where there are two, which whoever asks does not expect, and
        NotSupported for Gaussian noise.
        """
        left, right = self.rates
        if (left is not right and left != right) or not isinstance(left, Fraction):
            raise Fault(f"transition {self.number} has two rates, or an infinite one")
        return left

    @property
    def rate_prime(self) -> Fraction | None:
        """The rate of the second sample, if there is one. Raises NotSupported for Gaussian noise."""
        if isinstance(self.noise_prime, Gaussian):
            raise gaussian_noise(self.source)
        return self.noise_prime

    @property
    def discloses(self) -> bool:
        """Whether a sample itself is output, which no shift can hide."""
        return self.pinned or self.primed

    @property
    def gaps(self) -> tuple[str, ...]:
        """The variables from which insample is put out as a gap."""
        return tuple(output.variable for output in self.outputs if isinstance(output, Gap))

    @property
    def assigns(self) -> bool:
        """Whether insample is stored."""
        return bool(self.assign)

    @property
    def relation(self) -> Relation:
        """The relation of the only bound, or ``""`` if there is none.

        Raises Fault where there are several, which one variable does not allow.
        """
        if len(self.bounds) > 1:
            raise Fault(f"transition {self.number} has several bounds: not a program of one variable")
        if not self.bounds:
            return ""
        return _RELATIONS[self.bounds[0][0]]
