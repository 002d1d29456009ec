"""Gaussian noise of states, in both formats of programs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check.demands import given_model
from prover.formats.convert import write_json
from prover.formats.dipa import read_dipa
from prover.formats.dipa_writer import write_dipa
from prover.formats.identity import model_bytes
from prover.formats.objects import to_dict
from prover.program.noise import Gaussian
from tests.formats.documents import read_program
from tests.formats.test_noise import document
from tests.refusals import refuses

F = Fraction
TEXT = """(q0: non-input, sigma 2, 0): x := insample; output start; goto q1

(q1, sigma 7/2, -1, sigma 1/3, 0, sensitivity 2):
    if (insample < x) then output obot; goto q1
    elseif (insample >= x) then output insampleprime; goto q2

(q2, 1/4, 0, sigma 4, 1): output insampleprime; goto q3

(q3, sigma 4, 0, 1/4, 1): output insampleprime; goto end
"""


def test_both_formats_hold_it() -> None:
    made = read_dipa(TEXT)
    noises = [(state.rate, state.rate_prime) for state in made.states.values()]
    assert noises == [
        (Gaussian(F(2)), None),
        (Gaussian(F(7, 2)), Gaussian(F(1, 3))),
        (F(1, 4), Gaussian(F(4))),
        (Gaussian(F(4)), F(1, 4)),
    ]
    assert write_dipa(made) == TEXT
    assert read_program(write_json(made)) == made
    assert given_model(write_json(made).encode()) == model_bytes(made)
    states = to_dict(made)["states"]
    kept = {key: value for key, value in states["q1"].items() if key not in ("input", "transitions", "mean")}
    assert kept == {
        "rate": None, "rate_prime": None, "mean_prime": "0", "sigma": "7/2", "sigma_prime": "1/3",
        "sensitivity": "2",
    }  # fmt: skip
    assert "sigma" not in states["q2"]


def test_states_may_be_called_sigma() -> None:
    text = "(sigma: non-input, sigma 1, 0): sigma := insample; output sigma; goto sigma\n"
    assert write_dipa(read_dipa(text)) == text


@pytest.mark.parametrize(
    "state",
    [
        {"sigma": "7/2"},
        {"sigma": 3.5},
        {"sigma": "3.50", "rate": None},
        {"rate": None, "sigma": "35e-1", "sigma_prime": None, "rate_left": None},
        {"sigma": "7/2", "sigma_prime": "0.50", "mean_prime": 0},
        {"rate": "inf", "sigma_prime": 1, "mean_prime": "-1", "rate_prime": None},
    ],
)
def test_ways_to_write_it(state: dict[str, Any]) -> None:
    text = document(state)
    made = read_program(text)
    assert given_model(text.encode()) == model_bytes(made)
    assert read_program(write_json(made)) == made
    sigma = made.states["p"].rate
    assert sigma == (Gaussian(F(7, 2)) if "sigma" in state else None)


@pytest.mark.parametrize(
    ("state", "error", "part"),
    [
        ({"sigma": 0}, "sigma-not-positive", ".sigma"),
        ({"sigma": "-1/2"}, "sigma-not-positive", ".sigma"),
        ({"sigma": "inf"}, "malformed-number", ".sigma"),
        ({"sigma": True}, "wrong-type", ".sigma"),
        ({"sigma": [1]}, "wrong-type", ".sigma"),
        ({"sigma": "1" * 10_001}, "number-too-long", ".sigma"),
        ({"sigma": 1, "rate": 1}, "rate-and-sigma", ".sigma"),
        ({"sigma": 1, "rate": "inf"}, "rate-and-sigma", ".sigma"),
        ({"sigma": 1, "rate_left": 1}, "rate-and-sigma", ".sigma"),
        ({"sigma": 1, "rate_left": 1, "rate_right": "inf"}, "rate-and-sigma", ".sigma"),
        ({"rate": 1, "rate_prime": 1, "mean_prime": 0, "sigma_prime": 1}, "rate-and-sigma", ".sigma_prime"),
        ({"rate": 1, "mean_prime": 0, "sigma_prime": 0}, "sigma-not-positive", ".sigma_prime"),
        ({"rate": 1, "sigma_prime": 1}, "half-a-second-sample", ".mean_prime"),
        ({"sigma": None}, "missing-key", ""),
        ({"sigma_prime": 1, "mean_prime": 0}, "missing-key", ""),
    ],
)
def test_refusals_of_json(state: dict[str, Any], error: str, part: str) -> None:
    with refuses(error) as caught:
        read_program(document(state))
    assert caught.value.path == f'$.states["p"]{part}'


@pytest.mark.parametrize(
    ("head", "error", "column"),
    [
        ("sigma 0, 0", "sigma-not-positive", 11),
        ("sigma -1/2, 0", "sigma-not-positive", 11),
        ("sigma inf, 0", "dipa-syntax", 11),
        ("sigma, 0", "dipa-syntax", 10),
        ("sigma 1 1/4, 0", "dipa-syntax", 13),
        ("1/4 sigma 1, 0", "dipa-syntax", 9),
        ("left sigma 1 right 1, 0", "dipa-syntax", 10),
        (f"sigma {'1' * 10_001}, 0", "number-too-long", 11),
        ("1, 0, sigma 0, 0", "sigma-not-positive", 17),
        ("1, 0, sigma 1", "dipa-syntax", 18),
    ],
)
def test_refusals_of_text(head: str, error: str, column: int) -> None:
    with refuses(error) as caught:
        read_dipa(f"(p, {head}): x := insample; output o; goto end\n")
    assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize("sample", ["sigma 1, 0", "1, 0, sigma 1, 0"])
def test_gaussian_noise_is_on_no_grid(sample: str) -> None:
    with refuses("gaussian-on-grid", match="Gaussian noise is not on a grid") as caught:
        read_dipa(f"noise discrete-laplace;\n(p, {sample}): x := insample; output o; goto end\n")
    assert caught.value.line == 2


def test_it_is_a_property_of_states() -> None:
    with refuses("unknown-noise"):
        read_dipa(f"noise gaussian;\n{TEXT}")
