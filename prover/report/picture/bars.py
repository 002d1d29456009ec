"""What δ is, drawn: how likely something is from one secret, beside α times how likely it is from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from prover.report.picture.svg import LINE, add, picture, text_width, write

_LENGTH = 360.0
_BAR, _GAP, _ASIDE = 15.0, 3.0, 18.0


@dataclass(frozen=True, slots=True)
class Bar:
    """How likely something is, as a length, and what that is in words."""

    words: str
    length: Fraction


@dataclass(frozen=True, slots=True)
class Compared:
    """Something that may be seen: its probability from the first secret, and α times that from the second."""

    what: str
    first: Bar
    second: Bar

    @property
    def excess(self) -> Fraction:
        """By how much the first bar is longer; 0 if it is not."""
        return max(self.first.length - self.second.length, Fraction(0))


def drawn_bars(compared: Sequence[Compared], excess: str, title: str) -> Element:
    """The picture: the part of a first bar beyond the second is marked, and ``excess`` says what it is."""
    longest = max([Fraction(1), *(one.second.length for one in compared)])
    scale = _LENGTH / float(longest)
    words = [bar.words for one in compared for bar in (one.first, one.second)]
    width = max(_LENGTH, text_width((*words, excess, *(one.what for one in compared))) + _ASIDE)
    step = 4 * LINE + 2 * (_BAR + _GAP)
    top = picture(width, len(compared) * step + LINE, title)
    for number, one in enumerate(compared):
        y = number * step + LINE / 2
        write(top, 0, y, (one.what,), "name", anchor="start")
        y += LINE
        for bar, look in ((one.first, "share"), (one.second, "rest")):
            _key(top, y, look, bar.words, "")
            y += LINE
        y -= LINE / 2 - _GAP
        for bar, look in ((one.first, "share"), (one.second, "rest")):
            add(top, "rect", "track", x=0.0, y=y, width=scale, height=_BAR)
            add(top, "rect", look, x=0.0, y=y, width=scale * float(bar.length), height=_BAR)
            y += _BAR + _GAP
        if one.excess:
            begin, y = scale * float(one.second.length), y - 2 * (_BAR + _GAP)
            add(top, "rect", "beyond", x=begin, y=y, width=scale * float(one.excess), height=_BAR)
            add(top, "path", "mark", d=f"M{begin:.6g} {y - 3:.6g}v{2 * _BAR + _GAP + 6:g}")
    _key(top, len(compared) * step + LINE / 2, "beyond", excess, "name")
    return top


def _key(top: Element, y: float, look: str, words: str, how: str) -> None:
    add(top, "rect", look, x=0.0, y=y - 5, width=10.0, height=10.0)
    write(top, _ASIDE, y, (words,), how, anchor="start")
