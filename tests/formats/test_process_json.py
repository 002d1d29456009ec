"""Decision processes in JSON: what is read, what is refused, and with which words."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given as drawn

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.load import load, load_chain
from prover.formats.objects import from_dict, to_dict
from prover.zoo.interactive import doors, wait
from tests.refusals import refuses

PROCESS, CHAIN = "labelled-markov-decision-process", "labelled-markov-chain"


def document(states: Any, kind: str = PROCESS, **more: Any) -> dict[str, Any]:
    return {"type": kind, "version": 1, "states": states, **more}


STAY = {"s": 1}


@pytest.mark.parametrize("kind", [PROCESS, CHAIN])
def test_actions_make_a_process_whatever_its_type_says(kind: str) -> None:
    process = from_dict(document({"s": {"label": "a", "actions": {"x": STAY, "y": STAY}}}, kind))
    assert isinstance(process, LabelledMarkovDecisionProcess)
    assert to_dict(process)["type"] == PROCESS


def test_one_row_is_that_of_every_action() -> None:
    states = {
        "s": {"label": "a", "actions": {"x": {"t": 1}, "y": STAY}},
        "t": {"label": "a", "next": STAY},
        "u": {"label": "b", "next": {"u": 1}},
    }
    process = from_dict(document(states))
    assert isinstance(process, LabelledMarkovDecisionProcess)
    assert process.menu(process.index("t")) == ("x", "y")
    assert process.menu(process.index("u")) == ("",)
    assert "next" not in to_dict(process)["states"]["t"]
    assert from_dict(to_dict(process)) == process


def test_no_choice_is_a_chain() -> None:
    for states in ({"s": {"label": "a", "next": STAY}}, {"s": {"label": "a", "actions": {"go": STAY}}}):
        assert isinstance(from_dict(document(states)), LabelledMarkovChain)


@pytest.mark.parametrize(
    ("state", "error", "path"),
    [
        ({"actions": {"x": STAY, "y": STAY}}, "missing-label", '$.states["s"]'),
        ({"label": "a"}, "missing-key", '$.states["s"]'),
        ({"label": "a", "actions": {"x": STAY}, "next": STAY}, "unknown-key", '$.states["s"]'),
        ({"label": "a", "actions": {}}, "no-actions", '$.states["s"]'),
        ({"label": "a", "actions": {"": STAY, "y": STAY}}, "unnamed-action", '$.states["s"].actions'),
        ({"label": "a", "actions": {"x": {"s": "1/2"}, "y": STAY}}, "row-sum", '$.states["s"].actions["x"]'),
        (
            {"label": "a", "actions": {"x": {"z": 1}, "y": STAY}},
            "unknown-successor",
            '$.states["s"].actions["x"]["z"]',
        ),
    ],
)
def test_what_is_refused(state: Any, error: str, path: str) -> None:
    with refuses(error) as raised:
        from_dict(document({"s": state}))
    assert raised.value.path == path


@drawn(st.randoms(use_true_random=False))
def test_json_and_python_make_the_same_process(random: Random) -> None:
    """Whatever the order of states and successors, and with zeros."""
    names = random.sample("abcdefgh", random.randint(1, 5))
    menus = {label: random.choice([("",), ("x",), ("x", "y"), ("y", "x", "z")]) for label in "pq"}
    written: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for name in names:
        label = random.choice("pq")
        rows = {action: row(names, random) for action in menus[label]}
        if "" in rows or random.random() < 1 / 4:
            only = next(iter(rows.values()))
            written[name], given[name] = {"label": label, "next": only}, (label, only)
        else:
            written[name], given[name] = {"label": label, "actions": rows}, (label, rows)
    known = [(random.choice(names), random.choice(names))]
    process = LabelledMarkovDecisionProcess.of(given, known)
    fractions = {name: (label, as_fractions(rows)) for name, (label, rows) in given.items()}
    assert LabelledMarkovDecisionProcess.of(fractions, known) == process
    read = from_dict(document(written, relation=known))
    assert read == (process if process.leaves_a_choice else process.as_chain())


def row(names: list[str], random: Random) -> dict[str, str]:
    weights = [random.choice((0, 1, 2, 5)) for _ in names]
    weights[0] += not any(weights)
    found = {name: f"{weight}/{sum(weights)}" for name, weight in zip(names, weights, strict=True)}
    return {name: found[name] for name in random.sample(names, len(names))}


def as_fractions(rows: dict[str, Any]) -> dict[str, Any]:
    return {key: as_fractions(one) if isinstance(one, dict) else Fraction(one) for key, one in rows.items()}


def test_menus_that_differ() -> None:
    states = {
        "s": {"label": "a", "actions": {"x": STAY, "y": STAY}},
        "t": {"label": "a", "actions": {"x": STAY}},
    }
    with refuses("menus-differ", match="make them part of the label"):
        from_dict(document(states))


def test_kinds_are_told_apart(tmp_path: Any) -> None:
    path = tmp_path / "wait.json"
    path.write_text(json.dumps(to_dict(wait())))
    assert load(path) == wait()
    with refuses("wrong-kind", match="its states offer actions"):
        load_chain(path)
    path.write_text(json.dumps(document({"s": {"label": "a", "next": STAY}})))
    assert isinstance(load(path), LabelledMarkovChain)


def test_a_process_is_itself_when_it_is_copied() -> None:
    assert copy.deepcopy(doors()) == doors()
    assert hash(doors()) == hash(doors())
