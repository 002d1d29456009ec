"""Questions: what they answer, as it is kept in rows; asked in this process."""

from __future__ import annotations

from typing import Any

import pytest

from prover.bench.child import ask
from tests.bench.made import suite_of
from tests.refusals import refuses


def suite(question: str, model: str, options: str) -> str:
    asked = f'model = "{model}"\nquestion = "{question}"\noptions = {{{options}}}\n'
    return f'name = "s"\n[[family]]\nname = "f"\n{asked}'


def answered(question: str, model: str, options: str, engine: str = "auto") -> dict[str, Any]:
    """What is told of the answer; its certificate, if there is one, is checked."""
    (job,) = suite_of(suite(question, model, options) + f'engines = ["{engine}"]').jobs
    said: dict[str, Any] = {}
    ask(job, lambda step, **fields: said.update({step: fields}))
    if said["answered"]["certificate_bytes"] is not None:
        assert "check_seconds" in said["checked"]
    return dict(said["answered"])


PIN = 'from = "0", to = "1"'


@pytest.mark.parametrize(
    ("question", "model", "options", "lower", "upper"),
    [
        ("distance", "pin-checker", f'{PIN}, alpha = "11/10"', "412/7791", "412/7791"),
        ("distance", "pin-checker", f'{PIN}, kind = "bisimilarity"', "1", "1"),
        ("distance", "pin-checker", f'{PIN}, alpha = 1, reachable_only = "yes"', "6/53", "6/53"),
        ("delta", "pin-checker", f'{PIN}, alpha = "11/10"', "3791/75090", "3791/75090"),
        ("delta", "pin-checker", f'{PIN}, alpha = "11/10", kind = "lv"', "130/7509", "130/7509"),
        ("delta", "two-doors", 'alpha = "6/5"', "9/20", "9/20"),
        ("epsilon", "dining-cryptographers", 'delta = "1/10000"', "1667/1666", "1667/1666"),
        ("epsilon", "fig1", 'delta = "0"', "3/2", "3/2"),
        ("epsilon", "randomised-response", 'delta = "1/100", times = 2', "391/100", "391/100"),
        ("privacy", "svt", "", "5/4", "5/4"),
        ("privacy", "svt", 'adjacency = "increasing"', "3/4", "3/4"),
        ("privacy", "svt", 'quantity = "relaxed"', "5/4", "5/4"),
        ("privacy", "leaking-pair", 'quantity = "approx"', "inf", "inf"),
        ("decide", "svt", "", "0", "0"),
        ("decide", "leaking-pair", "", "1", "1"),
    ],
)
def test_values(question: str, model: str, options: str, lower: str, upper: str) -> None:
    found = answered(question, model, options)
    assert (found["lower"], found["upper"], found["exact"]) == (lower, upper, True)
    assert found["certificate_bytes"] > 0
    assert found["width"] == "0"


def test_an_attack_comes_close() -> None:
    found = answered("attack", "svt", 'epsilon = "1"')
    assert found["certificate_bytes"] is None
    assert not found["exact"]
    assert found["effort"]["steps"] >= 2


def test_curves_have_digests() -> None:
    options = f'{PIN}, first = 1, last = "3/2", points = 3'
    found = answered("curve", "pin-checker", options)
    assert found["lower"] is None
    assert found["exact"] is (found["digest"] is not None)
    assert answered("curve", "pin-checker", options)["digest"] == found["digest"]


def test_engines_agree() -> None:
    for model in ("svt", "leaking-pair", "lyu-4", "violating-path-b"):
        ours, horn = (answered("decide", model, "", engine) for engine in ("auto", "horn"))
        assert ours["lower"] == horn["lower"]


@pytest.mark.parametrize(
    ("question", "model", "options", "kind"),
    [
        ("distance", "pin-checker", 'from = "0", alpha = 2', "half-a-pair"),
        ("distance", "pin-checker", PIN, "bad-option"),
        ("distance", "pin-checker", f'{PIN}, kind = "bisimilarity", alpha = 2', "bad-option"),
        ("distance", "pin-checker", f"{PIN}, alpha = 2, max_bits = 0", "bad-option"),
        ("distance", "svt", "alpha = 2", "wrong-model"),
        ("distance", "two-doors", "alpha = 2", "wrong-model"),
        ("delta", "svt", "alpha = 2", "wrong-model"),
        ("delta", "pin-checker", PIN, "alpha-or-epsilon"),
        ("delta", "pin-checker", f"{PIN}, alpha = 2, epsilon = 1", "alpha-or-epsilon"),
        ("delta", "pin-checker", f'{PIN}, alpha = "1/2"', "bad-option"),
        ("curve", "pin-checker", f"{PIN}, first = 2, last = 1, points = 2", "bad-grid"),
        ("privacy", "pin-checker", "", "wrong-model"),
        ("privacy", "svt", 'quantity = "x"', "bad-option"),
    ],
)
def test_what_makes_no_sense(question: str, model: str, options: str, kind: str) -> None:
    with refuses(kind) as caught:
        suite_of(suite(question, model, options))
    assert str(caught.value.path).startswith("$.family[0]")
