"""Which values parameters take in a sweep: whole numbers from one to another, or evenly spaced numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from math import prod

from prover.errors import BadOptions, BadValue, abbreviated, must_be, quoted
from prover.exact.given import Given, given_rational
from prover.exact.rational import parse_rational

MOST = 10_000
"""How many models a sweep may be about."""

Ranges = Mapping[str, tuple[Fraction, ...]]

_RANGE = re.compile(r"(?:^|,)\s*(\w+)\s*=\s*([^,:=]+(?::[^,:=]*)+)(?=,|$)")


def split(const: str) -> tuple[dict[str, str], str]:
    """The ranges in a text of constants, by their names, and the text without them.

        >>> split("others=0:20,p=1/3,name='x,n=1:2'")
        ({'others': '0:20'}, "p=1/3,name='x,n=1:2'")

    Raises BadOptions.
    """
    found: dict[str, str] = {}
    rest, end = "", 0
    for match in _RANGE.finditer(const):
        before = const[: match.start()]
        if before.count("'") % 2 or before.count('"') % 2 or _depth(before):
            continue
        name, text = match[1], match[2].strip()
        if name in found:
            raise BadOptions(f"the constant {name} has two ranges")
        found[name] = text
        rest, end = rest + const[end : match.start()], match.end()
    return found, (rest + const[end:]).strip(", ")


def _depth(text: str) -> int:
    """How many brackets are open at the end of a text."""
    return sum((letter in "[(") - (letter in "])") for letter in text)


def ranges_of(over: Mapping[str, str | Iterable[Given]]) -> Ranges:
    """The values of one or two parameters, in the order of the ranges. Raises BadOptions, BadValue."""
    must_be(Mapping, over=over)
    if not 1 <= len(over) <= 2:
        raise BadOptions(
            f"a sweep is over one or two parameters, not {len(over)}; give ranges to them, such as "
            "--const others=0:10, or with a number of points --const p=0:1:11",
            code="bad-range",
        )
    found = {name: _values(name, given) for name, given in over.items()}
    if (count := prod(map(len, found.values()))) > MOST:
        raise _too_many(count)
    return found


def _too_many(count: int) -> BadOptions:
    return BadOptions(f"a sweep is over at most {MOST:,} models, not {count:,}", code="bad-range")


def _values(name: str, given: str | Iterable[Given]) -> tuple[Fraction, ...]:
    if isinstance(given, str):
        return _written(name, given)
    must_be(Iterable, over=given)
    values: list[Fraction] = []
    for one in given:
        if len(values) == MOST:
            raise _too_many(MOST + 1)
        values.append(given_rational(one, name, "bad-range"))
    if not values or any(a >= b for a, b in pairwise(values)):
        raise BadOptions(f"{name} needs values in increasing order, at least one", code="bad-range")
    return tuple(values)


def _written(name: str, text: str) -> tuple[Fraction, ...]:
    """The whole numbers of FIRST:LAST, or the evenly spaced numbers of FIRST:LAST:POINTS."""
    parts = [part.strip() for part in text.split(":")]
    wrong = BadValue(
        f"{name}={abbreviated(text)} is not a range; write whole numbers as {name}=0:10, or evenly spaced "
        f"numbers as {name}=0:1:11, which are 11 points",
        code="bad-range",
    )
    if not 2 <= len(parts) <= 3 or not all(parts):
        raise wrong
    first, last = parse_rational(parts[0]), parse_rational(parts[1])
    if first > last:
        raise BadValue(f"the range {quoted(f'{name}={text}')} is empty", code="bad-range")
    if len(parts) == 2 and (first.denominator, last.denominator) != (1, 1):
        raise wrong
    points = last - first + 1 if len(parts) == 2 else parse_rational(parts[2])
    if points.denominator != 1 or points < 1 or (points == 1) != (first == last):
        raise wrong
    if points > MOST:
        raise _too_many(int(points))
    count = int(points)
    step = (last - first) / max(count - 1, 1)
    return tuple(first + step * k for k in range(count))
