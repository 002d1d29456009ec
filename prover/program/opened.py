"""Threshold programs whose rates, or sensitivities, depend on one parameter that is left open.

Reference: docs/open_rates.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Json
from prover.errors import BadValue, NotSupported, quoted
from prover.exact.expressions import Affine
from prover.exact.rational import format_rational
from prover.program.canonical import program_model
from prover.program.errors import InvalidProgram
from prover.program.gaps import completed
from prover.program.model import Program
from prover.program.noise import INFINITE, ONE, Gaussian, Rate
from prover.program.state import State
from prover.views import Lined


@dataclass(frozen=True, slots=True, repr=False)
class OpenProgram(Lined):
    """A program for every value of ``parameter`` from ``low`` to ``high``.

    ``first`` is the program at ``low`` and ``last`` the one at ``high``. They differ in rates only, or in
    sensitivities only, and each of these is an affine function of the parameter, so the two programs say all.
    Raises BadValue, InvalidProgram and NotSupported.

        >>> from dataclasses import replace
        >>> from prover.zoo import svt
        >>> program = svt()
        >>> threshold = replace(program.states["q1"], rate=Fraction(1))
        >>> last = replace(program, states={**program.states, "q1": threshold})
        >>> opened = OpenProgram("t", Fraction(1, 4), Fraction(1), program, last)
        >>> opened
        <OpenProgram: 2 states, t from 1/4 to 1>
        >>> opened.at(Fraction(1, 2)).states["q1"].rate
        Fraction(1, 2)

    Reference: docs/theory_programs.md, *One parameter in the rates* and *One parameter in the sensitivities*.
    """

    parameter: str
    low: Fraction
    high: Fraction
    first: Program
    last: Program

    def __post_init__(self) -> None:
        if not self.low < self.high:
            ends = f"{format_rational(self.low)}:{format_rational(self.high)}"
            raise BadValue(
                f"{quoted(self.parameter)} is open in an interval, whose first end is the smaller one, "
                f"not in {ends}",
                code="empty-interval",
            )
        if _fixed(self.first) != _fixed(self.last):
            raise InvalidProgram(
                f"{quoted(self.parameter)} changes more than rates or sensitivities, and only these may "
                "depend on it",
                part="states",
                code="not-only-rates",
            )
        if self.opens_sensitivities:
            self._demand_products()

    @property
    def headline(self) -> str:
        """Its size and its interval, in a line."""
        ends = f"from {format_rational(self.low)} to {format_rational(self.high)}"
        return f"{len(self.first.states)} states, {self.parameter} {ends}"

    def _demand_products(self) -> None:
        """Raise NotSupported where rate times sensitivity is no affine function, or leaves the grid."""
        if _rates(self.first) != _rates(self.last):
            raise NotSupported(
                f"{quoted(self.parameter)} is in rates and in sensitivities; the loss depends on their "
                "products, which are not affine then, so leave it out of the ones or of the others",
                code="rates-and-sensitivities",
            )
        if self.first.noise.is_discrete:
            raise NotSupported(
                "a sensitivity is a multiple of the grid of discrete noise, so it cannot be left open; leave "
                "rates open, or ask at single values",
                code="open-sensitivity-on-grid",
            )

    @property
    def opens_sensitivities(self) -> bool:
        """Whether sensitivities depend on the parameter, and so rates do not."""
        return _sensitivities(self.first) != _sensitivities(self.last)

    @property
    def is_uneven(self) -> bool:
        """Whether some state has a sensitivity of its own."""
        return any(
            state.sensitivity is not None
            for program in (self.first, self.last)
            for state in program.states.values()
        )

    @property
    def most_apart(self) -> dict[str, str]:
        """How far neighbouring inputs are apart at most: in general, by the name "", and at states where that
        is another number or function."""
        usual = self._affine(self.first.noise.sensitivity, self.last.noise.sensitivity)
        own = {
            name: self._affine(
                *(_sensitivity(program, program.states[name]) for program in (self.first, self.last))
            )
            for name, state in self.first.states.items()
            if state.input
        }
        return {"": usual, **{name: text for name, text in own.items() if text != usual}}

    def _affine(self, first: Fraction, last: Fraction) -> str:
        """The function with these values at both ends, as a text."""
        return Affine.through(self.low, first, self.high, last).text(self.parameter, "·")

    @property
    def spread(self) -> OpenProgram:
        """The same programs with the sensitivity 1 of which all states have those of their own."""
        return replace(self, first=_spread(self.first), last=_spread(self.last))

    def at(self, value: Fraction) -> Program:
        """The program at a value of the parameter; all rates and sensitivities have to be positive there."""
        share = (value - self.low) / (self.high - self.low)
        return self._blended(lambda first, last: first + (last - first) * share)

    @property
    def least(self) -> Program:
        """The program in which every rate and every sensitivity is the least of the interval."""
        return self._blended(min)

    @property
    def greatest(self) -> Program:
        """The program in which every rate and every sensitivity is the greatest of the interval."""
        return self._blended(max)

    def between(self, low: Fraction, high: Fraction) -> OpenProgram:
        """The same program on a part of the interval."""
        return OpenProgram(self.parameter, low, high, self.at(low), self.at(high))

    @property
    def completed(self) -> OpenProgram:
        """The program in which an observer sees that a run stops or ends."""
        return replace(self, first=completed(self.first), last=completed(self.last))

    @property
    def model(self) -> Json:
        """The canonical JSON form (docs/certificates.md, Section 2): what is open is written at both ends."""
        model = program_model(self.first)
        usual = _written(self.first.noise.sensitivity, self.last.noise.sensitivity)
        if usual != "1":
            model["sensitivity"] = usual
        for name, written in model["states"].items():
            first, last = self.first.states[name], self.last.states[name]
            own = _written(_sensitivity(self.first, first), _sensitivity(self.last, last))
            if first.input and own != usual:
                written["sensitivity"] = own
            if isinstance(first.rate_prime, Fraction) and isinstance(last.rate_prime, Fraction):
                written["rate_prime"] = _written(first.rate_prime, last.rate_prime)
            sides = _sides(first, last)
            if sides is None:
                continue
            left, right = (_written(*ends) for ends in sides)
            for key in ("rate_left", "rate_right"):
                written.pop(key, None)
            if left == right and left != INFINITE:
                written["rate"] = left
            else:
                written.update(rate=None, rate_left=left, rate_right=right)
        ends = {"from": format_rational(self.low), "to": format_rational(self.high)}
        return {**model, "open": {**ends, "name": self.parameter}}

    def _blended(self, blend: Callable[[Fraction, Fraction], Fraction]) -> Program:
        """The program with rates and sensitivities that are made of those at both ends."""
        states = {}
        for name, state in self.first.states.items():
            last = self.last.states[name]
            ends = _sensitivity(self.first, state), _sensitivity(self.last, last)
            own = blend(*ends) if state.input else None
            states[name] = replace(_blended(state, last, blend), sensitivity=own)
        usual = blend(self.first.noise.sensitivity, self.last.noise.sensitivity)
        return replace(self.first, states=states, noise=replace(self.first.noise, sensitivity=usual))


Ends = tuple[Rate, Rate]
"""A rate at both ends of the interval."""


def _written(first: Rate, last: Rate) -> Any:
    """A rate that is open as a list of those at both ends."""
    first_text, last_text = (
        rate if isinstance(rate, str) else format_rational(rate) for rate in (first, last)
    )
    return first_text if first_text == last_text else [first_text, last_text]


def _sides(first: State, last: State) -> tuple[Ends, Ends] | None:
    """The rates to the left and to the right at both ends; None where noise is Gaussian."""
    if isinstance(first.noise, Gaussian) or isinstance(last.noise, Gaussian):
        return None
    (left, right), (last_left, last_right) = first.noise, last.noise
    return (left, last_left), (right, last_right)


def _blended(first: State, last: State, blend: Callable[[Fraction, Fraction], Fraction]) -> State:
    """A state whose finite rates are made of those at both ends."""

    def of(ends: tuple[Any, Any]) -> Any:
        return blend(*ends) if all(isinstance(end, Fraction) for end in ends) else ends[0]

    sides = _sides(first, last)
    second = of((first.rate_prime, last.rate_prime))
    if sides is None:
        return replace(first, rate_prime=second)
    return replace(first, rate=None, rate_left=of(sides[0]), rate_right=of(sides[1]), rate_prime=second)


def _sensitivity(program: Program, state: State) -> Fraction:
    """By how much the input of a state may differ between neighbouring inputs."""
    return state.sensitivity or program.noise.sensitivity


def _spread(program: Program) -> Program:
    """The program with the sensitivity 1, of which all states that read inputs have their own ones."""
    states = {
        name: replace(state, sensitivity=_sensitivity(program, state)) if state.input else state
        for name, state in program.states.items()
    }
    return replace(program, states=states, noise=replace(program.noise, sensitivity=ONE))


def _sensitivities(program: Program) -> object:
    """All sensitivities, to be compared."""
    own = {name: _sensitivity(program, state) for name, state in program.states.items() if state.input}
    return program.noise.sensitivity, own


def _rates(program: Program) -> object:
    """All rates, to be compared."""
    return {name: (state.noise, state.rate_prime) for name, state in program.states.items()}


def _fixed(program: Program) -> object:
    """All of a program but its finite rates and its sensitivities, to be compared."""

    def shown(state: State) -> object:
        sides = _sides(state, state)
        infinite = None if sides is None else [ends[0] == INFINITE for ends in sides]
        second = isinstance(state.rate_prime, Fraction)
        without = replace(state, rate=state.rate if sides is None else None, rate_left=None, rate_right=None)
        without = replace(without, rate_prime=None if second else state.rate_prime, sensitivity=None)
        return infinite, second, without

    states = {name: shown(state) for name, state in program.states.items()}
    noise = program.noise
    return (
        program.initial,
        states,
        program.final,
        replace(noise, sensitivity=noise.grid or ONE),
        program.at_epsilon,
    )
