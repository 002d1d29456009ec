"""SVG as a tree of elements, so that no name of a state can be anything but text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement, tostring

from prover.errors import Unwritable, shown

Position = tuple[float, float]
"""From the left, and from the top."""

LINE = 16.0
"""From one line of text to the next."""

_WIDE, _NARROW = 13.0, 7.1
_SVG = "http://www.w3.org/2000/svg"


def picture(width: float, height: float, title: str, margin: float = 8.0) -> Element:
    """An empty picture of this size, which screen readers call by its title."""
    box = f"{-margin:g} {-margin:g} {width + 2 * margin:.6g} {height + 2 * margin:.6g}"
    size = {"width": f"{width + 2 * margin:.6g}", "height": f"{height + 2 * margin:.6g}"}
    top = Element("svg", {"xmlns": _SVG, "viewBox": box, **size, "class": "picture", "role": "img"})
    top.set("aria-label", shown(title))
    SubElement(top, "title").text = shown(title)
    return top


def add(parent: Element, kind: str, look: str = "", **numbers: float | str) -> Element:
    """A part of a picture with these attributes; an underscore in their names stands for a hyphen."""
    texts = {key.replace("_", "-"): _number(value) for key, value in numbers.items()}
    return SubElement(parent, kind, {**({"class": look} if look else {}), **texts})


def write(
    parent: Element, x: float, y: float, lines: tuple[str, ...], look: str = "", anchor: str = "middle"
) -> None:
    """Lines of text, one below the other, around a place."""
    top = y - LINE * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        text = add(
            parent, "text", look, x=x, y=top + LINE * number, text_anchor=anchor, dominant_baseline="central"
        )
        text.text = shown(line)


def text_width(lines: tuple[str, ...]) -> float:
    """About how wide the widest of the lines is."""
    return max((sum(_width(letter) for letter in shown(line)) for line in lines), default=0.0)


def _width(letter: str) -> float:
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def svg_text(drawn: Element) -> str:
    """The picture as part of a page, which has the looks."""
    return tostring(drawn, encoding="unicode")


def check_svg(file: str) -> None:
    """Refuse early what pictures are not drawn to; - is standard output. Raises Unwritable."""
    if file != "-" and PurePath(file).suffix.lower() != ".svg":
        raise Unwritable("a picture is drawn to an .svg file", file=file, code="not-svg")


def svg_file(drawn: Element, words: Sequence[str] = ()) -> bytes:
    """The picture as a file of its own, with its looks, and in words for screen readers."""
    drawn = deepcopy(drawn)
    if words:
        description = Element("desc")
        description.text = shown(" ".join(words))
        drawn.insert(1, description)
    style = Element("style")
    style.text = f"{looks()}svg {{ background: var(--paper); }}"
    drawn.insert(0, style)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{svg_text(drawn)}\n".encode()


@cache
def looks() -> str:
    """How pictures look, as CSS: light, dark, and on paper."""
    from importlib import resources

    return resources.files("prover.report.picture").joinpath("picture.css").read_text(encoding="utf-8")
