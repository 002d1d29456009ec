"""The states of threshold programs: what is drawn at each, and its transitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.errors import Fault, abbreviated
from prover.exact.rational import format_rational
from prover.program.edge import Test
from prover.program.errors import (
    InvalidProgram,
    gaussian_noise,
    grid_too_coarse,
    not_a_fraction,
    sensitivity_not_positive,
)
from prover.program.noise import INFINITE, Gaussian, Noise, Rate, Shape
from prover.program.outputs import INSAMPLE_PRIME, Outputs, numbers_of

INPUT = "input"
"""The input of a state, where its transitions set registers."""

Sum = tuple[tuple[str, int], ...]
"""Registers, or the input, each with its sign in a sum."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One case of a state: if all tests of ``guard`` hold, store, output, and go to ``target``.

    The empty guard is true. ``assign`` are the variables that ``insample`` is stored in. ``output`` is
    ``"insample"``, ``"insampleprime"``, a gap or a letter, or a tuple of several of these. A ``target`` that
    is no state of the program is final, declared or not. ``registers`` are those that are known
    afterwards, each with the sum that it is set to; others are 0. ``fixed`` is for programs that unfold
    one with registers: the only difference here of what numbers are drawn around. ``seen`` is what
    observers see instead of a single ``output``: () is nothing, and (a,) the number plus a.
    """

    guard: tuple[Test, ...]
    assign: tuple[str, ...]
    output: Outputs
    target: str
    registers: tuple[tuple[str, Sum], ...] = ()
    fixed: int | None = None
    seen: tuple[Fraction, ...] | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What happens at a state; ``input`` says whether it reads one (private) or not (public).

    insample ~ Lap(in + mean, 1/(rate·ε)) and insampleprime ~ Lap(in + mean_prime, 1/(rate_prime·ε)). In
    place of ``rate`` there may be two, ``rate_left`` for noise below 0 and ``rate_right`` above, "inf" where
    there is no noise on that side. ``rate`` is None then; two that are equal and finite are written as one.
    Where ``rate`` is ``Gaussian(sigma)``, insample ~ N(in + mean, sigma²), whatever ε is; ``rate_prime`` too.
    ``sensitivity`` is how far inputs of neighbours are apart here, None where it is that of the program.
    ``center`` is the register around which a state without input draws, which holds inputs read before.
    """

    input: bool
    rate: Fraction | Gaussian | None
    mean: Fraction
    rate_prime: Fraction | Gaussian | None
    mean_prime: Fraction | None
    transitions: tuple[Transition, ...]
    rate_left: Rate | None = None
    rate_right: Rate | None = None
    sensitivity: Fraction | None = None
    center: str | None = None

    def __post_init__(self) -> None:
        if self.rate is None and self.rate_left == self.rate_right and isinstance(self.rate_left, Fraction):
            object.__setattr__(self, "rate", self.rate_left)
            object.__setattr__(self, "rate_left", None)
            object.__setattr__(self, "rate_right", None)

    @property
    def rates(self) -> tuple[Rate, Rate]:
        """The rates to the left and to the right. Raises NotSupported for Gaussian noise, which has none."""
        noise = self.noise
        if isinstance(noise, Gaussian):
            raise gaussian_noise()
        return noise

    @property
    def noise(self) -> Shape:
        """The noise of insample."""
        if isinstance(self.rate, Gaussian):
            return self.rate
        if self.rate is not None:
            return self.rate, self.rate
        if self.rate_left is None or self.rate_right is None:
            raise Fault("a state of a program has no rate")
        return self.rate_left, self.rate_right

    @property
    def second(self) -> tuple[Fraction, Fraction] | None:
        """The rate and the mean of insampleprime, if it is drawn. Raises NotSupported for Gaussian noise."""
        if isinstance(self.rate_prime, Gaussian):
            raise gaussian_noise()
        if self.rate_prime is None or self.mean_prime is None:
            return None
        return self.rate_prime, self.mean_prime


def _check_gaussian(name: str, part: str, noise: Gaussian, *, on_grid: bool) -> None:
    part = part.replace("rate", "sigma")
    if not isinstance(noise.sigma, Fraction):
        raise not_a_fraction(noise.sigma, name, part)
    if noise.sigma <= 0:
        sigma = abbreviated(format_rational(noise.sigma))
        message = f"sigma {sigma} is not positive; it is the standard deviation of Gaussian noise"
        raise InvalidProgram(message, name, part=part, code="sigma-not-positive")
    if on_grid:
        message = 'Gaussian noise is not on a grid; remove noise "discrete-laplace", or give the state a rate'
        raise InvalidProgram(message, name, part=part, code="gaussian-on-grid")


def check_numbers(name: str, state: State, *, on_grid: bool) -> None:
    """The rates and means of a state are possible. Raises InvalidProgram."""
    one_sided = {part: getattr(state, part) for part in ("rate_left", "rate_right")}
    given = {part for part, rate in one_sided.items() if rate is not None}
    for part in ("rate", "mean", "rate_prime", "mean_prime", *one_sided):
        number = getattr(state, part)
        if number is None and (part not in ("rate", "mean") or (part == "rate" and given)):
            continue
        if number == INFINITE and part in one_sided:
            continue
        if isinstance(number, Gaussian) and part in ("rate", "rate_prime"):
            _check_gaussian(name, part, number, on_grid=on_grid)
            continue
        if not isinstance(number, Fraction):
            raise not_a_fraction(number, name, part)
        if part.startswith("rate") and number <= 0:
            rate = abbreviated(format_rational(number))
            message = f"rate {rate} is not positive; the noise has scale 1/rate"
            raise InvalidProgram(message, name, part=part, code="rate-not-positive")
    if given and state.rate is not None:
        message = "the state has a rate for each side, so another rate or sigma has no meaning; remove it"
        raise InvalidProgram(message, name, part="rate", code="useless-rate")
    if len(given) == 1:
        part = "rate_left" if "rate_right" in given else "rate_right"
        message = "the state has a rate on one side only; give one for each side, or one rate for both"
        raise InvalidProgram(message, name, part=part, code="one-rate-only")
    if (state.rate_prime is None) is not (state.mean_prime is None):
        part = "rate_prime" if state.rate_prime is None else "mean_prime"
        message = "rate' and mean' belong together; this state has only one of them"
        raise InvalidProgram(message, name, part=part, code="half-a-second-sample")


def with_sensitivity(name: str, state: State, noise: Noise) -> State:
    """The state, with its own sensitivity where it is not that of the program; it has to be possible."""
    own = state.sensitivity
    if not isinstance(own, Fraction):
        raise not_a_fraction(own, name, "sensitivity")
    if own <= 0:
        raise sensitivity_not_positive(own, name)
    if not state.input:
        message = "the state reads no input, so it has no sensitivity; remove it"
        raise InvalidProgram(message, name, part="sensitivity", code="sensitivity-without-input")
    if noise.grid is not None and (own / noise.grid).denominator != 1:
        raise grid_too_coarse(noise.grid, own, name)
    return replace(state, sensitivity=None) if own == noise.sensitivity else state


def check_registers(states: Mapping[str, State], noise: Noise) -> None:
    """What states do to registers is possible. Raises InvalidProgram."""
    for name, state in states.items():
        problem = None
        sums = [one for transition in state.transitions for one in transition.registers]
        named = [register for register, _ in sums] + ([] if state.center is None else [state.center])
        if INPUT in named or not all(register.isidentifier() for register in named):
            problem = f"a register needs a name, which is not {INPUT}"
        elif any(len(dict(own.registers)) < len(own.registers) for own in state.transitions):
            problem = "a transition sets a register twice; set it once"
        elif any(sign not in (-1, 1) for _, own in sums for _, sign in own):
            problem = "a register is set to a sum of registers with signs 1 and -1"
        elif any(source == INPUT for _, own in sums for source, _ in own) and not state.input:
            problem = "a register is set to an input, and the state reads none"
        elif state.input and state.center is not None:
            problem = "a state draws around its input or around a register, not both"
        elif state.sensitivity is not None or noise.unrounded:
            problem = "inputs that are used again all have the same sensitivity, and are rounded to the grid"
        if problem is not None:
            raise InvalidProgram(problem, name, part="registers", code="bad-registers")


def check_seen(states: Mapping[str, State], noise: Noise) -> None:
    """Where observers see something else of transitions than their outputs, this is possible.

    Raises InvalidProgram.
    """
    if all(transition.seen is None for state in states.values() for transition in state.transitions):
        return
    for name, state in states.items():
        for index, transition in enumerate(state.transitions):
            output, seen, problem = transition.output, transition.seen, None
            if noise.is_discrete:
                problem = "the noise is discrete, so every output is seen as it is"
            elif isinstance(output, tuple) or output == INSAMPLE_PRIME:
                problem = "some outputs are not seen as they are, so each is a letter, insample or a gap"
            elif seen is not None and len(seen) != len(numbers_of(output)):
                problem = "seen is empty for a letter, and holds what is added to a number"
            elif seen is not None and not all(number and type(number) is Fraction for number in seen):
                problem = "what is added to a number that is seen is a Fraction other than 0"
            if problem is not None:
                raise InvalidProgram(problem, name, index, "seen", code="bad-seen")
