"""Discrete Gaussian noise in compositions: every rule broken by hand, and the laws of the prover."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.accounting.discrete_gaussian import DiscreteGaussian, chances
from prover.certificate.check import BadEvidence, BadModel, ClaimOpen, Malformed, Rejected, TooLarge
from prover.certificate.check.accounts.discrete import UNIT, below, discrete_gaussian
from prover.certificate.check.budget import Budget
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
F = Fraction

# Nearly all of the noise is 0: at least 1 − 10^-40 of it, so inputs that differ by 1 are told apart.
PART: Json = {"known": "discrete-gaussian", "sensitivity": 1, "sigma": "1/20", "times": 1}
PROOF: Json = {"chances": [str(UNIT - 1), "0"]}
CHANCES: Path = ("evidence", "parts", 0, "chances")
SAMPLE = certificate(
    {"alpha": "1", "kind": "composition", "lower": "999999/1000000", "upper": "1"},
    {"parts": [PART], "type": "composition", "version": 1},
    {"grid": {"digits": 20, "steps": 10, "tail": "0", "work": 10**6}, "parts": [PROOF]},
)


def test_noise_that_is_nearly_none() -> None:
    assert accepted(SAMPLE).endswith("part=0 known=discrete-gaussian parts=1 runs=1")
    accepted(edited(SAMPLE, {CHANCES: [str(UNIT - 2), "0"]}))
    refused(edited(SAMPLE, {("claim", "upper"): "999999/1000000"}), ClaimOpen)


@pytest.mark.parametrize(
    ("path", "value", "failure", "words"),
    [
        (CHANCES, [str(UNIT), "0"], BadEvidence, "not those of the noise"),
        (CHANCES, [str(UNIT - 3), "0"], BadEvidence, "not those of the noise"),
        (CHANCES, [str(UNIT - 1), "1"], BadEvidence, "not those of the noise"),
        (CHANCES, [str(UNIT - 1), "-1"], Malformed, "natural"),
        (CHANCES, [str(UNIT - 1)], BadEvidence, "too few places"),
        (CHANCES, [str(UNIT - 1), *["0"] * 10_001], BadEvidence, "too many"),
        (CHANCES, "0", Malformed, "type list"),
        (("evidence", "parts", 0), {}, Malformed, "lacks a key"),
        (("evidence", "parts", 0), PROOF | {"bits": 200}, Malformed, "unknown key"),
        (("model", "parts", 0, "sigma"), "0", Malformed, "not positive"),
        (("model", "parts", 0, "sigma"), "10" + "0" * 60, TooLarge, "too near for the bits"),
        (("model", "parts", 0, "sigma"), "1", BadEvidence, "not those of the noise"),
        (("model", "parts", 0, "sensitivity"), 0, BadModel, "out of range"),
        (("model", "parts", 0, "sensitivity"), 10_001, BadModel, "out of range"),
        (("model", "parts", 0, "sensitivity"), "1", Malformed, "type int"),
        (("model", "parts", 0, "bound"), 1, Malformed, "unknown key"),
    ],
)
def test_what_is_rejected(path: Path, value: Json, failure: type[Rejected], words: str) -> None:
    refused(edited(SAMPLE, {path: value}), failure, words)


def test_the_work_is_counted_before_it_is_done() -> None:
    with pytest.raises(TooLarge):
        discrete_gaussian(PART | {"sigma": "7" * 90_000}, {"chances": ["0"] * 10_001}, Budget(0))


@pytest.mark.parametrize(("sigma", "far"), [("1/3", 4), ("1/2", 1), ("2", 1), ("7/3", 3), ("20", 2)])
def test_the_laws_are_those_of_the_prover(sigma: str, far: int) -> None:
    given = {"chances": [str(n) for n in chances(F(sigma), far)]}
    laws = discrete_gaussian(PART | {"sensitivity": far, "sigma": sigma}, given, Budget(0))
    own = DiscreteGaussian.of(sigma, far)
    for law, loss in zip(laws, (own.lower, own.upper), strict=True):
        assert sorted(law) == [(atom.ratio, atom.p) for atom in loss.atoms]


def test_what_is_left_has_the_least_ratio() -> None:
    """Of places in any order: those after which more would be left are left, too."""
    third = UNIT // 3
    assert below([(2 * third, third)]) == [
        (F(2), F(2, 3) - F(2, 3 * UNIT)),
        (F(third + 1, UNIT - third), F(third + 1, UNIT)),
    ]
    assert below([(third, 2 * third)]) == [(F(1), F(1))]
    assert below([(UNIT, third)]) == below([(third, UNIT)]) == [(F(1), F(1))]
