"""States of protocols, their names, and the chain of those with real probabilities."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flint import fmpq

from prover.chain.collapsing.chain import fresh
from prover.chain.real import RealChain
from prover.graphs import search
from prover.language.reading.instructions import Code
from prover.language.reading.machine import Bindings
from prover.language.values import letter
from prover.views import SourceCode


@dataclass(frozen=True, slots=True)
class ProtocolState:
    """A place in the code with the live values; ``label`` is None where a coin is about to be flipped.

    ``options`` are what the attacker may choose from, by their texts; ``chosen`` is the text of what he chose
    a moment ago.
    """

    at: int
    values: Bindings
    label: str | None
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    chosen: str | None = None


def names_of(states: Sequence[ProtocolState]) -> list[str]:
    """Names for states: the lines of their words, and the values in which those of one line differ."""
    alike: dict[str, list[ProtocolState]] = {}
    shared: dict[str, Counter[str]] = {}
    for state in states:
        alike.setdefault(state.name, []).append(state)
        shared.setdefault(state.name, Counter()).update(_parts(state))
    taken: Counter[str] = Counter()
    names = []
    for state in states:
        name, group = state.name, alike[state.name]
        if len(group) > 1:
            differing = [part for part in _parts(state) if shared[state.name][part] < len(group)]
            name = ", ".join([name, *differing])
        taken[name] += 1
        names.append(name if taken[name] == 1 else f"{name} #{taken[name]}")
    return names


def _parts(state: ProtocolState) -> list[str]:
    return [f"{name}={_shown(value)}" for name, value in state.values.items() if "%" not in name]


def _shown(value: Any) -> str:
    return letter(value) or re.sub(r"\s+", " ", str(value))


def cut_off(row: Mapping[int, Any], place: int, end: int) -> dict[int, Any]:
    """A row in which runs that come to a state from ``place`` on come to ``end`` instead."""
    kept = {t: chance for t, chance in row.items() if t < place}
    rest = sum((chance for t, chance in row.items() if t >= place), fmpq(0))
    return kept | ({end: rest} if rest != 0 else {})


def real_chain(
    code: Code,
    states: Sequence[ProtocolState],
    rows: Mapping[int, Mapping[int, Any]],
    initial: Sequence[int],
    pairs: Sequence[tuple[str, str]],
    text: SourceCode | None,
) -> RealChain:
    """The chain of these states, in which draws are states that are not seen."""
    reached = [*search(initial, rows.__getitem__)]
    silent = fresh("unseen", {states[s].label or "" for s in reached})
    alike = [
        replace(one, name=one.name or f"line{code.instructions[one.at].place.line}")
        for one in (states[s] for s in reached)
    ]
    named = dict(zip(reached, names_of(alike), strict=True))
    found = {}
    for s in reached:
        label = states[s].label
        row = {named[t]: chance for t, chance in rows[s].items()}
        found[named[s]] = silent if label is None else label, row
    return RealChain.of(found, pairs, silent=silent, code=text)
