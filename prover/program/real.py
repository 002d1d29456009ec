"""Threshold programs with rates that are real numbers (docs/real_rates.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Json
from prover.errors import Fault, NotSupported
from prover.exact.rational import format_rational
from prover.exact.real_rate import RealRate
from prover.program.canonical import program_model
from prover.program.gaps import completed
from prover.program.model import Program
from prover.program.noise import INFINITE, Gaussian, Rate
from prover.program.opened import OpenProgram
from prover.program.state import State
from prover.views import Lined

LEFT, RIGHT, PRIME = "rate_left", "rate_right", "rate_prime"

RatePlace = tuple[str, str]
"""A state, and which of its rates."""


@dataclass(frozen=True, slots=True, repr=False)
class RealProgram(Lined):
    """A program some of whose rates are real numbers.

    ``program`` has a rational a little below each of these in its place, and ``rates`` are the numbers, by
    the state and the part of it: "rate_left" and "rate_right", which are the same for noise that is even, and
    "rate_prime". Raises NotSupported for code that depends on ε otherwise than by rates.

        >>> import prover
        >>> real = prover.load_real("examples/real/svt.dipa")
        >>> real, real.unit
        (<RealProgram: 2 states, 2 real rates>, <RealRate: ln(3)>)

    Reference: docs/real_rates.md.
    """

    program: Program
    rates: Mapping[RatePlace, RealRate]

    def __post_init__(self) -> None:
        if self.program.at_epsilon is not None:
            raise NotSupported(
                "the code depends on epsilon otherwise than by rates, and has rates that are real numbers; "
                "only one of the two is answered",
                code="real-rates-at-epsilon",
            )

    @property
    def headline(self) -> str:
        """Its size in a line."""
        return f"{len(self.program.states)} states, {len(set(self.rates.values()))} real rates"

    @property
    def completed(self) -> RealProgram:
        """The program in which an observer sees that a run stops or ends."""
        return replace(self, program=completed(self.program))

    def at(self, value: Callable[[RealRate], Fraction]) -> Program:
        """The program with rationals in place of its real rates."""

        def of(name: str, part: str, rate: Any) -> Any:
            number = self.rates.get((name, part))
            return rate if number is None else value(number)

        def changed(name: str, state: State) -> State:
            prime = of(name, PRIME, state.rate_prime)
            if isinstance(state.rate, Gaussian):
                return replace(state, rate_prime=prime)
            left, right = (
                of(name, side, rate) for side, rate in zip((LEFT, RIGHT), state.rates, strict=True)
            )
            return replace(state, rate=None, rate_left=left, rate_right=right, rate_prime=prime)

        states = {name: changed(name, state) for name, state in self.program.states.items()}
        return replace(self.program, states=states)

    @property
    def unit(self) -> RealRate | None:
        """A positive number of which all finite rates are rational multiples; None if there is none."""
        places = [
            (name, part)
            for name, state in self.program.states.items()
            for part, rate in _parts(state)
            if isinstance(rate, Fraction)
        ]
        numbers = [self.rates.get(place) for place in places]
        first = numbers[0] if numbers else None
        if first is None:
            return None
        alike = all(n is not None and not n.constant and n.base == first.base for n in numbers)
        return None if not alike else first.base if first.factor > 0 else -first.base

    @property
    def bases(self) -> tuple[RealRate, ...]:
        """The numbers of which the real rates are made, each as constant + factor·base."""
        found = {number.base for number in self.rates.values()}
        return tuple(sorted(found, key=lambda number: json.dumps(number.written, separators=(",", ":"))))

    def between(self, around: Mapping[RealRate, tuple[Fraction, Fraction]]) -> OpenProgram:
        """The programs between rationals around the bases.

        With one base the parameter stands for it. With several the first program has the smaller rates and
        the last one the larger ones, and the parameter goes from 0 to 1.
        """

        def at(end: int) -> Program:
            def value(number: RealRate) -> Fraction:
                ends = [number.constant + number.factor * own for own in around[number.base]]
                return (ends if len(around) == 1 else sorted(ends))[end]

            return self.at(value)

        low, high = next(iter(around.values())) if len(around) == 1 else (Fraction(0), Fraction(1))
        return OpenProgram("x", low, high, at(0), at(1))

    @property
    def multiples(self) -> Program:
        """The program whose rates are those of this one divided by the unit, which it has."""
        unit = self.unit
        if unit is None:
            raise Fault("the rates have no unit")
        return self.at(lambda number: number.factor / unit.factor)

    @property
    def model(self) -> Json:
        """The canonical JSON form (docs/certificates.md, Section 2)."""
        model = program_model(self.program)
        for name, written in model["states"].items():
            parts = {
                part: self._written((name, part), rate)
                for part, rate in _parts(self.program.states[name])
                if rate is not None
            }
            if PRIME in parts:
                written[PRIME] = parts[PRIME]
            if LEFT not in parts:
                continue
            left, right = parts[LEFT], parts[RIGHT]
            for key in (LEFT, RIGHT):
                written.pop(key, None)
            if left == right and left != INFINITE:
                written["rate"] = left
            else:
                written.update({"rate": None, LEFT: left, RIGHT: right})
        return model

    def _written(self, place: RatePlace, rate: Rate) -> Any:
        number = self.rates.get(place)
        return (
            number.written if number is not None else rate if isinstance(rate, str) else format_rational(rate)
        )


def _parts(state: State) -> list[tuple[str, Rate | None]]:
    """The rates of a state and where they stand; none of Gaussian noise."""
    prime = None if isinstance(state.rate_prime, Gaussian) else state.rate_prime
    if isinstance(state.rate, Gaussian):
        return [(PRIME, prime)]
    return [*zip((LEFT, RIGHT), state.rates, strict=True), (PRIME, prime)]


def real_rates(
    first: Program, last: Program, known: Mapping[tuple[Fraction, Fraction], RealRate]
) -> dict[RatePlace, RealRate]:
    """The real rates of a program that was read with rationals below them, and with others above."""
    found = {}
    for name, state in first.states.items():
        for (part, low), (_, high) in zip(_parts(state), _parts(last.states[name]), strict=True):
            if isinstance(low, Fraction) and isinstance(high, Fraction) and low != high:
                found[name, part] = known[low, high]
    return found
