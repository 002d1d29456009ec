"""The model: states, rows, relation."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadModel, Malformed
from tests.certificate.samples import RELATION, WALK, Path, certificate, model
from tests.certificate.verdicts import accepted, edited, refused

Json = Any


def about(states: Json, relation: Json = None) -> Json:
    """A certificate that is valid if the model is: no state is bisimilar to none but itself."""
    claim = {"from": "s", "kind": "bisimilarity", "scope": "pair", "to": "s", "value": "0"}
    return certificate(claim, model(states, relation), {"splitters": []})


LOOP = ("a", {"s": "1"})


@pytest.mark.parametrize(
    ("row", "failure"),
    [
        ({"s": "1"}, None),
        ({"s": "1/3", "t": "2/3"}, None),
        ({"s": "1/3", "t": "1/3", "u": "1/3"}, None),
        ({"s": "1/" + "1" + "0" * 9_999, "t": "9" * 9_999 + "/1" + "0" * 9_999}, None),
        ({}, BadModel),
        ({"s": "1/3"}, BadModel),
        ({"s": "1/3", "t": "1"}, BadModel),
        ({"s": "2"}, BadModel),
        ({"s": "1/" + "1" + "0" * 9_999, "t": "9" * 9_998 + "7/1" + "0" * 9_999}, BadModel),
        ({"s": "1", "t": "0"}, Malformed),
        ({"s": "4/3", "t": "-1/3"}, Malformed),
        ({"s": "1/2", "v": "1/2"}, BadModel),
        ({"s": 1}, Malformed),
    ],
)
def test_rows_are_distributions(row: Json, failure: Any) -> None:
    states = {"s": ("a", row), "t": LOOP, "u": LOOP}
    if failure is None:
        accepted(about(states))
    else:
        refused(about(states), failure)


def test_there_is_a_state() -> None:
    refused(about({}), BadModel, "model: there is no state")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("model", "states"), []),
        (("model", "states", "A"), "A"),
        (("model", "states", "A", "label"), 1),
        (("model", "states", "A", "next"), [["A", "1"]]),
        (("model", "relation"), {}),
        (("model", "relation"), None),
        (("model", "relation"), ["s", "t"]),
        (("model", "relation"), [["s", "t", "s"]]),
        (("model", "relation"), [[5, 6], [6, 5]]),
    ],
)
def test_types(path: Path, value: Json) -> None:
    refused(edited(WALK, {path: value}), Malformed)


@pytest.mark.parametrize(
    "relation", [[], [["s", "s"]], [["s", "t"], ["t", "s"]], [["s", "s"], ["s", "t"], ["t", "s"]]]
)
def test_relations(relation: Json) -> None:
    accepted(about({"s": LOOP, "t": LOOP}, relation))


@pytest.mark.parametrize(
    "relation",
    [
        [["s", "t"]],
        [["t", "s"], ["s", "t"]],
        [["s", "t"], ["s", "t"], ["t", "s"]],
        [["s", "v"], ["v", "s"]],
    ],
)
def test_broken_relations(relation: Json) -> None:
    refused(about({"s": LOOP, "t": LOOP}, relation), BadModel)


def test_relation_is_sorted_by_code_points() -> None:
    first, second = "\ue000", "\U0001f600"
    states = {first: LOOP, second: LOOP, "s": LOOP}
    accepted(about(states, [[first, second], [second, first]]))
    refused(about(states, [[second, first], [first, second]]), BadModel)


def test_the_whole_model_is_looked_at() -> None:
    # z is neither s nor t, and its row is wrong all the same.
    refused(edited(RELATION, {("model", "states", "B", "next"): {"A": "1/2"}}), BadModel, "state 1")
