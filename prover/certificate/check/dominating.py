"""Functions of stored shifts that are at most others, everywhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

NO_FUNCTION = -1, -1, -1  # below all functions, whose numbers are not negative


def each_dominated(functions: Iterable[tuple[int, ...]], others: Sequence[tuple[int, ...]]) -> bool:
    """Whether each function is at most one of the others, everywhere."""
    return all(
        any(all(x <= y for x, y in zip(function, other, strict=True)) for other in others)
        for function in functions
    )


def all_dominated(functions: Iterable[tuple[int, ...]], others: Sequence[tuple[int, ...]]) -> bool:
    """Whether each function of three shifts is at most one of the others, in falling order, everywhere.

    In falling order of the first numbers, the others to compare with only become more. Of their second and
    third numbers only such pairs are kept that no pair reaches in both: the former rise, the latter fall.
    """
    seconds: list[int] = []
    thirds: list[int] = []
    coming = iter(others)
    first, second, third = next(coming, NO_FUNCTION)
    high_second = high_third = -1  # the pair that the function before is at most
    for x, y, z in sorted(functions, reverse=True):
        if y <= high_second and z <= high_third:
            continue
        while first >= x:
            place = bisect_right(seconds, second)
            if place == len(thirds) or thirds[place] < third:
                least = place
                while least and thirds[least - 1] <= third:
                    least -= 1
                if least < place:
                    seconds[least:place], thirds[least:place] = [second], [third]
                else:
                    seconds.insert(place, second)
                    thirds.insert(place, third)
            first, second, third = next(coming, NO_FUNCTION)
        place = bisect_left(seconds, y)
        if place == len(seconds):
            return False
        high_second, high_third = seconds[place], thirds[place]
        if high_third < z:
            return False
    return True
