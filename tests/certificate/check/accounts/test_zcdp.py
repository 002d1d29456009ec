"""Certificates about the ρ of zCDP: every rule has one that obeys it, and one that breaks only this rule.

Three runs of randomised response with the odds 2 : 1 have ρ = 3·ln 2·tanh(ln 2 / 2) = ln 2, and D_∞ = 3 ln 2.
"""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadEvidence, ClaimOpen, Malformed, Rejected, TooLarge
from tests.certificate.accounts_judge import is_true_account
from tests.certificate.moments_judge import accepts_moments
from tests.certificate.moments_samples import COIN_MODEL, DOORS, LOOP
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
RHO, PROOF = ("claim", "rho"), ("evidence", "rho")
ORDERS = (*PROOF, "orders")
COIN: Json = {"known": "randomised-response", "q": "1/2", "times": 3, "values": 2}
TELLS: Json = {"alpha": "2", "delta": "1/10", "known": "approximate", "times": 2}
ONE_WAY: Json = {"laws": [["1/2", "1/2"], ["1/2", "1/4"], ["0", "1/4"]], "times": 1}
RARE: Json = {"laws": [["1/100", "1/1000000"], ["99/100", "999999/1000000"]], "times": 1}


def rho(parts: list[Json], claim: Json, **proof: Json) -> Json:
    """The moment of order 2 is left open."""
    model = {"parts": parts, "type": "composition", "version": 1}
    evidence = {"parts": [{} for _ in parts], "rho": {"bits": 64, **proof}}
    return certificate({"kind": "composition", "moments": [["2", "1", "inf"]], "rho": claim}, model, evidence)


THREE = rho([COIN], {"lower": "6931/10000", "upper": "1733/2500"}, at="1", orders=["3/2", "2", "5/2", "7/2"])
APART = rho(
    [TELLS],
    {"approximate": {"delta": "19/100", "upper": "4622/10000"}, "lower": "inf", "upper": "inf"},
    orders=["3/2", "2", "5/2", "7/2"],
)
"""Given that the output is possible under both secrets it is randomised response, twice: ρ = 2/3·ln 2."""

APART["claim"]["rho"]["approximate"]["upper"] = "2311/5000"

_LAWS: Json = {
    "graphs": [
        {
            "nodes": [{"next": [["h", 1], ["z", 2]], "visits": "1"}, {"visits": "1"}, {"visits": "1"}],
            "pair": list(pair),
        }
        for pair in ((1, 2), (2, 1))
    ]
}
CHAIN: Json = certificate(
    {
        "from": "s",
        "kind": "renyi",
        "moments": [["inf", "1", "inf"]],
        "of": "lv",
        "rho": {"lower": "231/1000", "upper": "289/1250"},
        "scope": "pair",
        "to": "t",
    },
    COIN_MODEL,
    {
        "orders": [
            {
                "nodes": [
                    {"actions": {"": [["h", 1], ["z", 2]]}, "lower": "1", "taken": "", "upper": "inf"},
                    {},
                    {},
                ],
                "roots": [[1, 2]],
            }
        ],
        "rho": {"at": "1", "bits": 64, "laws": _LAWS, "orders": ["3/2", "2", "5/2", "7/2"]},
    },
)


def test_samples() -> None:
    words = "part=0 known=randomised-response parts=1 runs=3"
    assert accepted(THREE) == f"composition order=2 lower=1 upper=inf rho=6931/10000,1733/2500 {words}"
    words = "part=0 known=approximate parts=1 runs=2"
    told = "rho=inf approximate-rho=2311/5000 delta=19/100"
    assert accepted(APART) == f"composition order=2 lower=1 upper=inf {told} {words}"
    told = 'renyi from="s" to="t" of=lv order=inf lower=1 upper=inf rho=231/1000,289/1250'
    assert accepted(CHAIN) == told
    assert is_true_account(THREE)
    assert is_true_account(APART)
    assert accepts_moments(CHAIN)


def test_what_is_proved() -> None:
    """By a chord alone, by a parabola alone, by orders above 1, by nothing."""
    accepted(rho([COIN], {"lower": "0", "upper": "21/10"}, orders=[]))
    accepted(rho([COIN], {"lower": "0", "upper": "inf"}, orders=[]))
    accepted(rho([{**COIN, "q": "1"}], {"lower": "0", "upper": "0"}, orders=[]))
    accepted(rho([COIN], {"lower": "0", "upper": "8/5"}, orders=["8/5"]))
    refused(rho([COIN], {"lower": "0", "upper": "8/5"}, orders=["6/5"]), ClaimOpen, "last order is too small")
    one, orders = {"lower": "49/20", "upper": "5/2"}, ["3/2", "2", "17/8", "9/4", "19/8", "5/2", "3", "4"]
    accepted(rho([RARE], one, at="5/2", orders=orders))
    refused(rho([RARE], one, at="3/2", orders=orders), ClaimOpen, "lower")
    accepted(rho([ONE_WAY], {"lower": "inf", "upper": "inf"}, orders=[]))
    accepted(rho([ONE_WAY], {"lower": "9", "upper": "inf"}, orders=[]))


def test_the_largest_moment_counts_in_each_part() -> None:
    """Both ways round, and of options; but the secrets go the same way in all parts."""
    options = {"options": [{**COIN, "times": 1}, {**COIN, "q": "1", "times": 1}], "times": 3}
    chosen = edited(THREE, {("model", "parts"): [options], ("evidence", "parts"): [{"options": [{}, {}]}]})
    assert accepted(chosen).startswith("composition order=2 lower=1 upper=inf rho=6931/10000,1733/2500 ")
    assert is_true_account(chosen)
    skewed = {"laws": [["9/10", "1/2"], ["1/10", "1/2"]], "times": 1}
    back = {"laws": [["1/2", "9/10"], ["1/2", "1/10"]], "times": 1}
    half = {"lower": "53/100", "upper": "3/5"}  # one way it is 0.368…, the other way 0.532…
    accepted(rho([skewed], half, at="3/2", orders=["5/4", "3/2", "2", "3"]))
    accepted(rho([skewed, back], {"lower": "87/100", "upper": "1"}, at="1", orders=["3/2", "2", "3"]))


FORGERIES: dict[str, tuple[dict[Path, Json], type[Rejected], str]] = {
    "no evidence": ({PROOF: ...}, Malformed, ""),
    "no claim": ({RHO: ...}, Malformed, ""),
    "another key": ({(*RHO, "delta"): "0"}, Malformed, ""),
    "another key of the evidence": ({(*PROOF, "laws"): []}, Malformed, ""),
    "below 0": ({(*RHO, "lower"): "-1"}, BadClaim, "0 <= lower <= upper"),
    "the wrong way round": ({(*RHO, "lower"): "1"}, BadClaim, "0 <= lower <= upper"),
    "too large": ({(*RHO, "lower"): "6932/10000"}, Malformed, ""),
    "larger than it is": ({(*RHO, "lower"): "69315/100000"}, Malformed, ""),
    "above ln 2": ({(*RHO, "lower"): "1733/2500"}, ClaimOpen, "does not prove lower"),
    "below ln 2": ({(*RHO, "upper"): "6931/10000"}, ClaimOpen, "rho may be too small"),
    "infinite": ({(*RHO, "lower"): "inf", (*RHO, "upper"): "inf"}, ClaimOpen, "does not prove lower"),
    "at no order": ({(*PROOF, "at"): ...}, ClaimOpen, "does not prove lower"),
    "at an order below 1": ({(*PROOF, "at"): "1/2"}, BadClaim, "below 1"),
    "at an order with less": ({(*PROOF, "at"): "2"}, ClaimOpen, "does not prove lower"),
    "few orders": ({ORDERS: ["3"]}, ClaimOpen, "orders 0: rho may be too small"),
    "a gap": ({ORDERS: ["9/8", "3"]}, ClaimOpen, "orders 1: rho may be too small"),
    "not as far as D": ({ORDERS: ["3/2", "2", "5/2", "14/5"]}, ClaimOpen, "last order is too small"),
    "out of order": ({ORDERS: ["3/2", "3/2", "3"]}, Malformed, "orders are out of order"),
    "from 1 on": ({ORDERS: ["1", "3/2", "2", "3"]}, Malformed, "orders are out of order"),
    "no bits": ({(*PROOF, "bits"): 0}, Malformed, "the bits are 0 or too many"),
    "many bits": ({(*PROOF, "bits"): 1001}, Malformed, "the bits are 0 or too many"),
    "few bits": ({(*PROOF, "bits"): 8}, ClaimOpen, "does not prove lower"),
    "one bit": ({(*PROOF, "bits"): 1, ("model", "parts", 0, "q"): "1/1"}, Malformed, ""),
    "approximate beside upper": (
        {(*RHO, "approximate"): {"delta": "1", "upper": "1"}}, BadClaim, "beside an upper bound",
    ),
    "of what can be told apart": ({("model", "parts", 0): TELLS}, ClaimOpen, "may be impossible"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_each_rule(name: str) -> None:
    edits, failure, words = FORGERIES[name]
    refused(edited(THREE, edits), failure, words)


NEAR = (*RHO, "approximate")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*NEAR, "delta"): "18/100"}, Malformed, ""),
        ({(*NEAR, "delta"): "9/50"}, ClaimOpen, "below what is left out"),
        ({(*NEAR, "delta"): "-1"}, BadClaim, "delta is not from 0 to 1"),
        ({(*NEAR, "delta"): "2"}, BadClaim, "delta is not from 0 to 1"),
        ({(*NEAR, "upper"): "-1"}, BadClaim, "rho below 0"),
        ({(*NEAR, "upper"): "inf"}, Malformed, ""),
        ({(*NEAR, "upper"): "23/50"}, ClaimOpen, "rho may be too small"),
        ({("model", "parts", 0, "delta"): "1", (*NEAR, "delta"): "1"}, ClaimOpen, "without a common output"),
    ],
)
def test_each_rule_of_approximate_zcdp(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(APART, edits), failure, words)


def test_what_is_left_out_under_either_secret() -> None:
    """Of the second secret 1/4, of the first nothing. Long powers are not computed where sums are enough."""
    claim = {"approximate": {"delta": "1/4", "upper": "1/8"}, "lower": "0", "upper": "inf"}
    accepted(rho([ONE_WAY], claim, orders=["3/2", "2", "4"]))
    less = {**claim, "approximate": {"delta": "6/25", "upper": "1/8"}}
    refused(rho([ONE_WAY], less, orders=["3/2", "2", "4"]), ClaimOpen, "below what is left out")
    many = {"alpha": "1", "delta": f"1/{10**50}", "known": "approximate", "times": 10**6}
    claim["approximate"] = {"delta": f"1/{10**44}", "upper": "0"}
    accepted(rho([many], claim, orders=[]))
    claim["approximate"] = {"delta": f"1/{10**44 + 1}", "upper": "0"}
    refused(rho([many], claim, orders=[]), TooLarge, "")


def test_few_bits_and_small_masses() -> None:
    small = {"laws": [["1/3", "1/6"], ["1/3", "1/3"], ["1/3", "1/2"]], "times": 1}
    open_end = rho([small], {"lower": "1/20", "upper": "inf"}, at="1", orders=[])
    accepted(open_end)
    refused(edited(open_end, {(*PROOF, "bits"): 1}), TooLarge, "too few bits")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*PROOF, "laws"): ...}, Malformed, ""),
        ({PROOF: ...}, Malformed, ""),
        ({RHO: ...}, Malformed, ""),
        ({(*RHO, "upper"): "231/1000"}, ClaimOpen, "rho may be too small"),
        ({(*RHO, "lower"): "289/1250"}, ClaimOpen, "does not prove lower"),
        ({(*PROOF, "laws", "graphs"): _LAWS["graphs"][:1]}, BadEvidence, "no graph for the pair"),
    ],
)
def test_each_rule_of_chains(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(CHAIN, edits), failure, words)


def test_whose_rho() -> None:
    told: dict[Path, Json] = {RHO: {"lower": "0", "upper": "inf"}}
    told |= {PROOF: {"bits": 64, "laws": {"graphs": []}, "orders": []}}
    refused(edited(DOORS, told), Malformed, "a decision process has rho")
    refused(edited(LOOP, {RHO: {"lower": "0", "upper": "inf"}}), Malformed, "")


def test_what_is_accepted_is_true() -> None:
    confirm = confirming(is_true_account)
    numbers = ["0", "1/5", "231/1000", "1/2", "69/100", "6931/10000", "7/10", "2", "inf"]
    for sample in (THREE, APART):
        for end in ("lower", "upper"):
            for x in numbers:
                confirm(sample, (*RHO, end), x)
    for q in ("1/4", "1/3", "3/5", "9/10", "1"):
        confirm(THREE, ("model", "parts", 0, "q"), q)
    for x in ("1/10", "19/100", "1/5", "1"):
        confirm(APART, (*NEAR, "delta"), x)
        confirm(APART, (*NEAR, "upper"), x)
