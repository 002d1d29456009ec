"""Texts of which a model repeats many: what one means is found once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Meaning = TypeVar("Meaning")

_KEPT = 100_000


class Meanings(dict[Any, Meaning]):
    """``known[text]`` is what ``meaning`` returns for the text; the first 100,000 are kept.

    >>> numbers = Meanings(int)
    >>> numbers["12"], dict(numbers)
    (12, {'12': 12})

    Raises what ``meaning`` raises.
    """

    __slots__ = ("_meaning",)

    def __init__(self, meaning: Callable[[Any], Meaning]) -> None:
        super().__init__()
        self._meaning = meaning

    def __missing__(self, text: Any) -> Meaning:
        found = self._meaning(text)
        if len(self) < _KEPT:
            self[text] = found
        return found
