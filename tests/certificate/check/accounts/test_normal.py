"""Moments and ρ of parts with Gaussian noise: every rule has a certificate that breaks only this rule.

A number with noise of standard deviation 1 is shown; inputs differ by 1, so M_a = e^(a(a − 1)/2) and ρ = 1/2.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from prover.certificate.check import BadClaim, BadEvidence, ClaimOpen, Malformed, Rejected, TooLarge
from tests.certificate.normal_judge import is_true_of_noise
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
F = Fraction
STATE: Json = {
    "input": True,
    "mean": "0",
    "mean_prime": None,
    "rate": None,
    "rate_prime": None,
    "sigma": "1",
    "transitions": [{"assign": ["x"], "guard": [], "output": "insample", "to": "end"}],
}
PROGRAM: Json = {"initial": "a", "states": {"a": STATE}, "type": "threshold-program", "version": 1}
SHOWN: Json = {"adjacency": "all-differ", "at_epsilon": "1", "program": PROGRAM, "times": 1}
WHOLE: Json = {"known": "discrete-gaussian", "sensitivity": 3, "sigma": "3/2", "times": 1}
COIN: Json = {"known": "randomised-response", "q": "1/2", "times": 3, "values": 2}
SAMPLES: Json = {"kind": "poisson", "rate": "1/10"}
PART: Path = ("model", "parts", 0)
PROOF: Path = ("evidence", "parts", 0)
FIRST: Path = (*PART, "program", "states", "a")
LEAVES: Path = (*FIRST, "transitions", 0)
CLAIM: Path = ("claim", "moments", 0)
RHO: Path = ("claim", "rho")
NORMAL: Json = {"normal": 12}


def made(parts: list[Json], rows: list[list[str]], rho: Json = None, **proof: Json) -> Json:
    claim: Json = {"kind": "composition", "moments": rows}
    evidence: Json = {
        "parts": [NORMAL if "values" not in part and "laws" not in part else {} for part in parts]
    }
    if rho:
        claim["rho"], evidence["rho"] = rho, {"bits": 64, "orders": [], **proof}
    return certificate(claim, {"parts": parts, "type": "composition", "version": 1}, evidence)


ONE = made(
    [SHOWN],
    [["3/2", "145499/100000", "291/200"], ["2", "67957/25000", "271829/100000"], ["inf", "inf", "inf"]],
)
TWICE = made([SHOWN | {"times": 2}], [["2", "1", "inf"]], {"lower": "1", "upper": "1"})
# Of 1/10 of all people M_2 is 99/100 + e/100, and the other way round less.
SAMPLED = made([SHOWN | {"sampling": SAMPLES}], [["2", "10171/10000", "2543/2500"]])
# On integers that differ by 3 the centre is 1/2 at a = 3/2; M is e^(3/2) times a number just below 1.
BETWEEN = made([WHOLE], [["3/2", "2801/625", "44817/10000"], ["2", "54598/1000", "54599/1000"]])
BETWEEN["claim"]["moments"][1][1] = "27299/500"
# With sigma = 1/2 and integers that differ by 1 it is e^(3/2) times 0.9716….
NARROW = made(
    [{"known": "discrete-gaussian", "sensitivity": 1, "sigma": "1/2", "times": 1}],
    [["3/2", "8709/2000", "21773/5000"]],
)
BESIDE = made(
    [COIN, SHOWN],
    [["2", "1", "inf"]],
    {"lower": "11931/10000", "upper": "2983/2500"},
    at="1",
    orders=["3/2", "2", "5/2", "7/2"],
)


@pytest.mark.parametrize("sample", [ONE, TWICE, SAMPLED, BETWEEN, NARROW, BESIDE])
def test_by_hand(sample: Json) -> None:
    accepted(sample)
    assert is_true_of_noise(sample)


@pytest.mark.parametrize(
    ("sample", "edits", "failure", "words"),
    [
        (ONE, {(*CLAIM, 1): "1455/1000"}, Malformed, ""),
        (NARROW, {(*CLAIM, 2): "8709/2000"}, ClaimOpen, "prove upper"),
        (NARROW, {(*PROOF, "normal"): 0}, TooLarge, "too near"),
        (NARROW, {(*PROOF, "normal"): 2}, ClaimOpen, "prove upper"),  # what is beyond counts
        (ONE, {("claim", "moments", 1, 1): "271829/100000"}, ClaimOpen, "prove lower"),
        (ONE, {("claim", "moments", 1, 2): "67957/25000"}, ClaimOpen, "prove upper"),
        (ONE, {("claim", "moments", 2, 1): "1", ("claim", "moments", 2, 2): "9"}, ClaimOpen, "prove upper"),
        (ONE, {(*PROOF, "normal"): 10_001}, BadEvidence, "too many places"),
        (ONE, {(*PROOF, "normal"): -1}, BadEvidence, "too many places"),
        (ONE, {(*PROOF, "normal"): "0"}, Malformed, "type int"),
        (ONE, {(*PROOF, "tables"): {}}, Malformed, "unknown key"),
        (ONE, {(*PART, "adjacency"): "all"}, Malformed, "adjacency"),
        (ONE, {(*PART, "at_epsilon"): "0"}, Malformed, "positive"),
        (ONE, {(*PART, "steps"): 0}, BadClaim, "steps"),
        (ONE, {(*PART, "q"): "1/2"}, Malformed, "unknown key"),
        (ONE, {(*FIRST, "sigma"): ..., (*FIRST, "rate"): "1"}, BadEvidence, "not Gaussian"),
        (ONE, {(*FIRST, "sigma"): "1/1000"}, TooLarge, "too large"),
        (ONE, {(*FIRST, "input"): False}, BadEvidence, "one number"),
        (ONE, {(*LEAVES, "output"): "shown"}, BadEvidence, "one number"),
        (
            ONE,
            {
                (*FIRST, "mean_prime"): "0",
                (*FIRST, "sigma_prime"): "1",
                (*LEAVES, "output"): "insampleprime",
            },
            BadEvidence,
            "one number",
        ),
        (ONE, {(*PART, "program", "states", "end"): STATE}, BadEvidence, "one number"),
        (ONE, {(*PART, "sampling"): SAMPLES}, BadEvidence, "not whole"),
        (SAMPLED, {(*PART, "sampling", "kind"): "fixed-size"}, BadEvidence, "fixed size"),
        (SAMPLED, {(*PART, "sampling", "rate"): "1/9"}, ClaimOpen, "prove upper"),
        (SAMPLED, {(*PART, "sampling", "rate"): "1/11"}, ClaimOpen, "prove lower"),
        (SAMPLED, {(*PART, "adjacency"): "increasing"}, Rejected, "either way"),
        (BETWEEN, {(*PART, "sensitivity"): 0}, Rejected, "out of range"),
        (BETWEEN, {(*PART, "known"): "discrete-laplace"}, BadEvidence, "not Gaussian"),
        (BETWEEN, {(*PROOF, "normal"): 1}, ClaimOpen, "prove lower"),
        (TWICE, {(*RHO, "lower"): "10001/10000", (*RHO, "upper"): "2"}, ClaimOpen, "prove lower"),
        (TWICE, {(*RHO, "lower"): "0", (*RHO, "upper"): "9999/10000"}, ClaimOpen, "last order"),
        (BESIDE, {(*RHO, "lower"): "1193/1000", (*RHO, "upper"): "11931/10000"}, ClaimOpen, ""),
        (BESIDE, {(*RHO, "lower"): "2983/2500"}, ClaimOpen, "prove lower"),
        (BESIDE, {("model", "parts", 1, "sampling"): SAMPLES}, ClaimOpen, "prove lower"),
    ],
)
def test_each_rule(sample: Json, edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    made_false = edited(sample, edits)
    if failure is Rejected:
        with pytest.raises(Rejected, match=words):
            accepted(made_false)
    else:
        refused(made_false, failure, words)


def test_deltas_have_laws() -> None:
    claim = {"alpha": "1", "kind": "composition", "lower": "0", "upper": "1"}
    grid = {"digits": 20, "steps": 10, "tail": "0", "work": 10**6}
    refused(certificate(claim, ONE["model"], {"grid": grid, "parts": [NORMAL]}), Malformed, "unknown key")


def test_samples_do_not_lower_rho() -> None:
    """It is that of the limit of large orders, to which the others add nothing."""
    parts = [SHOWN | {"sampling": SAMPLES}, COIN]
    sample = made(parts, [["2", "1", "inf"]], {"lower": "1/2", "upper": "inf"})
    accepted(sample)
    refused(edited(sample, {(*RHO, "lower"): "6931/10000"}), ClaimOpen, "prove lower")
    accepted(edited(sample, {(*RHO, "lower"): "6931/10000", ("evidence", "rho", "at"): "1"}))


def test_both_ways_round_have_the_same_direction() -> None:
    """Laws that have the larger moment the other way round, where that of samples is smaller."""
    back = {"laws": [["1/1000", "1/2"], ["999/1000", "1/2"]], "times": 1}
    parts = [SHOWN | {"sampling": SAMPLES | {"rate": "1/2"}}, back]
    sample = made(parts, [["2", "250", "358"]])
    accepted(sample)
    refused(edited(sample, {(*CLAIM, 1): "251"}), ClaimOpen, "prove lower")
    assert is_true_of_noise(sample)
    assert not is_true_of_noise(edited(sample, {(*CLAIM, 1): "357"}))


def test_rho_of_noise_on_integers_at_an_order_between_two() -> None:
    """D_a/a is less than ρ there, beside a mechanism of which it is largest there."""
    noise = WHOLE | {"sigma": "1/2", "sensitivity": 1}
    sample = made([noise, COIN], [["2", "1", "inf"]], {"lower": "261/100", "upper": "inf"}, at="3/2")
    accepted(sample)
    refused(edited(sample, {(*RHO, "lower"): "2619/1000"}), ClaimOpen, "prove lower")
    refused(
        edited(sample, {(*PART, "sigma"): "1/100", (*PROOF, "normal"): 1, (*RHO, "lower"): "6000"}),
        TooLarge,
        "too few places",
    )


@pytest.mark.parametrize("number", range(4))
def test_what_the_prover_writes(number: int) -> None:
    known = Mechanism.of_known
    parts = [
        [
            known("discrete-gaussian", {"sigma": "1", "sensitivity": 1}, times=2),
            known("randomised-response", {"q": "1/2"}),
        ],
        [
            known("gaussian", {"sigma": "2", "sensitivity": "3/2"}, times=3),
            known("discrete-laplace", {"q": "2/3"}),
        ],
        [
            poisson_sampled(known("gaussian", {"sigma": 1}, times=2), "1/3"),
            Mechanism.of_laws({0: "1/9", 1: "8/9"}, {0: "1/2", 1: "1/2"}),
        ],
        [
            poisson_sampled(known("discrete-gaussian", {"sigma": "3/4"}), "1/3"),
            known("gaussian", {"sigma": 2}),
        ],
    ][number]
    orders = ["2", "3"] if number > 1 else ["3/2", "2"]
    answer = divergences(parts, orders)
    assert answer.lower_certificate is None
    sample = json.loads(answer.certificate.data)
    accepted(sample)
    confirm = confirming(is_true_of_noise)
    alone = edited(sample, {RHO: ..., ("evidence", "rho"): ...})
    assert is_true_of_noise(alone if number > 1 else sample)  # with samples ρ is a limit of large orders
    sample = alone
    for row in range(len(orders)):
        for end, factor in (
            (1, F(10**10 + 1, 10**10)),
            (2, F(10**10 - 1, 10**10)),
            (1, F(99, 100)),
            (2, F(101, 100)),
        ):
            value = F(sample["claim"]["moments"][row][end]) * factor
            confirm(sample, ("claim", "moments", row, end), str(max(F(1), value)))
