"""Noise, grids, sensitivity and rates of two sides, in both formats of programs."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check.demands import given_model
from prover.errors import BadInput
from prover.formats.convert import write_json
from prover.formats.dipa import read_dipa
from prover.formats.dipa_writer import write_dipa
from prover.formats.identity import model_bytes
from prover.formats.objects import to_dict
from prover.program.noise import DISCRETE_LAPLACE, Noise
from tests.formats.documents import read_program
from tests.refusals import refuses

F = Fraction

HEAD = "noise discrete-laplace;\ngrid 1/2;\nsensitivity 3;\n\n"
TEXT = """(q0: non-input, left inf right 1/4, 0): x := insample; output start; goto q1

(q1, inf, 0):
    if (insample <= x) then output obot; goto q1
    elseif (insample > x) then output otop; goto end
"""


def test_headers_and_rates_are_read() -> None:
    made = read_dipa(HEAD + TEXT)
    assert made.noise == Noise(DISCRETE_LAPLACE, F(1, 2), F(3))
    assert made.states["q0"].rates == ("inf", F(1, 4))
    assert made.states["q1"].rates == ("inf", "inf")
    assert [test for t in made.states["q1"].transitions for test in t.guard] == [("<=", "x"), (">", "x")]


@pytest.mark.parametrize(
    "head",
    [
        HEAD,
        "noise discrete-laplace;\n\n",
        "sensitivity 1/3;\n\n",
        "noise discrete-laplace;\ninputs unrounded;\n\n",
        "",
    ],
)
def test_both_formats_hold_it(head: str) -> None:
    text = TEXT if "discrete" in head else TEXT.replace("<=", "<").replace("> x", ">= x")
    made = read_dipa(head + text)
    assert write_dipa(made) == head + text
    assert read_program(write_json(made)) == made
    assert given_model(write_json(made).encode()) == model_bytes(made)


def test_what_is_usual_is_not_written() -> None:
    plain = read_dipa("noise laplace;\nsensitivity 1;\n" + TEXT)
    assert plain == read_dipa(TEXT)
    assert to_dict(plain).keys() == {"type", "version", "initial", "states"}
    assert read_dipa("noise discrete-laplace; grid 1; sensitivity 1;" + TEXT) == read_dipa(
        "noise discrete-laplace;" + TEXT
    )


def test_words_of_headers_are_names_elsewhere() -> None:
    made = read_dipa("(noise: non-input, 1, 0): left := insample; output grid; goto sensitivity")
    assert list(made.states) == ["noise"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("noise gauss;" + TEXT, "unknown-noise"),
        ("noise discrete;" + TEXT, "unknown-noise"),
        ("noise discrete-laplace; noise laplace;" + TEXT, "repeated-header"),
        ("grid 1;" + TEXT, "grid-without-discrete-noise"),
        ("noise discrete-laplace; grid 2; sensitivity 3;" + TEXT, "grid-too-coarse"),
        ("noise discrete-laplace; grid x;" + TEXT, "dipa-syntax"),
        ("sensitivity 0;" + TEXT, "sensitivity-not-positive"),
        ("inputs rounded;" + TEXT, "unknown-inputs"),
        ("inputs unrounded;" + TEXT, "unrounded-without-grid"),
        (TEXT + "sensitivity 3;", "dipa-syntax"),
        (TEXT.replace("left inf right 1/4", "left inf"), "dipa-syntax"),
        (TEXT.replace("left inf right 1/4", "left 0 right 1/4"), "rate-not-positive"),
    ],
)
def test_refusals(text: str, error: str) -> None:
    with refuses(error) as caught:
        read_dipa(text)
    assert caught.value.line is not None


def document(state: dict[str, Any], **more: Any) -> str:
    move = {"guard": [], "assign": ["x"], "output": "o", "to": "end"}
    entry = {"input": False, "mean": 0, "transitions": [move]} | state
    found = {"type": "threshold-program", "version": 1, "initial": "p", "states": {"p": entry}} | more
    return json.dumps(found)


@pytest.mark.parametrize(
    ("state", "rates"),
    [
        ({"rate": 2}, (2, 2)),
        ({"rate": "inf"}, ("inf", "inf")),
        ({"rate": 2, "rate_left": "inf"}, ("inf", 2)),
        ({"rate": 2, "rate_right": "1/2"}, (2, F(1, 2))),
        ({"rate": None, "rate_left": 1, "rate_right": "1"}, (1, 1)),
        ({"rate_left": 1, "rate_right": "inf"}, (1, "inf")),
        ({"rate": "2", "rate_left": None}, (2, 2)),
    ],
)
def test_ways_to_write_rates(state: dict[str, Any], rates: tuple[Any, Any]) -> None:
    text = document(state)
    made = read_program(text)
    assert made.states["p"].rates == rates
    assert given_model(text.encode()) == model_bytes(made)


def test_ways_to_write_noise() -> None:
    text = document({"rate": 1}, noise="discrete-laplace", grid=1, sensitivity=2.0)
    made = read_program(text)
    assert made.noise == Noise(DISCRETE_LAPLACE, F(1), F(2))
    assert given_model(text.encode()) == model_bytes(made)
    assert read_program(document({"rate": 1}, noise="laplace", grid=None)).noise == Noise()


@pytest.mark.parametrize(
    ("text", "error", "path"),
    [
        (document({"rate": 1}, noise="gauss"), "unknown-noise", "$.noise"),
        (document({"rate": 1}, grid=1), "grid-without-discrete-noise", "$.grid"),
        (document({"rate": 1}, noise="discrete-laplace", grid="2/3"), "grid-too-coarse", "$.grid"),
        (document({"rate": 1}, sensitivity=-1), "sensitivity-not-positive", "$.sensitivity"),
        (document({"rate": 1}, inputs="real"), "unknown-inputs", "$.inputs"),
        (
            document({"rate": 1, "input": True, "sensitivity": 0}),
            "sensitivity-not-positive",
            '$.states["p"].sensitivity',
        ),
        (
            document({"rate": 1, "input": False, "sensitivity": 2}),
            "sensitivity-without-input",
            '$.states["p"].sensitivity',
        ),
        (
            document({"rate": 1, "input": True, "sensitivity": "1/2"}, noise="discrete-laplace"),
            "grid-too-coarse",
            '$.states["p"].sensitivity',
        ),
        (document({"rate_left": 1}), "one-rate-only", '$.states["p"].rate_right'),
        (
            document({"rate": 1, "rate_left": 1, "rate_right": 2}),
            "useless-rate",
            '$.states["p"].rate',
        ),
    ],
)
def test_refusals_of_json(text: str, error: str, path: str) -> None:
    with refuses(error) as caught:
        read_program(text)
    assert caught.value.path == path


def test_a_state_may_have_a_sensitivity_of_its_own() -> None:
    text = "(q0, 1, 0, sensitivity 3): x := insample; output o; goto q1\n"
    rest = "\n(q1, 2, 0, 1/2, -1, sensitivity 1/2): output insampleprime; goto end\n"
    made = read_dipa(text + rest)
    assert [state.sensitivity for state in made.states.values()] == [3, F(1, 2)]
    assert write_dipa(made) == text + rest
    assert read_program(write_json(made)) == made
    written = to_dict(made)
    assert written["states"]["q0"]["sensitivity"] == "3"
    loose = json.loads(json.dumps(written))
    loose["states"]["q0"]["sensitivity"] = "3.0"
    assert given_model(json.dumps(loose).encode()) == model_bytes(made)
    loose["states"]["q1"]["sensitivity"] = None
    usual = read_program(json.dumps(loose))
    assert usual.states["q1"].sensitivity is None
    loose["states"]["q1"]["sensitivity"] = 1
    assert given_model(json.dumps(loose).encode()) == model_bytes(usual)
    assert read_program(json.dumps(loose)) == usual


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("(q0, 1, 0, sensitivity 0): x := insample; output o; goto end", 24),
        ("(q0: non-input, 1, 0, sensitivity 2): x := insample; output o; goto end", 35),
        ("(q0, 1, 0, sensitive 2): x := insample; output o; goto end", 12),
        ("(q0, 1, 0, 1, 0, 2): x := insample; output o; goto end", 18),
    ],
)
def test_where_a_sensitivity_is_wrong(text: str, column: int) -> None:
    with pytest.raises(BadInput) as caught:
        read_dipa(text)
    assert (caught.value.line, caught.value.column) == (1, column)
