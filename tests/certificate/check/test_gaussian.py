"""No claim about a program with Gaussian noise is accepted by a rule about noise with rates."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadModel, Malformed, Rejected, check
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands import given_model
from prover.certificate.check.noise import Gaussian
from prover.certificate.check.programs import Transition, read_program
from tests.certificate.check.profiles.test_inputs import SVT
from tests.certificate.judges import ALL_SAMPLES, judged
from tests.certificate.program_samples import SVT_PRIVATE, SVT_PROGRAM
from tests.certificate.samples import encode
from tests.certificate.verdicts import refused

Json = Any
SAMPLES = {
    name: sample
    for name, sample in ALL_SAMPLES.items()
    if sample["model"].get("type") == "threshold-program" and sample["claim"]["kind"] != "profile-table"
}
WHY = "the state has Gaussian noise, and the rule is about noise with rates"


def gaussian(model: Json, name: str, sigma: str = "4") -> Json:
    """The model with Gaussian noise at a state."""
    other = copy.deepcopy(model)
    state = other["states"][name]
    for key in ("rate_left", "rate_right"):
        state.pop(key, None)
    state.update(rate=None, sigma=sigma)
    return other


def second(model: Json, name: str, sigma: str = "4") -> Json:
    """The model with Gaussian noise of the second sample at a state."""
    other = copy.deepcopy(model)
    other["states"][name].update(rate_prime=None, mean_prime="0", sigma_prime=sigma)
    return other


def models(model: Json) -> Iterator[Json]:
    for name in model["states"]:
        yield gaussian(model, name)
        yield second(model, name)


def test_there_are_samples_of_all_kinds() -> None:
    kinds = {sample["claim"]["kind"] for sample in SAMPLES.values()}
    assert kinds == {"private", "not-private", "epsilon"}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_rule_takes_a_state_with_gaussian_noise(name: str) -> None:
    for model in models(SAMPLES[name]["model"]):
        made = {**SAMPLES[name], "model": model}
        refused(made, BadModel, WHY)
        assert not judged(made)


def test_nor_do_runs_on_a_pair_of_inputs_that_are_listed() -> None:
    for name in SVT["model"]["states"]:
        refused({**SVT, "model": gaussian(SVT["model"], name)}, BadModel, WHY)


@pytest.mark.parametrize("name", sorted(name for name in SAMPLES if "quotient" in SAMPLES[name]["evidence"]))
def test_nor_does_evidence_about_a_smaller_program(name: str) -> None:
    for model in models(SAMPLES[name]["evidence"]["quotient"]["model"]):
        made = copy.deepcopy(SAMPLES[name])
        made["evidence"]["quotient"]["model"] = model
        refused(made, BadModel, WHY)


@pytest.mark.parametrize(
    "changes",
    [
        {"sigma": "4"},
        {"sigma": "4", "rate": None, "rate_left": "1", "rate_right": "2"},
        {"sigma": "0", "rate": None},
        {"sigma": "-4", "rate": None},
        {"sigma": "8/2", "rate": None},
        {"sigma": "inf", "rate": None},
        {"sigma": 4, "rate": None},
        {"sigma": None, "rate": None},
        {"sigma_prime": "4"},
        {"sigma_prime": None, "mean_prime": "0"},
        {"sigma_prime": "4", "mean_prime": "0", "rate_prime": "1"},
        {"sigma_prime": "0", "mean_prime": "0"},
        {"Sigma": "4", "rate": None},
    ],
)
def test_malformed_states(changes: Json) -> None:
    made = copy.deepcopy(SVT_PRIVATE)
    made["model"]["states"]["q1"].update(changes)
    refused(made, Malformed)


def transitions(model: Json) -> list[Transition]:
    return list(read_program(model, Budget(10_000), gaussian=True).transitions)


def test_rules_that_ask_for_gaussian_noise_get_it_in_units_of_the_sensitivity() -> None:
    wide = SVT_PROGRAM | {"sensitivity": "2"}
    drawn, below, _ = transitions(gaussian(second(wide, "q1", "1/3"), "q1"))
    assert (below.noise, below.second) == (Gaussian(Fraction(2)), Gaussian(Fraction(1, 6)))
    assert drawn.noise == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize("part", ["left", "right", "rates", "worst"])
def test_there_is_no_rate_to_be_read(part: str) -> None:
    below = transitions(gaussian(SVT_PROGRAM, "q1"))[1]
    with pytest.raises(BadModel, match=WHY):
        getattr(below, part)
    with pytest.raises(BadModel, match=WHY):
        below.cost(1, 0)


@pytest.mark.parametrize("part", ["rate_prime", "rates"])
def test_nor_one_of_the_second_sample(part: str) -> None:
    below = transitions(second(SVT_PROGRAM, "q1"))[1]
    with pytest.raises(BadModel, match=WHY):
        getattr(below, part)


def test_gaussian_noise_is_on_no_grid() -> None:
    model = gaussian(SVT_PROGRAM, "q1") | {"noise": "discrete-laplace"}
    with pytest.raises(BadModel, match="Gaussian noise on a grid"):
        read_program(model, Budget(10_000), gaussian=True)


def test_a_demanded_model_keeps_its_sigma() -> None:
    """A model with Gaussian noise is not taken for one without it, or with another sigma."""
    known = {given_model(encode(model)) for model in models(SVT_PROGRAM)}
    known |= {given_model(encode(SVT_PROGRAM)), given_model(encode(gaussian(SVT_PROGRAM, "q1", "5")))}
    assert len(known) == 6
    loose = gaussian(SVT_PROGRAM, "q1")
    loose["states"]["q1"].update(sigma="4.0", sigma_prime=None)
    del loose["states"]["q1"]["rate"]
    assert given_model(encode(loose)) == given_model(encode(gaussian(SVT_PROGRAM, "q1")))


def test_a_certificate_is_not_about_a_model_with_gaussian_noise() -> None:
    with pytest.raises(Rejected):
        check(encode({**SVT_PRIVATE, "model": json.loads(given_model(encode(gaussian(SVT_PROGRAM, "q0"))))}))
