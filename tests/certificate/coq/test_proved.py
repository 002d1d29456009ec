"""The proved program says what the Python checker says: what `make proofs` runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover import zoo
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from prover.program.adjacency import ADJACENCIES
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES, LAWS, composed, steps
from tests.certificate.coq.agreement import (
    certificates,
    difference,
    expected,
    is_covered,
    mutated,
    of_zoo,
    verdict,
)
from tests.certificate.coq.compiled import needs_coq, proved_program
from tests.certificate.coq.theorems import of_gallery
from tests.certificate.profile_samples import KNOT, ONE, STEP, cell, node, on_grid, short_table, table
from tests.certificate.program_samples import state, transition
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


@pytest.mark.parametrize("name", zoo.NAMES)
def test_certificates_of_the_zoo(name: str, program: Path) -> None:
    found = {about: difference(program, data) for about, data in of_zoo(name)}
    assert found
    assert not {about: said for about, said in found.items() if said is not None}


def test_of_two_ends_of_a_label_one_is_led_to(program: Path) -> None:
    """The other one stood for a state, which the certificate no longer says; nothing leads to it."""
    certificate = json.loads(certificates()["seen-bisimilar"])
    del certificate["evidence"]["collapsing"]["entered"][2]
    data = encode(certificate)
    assert verdict(program, data) == (0, expected(data))


def test_what_is_not_proved_is_not_judged(program: Path) -> None:
    moments = prover.renyi(zoo.pin_checker(), orders=(2,)).certificate.data
    assert verdict(program, moments) == (2, "the proved program does not cover claims of kind renyi")
    attackers = prover.distance(zoo.wait(), alpha=2).certificate.data
    assert verdict(program, attackers) == (
        2,
        "the proved program does not cover distances of processes from below",
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


HIDDEN: Mapping[str, Callable[[], Program]] = {
    "two numbers": lambda: zoo.noisy_max(n=2),
    "three numbers": lambda: zoo.noisy_max(n=3),
    "four numbers": lambda: zoo.noisy_max(n=4),
    "last step": zoo.hidden_exit,
    "permute and flip": lambda: of_gallery("relm-permute-and-flip"),
}
"""Programs whose outputs hide the run."""


@pytest.mark.parametrize("name", HIDDEN)
def test_what_outputs_hide_for_every_adjacency(name: str, program: Path) -> None:
    """From above, with Laplace noise and with noise on a grid; a little less is not proved."""
    for hiding in (HIDDEN[name](), replace(HIDDEN[name](), noise=Noise(DISCRETE_LAPLACE))):
        for adjacency in ADJACENCIES:
            certificate = json.loads(loss(hiding, adjacency))
            certificate["claim"]["lower"] = "0"
            for key in ("blocks", "word"):
                certificate["evidence"].pop(key, None)
            data = encode(certificate)
            assert verdict(program, data) == (0, expected(data)), adjacency
            upper = Fraction(certificate["claim"]["upper"])
            certificate["claim"]["upper"] = str(upper - Fraction(1, 10**30))
            assert expected(encode(certificate)) is None
            assert verdict(program, encode(certificate))[0] == 1


def test_states_with_sensitivities_of_their_own_are_refused_where_outputs_hide_the_run(program: Path) -> None:
    """In the theorem neighbours differ by no more than any state allows."""
    certificate = json.loads(loss(zoo.noisy_max(n=4), "all-differ"))
    certificate["claim"]["lower"] = "0"
    del certificate["evidence"]["word"]
    certificate["model"]["states"]["q1"]["sensitivity"] = "1/2"
    words = "REJECTED evidence about outputs, and sensitivities of states"
    assert verdict(program, encode(certificate)) == (1, words)
    assert expected(encode(certificate)) is None


def test_what_outputs_hide_is_judged_from_above_only(program: Path) -> None:
    words = "the proved program does not cover what outputs hide of a loss from below"
    for hiding in (zoo.noisy_max(n=4), zoo.hidden_exit()):
        data = loss(hiding, "all-differ")
        assert verdict(program, data) == (2, words)
        assert not is_covered(json.loads(data))


@pytest.mark.parametrize("name", ["svt", "lyu-6", "chain-of-tests", "sharing-pair", "streams"])
def test_delta_of_every_adjacency(name: str, program: Path) -> None:
    """Of programs of the zoo with noise on a grid, with one variable and with several, for ε = 1 and q."""
    model = replace(zoo.build_program(name), noise=Noise(DISCRETE_LAPLACE))
    for adjacency in ADJACENCIES:
        for q in (None, "1/3"):
            table = short_table(model, adjacency, q=q)
            assert verdict(program, encode(table)) == (0, expected(encode(table))), (adjacency, q)
            table["claim"]["upper"] = "1/10000"
            assert verdict(program, encode(table)) == (1, "REJECTED the bound of the table is larger")


def test_what_bounds_of_delta_are_not_covered(program: Path) -> None:
    """Second samples, samples that are tested and kept, and noise on one side only."""
    for name, words in (
        ("numeric-sparse", "delta of programs with second samples"),
        ("lyu-3", "delta of programs that test a sample and keep it"),
        ("lyu-5", "delta of programs where noise that is tested is one-sided or no noise"),
    ):
        model = replace(zoo.build_program(name), noise=Noise(DISCRETE_LAPLACE))
        data = encode(short_table(model, "all-differ"))
        assert verdict(program, data) == (2, f"the proved program does not cover {words}")
        assert expected(data) is not None
        assert not is_covered(json.loads(data))


def test_a_table_without_any_room_is_rejected(program: Path) -> None:
    """proofs/README.md says so. A step is worth 7/8 at 1/8, as it always is at least."""
    cells = [[cell("1", (1, "shift", "0"), (2, "shift", "0"))]]
    for room in (0, 1):
        drawn = node("q0", ONE, ONE * 7 // 8 + room, ONE * 2 // 3, ONE * 2 // 3, cells=cells)
        drawn_once = table({"q0": state(transition("", "end", assign=True))}, [drawn], STEP)
        certificate = on_grid(drawn_once)
        certificate["evidence"]["knots"] = [0, KNOT // 8, KNOT // 2, 2 * KNOT]
        assert expected(encode(certificate)) is not None
        assert verdict(program, encode(certificate))[0] == 1 - room


COMPOSITIONS = {
    "noise that is bounded": [
        Mechanism.of_known("discrete-laplace", {"q": "1/2", "sensitivity": 2, "bound": 3}, times=2)
    ],
    "noise that differs by more than its bound": [
        Mechanism.of_known("discrete-laplace", {"q": "1/2", "sensitivity": 3, "bound": 1}),
        LAWS,
    ],
    "noise on all integers": [
        Mechanism.of_known("discrete-laplace", {"q": "2/3", "sensitivity": 3}, times=4),
        Mechanism.of_known("discrete-laplace", {"q": "1/3", "sensitivity": 1}),
    ],
    "answers that tell nothing, and all": [
        Mechanism.of_known("randomised-response", {"q": 1, "values": 5}, times=3),
        Mechanism.of_known("approximate", {"alpha": 1, "delta": "1/3"}, times=2),
        Mechanism.of_known("approximate", {"alpha": 2, "delta": 1}),
    ],
    "samples": [
        poisson_sampled(Mechanism.of_known("discrete-laplace", {"q": "1/2", "sensitivity": 2}), "1/4"),
        poisson_sampled(Mechanism.of_known("approximate", {"alpha": 2, "delta": "1/9"}, times=3), "1/2"),
    ],
    "any pair of two chains": [Mechanism.of(steps(), times=2), Mechanism.of(zoo.pin_checker()), LAWS],
    "classes of states": [Mechanism.of(zoo.dining_cryptographers(n=3), times=2)],
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_delta_of_compositions(name: str, program: Path) -> None:
    """It is known exactly, so no other number is a bound."""
    for alpha in ("1", "7/5"):
        certificate = composed(COMPOSITIONS[name], alpha)
        data = encode(certificate)
        assert verdict(program, data) == (0, expected(data))
        little = Fraction(1, 10**40)
        lower, upper = (Fraction(certificate["claim"][key]) for key in ("lower", "upper"))
        for ends in (
            {"lower": upper + little, "upper": upper + little},
            {"upper": lower - little, "lower": 0},
        ):
            forged = certificate | {"claim": certificate["claim"] | {k: str(v) for k, v in ends.items()}}
            assert expected(encode(forged)) is None
            assert verdict(program, encode(forged))[0] == 1


def test_what_of_compositions_is_not_covered(program: Path) -> None:
    for name, words in (
        ("composition of samples", "compositions of samples of chains"),
        ("composition on a grid", "compositions that are enclosed on a grid"),
        ("composition of what an observer sees", "compositions of chains in which steps are unseen"),
        ("composition of mechanisms that are chosen", "mechanisms that are chosen after outputs"),
        ("moments of a relation and laws", "claims about moments of compositions"),
    ):
        data = encode(ACCOUNT_SAMPLES[name])
        assert verdict(program, data) == (2, f"the proved program does not cover {words}")
        assert not is_covered(json.loads(data))


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
