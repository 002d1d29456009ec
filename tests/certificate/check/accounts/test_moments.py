"""Certificates about the moments of compositions: what is proved, and what is rejected."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadClaim, ClaimOpen, Malformed, NotDemanded, Rejected, TooLarge
from prover.certificate.check.demands import Demands, meet
from prover.certificate.check.verdict import verified
from prover.exact.rational import format_rational
from tests.certificate.samples import Path, certificate, encode
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
COIN: Json = {"known": "randomised-response", "q": "1/2", "times": 3, "values": 2}
TELLS: Json = {"alpha": "1", "delta": "1/10", "known": "approximate", "times": 1}
# One way the moment of order 2 is 9/4·1/2 + 1/4·1/2 = 5/4 and 1/4·… = 4/3 the other way; at inf 3/2 and 2.
LAWS: Json = {"laws": [["3/4", "1/2"], ["1/4", "1/2"]], "times": 1}
BACK: Json = {"laws": [["1/2", "3/4"], ["1/2", "1/4"]], "times": 1}


def moments(parts: list[Json], *rows: tuple[str, str, str]) -> Json:
    proofs: Json = [{"options": [{} for _ in part["options"]]} if "options" in part else {} for part in parts]
    model = {"parts": parts, "type": "composition", "version": 1}
    return certificate(
        {"kind": "composition", "moments": [list(row) for row in rows]}, model, {"parts": proofs}
    )


THREE = moments([COIN], ("2", "27/8", "27/8"), ("inf", "8", "8"))


def test_moments_of_runs_multiply() -> None:
    assert accepted(THREE) == (
        "composition order=2 moment=27/8 order=inf moment=8 part=0 known=randomised-response parts=1 runs=3"
    )
    half = moments([COIN], ("3/2", "17/10", "9/5"))  # (2^1.5 + 2^-0.5)/3 is 1.178..., and 1.637 its cube
    refused(half, ClaimOpen, "order 0: the evidence does not prove lower")
    accepted(edited(half, {("claim", "moments", 0, 1): "163/100"}))


def test_the_secrets_go_one_way_in_all_parts() -> None:
    """Each part has 4/3 one way round and 5/4 the other."""
    accepted(moments([LAWS], ("2", "4/3", "4/3")))
    accepted(moments([LAWS, BACK], ("2", "5/3", "5/3"), ("inf", "3", "3")))
    refused(moments([LAWS, BACK], ("2", "1", "33/20")), ClaimOpen, "does not prove upper")
    refused(moments([LAWS, LAWS], ("2", "5/3", "5/3")), ClaimOpen, "does not prove upper")


def test_the_largest_option_counts_in_every_run() -> None:
    options = [{**COIN, "times": 1}, {**COIN, "q": "1", "times": 1}]
    accepted(moments([{"options": options, "times": 2}], ("2", "9/4", "9/4")))
    accepted(moments([COIN, {"options": [*options, TELLS], "times": 1}], ("2", "inf", "inf")))
    refused(moments([{"options": [*options, TELLS], "times": 1}], ("2", "1", "3")), ClaimOpen, "prove upper")


def test_long_products_are_rounded() -> None:
    many = {**COIN, "times": 10**5}
    floor = 3**100_000 >> 100_000 + 58_300 << 58_300  # of (3/2)^100,000, which has 58,497 bits
    below, above = (format_rational(Fraction(end)) for end in (floor, floor + 2**58_300))
    accepted(moments([many], ("2", below, above)))
    refused(moments([many], ("2", above, "inf")), ClaimOpen, "prove lower")
    refused(moments([many], ("2", "1", below)), ClaimOpen, "prove upper")
    refused(moments([{**many, "q": "1/1000"}], ("8", "1", "inf")), TooLarge, "a moment is too large")


FORGERIES: dict[str, tuple[dict[Path, Json], type[Rejected], str]] = {
    "no order": ({("claim", "moments"): []}, BadClaim, "there is no order"),
    "too large": ({("claim", "moments", 0, 2): "26/8"}, Malformed, ""),
    "too small": (
        {("claim", "moments", 0, 1): "28/9", ("claim", "moments", 0, 2): "28/9"},
        ClaimOpen,
        "upper",
    ),
    "above": ({("claim", "moments", 1, 1): "9", ("claim", "moments", 1, 2): "9"}, ClaimOpen, "lower"),
    "infinite": ({("claim", "moments", 1, 1): "inf", ("claim", "moments", 1, 2): "inf"}, ClaimOpen, "lower"),
    "with alpha": ({("claim", "alpha"): "2"}, Malformed, ""),
    "with an epsilon": ({("claim", "epsilon"): {"alpha": "at-most", "value": "1"}}, Malformed, ""),
    "with a method": ({("evidence", "sums"): 10}, Malformed, ""),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries(name: str) -> None:
    edits, failure, words = FORGERIES[name]
    refused(edited(THREE, edits), failure, words)


def test_a_moment_is_no_probability() -> None:
    found = verified(encode(THREE))
    with pytest.raises(NotDemanded, match="no single probability"):
        meet(Demands(at_most=(9, 1)), found.claim, found.model)
