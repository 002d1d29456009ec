"""Numbers over two parameters, drawn as a grid of cells that are darker where the number is larger."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from prover.report.picture.svg import LINE, add, picture, text_width, write

_CELL_WIDTH, _CELL_HEIGHT, _LEAST = 62.0, 30.0, 4.0
_WIDTH, _HEIGHT = 620.0, 420.0
_DARKEST = 0.6
"""How opaque the darkest cell is; text on it can still be read."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """What is drawn: ``cells`` have a number and its text, by the places in ``across`` and ``up``."""

    title: str
    across_name: str
    up_name: str
    across: Sequence[str]
    up: Sequence[str]
    cells: Mapping[tuple[int, int], tuple[float, str]]


def drawn_heat_map(heat: HeatMap) -> Element:
    """The picture; the numbers stand in the cells, and beside the axes, where there is room."""
    wide = max(_LEAST, min(_CELL_WIDTH, _WIDTH / len(heat.across)))
    high = max(_LEAST, min(_CELL_HEIGHT, _HEIGHT / len(heat.up)))
    left = text_width((heat.up_name, *heat.up)) + 10
    right, bottom = left + wide * len(heat.across), LINE + high * len(heat.up)
    above = ("upper ends, rounded; darker is larger",) if heat.cells else ()
    width = max(right, left + text_width(above), left + text_width((heat.across_name,)))
    top = picture(width, bottom + 3 * LINE, heat.title)
    most = max((number for number, _ in heat.cells.values()), default=0.0) or 1.0
    write(top, 0.0, LINE / 2 - 4, (heat.up_name,), anchor="start")
    write(top, left, LINE / 2 - 4, above, "small", anchor="start")
    for (column, row), (number, text) in sorted(heat.cells.items()):
        x, y = left + wide * column, bottom - high * (row + 1)
        opacity = _DARKEST * number / most
        add(
            top,
            "rect",
            "share",
            x=x,
            y=y,
            width=wide - min(1.0, wide / 12),
            height=high - min(1.0, high / 12),
            fill_opacity=f"{opacity:.3f}",
        )
        if text_width((text,)) <= wide and high >= LINE:
            write(top, x + wide / 2, y + high / 2, (text,), "small")
    for number in range(0, len(heat.across), _every(text_width(tuple(heat.across)) + 6, wide)):
        write(top, left + wide * (number + 0.5), bottom + 12, (heat.across[number],), "small")
    for number in range(0, len(heat.up), _every(LINE, high)):
        write(top, left - 6, bottom - high * (number + 0.5), (heat.up[number],), "small", anchor="end")
    write(top, (left + right) / 2, bottom + 2 * LINE, (heat.across_name,))
    return top


def _every(room: float, step: float) -> int:
    """Which of the names are written, so that they do not overlap."""
    return max(1, math.ceil(room / step))
