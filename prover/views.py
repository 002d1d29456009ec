"""How models and answers show themselves: the one door from them to texts and pages, which know them all.

Engines know nothing of texts and pages; so these are looked up by name when they are first wanted.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.errors import NotInstalled, shown


@dataclass(frozen=True, slots=True)
class SourceCode:
    """The code that a model was made of, as pages show it: the ``name`` of its function, the ``lines`` that
    it uses, with their numbers, and the constants that were ``given``.
    """

    name: str
    lines: tuple[tuple[int, str], ...]
    given: str = ""


class Viewed:
    """What notebooks show as a picture, or as the beginning of a page."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = _pages().fragment_of(self)
        return html


class Lined:
    """What ``repr`` and ``str`` show as one line, its ``headline``, in place of all its parts."""

    __slots__ = ()

    @property
    def headline(self) -> str:
        """What this is, in a line."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {shown(self.headline)}>"

    def __str__(self) -> str:
        return self.headline


class Printed(Lined):
    """What ``str`` shows as commands print it; ``repr`` is still one line."""

    __slots__ = ()

    def __str__(self) -> str:
        text: str = _pages().text_of(self)
        return text


class Paged(Printed, Viewed):
    """What has a page of its own."""

    __slots__ = ()

    def to_html(self) -> str:
        """A page about this answer: one HTML file that loads nothing from anywhere (docs/pages.md)."""
        html: str = _pages().html_of(self)
        return html


class Bounded(Paged):
    """Answers about one number: lower ≤ number ≤ upper."""

    __slots__ = ()

    lower: Fraction
    upper: Fraction

    @property
    def value(self) -> Fraction | None:
        """The number, if it is known exactly."""
        return self.lower if self.lower == self.upper else None

    @property
    def width(self) -> Fraction:
        """upper - lower: 0 where the number is known exactly."""
        return self.upper - self.lower

    def is_at_most(self, threshold: Fraction) -> bool | None:
        """Whether the number is at most this one; None if the bounds do not tell."""
        if self.upper <= threshold:
            return True
        return False if self.lower > threshold else None


class DrawnAnswer(Viewed):
    """What can be drawn."""

    __slots__ = ()

    def show(self) -> Any:
        """A picture, which notebooks draw; ``write`` puts it into an .svg file (docs/pages.md).

        Raises TooLargeToDraw.
        """
        return _pages().drawing_of(self)


def drawing_of(drawn: object) -> Any:
    """The picture of a model or an answer."""
    return _pages().drawing_of(drawn)


def frame(columns: Mapping[str, Sequence[Any]], index: Sequence[str] | None = None) -> Any:
    """A table of pandas. Raises NotInstalled."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise NotInstalled(
            "to_pandas needs pandas, which is not installed: python -m pip install pandas", code="no-pandas"
        ) from None
    return pandas.DataFrame(dict(columns), index=index, dtype=object)


def _pages() -> Any:
    return importlib.import_module("prover.report.views")
