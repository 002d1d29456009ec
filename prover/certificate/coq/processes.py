"""The process of a certificate, as a Coq term that people can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.certificate.coq.model import CoqRows, defined, plain, row


@dataclass(frozen=True, slots=True)
class NamedProcess:
    """The process of a certificate: its states by number, the rows of each action, and the names. The actions
    of a label are numbered in the order of their names; beyond them every row is that of the first."""

    states: Sequence[str]
    labels: Sequence[str]
    menus: Sequence[Sequence[str]]
    acting: Sequence[CoqRows]

    def own_labels(self) -> Sequence[int]:
        """The label of each state."""
        return self.acting[0].labels


def read(model: Mapping[str, Any]) -> NamedProcess:
    states = sorted(model["states"])
    labels = sorted({state["label"] for state in model["states"].values()})
    place, number = ({name: i for i, name in enumerate(names)} for names in (states, labels))
    own = [number[model["states"][name]["label"]] for name in states]
    actions = [_actions(model["states"][name]) for name in states]
    menus: list[Sequence[str]] = [()] * len(labels)
    for label, rows in zip(own, actions, strict=True):
        menus[label] = sorted(rows)
    acting = []
    for a in range(max(map(len, menus))):
        chosen = [
            rows[menus[label][a if a < len(rows) else 0]] for label, rows in zip(own, actions, strict=True)
        ]
        acting.append(
            CoqRows(own, [{place[t]: Fraction(p) for t, p in sorted(each.items())} for each in chosen])
        )
    return NamedProcess(states, labels, menus, acting)


def _actions(state: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
    """The rows of a state by the names of actions; that of a state where nothing is chosen has none."""
    return state["actions"] if "actions" in state else {"": state["next"]}


def text(process: NamedProcess) -> Iterator[str]:
    """`Model.v` of a process, line by line."""
    yield "(** The process. States, labels and the actions of each label are numbered in the order of their"
    yield "    names. In names, what is not a letter, a digit or one of _.- is written %XX, by its bytes in"
    yield "    UTF-8."
    yield ""
    yield "    label  name  its actions"
    for i, (name, menu) in enumerate(zip(process.labels, process.menus, strict=True)):
        yield f"    {i}  {plain(name)}" + "".join(f"  {a}  {plain(action)}" for a, action in enumerate(menu))
    yield "*)"
    labels = process.own_labels()
    rows = (
        "[" + "; ".join(row(process.acting[a].next[s]) for a in range(len(process.menus[label]))) + "]"
        for s, label in enumerate(labels)
    )
    yield from defined("Process", "process", process.states, labels, rows)
