"""Whether a collapsed chain of a certificate is what the observer sees: computed anew, without the exits."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from prover.chain.model import LabelledMarkovChain
from tests.chain.collapsing.observed import Observer, next_seen
from tests.formats.documents import read_chain

Json = Any


def is_right(certificate: Json) -> bool:
    """Every state of the collapsed chain shows what the observer sees next, and the claim's states begin."""
    chain, observer, small, meaning = parts(certificate)
    for name, (s, begins) in meaning.items():
        label = chain.labels[s]
        row = dict(small.rows[small.index(name)])
        shown: dict[int, Fraction] = {}
        if begins and label not in observer.silent:
            shown = {s: Fraction(1)}
        else:
            shown = next_seen(chain, s, () if begins else (label,), observer)
        rest = shown.pop(-1, Fraction(0))
        entered = {s: name for name, (s, begins) in meaning.items() if not begins}
        for v, p in shown.items():
            if p and row.pop(small.index(entered[v]) if v in entered else -1, None) != p:
                return False
        lasting = small.labels[small.index(name)] if observer.untimed else silence(certificate)
        if sum(row.values(), Fraction(0)) != rest:
            return False
        if any(small.rows[c] != {c: 1} or small.labels[c] != lasting for c in row):
            return False
    return all(begins_there(certificate, name) for name in claimed(certificate))


def parts(
    certificate: Json,
) -> tuple[LabelledMarkovChain, Observer, LabelledMarkovChain, dict[str, tuple[int, bool]]]:
    """The chain, the observer, the collapsed chain, and of what its states are the beginning, or entered."""
    seen, found = certificate["claim"]["observer"], certificate["evidence"]["collapsing"]
    chain, small = (read_chain(json.dumps(model)) for model in (certificate["model"], found["model"]))
    meaning = {small.states[c]: (s, False) for c, s in found["entered"]}
    for name, label in zip(small.states, small.labels, strict=True):
        if label == found.get("start") and name in chain.states:
            meaning[name] = chain.index(name), True
    return chain, Observer(frozenset(seen["silent"]), seen["sees"] == "changes"), small, meaning


def silence(certificate: Json) -> str | None:
    """The label of staying silent for ever, if it is new."""
    found = certificate["evidence"]["collapsing"].get("silence")
    labels = {state["label"] for state in certificate["model"]["states"].values()}
    return None if found in labels else found


def claimed(certificate: Json) -> set[str]:
    """The states that a claim is about."""
    claim = certificate["claim"]
    names = {claim[end] for end in ("from", "to") if end in claim}
    if claim["scope"] == "relation":
        names |= {name for pair in certificate["model"]["relation"] for name in pair}
    return names


def begins_there(certificate: Json, name: str) -> bool:
    """Whether a state of the name stands for the beginning in the original's state of that name."""
    chain, _, _, meaning = parts(certificate)
    starts = "start" in certificate["evidence"]["collapsing"]
    return name in meaning and meaning[name] == (chain.index(name), starts)
