"""Numbers in the line that is printed: shortened where they are long."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from .reading import canonical, from_digits

MOST_LISTED = 200  # characters of the numbers of a list


def listed(numbers: Sequence[str]) -> str:
    """Rationals; long lists by how many there are and a digest."""
    text = ",".join(numbers)
    return text if len(text) <= MOST_LISTED else f"{len(numbers)}:{sha256(canonical(numbers)).hexdigest()}"


def above(number: str) -> str:
    """The same, rounded up where it is shortened."""
    return abbreviate(number, up=True)


def abbreviate(number: str, *, up: bool = False) -> str:
    """A rational of at least 0: in full up to 60 characters, else cut after 20 decimal places."""
    if len(number) <= 60:
        return number
    top, _, bottom = number.partition("/")
    exponent = max(0, len(top) - len(bottom) - 20)
    n, d = from_digits(top) * 10**20, from_digits(bottom or "1") * 10**exponent
    places = str(-(-n // d) if up else n // d).rjust(21, "0")
    power = f"e+{exponent}" if exponent else ""
    how = ", rounded up" if up else ""
    return f"{places[:-20]}.{places[-20:]}...{power} (exact number of {len(top) + len(bottom)} digits{how})"
