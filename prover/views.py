"""How models and answers show themselves: the one door from them to the pages, which know them all.

Whoever computes knows nothing of pages; so they are looked up by name, when somebody wants to see one.
"""

from __future__ import annotations

import importlib
from typing import Any


def _pages() -> Any:
    return importlib.import_module("prover.report.page.views")


class Viewed:
    """What notebooks show as a picture, or as the beginning of a page."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        shown: str = _pages().fragment_of(self)
        return shown


class Paged(Viewed):
    """What has a page of its own."""

    __slots__ = ()

    def to_html(self) -> str:
        """A page about this answer: one HTML file that loads nothing from anywhere (docs/pages.md)."""
        page: str = _pages().html_of(self)
        return page


class Drawn(Viewed):
    """What can be drawn."""

    __slots__ = ()

    def show(self) -> Any:
        """A picture, which notebooks draw; ``str`` of it is SVG."""
        return _pages().drawing_of(self)
