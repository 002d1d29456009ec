"""The noise of threshold programs: its grid, the sensitivity of inputs, and rates or a standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import NoneType
from typing import NamedTuple, TypeVar

from .reading import BadModel, Json, Malformed, constant, demand, each, positive, rational, typed

SIDES = "rate_left rate_right"  # in place of one rate, which is null then
GAUSSIAN = "sigma sigma_prime"  # in place of rate and rate_prime, which are null then
RATES = ("rate", "rate_left", "rate_prime", "rate_right")
WITHOUT_RATE = "the state has Gaussian noise, and the rule is about noise with rates"

Sides = tuple[Fraction | None, Fraction | None]  # the rates below 0 and above; None is infinite


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Noise without rates; the standard deviation, divided by the sensitivity."""

    sigma: Fraction


def is_real(rate: Json) -> bool:
    """A list that is no list of two rationals, as open rates are."""
    return isinstance(rate, list) and not any(isinstance(term, str) for term in rate)


def has_reals(model: Json) -> bool:
    """Whether the model of a program has such rates."""
    states = typed(typed(model, dict).get("states"), dict).values()
    return any(is_real(state[key]) for key in RATES for state in each([*states], dict) if key in state)


Rates = TypeVar("Rates", Fraction, Sides)


def with_rates(noise: Rates | Gaussian) -> Rates:
    """The rates of noise. Raises BadModel for Gaussian noise, which has none."""
    if isinstance(noise, Gaussian):
        raise BadModel(WITHOUT_RATE)
    return noise


def read_noise(fields: Mapping[str, Json]) -> tuple[Fraction, Fraction | None]:
    """The sensitivity, and the grid of noise: with one, ties have positive probability."""
    for key, only in (("noise", "discrete-laplace"), ("inputs", "unrounded")):
        constant(fields.get(key, only), only)
    discrete = "noise" in fields
    numbers = {key: Fraction(*positive(fields.get(key, "1"))) for key in ("grid", "sensitivity")}
    for key, number in numbers.items():
        demand(number != 1 or key not in fields, Malformed, f"{key} is 1, and must be left out")
    demand(discrete or not {"grid", "inputs"} & fields.keys(), BadModel, "grid or inputs need discrete noise")
    whole = (numbers["sensitivity"] / numbers["grid"]).denominator == 1
    demand(not discrete or whole, BadModel, "the grid does not divide the sensitivity")
    return numbers["sensitivity"], numbers["grid"] if discrete else None


def read_shape(state: Mapping[str, Json], sensitivity: Fraction) -> Sides | Gaussian:
    """The rates below 0 and above, times the sensitivity, equal if there is one rate; or Gaussian noise."""
    sides = [key for key in SIDES.split() if key in state]
    if "sigma" in state:
        demand(not sides and state["rate"] is None, Malformed, "a rate beside sigma")
        return Gaussian(Fraction(*positive(state["sigma"])) / sensitivity)
    if not sides:
        rate = Fraction(*positive(state["rate"])) * sensitivity
        return rate, rate
    demand(len(sides) == 2 and state["rate"] is None, Malformed, "neither one rate nor exactly two")
    left, right = (
        None if state[key] == "inf" else Fraction(*positive(state[key])) * sensitivity for key in sides
    )
    demand(left != right or left is None, Malformed, "rate_left and rate_right are equal")
    return left, right


def read_second(state: Mapping[str, Json], sensitivity: Fraction) -> Fraction | Gaussian | None:
    """The rate of the second sample, times the sensitivity, or its Gaussian noise; None if there is none."""
    rate, sigma = state["rate_prime"], state.get("sigma_prime")
    drawn = rate is not None or "sigma_prime" in state
    demand(drawn == (state["mean_prime"] is not None), Malformed, "only one prime key is null")
    if "sigma_prime" in state:
        demand(rate is None, Malformed, "a rate beside sigma")
        return Gaussian(Fraction(*positive(sigma)) / sensitivity)
    return None if rate is None else Fraction(*positive(rate)) * sensitivity


def read_reach(
    state: Mapping[str, Json], takes_input: bool, sensitivity: Fraction, grid: Fraction | None
) -> Fraction:
    """The sensitivity of the state, divided by that of the program; 1 if it has none of its own."""
    if "sensitivity" not in state:
        return Fraction(1)
    own = Fraction(*positive(state["sensitivity"]))
    demand(takes_input, BadModel, "a state without an input has a sensitivity")
    demand(own != sensitivity, Malformed, "a state repeats the sensitivity of the program")
    demand(grid is None or (own / grid).denominator == 1, BadModel, "the grid does not divide a sensitivity")
    return own / sensitivity


class Drawn(NamedTuple):
    """What transitions have of their state; a second sample of 0 is none."""

    takes_input: bool
    noise: Sides | Gaussian
    second: Fraction | Gaussian
    means: tuple[Fraction, Fraction]
    reach: Fraction
    center: str | None


TEXTS = {str, NoneType}


@dataclass(frozen=True, slots=True)
class Drawings:
    """What the states of a program draw; those that are written alike draw the same, which is read once."""

    sensitivity: Fraction
    grid: Fraction | None
    gaussian: bool
    known: dict[tuple[Json, ...], Drawn] = field(default_factory=dict)

    def of(self, state: Mapping[str, Json]) -> Drawn:
        """``state`` has the keys of a state."""
        takes_input = typed(state["input"], bool)
        texts = {key: value for key, value in state.items() if key not in ("input", "transitions")}
        if not set(map(type, texts.values())) <= TEXTS:
            return self.read(state, takes_input)  # which rejects it
        written = takes_input, *texts.items()
        found = self.known.get(written)
        if found is None:
            found = self.known[written] = self.read(state, takes_input)
        return found

    def read(self, state: Mapping[str, Json], takes_input: bool) -> Drawn:
        second = read_second(state, self.sensitivity)
        shape, other = read_shape(state, self.sensitivity), second or Fraction(0)
        if isinstance(shape, Gaussian) or isinstance(other, Gaussian):
            demand(self.gaussian, BadModel, WITHOUT_RATE)
            demand(self.grid is None, BadModel, "Gaussian noise on a grid")
        reach = read_reach(state, takes_input, self.sensitivity, self.grid)
        center = typed(state["center"], str) if "center" in state else None
        free = center is None or not takes_input
        demand(free, BadModel, "a state draws around its input and a register")
        mean = Fraction(*rational(state["mean"]))
        means = mean, Fraction(*(0, 1) if second is None else rational(state["mean_prime"]))
        return Drawn(takes_input, shape, other, means, reach, center)
