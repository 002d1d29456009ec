"""A system as it looks to an attacker who does not see every step in which nothing is chosen.

The process is written as a chain in which actions are states of their own, that chain is collapsed, and what
is left is read as a process again. Reference: docs/theory_interactive.md, *Steps that nobody sees*.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import overload

from prover.chain.collapsing.collapse import begun_anywhere as begun_chain_anywhere
from prover.chain.collapsing.collapse import begun_at as begun_chain_at
from prover.chain.collapsing.collapse import collapse as collapse_chain
from prover.chain.collapsing.collapse import collapse_for, fresh, not_labels, unknown_label
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain
from prover.errors import must_be
from prover.interactive.collapsing.collapsed import CollapsedProcess
from prover.interactive.errors import silent_choice
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.progress import Progress
from prover.progress import silent as quiet

Row = dict[str, Fraction]


@overload
def collapse(
    chain: LabelledMarkovChain,
    silent: Iterable[str] = (),
    *,
    untimed: bool = True,
    progress: Progress = quiet,
) -> CollapsedChain: ...


@overload
def collapse(
    chain: LabelledMarkovDecisionProcess,
    silent: Iterable[str] = (),
    *,
    untimed: bool = True,
    progress: Progress = quiet,
) -> LabelledMarkovDecisionProcess: ...


def collapse(
    chain: LabelledMarkovChain | LabelledMarkovDecisionProcess,
    silent: Iterable[str] = (),
    *,
    untimed: bool = True,
    progress: Progress = quiet,
) -> CollapsedChain | LabelledMarkovDecisionProcess:
    """The system that an observer sees who does not see steps, only changes of the label.

    Of chains see prover.chain.collapsing.collapse. An attacker sees his own actions, so a step that he
    chooses is seen, also where the label stays; of all others only changes of the label are, if ``untimed``.
    States whose labels are ``silent`` are not seen at all, and leave no choice. An action, or a state in
    which nothing is chosen, leads to what is seen next; if that is nothing for ever, to a state of a label of
    its own.

        >>> process = LabelledMarkovDecisionProcess.of({
        ...     "s": ("ready", {"go": {"work": 1}, "stay": {"s": 1}}),
        ...     "t": ("ready", {"go": {"work": 1}, "stay": {"s": 1}}),
        ...     "work": ("busy", {"work": "1/2", "done": "1/2"}),
        ...     "done": ("done", {"done": 1})}, [("s", "t")])
        >>> seen = collapse(process, ["busy"])
        >>> seen.states, seen.row(seen.index("s"), "go") == {seen.index("done"): 1}
        (('done', 's', 't'), True)

    Raises BadValue, UnknownName, NotSupported, BeyondLimit.
    """
    must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess), chain=chain)
    if isinstance(chain, LabelledMarkovChain):
        return collapse_chain(chain, silent, untimed=untimed, progress=progress)
    must_be(Iterable, silent=silent)
    hidden = _checked(chain, silent)
    return _collapsed((), chain, hidden, untimed=untimed, progress=progress)


@overload
def begun_at(system: LabelledMarkovChain, *names: str | None) -> LabelledMarkovChain: ...


@overload
def begun_at(system: LabelledMarkovDecisionProcess, *names: str | None) -> LabelledMarkovDecisionProcess: ...


def begun_at(
    system: LabelledMarkovChain | LabelledMarkovDecisionProcess, *names: str | None
) -> LabelledMarkovChain | LabelledMarkovDecisionProcess:
    """The system in which runs begin at the states of these names, besides where they begin already.

    Of chains see prover.chain.collapsing.collapse. Raises UnknownName, InvalidModel, BeyondLimit.
    """
    if isinstance(system, LabelledMarkovChain):
        return begun_chain_at(system, *names)
    if not isinstance(system, CollapsedProcess):
        return system
    wanted = [name for name in names if name is not None]
    original = begun_at(system.original, *wanted)
    for name in wanted:
        original.index(name)
    if {*system.states}.issuperset(wanted):
        return system
    return _collapsed(wanted, original, system.silent, untimed=system.untimed)


@overload
def begun_anywhere(system: LabelledMarkovChain) -> LabelledMarkovChain: ...


@overload
def begun_anywhere(system: LabelledMarkovDecisionProcess) -> LabelledMarkovDecisionProcess: ...


def begun_anywhere(
    system: LabelledMarkovChain | LabelledMarkovDecisionProcess,
) -> LabelledMarkovChain | LabelledMarkovDecisionProcess:
    """The same for all states that there were before steps were left out. Raises BeyondLimit."""
    if isinstance(system, LabelledMarkovChain):
        return begun_chain_anywhere(system)
    return begun_at(system, *system.original.states) if isinstance(system, CollapsedProcess) else system


def secrets(process: LabelledMarkovDecisionProcess) -> list[int]:
    """The states where runs begin: all, or those that have a name of the original."""
    named = {*(process.original if isinstance(process, CollapsedProcess) else process).states}
    return [s for s, name in enumerate(process.states) if name in named]


def _collapsed(
    names: Iterable[str],
    process: LabelledMarkovDecisionProcess,
    silent: Collection[str],
    *,
    untimed: bool,
    progress: Progress = quiet,
) -> CollapsedProcess:
    """What is seen of the process, where runs may begin at the states of these names, too."""
    found = collapse_for(names, _spelt_out(process), map(_code, silent), untimed=untimed, progress=progress)
    left = _read_again(found, process)
    return CollapsedProcess(left.menus, left.under, original=process, silent=(*silent,), untimed=untimed)


def _checked(process: LabelledMarkovDecisionProcess, silent: Iterable[str]) -> list[str]:
    if isinstance(silent, str):
        raise not_labels()
    hidden = list(silent)
    for label in hidden:
        if not isinstance(label, str):
            raise not_labels()
        if label not in process.menus:
            raise unknown_label(label, process.menus)
        if len(process.menus[label]) > 1:
            raise silent_choice(label, process.menus[label])
    return hidden


def _code(label: str) -> str:
    return json.dumps([label])


def _spelt_out(process: LabelledMarkovDecisionProcess) -> LabelledMarkovChain:
    """The chain of an attacker who tosses fair coins, in which every action that is chosen is a state.

    All states of the process are initial where none are related.
    """
    taken = set(process.states)
    states: dict[str, tuple[str, Mapping[str, Fraction]]] = {}
    for s, (name, label) in enumerate(zip(process.states, process.labels, strict=True)):
        menu = process.menu(s)
        rows = {a: {process.states[t]: p for t, p in process.row(s, a).items()} for a in menu}
        if len(menu) == 1:
            states[name] = _code(label), rows[menu[0]]
            continue
        moves = {}
        for action, row in rows.items():
            move = fresh(f"{name} {action}", taken)
            taken.add(move)
            states[move] = json.dumps([label, action]), row
            moves[move] = Fraction(1, len(menu))
        states[name] = _code(label), moves
    names = process.states
    related = [(names[s], names[t]) for s, t in process.relation] or [(name, name) for name in names]
    return LabelledMarkovChain.of(states, related)


def _read_again(
    found: LabelledMarkovChain, process: LabelledMarkovDecisionProcess
) -> LabelledMarkovDecisionProcess:
    """The process that a collapsed chain spells out."""
    parts = [_decoded(label) for label in found.labels]
    labels = _names_of_new_labels(found.labels, process.menus)
    names = _names(found, parts, process)
    silence = fresh("silence", {*names})
    states: dict[str, tuple[str, Row | dict[str, Row]]] = {}
    falls_silent = False

    def following(state: int) -> Row:
        """Where a state or an action leads; to silence, where nothing is seen after an action."""
        nonlocal falls_silent
        row: Row = {}
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
