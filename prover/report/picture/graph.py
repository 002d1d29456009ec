"""Directed graphs with words on nodes and arrows, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from xml.etree.ElementTree import Element

from prover.report.picture.layout import Connection, Extent, Layout, Route, layered
from prover.report.picture.svg import LINE, Position, add, picture, text_width, write

NodeShape = Literal["round", "box", "end"]

_PADDING = 10.0
_LOOP = 30.0  # how far an arrow from a node to itself goes out
_HEAD = 7.0
_BOLD = 1.2  # how much wider bold letters may be


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """What is written in a node, its name first; its shape, its colour by number; whether it is ringed, or
    stands out.
    """

    lines: tuple[str, ...]
    shape: NodeShape = "round"
    colour: int | None = None
    ringed: bool = False
    hot: bool = False


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """An arrow from one node to another, or the same, by their numbers, with what is written on it."""

    source: int
    target: int
    lines: tuple[str, ...] = ()
    hot: bool = False


def drawn_graph(
    nodes: Sequence[DrawnNode], lines: Sequence[DrawnLine], first: Sequence[int], title: str
) -> Element:
    """The picture of a graph, with the ``first`` nodes on top where nothing leads to them."""
    loops: dict[int, list[DrawnLine]] = {}
    for line in lines:
        if line.source == line.target:
            loops.setdefault(line.source, []).append(line)
    others = [line for line in lines if line.source != line.target]
    boxes = [_box(node, loops.get(number, ())) for number, node in enumerate(nodes)]
    arrows = [Connection(line.source, line.target, _label_box(line)) for line in others]
    laid = layered(boxes, arrows, first)
    top = picture(laid.width, laid.height, title)
    ends = _ends(nodes, others, laid)
    for number, (line, route) in enumerate(zip(others, laid.routes, strict=True)):
        _draw_arrow(top, line, route, (ends[number, True], ends[number, False]))
    for line, route in zip(others, laid.routes, strict=True):
        if line.lines and route.label is not None:
            _draw_label(top, *route.label, line)
    for number, node in enumerate(nodes):
        _draw_loops(top, node, laid.nodes[number], loops.get(number, ()))
        _draw_node(top, node, laid.nodes[number])
    return top


def _size(node: DrawnNode) -> tuple[float, float]:
    """The width and the height of a node alone."""
    height = LINE * len(node.lines) + _PADDING
    name = text_width(node.lines[:1]) * _BOLD + 2
    width = max(text_width(node.lines) + 2 * _PADDING, name, 44.0)
    return (width + 6, height + 6) if node.shape == "round" else (width, height)


def _outer_size(node: DrawnNode) -> tuple[float, float]:
    """With the second outline, where there is one."""
    width, height = _size(node)
    more = 7.0 if node.ringed or node.shape == "end" else 0.0
    return width + more, height + more


def _box(node: DrawnNode, loops: Sequence[DrawnLine]) -> Extent:
    width, height = _outer_size(node)
    aside = max((_LOOP + _words_width(loop) + 6 for loop in loops), default=0.0)
    tall = max(height, sum(map(_loop_height, loops)))
    return Extent(width / 2 + 4, width / 2 + 4 + aside, tall / 2, tall / 2)


def _label_box(line: DrawnLine) -> Extent | None:
    return Extent.of(_words_width(line) + 6, LINE * len(line.lines) + 2) if line.lines else None


def _words_width(line: DrawnLine) -> float:
    """How wide the words on an arrow are; those that stand out are bold."""
    return text_width(line.lines) * (_BOLD if line.hot else 1.0)


def _loop_height(loop: DrawnLine) -> float:
    return LINE * max(1, len(loop.lines)) + 12


def _ends(
    nodes: Sequence[DrawnNode], lines: Sequence[DrawnLine], laid: Layout
) -> Mapping[tuple[int, bool], Position]:
    """Where arrows leave (True) and reach (False) nodes: side by side, in the order of where they go to."""
    sides: dict[tuple[int, bool], list[tuple[float, int, bool]]] = {}
    for number, (line, route) in enumerate(zip(lines, laid.routes, strict=True)):
        for leaving, node, other in ((True, line.source, line.target), (False, line.target, line.source)):
            below = leaving is not route.turned
            along = route.points or (laid.nodes[other],)
            sides.setdefault((node, below), []).append(
                ((along[0] if below else along[-1])[0], number, leaving)
            )
    ends: dict[tuple[int, bool], Position] = {}
    for (node, below), arriving in sides.items():
        x, y = laid.nodes[node]
        width, height = _outer_size(nodes[node])
        for index, (_, number, leaving) in enumerate(sorted(arriving), start=1):
            share = index / (len(arriving) + 1) - 0.5
            rise = height / 2 * ((1 - (1.2 * share) ** 2) ** 0.5 if nodes[node].shape == "round" else 1.0)
            ends[number, leaving] = (x + 0.6 * width * share, y + (rise if below else -rise))
    return ends


def _draw_arrow(top: Element, line: DrawnLine, route: Route, ends: tuple[Position, Position]) -> None:
    """A curve that goes up or down at both ends and in every layer."""
    hot = " hot" * line.hot
    between = tuple(reversed(route.points)) if route.turned else route.points
    (x, y), (last, end) = ends
    way = 1.0 if route.turned else -1.0  # towards the source
    points = [(x, y), *between, (last, end + way * _HEAD)]
    path = [f"M{x:.6g} {y:.6g}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        path.append(f"C{x0:.6g} {middle:.6g} {x1:.6g} {middle:.6g} {x1:.6g} {y1:.6g}")
    add(top, "path", f"edge{hot}", d="".join(path))
    base = end + way * _HEAD * 1.3
    add(
        top,
        "path",
        f"head{hot}",
        d=f"M{last:.6g} {end:.6g}L{last - 4.5:.6g} {base:.6g}L{last + 4.5:.6g} {base:.6g}Z",
    )


def _draw_label(top: Element, x: float, y: float, line: DrawnLine) -> None:
    width, height = _words_width(line) + 4, LINE * len(line.lines)
    add(top, "rect", "plate", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=3.0)
    write(top, x, y, line.lines, "hot" if line.hot else "")


def _draw_loops(top: Element, node: DrawnNode, position: Position, loops: Sequence[DrawnLine]) -> None:
    """Arrows from a node to itself, on its right side, one below the other."""
    width, height = _outer_size(node)
    x, y = position[0] + width / 2, position[1] - sum(map(_loop_height, loops)) / 2
    for number, loop in enumerate(loops):
        hot = " hot" * loop.hot
        middle = y + _loop_height(loop) / 2
        share = (number + 1) / (len(loops) + 1) - 0.5
        at = position[1] + 0.6 * height * share
        edge = x - (2 * share) ** 2 * 0.12 * width if node.shape == "round" else x
        far = x + _LOOP
        bend = (
            f"M{edge:.6g} {at - 4:.6g}"
            f"C{far - 8:.6g} {middle - 14:.6g} {far:.6g} {middle - 8:.6g} {far:.6g} {middle:.6g}"
            f"C{far:.6g} {middle + 8:.6g} {far - 8:.6g} {middle + 14:.6g} {edge + _HEAD:.6g} {at + 5:.6g}"
        )
        add(top, "path", f"edge{hot}", d=bend)
        add(top, "path", f"head{hot}", d=f"M{edge:.6g} {at + 4:.6g}l8.6 -3l-1.6 8Z")
        write(top, far + 6, middle, loop.lines, "hot" if loop.hot else "", anchor="start")
        y += _loop_height(loop)


def _draw_node(top: Element, node: DrawnNode, position: Position) -> None:
    x, y = position
    width, height = _size(node)
    look = "node" + (f" c{node.colour % 8}" if node.colour is not None else "") + " hot" * node.hot
    _outline(top, node.shape, position, (width, height), look)
    if node.ringed or node.shape == "end":
        look = "ring" if node.ringed else "edge" + " hot" * node.hot
        _outline(top, node.shape, position, _outer_size(node), look)
    lines = node.lines
    write(top, x, y - LINE * (len(lines) - 1) / 2, lines[:1], "name hot" if node.hot else "name")
    write(top, x, y + LINE / 2, lines[1:], "small")


def _outline(
    top: Element, shape: NodeShape, position: Position, size: tuple[float, float], look: str
) -> None:
    (x, y), (width, height) = position, size
    corner = 4.0 if shape == "box" else height / 2
    add(top, "rect", look, x=x - width / 2, y=y - height / 2, width=width, height=height, rx=corner)
