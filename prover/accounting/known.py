"""Known mechanisms by name: laws in rational numbers, and noise that is added to one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from prover.accounting.discrete_gaussian import DiscreteGaussian
from prover.accounting.distribution import LossDistribution
from prover.errors import BadValue, did_you_mean, quoted
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.program.model import Program, State, Transition
from prover.program.noise import Gaussian, Noise
from prover.program.outputs import INSAMPLE


@dataclass(frozen=True, slots=True)
class Known:
    """What is known by a name: its rational parameters, those that may be left out, and those that are
    integers.

    ``make`` returns a law, or two between which it is; or a program, and the ε that its rates are multiples
    of.
    """

    make: Callable[..., LossDistribution | DiscreteGaussian | tuple[Program, Fraction]]
    needed: tuple[str, ...]
    defaults: Mapping[str, int] = field(default_factory=dict)
    counts: tuple[str, ...] = ()

    def numbers(self, name: str, parameters: Mapping[str, Given]) -> dict[str, Any]:
        """The parameters as numbers. Raises BadValue."""
        keys = tuple(dict.fromkeys((*self.needed, *self.defaults, *self.counts)))
        for key in parameters:
            if key not in keys:
                raise BadValue(
                    f"{name} has no parameter {quoted(key)}; its parameters are {', '.join(keys)}",
                    code="bad-mechanism",
                )
        for key in self.needed:
            if key not in parameters:
                raise BadValue(f"{name} lacks the parameter {key}", code="bad-mechanism")
        numbers: dict[str, Any] = dict(self.defaults)
        for key, own in parameters.items():
            number = given_rational(own, key, "bad-mechanism")
            if key in self.counts and number.denominator != 1:
                raise BadValue(f"{key} is an integer, not {number}", code="bad-mechanism")
            numbers[key] = int(number) if key in self.counts else number
        return {key: numbers[key] for key in keys if key in numbers}


def gaussian(sigma: Fraction, sensitivity: Fraction) -> tuple[Program, Fraction]:
    """Of standard deviation σ > 0; the numbers of neighbours differ by up to the sensitivity > 0."""
    return _shown(Gaussian(_positive("sigma", sigma)), sensitivity), Fraction(1)


def laplace(scale: Fraction, sensitivity: Fraction) -> tuple[Program, Fraction]:
    """Of a scale > 0; the numbers of neighbours differ by up to the sensitivity > 0."""
    return _shown(Fraction(1), sensitivity), Fraction(sensitivity) / _positive("scale", scale)


def _shown(rate: Fraction | Gaussian, sensitivity: Fraction) -> Program:
    """A number plus noise."""
    far = _positive("sensitivity", Fraction(sensitivity))
    states = {"start": State(True, rate, Fraction(0), None, None, (Transition((), ("x",), INSAMPLE, "end"),))}
    return Program("start", states, noise=Noise(sensitivity=far))


def _positive(name: str, number: Fraction) -> Fraction:
    return given_rational(number, name, "bad-mechanism", more_than=0)


KNOWN: Mapping[str, Known] = MappingProxyType(
    {
        "randomised-response": Known(
            LossDistribution.randomised_response, ("q",), {"values": 2}, ("values",)
        ),
        "discrete-laplace": Known(
            LossDistribution.discrete_laplace, ("q",), {"sensitivity": 1}, ("sensitivity", "bound")
        ),
        "approximate": Known(LossDistribution.approximate, ("alpha", "delta")),
        "discrete-gaussian": Known(DiscreteGaussian.of, ("sigma",), {"sensitivity": 1}, ("sensitivity",)),
        "gaussian": Known(gaussian, ("sigma",), {"sensitivity": 1}),
        "laplace": Known(laplace, ("scale",), {"sensitivity": 1}),
    }
)

NOISE = ("discrete-gaussian", "gaussian", "laplace")
"""Those of which only bounds are known, so that both ends of an epsilon have certificates."""


def known_mechanism(name: str) -> Known:
    """What is known by a name. Raises BadValue."""
    if name in KNOWN:
        return KNOWN[name]
    raise BadValue(
        f"no mechanism is called {quoted(name)}; {did_you_mean(name, KNOWN)}known are {', '.join(KNOWN)}",
        code="bad-mechanism",
    )


def written(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as certificates hold them."""
    return {key: own if isinstance(own, int) else format_rational(own) for key, own in numbers.items()}
