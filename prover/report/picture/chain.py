"""A labelled Markov chain as a picture: states coloured by their labels, secrets ringed."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from prover.chain.model import LabelledMarkovChain, reachable
from prover.errors import abbreviated
from prover.exact.readable import brief
from prover.report.picture.graph import Line, Node, drawn_graph

MOST_STATES, MOST_TRANSITIONS = 40, 80
"""Of a chain that is drawn; of a larger one, no more than these may be reached from the secrets."""

_LONGEST = 24


def drawn_states(chain: LabelledMarkovChain, secrets: Sequence[int]) -> tuple[int, ...] | None:
    """The states of a picture: all of a small chain, else those that the secrets reach; None if too many."""
    for states in (range(len(chain)), sorted(reachable(chain, secrets))):
        transitions = sum(len(chain.rows[state]) for state in states)
        if 0 < len(states) <= MOST_STATES and transitions <= MOST_TRANSITIONS:
            return tuple(states)
    return None


def chain_picture(chain: LabelledMarkovChain, states: Sequence[int], secrets: Sequence[int]) -> Element:
    """These states of a chain, of which none leads to others; arrows have their probabilities."""
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
    lines = [
        Line(place[s], place[t], () if chance == 1 else (brief(chance),))
        for s in states
        for t, chance in chain.rows[s].items()
    ]
    title = f"The Markov chain: {len(nodes)} states and {len(lines)} transitions"
    return drawn_graph(nodes, lines, [place[s] for s in secrets if s in place], title)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else abbreviated(text)[: _LONGEST - 1] + "…"
