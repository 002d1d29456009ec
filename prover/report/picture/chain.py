"""A labelled Markov chain or decision process as a picture: states coloured by labels, secrets ringed."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from prover.chain.model import LabelledMarkovChain
from prover.errors import EMPTY, abbreviated
from prover.exact.readable import brief
from prover.graphs import search
from prover.interactive.model import ANONYMOUS, LabelledMarkovDecisionProcess
from prover.report.picture.graph import Line, Node, drawn_graph

MOST_STATES, MOST_TRANSITIONS = 40, 80
"""Of a chain that is drawn; of a larger one, no more than these may be reached from the secrets."""

_LONGEST = 24


def drawn_states(
    model: LabelledMarkovChain | LabelledMarkovDecisionProcess, secrets: Sequence[int]
) -> tuple[int, ...] | None:
    """The states of a picture: all of a small model, else those that the secrets reach; None if too many."""

    def after(state: int) -> list[int]:
        if isinstance(model, LabelledMarkovChain):
            return [*model.rows[state]]
        return [t for action in model.menu(state) for t in model.row(state, action)]

    for states in (range(len(model)), sorted(search(secrets, after))):
        transitions = sum(len(after(state)) for state in states)
        if 0 < len(states) <= MOST_STATES and transitions <= MOST_TRANSITIONS:
            return tuple(states)
    return None


def chain_picture(chain: LabelledMarkovChain, states: Sequence[int], secrets: Sequence[int]) -> Element:
    """These states of a chain, of which none leads to others; arrows have their probabilities."""
    lines = [
        (s, t, () if chance == 1 else (brief(chance),)) for s in states for t, chance in chain.rows[s].items()
    ]
    title = f"The Markov chain: {len(states)} states and {len(lines)} transitions"
    return _picture(chain, states, secrets, lines, title)


def process_picture(
    process: LabelledMarkovDecisionProcess, states: Sequence[int], secrets: Sequence[int]
) -> Element:
    """These states of a process, of which none leads to others; arrows have actions and probabilities."""
    lines: list[tuple[int, int, tuple[str, ...]]] = []
    for s in states:
        for action in process.menu(s):
            named = () if action == ANONYMOUS else (f"do {_short(action)}",)
            for t, chance in process.row(s, action).items():
                lines.append((s, t, (*named, *(() if chance == 1 else (brief(chance),)))))
    title = f"The decision process: {len(states)} states and {len(lines)} transitions"
    return _picture(process.outline, states, secrets, lines, title)


def _picture(
    chain: LabelledMarkovChain,
    states: Sequence[int],
    secrets: Sequence[int],
    arrows: Sequence[tuple[int, int, tuple[str, ...]]],
    title: str,
) -> Element:
    place = {state: number for number, state in enumerate(states)}
    colours = {label: number for number, label in enumerate(sorted({chain.labels[s] for s in states}))}
    nodes = [
        Node(
            (
                _short(chain.states[s]),
                f"shows {_short(chain.labels[s])}",
                *(("secret",) if s in secrets else ()),
            ),
            colour=colours[chain.labels[s]],
            ringed=s in secrets,
        )
        for s in states
    ]
    lines = [Line(place[s], place[t], words) for s, t, words in arrows]
    return drawn_graph(nodes, lines, [place[s] for s in secrets if s in place], title)


def _short(text: str) -> str:
    return text or EMPTY if len(text) <= _LONGEST else abbreviated(text)[: _LONGEST - 1] + "…"
