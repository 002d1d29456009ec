"""A threshold program as a picture: on a page, or in a file as SVG, or DOT text for other programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from prover.errors import Unwritable, abbreviated, shown
from prover.program.model import Edge, Program
from prover.report.document import Figure, PageBlock, Text
from prover.report.picture.automaton import (
    MOST_STATES,
    action_lines,
    automaton,
    automaton_words,
    state_lines,
)

HIGHLIGHT = "#c0392b"


def program_picture(
    program: Program,
    caption: str,
    states: Collection[str],
    edges: Collection[Edge],
    notes: Mapping[int, str] | None = None,
) -> list[PageBlock]:
    """The automaton; states that read an input are round."""
    count = len(program.states)
    if count > MOST_STATES:
        many = f"The program has {count:,} states and {len(program.edges):,} transitions"
        return [Text(f"{many}. Only programs of up to {MOST_STATES} states are drawn.")]
    read = f"{caption} Round states read an input, boxes read none, and runs end at double circles."
    return [Figure(automaton(program, states, edges, notes), read, automaton_words(program, states, edges))]


def check_picture(file: str) -> None:
    """Refuse early what cannot be drawn; raises Unwritable."""
    _form(file)


def drawn(program: Program, file: str, states: Collection[str] = (), edges: Collection[Edge] = ()) -> bytes:
    """The picture of a program, with the given states and edges highlighted, for a .dot or .svg file.

    - stands for standard output, and gets DOT. Raises Unwritable.
    """
    if _form(file) == ".svg":
        from prover.report.picture.svg import svg_file

        return svg_file(automaton(program, states, edges), automaton_words(program, states, edges))
    return dot_text(program, states, edges).encode()


def _form(file: str) -> str:
    form = ".dot" if file == "-" else Path(file).suffix.lower()
    if form not in (".dot", ".svg"):
        raise Unwritable("a picture is drawn to a .dot or .svg file", file=file, code="unknown-picture")
    return form


def dot_text(program: Program, states: Collection[str] = (), edges: Collection[Edge] = ()) -> str:
    """The program as a graph in DOT, Graphviz' language, with the given states and edges highlighted.

    Input states are round, public ones boxes, final ones double circles; edges say guard, output and what
    is stored.
    """
    numbers = {edge.number for edge in edges}
    node = _node_names([*program.states, *(edge.target for edge in program.edges)])
    lines = [
        "digraph program {",
        "  rankdir=LR;",
        '  node [fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    lines.append('  "" [shape=point];')
    lines.append(f'  "" -> {node[program.initial]};')
    for name, state in program.states.items():
        shape = "ellipse" if state.input else "box"
        look = f"shape={shape}, label={_quoted(*state_lines(name, state))}{_marked(name in states)}"
        lines.append(f"  {node[name]} [{look}];")
    final = sorted({edge.target for edge in program.edges} - program.states.keys())
    lines += [f"  {node[name]} [shape=doublecircle{_marked(name in states)}];" for name in final]
    for edge in program.edges:
        arrow = f"{node[edge.source]} -> {node[edge.target]}"
        lines.append(f"  {arrow} [label={_quoted(*action_lines(edge))}{_marked(edge.number in numbers)}];")
    return "\n".join([*lines, "}", ""])


def _node_names(states: Iterable[str]) -> dict[str, str]:
    """What the states are called in DOT: their names, with numbers where these are too long for Graphviz."""
    names: dict[str, str] = {}
    for name in states:
        short = abbreviated(name)
        names.setdefault(name, _quoted(name if short == name else f"{short} #{len(names)}"))
    return names


def _marked(marked: bool) -> str:
    return f', color="{HIGHLIGHT}", fontcolor="{HIGHLIGHT}", penwidth=2.5' if marked else ""


def _quoted(*lines: str) -> str:
    escaped = [shown(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'
