"""The proved program says what the Python checker says: what `make proofs` runs."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import prover
from prover import zoo
from prover.program.adjacency import ADJACENCIES
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from tests.certificate.coq.agreement import certificates, difference, expected, mutated, verdict
from tests.certificate.coq.compiled import needs_coq, proved_program
from tests.certificate.samples import encode, model

pytestmark = [
    *needs_coq,
    pytest.mark.skipif(shutil.which("ocamlfind") is None, reason="ocamlfind is not installed"),
]


@pytest.fixture(scope="session")
def program() -> Path:
    return proved_program()


def test_what_the_prover_writes_is_verified(program: Path) -> None:
    for data in certificates().values():
        assert verdict(program, data) == (0, expected(data))


def test_mutations(program: Path) -> None:
    assert not [found for _, data in mutated(200) if (found := difference(program, data)) is not None]


def test_what_is_not_proved_is_not_judged(program: Path) -> None:
    moments = prover.renyi(zoo.pin_checker(), orders=(2,)).certificate.data
    assert verdict(program, moments) == (2, "the proved program does not cover claims of kind renyi")
    attackers = prover.distance(zoo.wait(), alpha=2).certificate.data
    assert verdict(program, attackers) == (
        2,
        "the proved program does not cover claims of kind ld about attackers who choose",
    )


def loss(program: Program, adjacency: str) -> bytes:
    found = prover.privacy(program, adjacency=adjacency).certificate
    assert found is not None
    return found.data


def test_laplace_noise_is_judged_from_above_only(program: Path) -> None:
    certificate = json.loads(loss(zoo.svt(), "all-differ"))
    assert verdict(program, encode(certificate)) == (
        2,
        "the proved program does not cover the loss of a program with Laplace noise from below",
    )
    certificate["claim"]["lower"] = "0"
    data = encode(certificate)
    assert verdict(program, data) == (0, expected(data))
    certificate["claim"]["upper"] = "99/100"
    assert verdict(program, encode(certificate))[0] == 1


def test_the_loss_of_every_adjacency(program: Path) -> None:
    """Of programs of the zoo with noise on a grid, with one variable and with several."""
    for name in ("lyu-4", "numeric-sparse", "chain-of-tests", "m-range", "k-min-max"):
        model = zoo.build_program(name)
        for adjacency in ADJACENCIES:
            data = loss(replace(model, noise=Noise(DISCRETE_LAPLACE)), adjacency)
            assert verdict(program, data) == (0, expected(data)), (name, adjacency)


def test_an_epsilon_is_compared_with_alpha(program: Path) -> None:
    data = prover.delta(zoo.pin_checker(), epsilon="1/10").certificate.data
    assert verdict(program, data) == (0, expected(data))
    forged = data.replace(b'"at-most"', b'"at-least"')
    assert forged != data
    assert verdict(program, forged)[0] == 1


@pytest.mark.parametrize("name", ["tab\t\x7f é", "\U0001f600", "\ud800", '"\\/\x08\x0c\n\r', ""])
def test_names_are_any_text(name: str, program: Path) -> None:
    certificate = {
        "claim": {**dict.fromkeys(("from", "to"), name), "alpha": "1", "kind": "lv", "lower": "0"},
        "evidence": {"unrolling": {"nodes": [], "roots": []}},
        "format": "prover-certificate",
        "model": model({name: (name, {name: "1"}), "s": (name, {"s": "1"})}),
        "version": 1,
    }
    certificate["claim"] |= {"scope": "pair", "upper": "0"}
    data = encode(certificate)
    assert verdict(program, data) == (0, expected(data))
