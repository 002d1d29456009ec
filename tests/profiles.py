"""How much is tried at random: a part of it in `make test`, and all of it in `make test-long`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

# How long examples take to make is no reason to fail: that depends on the machine.
SLOW = [HealthCheck.too_slow]
LONG = 2_000
"""Examples of a property in the long profile."""


def register_profiles() -> None:
    """The same examples on every run, unless the long profile is asked for."""
    settings.register_profile(
        "repeatable", deadline=None, derandomize=True, max_examples=16, suppress_health_check=SLOW
    )
    settings.register_profile(
        "long", deadline=None, max_examples=LONG, print_blob=True, suppress_health_check=SLOW
    )
    settings.load_profile("repeatable")


def everything() -> bool:
    """Whether all mutations and all random models are tried."""
    return settings().max_examples >= LONG


def some(most: int) -> int:
    """A fifth of the random changes or examples that there are in `make test-long`."""
    return most if everything() else most // 5


def examples(most: int) -> settings:
    """So many random examples of a property, or a fifth."""
    return settings(max_examples=some(most))


def thinned(cases: Sequence[T], every: int = 4) -> Sequence[T]:
    """Every fourth of many similar cases, say, or all."""
    return cases if everything() else cases[::every]
