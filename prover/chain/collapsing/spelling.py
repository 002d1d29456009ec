"""A process written as a chain in which actions are states of their own, and read as a process again.

So what a chain is to who does not see every step tells what a process is.
Reference: docs/theory_interactive.md, *Unseen steps*.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction

from prover.chain.collapsing.chain import fresh
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess

SpeltRow = dict[str, Fraction]


def code_of(label: str) -> str:
    """The label of the chain that stands for one of the process."""
    return json.dumps([label])


def spelt_out(process: LabelledMarkovDecisionProcess) -> LabelledMarkovChain:
    """The chain of an attacker who tosses fair coins, in which every action that is chosen is a state.

    All states of the process are initial where none are related.
    """
    taken = set(process.states)
    states: dict[str, tuple[str, Mapping[str, Fraction]]] = {}
    for s, (name, label) in enumerate(zip(process.states, process.labels, strict=True)):
        menu = process.menu(s)
        rows = {a: {process.states[t]: p for t, p in process.row(s, a).items()} for a in menu}
        if len(menu) == 1:
            states[name] = code_of(label), rows[menu[0]]
            continue
        moves = {}
        for action, row in rows.items():
            move = fresh(f"{name} {action}", taken)
            taken.add(move)
            states[move] = json.dumps([label, action]), row
            moves[move] = Fraction(1, len(menu))
        states[name] = code_of(label), moves
    names = process.states
    related = [(names[s], names[t]) for s, t in process.relation] or [(name, name) for name in names]
    return LabelledMarkovChain.of(states, related)


def read_again(
    found: LabelledMarkovChain, process: LabelledMarkovDecisionProcess
) -> LabelledMarkovDecisionProcess:
    """The process that a collapsed chain spells out."""
    parts = [_decoded(label) for label in found.labels]
    labels = _names_of_new_labels(found.labels, process.menus)
    names = _names(found, parts, process)
    silence = fresh("silence", {*names})
    states: dict[str, tuple[str, SpeltRow | dict[str, SpeltRow]]] = {}
    falls_silent = False

    def following(state: int) -> SpeltRow:
        """Where a state or an action leads; to silence, where nothing is seen after an action."""
        nonlocal falls_silent
        row: SpeltRow = {}
        for t, p in found.rows[state].items():
            falls_silent = falls_silent or len(parts[t]) == 2
            row[silence if len(parts[t]) == 2 else names[t]] = p
        return row

    for s, name in enumerate(names):
        if len(parts[s]) == 2:
            continue
        label = parts[s][0] if parts[s] else labels[found.labels[s]]
        if label in process.menus and len(process.menus[label]) > 1:
            states[name] = label, {parts[move][1]: following(move) for move in found.rows[s]}
        else:
            states[name] = label, following(s)
    if falls_silent:
        states[silence] = fresh("silence", {label for label, _ in states.values()}), {silence: Fraction(1)}
    related = [(names[s], names[t]) for s, t in found.relation] if process.relation else []
    return LabelledMarkovDecisionProcess.of(states, related)


def _names(
    found: LabelledMarkovChain, parts: list[list[str]], process: LabelledMarkovDecisionProcess
) -> list[str]:
    """What the states are called: as in the chain, but states for ever by their label in the process."""
    names, taken = [], {*process.states}
    for name, label, part in zip(found.states, found.labels, parts, strict=True):
        if part and name == f"{label} for ever":
            name = fresh(f"{part[0]} for ever", taken)
            taken.add(name)
        names.append(name)
    return names


def _decoded(label: str) -> list[str]:
    """A label and perhaps an action of the process, or nothing where collapsing has made the label."""
    if not label.startswith("["):
        return []
    parts: list[str] = json.loads(label)
    return parts


def _names_of_new_labels(labels: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """What labels that collapsing has made are called in the process."""
    return {label: fresh(label, known) for label in sorted(set(labels)) if not _decoded(label)}
