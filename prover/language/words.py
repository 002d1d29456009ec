"""The words of the language, as functions: what they do while a mechanism or a protocol runs as Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from prover.language.errors import OutsideARun

Value = TypeVar("Value")

Given = Fraction | int | float | str


class Query(float):
    """The type of a parameter that is one private input."""


class Queries:
    """The type of a parameter that is the stream of private queries; one called queries needs no type."""


class Runtime(Protocol):
    """What draws and sees while a function runs."""

    def draw(self, noise: str, center: Any, rate: Given | None, scale: Given | None) -> Any: ...

    def flip(self, probability: Given) -> bool: ...

    def choose(self, values: Sequence[Value], weights: Sequence[Given] | None) -> Value: ...

    def ask(self, options: Sequence[Value]) -> Value: ...

    def see(self, value: Any) -> None: ...


RUNNING: ContextVar[Runtime | None] = ContextVar("RUNNING", default=None)


def laplace(center: Any, rate: Given | None = None, scale: Given | None = None) -> Any:
    """The center plus Laplace noise of this rate, a multiple of ε; ``scale`` is 1/rate."""
    return _running("laplace").draw("laplace", center, rate, scale)


def discrete_laplace(center: Any, rate: Given | None = None, scale: Given | None = None) -> Any:
    """A whole center plus two-sided geometric noise, P(z) ∝ ``e^(-rate·ε·|z|)``."""
    return _running("discrete_laplace").draw("discrete_laplace", center, rate, scale)


def exponential(center: Any, rate: Given | None = None, scale: Given | None = None) -> Any:
    """The center plus exponential noise, which is at least 0."""
    return _running("exponential").draw("exponential", center, rate, scale)


def geometric(center: Any, rate: Given | None = None, scale: Given | None = None) -> Any:
    """A whole center plus one-sided geometric noise, which is at least 0: P(z) ∝ e^(-rate·ε·z)."""
    return _running("geometric").draw("geometric", center, rate, scale)


def flip(probability: Given = "1/2") -> bool:
    """A coin that is True with this probability."""
    return _running("flip").flip(probability)


def choose(values: Sequence[Value], weights: Sequence[Given] | None = None) -> Value:
    """One of the values, each as likely as its weight says; equally likely without weights."""
    return _running("choose").choose(values, weights)


def ask(*options: Any) -> Any:
    """One of the options, or of the items of a single tuple: the attacker chooses, and sees all of them."""
    return _running("ask").ask(options)


def see(value: Any) -> None:
    """Let observers see a letter (a text, a whole number, a truth value) or a number that was drawn."""
    _running("see").see(value)


def _running(word: str) -> Runtime:
    runtime = RUNNING.get()
    if runtime is None:
        raise OutsideARun(word)
    return runtime
