"""Powers of whatever can be multiplied, by repeated squaring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from prover.errors import Fault
from prover.progress import Progress, silent


class Multiplied(Protocol):
    """What has an associative product."""

    def __mul__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Multiplied)


def power(
    base: T,
    times: int,
    progress: Progress = silent,
    after_square: Callable[[T, int], T] = lambda square, _: square,
) -> T:
    """``base`` multiplied by itself, ``times`` ≥ 1 factors in all.

    ``after_square`` may replace each square, the first of which has the number 0, by another form of it.

    The order matters to those who round after each product, and to the checker, which repeats it: the binary
    digits of ``times`` are taken from the last to the first; for each the base is squared once more, and
    where it is 1 what there is so far is multiplied by it.
    """
    result: T | None = None
    rest, done = times, 0
    while rest:
        progress("products", done, times.bit_length())
        if rest % 2:
            result = base if result is None else result * base
        rest //= 2
        if rest:
            base = after_square(base * base, done)
        done += 1
    if result is None:
        raise Fault("a power of no factors")
    return result
