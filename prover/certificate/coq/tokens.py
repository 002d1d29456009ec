"""Numbers as `proofs/Decode.v` reads them: integers in base 32, one after the other, in lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

WIDTH = 200
"""Characters after which a line ends, at the end of a number. Coq's stack grows with the longest line."""


def lines(numbers: Iterable[int]) -> Iterator[str]:
    """Numbers are 0, -1, 1, -2, 2, … in this order, in base 32, highest digit first. Digits are characters
    from "0" on; the last one of a number is 32 further on."""
    line: list[str] = []
    size = 0
    for number in numbers:
        line.append(_digits(2 * number if number >= 0 else -2 * number - 1))
        size += len(line[-1])
        if size >= WIDTH:
            yield "".join(line)
            line, size = [], 0
    if line:
        yield "".join(line)


def _digits(n: int) -> str:
    last, n = chr(48 + 32 + n % 32), n // 32
    digits = []
    while n:
        digits.append(chr(48 + n % 32))
        n //= 32
    return "".join(reversed(digits)) + last


def literal(numbers: Iterable[int]) -> str:
    """A Coq list of lines."""
    return "[" + ";\n ".join(f'"{line}"' for line in lines(numbers)) + "]%text"


def listed(items: Iterable[Iterable[int]]) -> Iterator[int]:
    """A list after its length."""
    whole = [list(item) for item in items]
    yield len(whole)
    for item in whole:
        yield from item
