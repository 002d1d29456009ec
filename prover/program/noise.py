"""Noise: what kind is drawn, on which grid, and how far neighbouring inputs may be apart.

Laplace noise has density e^(−rate·ε·|z|), up to a factor; discrete Laplace noise, two-sided geometric noise,
has these weights at the multiples z of a *grid*. Two rates, one to the left of 0 and one to the right, make
noise lean to a side; an infinite rate has no noise on its side: exponential or geometric noise, and with two
of them none at all (docs/theory_noise.md). Gaussian noise has a standard deviation in place of rates, in the
units of inputs, whatever ε is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, overload

from prover.errors import abbreviated, quoted
from prover.exact.rational import format_rational
from prover.program.errors import (
    InvalidProgram,
    grid_too_coarse,
    not_a_fraction,
    sensitivity_not_positive,
    text_or_type,
)

LAPLACE: Final = "laplace"
DISCRETE_LAPLACE: Final = "discrete-laplace"
NOISES = (LAPLACE, DISCRETE_LAPLACE)

INFINITE: Final = "inf"
Rate = Fraction | Literal["inf"]
"""A rate of noise on one side of 0: infinite if there is none on that side."""

ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Gaussian noise, N(0, sigma²): ``sigma`` > 0."""

    sigma: Fraction


Shape = tuple[Rate, Rate] | Gaussian
"""The noise of a sample: its rates to the left and to the right of 0, or Gaussian noise."""

NO_NOISE: Final[Shape] = (INFINITE, INFINITE)


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of a program, and its inputs: for discrete noise multiples of ``grid``, else all reals.

    Neighbouring inputs differ by up to ``sensitivity`` at a step, for discrete noise by multiples of the
    grid. ``grid`` is None for Laplace noise, and 1 for discrete noise unless something else is given.
    ``unrounded`` says that inputs are real numbers although noise is discrete.

    The constructor raises InvalidProgram.

        >>> Noise("discrete-laplace", sensitivity=Fraction(3)).grid
        Fraction(1, 1)
    """

    kind: str = LAPLACE
    grid: Fraction | None = None
    sensitivity: Fraction = ONE
    unrounded: bool = False

    def __post_init__(self) -> None:
        if self.kind not in NOISES:
            known = " or ".join(map(quoted, NOISES))
            raise InvalidProgram(
                f"noise {text_or_type(self.kind)} is unknown; write {known}",
                part="noise",
                code="unknown-noise",
            )
        if self.is_discrete and self.grid is None:
            object.__setattr__(self, "grid", ONE)
        for part, number in (("grid", self.grid), ("sensitivity", self.sensitivity)):
            if number is not None and not isinstance(number, Fraction):
                raise not_a_fraction(number, None, part)
        if self.sensitivity <= 0:
            raise sensitivity_not_positive(self.sensitivity)
        if not self.is_discrete and self.grid is not None:
            raise InvalidProgram(
                'a grid belongs to noise "discrete-laplace", and to no other',
                part="grid",
                code="grid-without-discrete-noise",
            )
        if not self.is_discrete and self.unrounded:
            raise InvalidProgram(
                'only with noise "discrete-laplace" does it matter whether inputs are rounded',
                part="inputs",
                code="unrounded-without-grid",
            )
        if self.grid is not None:
            if self.grid <= 0:
                raise InvalidProgram(
                    f"grid {abbreviated(format_rational(self.grid))} is not positive",
                    part="grid",
                    code="grid-not-positive",
                )
            if (self.sensitivity / self.grid).denominator != 1:
                raise grid_too_coarse(self.grid, self.sensitivity)

    @property
    def is_discrete(self) -> bool:
        """Whether samples lie on a grid."""
        return self.kind == DISCRETE_LAPLACE


PLAIN: Final = Noise()
"""Laplace noise, added to real numbers of which neighbours differ by up to 1."""


@overload
def in_units(noise: Fraction, unit: Fraction) -> Fraction: ...
@overload
def in_units(noise: tuple[Rate, Rate], unit: Fraction) -> tuple[Rate, Rate]: ...
@overload
def in_units(noise: Gaussian, unit: Fraction) -> Gaussian: ...


def in_units(noise: Fraction | Shape, unit: Fraction) -> Fraction | Shape:
    """The noise of samples that are counted in multiples of ``unit``: rates times it, sigma divided by it."""
    if unit == 1:
        return noise
    if isinstance(noise, Gaussian):
        return Gaussian(noise.sigma / unit)
    if isinstance(noise, Fraction):
        return noise * unit
    left, right = (rate if isinstance(rate, str) else rate * unit for rate in noise)
    return left, right


def noise_text(noise: Fraction | Shape) -> str:
    """One rate, the two of both sides, or the standard deviation, as the text format writes them."""
    if isinstance(noise, Gaussian):
        return f"sigma {format_rational(noise.sigma)}"
    if isinstance(noise, Fraction):
        return format_rational(noise)
    texts = [rate if isinstance(rate, str) else format_rational(rate) for rate in noise]
    return texts[0] if noise[0] == noise[1] else f"left {texts[0]} right {texts[1]}"
