"""A threshold program as a picture: an automaton, with the structure that leaks in another colour."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from xml.etree.ElementTree import Element

from prover.errors import abbreviated, short_name, shown
from prover.program.model import Edge, Program, State
from prover.program.noise import Gaussian, noise_text
from prover.report.picture.graph import DrawnLine, DrawnNode, NodeShape, drawn_graph

MOST_STATES = 60
"""Of a program that is drawn on a page."""


def automaton(
    program: Program,
    states: Collection[str] = (),
    edges: Collection[Edge] = (),
    notes: Mapping[int, str] | None = None,
) -> Element:
    """The program, with the given states and edges standing out, and notes on edges by their numbers.

    Input states are round, public ones boxes, final ones double; arrows say guard, output and what is stored.
    """
    final = sorted({edge.target for edge in program.edges} - program.states.keys())
    names = [program.initial, *(name for name in program.states if name != program.initial)]
    number = {name: index for index, name in enumerate([*names, *final])}
    nodes = [
        DrawnNode(state_lines(name, program.states[name]), _shape(program.states[name]), hot=name in states)
        for name in names
    ]
    nodes += [DrawnNode((abbreviated(name),), "end", hot=name in states) for name in final]
    marked = {edge.number for edge in edges}
    lines = [
        DrawnLine(
            number[edge.source],
            number[edge.target],
            action_lines(edge) + _note(notes, edge),
            edge.number in marked,
        )
        for edge in program.edges
    ]
    title = f"The program as an automaton of {len(nodes)} states and {len(lines)} transitions"
    return drawn_graph(nodes, lines, [0], title)


def _note(notes: Mapping[int, str] | None, edge: Edge) -> tuple[str, ...]:
    return (notes[edge.number],) if notes and edge.number in notes else ()


def automaton_words(program: Program, states: Collection[str], edges: Collection[Edge]) -> list[str]:
    """A sentence for each state and each transition."""
    marked = {edge.number for edge in edges}
    sentences = []
    for name, state in program.states.items():
        what = ", ".join(state_lines(name, state)[1:])
        sentences.append(f"State {short_name(name)}{' (marked)' * (name in states)}: {what}.")
        for edge in program.edges:
            if edge.source == name:
                does = ", ".join(map(shown, action_lines(edge)))
                to = short_name(edge.target)
                sentences.append(f"Transition to {to}{' (marked)' * (edge.number in marked)}: {does}.")
    return sentences


def _shape(state: State) -> NodeShape:
    return "round" if state.input else "box"


def state_lines(name: str, state: State) -> tuple[str, ...]:
    """The name of a state, its noise, and whether it reads no input."""
    noises = [state.noise, *(() if state.rate_prime is None else (state.rate_prime,))]
    shown = ", ".join(map(noise_text, noises))
    noise = shown if isinstance(noises[0], Gaussian) else f"rate {shown}"
    return (abbreviated(name), noise, *(() if state.input else ("no input",)))


def action_lines(edge: Edge) -> tuple[str, ...]:
    """What a transition tests, puts out and stores."""
    guard = (
        " and ".join(f"{relation} {abbreviated(variable)}" for relation, variable in edge.written) or "always"
    )
    stored = tuple(f"store {abbreviated(variable)}" for variable in edge.assign)
    return (guard, f"out {abbreviated(edge.output)}", *stored)
