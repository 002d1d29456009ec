"""A labelled Markov chain or decision process as a picture: states coloured by labels, secrets ringed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from xml.etree.ElementTree import Element

from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import EMPTY, abbreviated
from prover.exact.readable import brief
from prover.graphs import search
from prover.report.picture.graph import DrawnLine, DrawnNode, drawn_graph

MOST_STATES, MOST_TRANSITIONS = 40, 80
"""Of a chain that is drawn; of a larger one, no more than these may be reached from the secrets."""

_LONGEST = 24


DrawnModel = LabelledMarkovChain | LabelledMarkovDecisionProcess


def moves(model: DrawnModel, state: int) -> list[tuple[str, Mapping[int, Fraction]]]:
    """The actions of a state, each with where it leads; in chains there is one, without a name."""
    if isinstance(model, LabelledMarkovChain):
        return [(ANONYMOUS, model.rows[state])]
    return [(action, model.row(state, action)) for action in model.menu(state)]


def drawn_states(model: DrawnModel, secrets: Sequence[int]) -> tuple[int, ...] | None:
    """The states of a picture: all of a small model, else those that the secrets reach; None if too many."""

    def after(state: int) -> list[int]:
        return [t for _, row in moves(model, state) for t in row]

    for states in (range(len(model)), sorted(search(secrets, after))):
        transitions = sum(len(after(state)) for state in states)
        if 0 < len(states) <= MOST_STATES and transitions <= MOST_TRANSITIONS:
            return tuple(states)
    return None


def model_picture(model: DrawnModel, states: Sequence[int], secrets: Sequence[int]) -> Element:
    """These states of a model, of which none leads to others; arrows have actions and probabilities."""
    index = {state: number for number, state in enumerate(states)}
    colours = {label: number for number, label in enumerate(sorted({model.labels[s] for s in states}))}
    nodes = [
        DrawnNode(
            (
                _short(model.states[s]),
                f"shows {_short(model.labels[s])}",
                *(("secret",) if s in secrets else ()),
            ),
            colour=colours[model.labels[s]],
            ringed=s in secrets,
        )
        for s in states
    ]
    lines = []
    for s in states:
        for action, row in moves(model, s):
            named = () if action == ANONYMOUS else (f"do {_short(action)}",)
            for t, chance in row.items():
                words = (*named, *(() if chance == 1 else (brief(chance),)))
                lines.append(DrawnLine(index[s], index[t], words))
    what = "Markov chain" if isinstance(model, LabelledMarkovChain) else "decision process"
    title = f"The {what}: {len(states)} states and {len(lines)} transitions"
    return drawn_graph(nodes, lines, [index[s] for s in secrets if s in index], title)


def _short(text: str) -> str:
    return text or EMPTY if len(text) <= _LONGEST else abbreviated(text)[: _LONGEST - 1] + "…"
