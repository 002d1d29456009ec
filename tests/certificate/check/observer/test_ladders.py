"""Ladders: what is accepted, and one refusal for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.reading import BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# Transitions: 0, 1 draw the ends of a range; then inside 2, below 3, above 4. Steps: low 0, high 1, input 2.
LADDER = OBSERVER_SAMPLES["a ladder"]
ON_A_GRID = OBSERVER_SAMPLES["a ladder on a grid"]
(PLACE,) = (n for n, group in enumerate(LADDER["evidence"]["groups"]) if "cones" in group)
GROUP: Path = ("evidence", "groups", PLACE)
RUNG: Path = (*GROUP, "rungs", 1)
CASES: Path = ("model", "states", "q2", "transitions")
FROM_ABOVE: dict[Path, Json] = {("claim", "lower"): "0", ("evidence", "word"): ...}
NO_NOISE = "noise without a side on the line, or a sensitivity above the grid"


def test_accepted() -> None:
    assert accepted(LADDER) == "epsilon adjacency=all-differ loss=observer value=1/4"
    assert accepted(ON_A_GRID).endswith("loss=observer value=1/4")
    group = LADDER["evidence"]["groups"][PLACE]
    assert group["cones"] == [[[1, 2]], [[2, 0]]]
    assert [rung["delta"] for rung in group["rungs"]] == [[0, 0, -1], [0, 0, 1]]
    one = {"delta": [0, 0, 1], "order": [1, 0], "shifts": [[0, 1, 1], [0, 0, 0]]}  # the other way round
    refused(edited(LADDER, {RUNG: one}), ClaimOpen, "the shifts do not prove upper")
    accepted(edited(LADDER, {RUNG: {**one, "shifts": [[0, 0, 1], [1, 0, 1]], "order": [0, 1]}}))


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "lower"): "0", ("claim", "upper"): "24/100"}, Malformed, ""),
        ({("claim", "lower"): "0", ("claim", "upper"): "6/25"}, ClaimOpen, "the shifts do not prove upper"),
        ({(*GROUP, "cones"): []}, BadEvidence, "there are no cones"),
        ({(*GROUP, "cones"): [[[1, 2]]]}, RuleBroken, "the cones are not the runs"),
        ({(*GROUP, "cones"): [[[1, 2]], []]}, RuleBroken, "the cones are not the runs"),
        ({(*GROUP, "cones"): [[[1, 2]], [[2, 2]]]}, BadEvidence, "an order of unknown steps"),
        ({(*GROUP, "cones"): [[[1, 2]], [[2, 3]]]}, BadEvidence, "an order of unknown steps"),
        ({(*GROUP, "rungs"): []}, BadEvidence, "there are not rungs for each difference"),
        ({(*RUNG, "delta"): [0, 0, -1]}, BadEvidence, "the rungs of another difference"),
        ({(*RUNG, "order"): [0, 0]}, BadEvidence, "not a numbering of all cones"),
        ({(*RUNG, "order"): [0]}, BadEvidence, "not a numbering of all cones"),
        ({(*RUNG, "shifts"): [[0, 0, 1]]}, BadEvidence, "shifts of the wrong length"),
        ({(*RUNG, "shifts"): [[0, 0, 1], [1, 0]]}, BadEvidence, "shifts of the wrong length"),
        ({(*RUNG, "shifts"): [[0, 1, 0], [0, 0, 0]]}, RuleBroken, "a cone does not keep its shifts"),
        (
            {(*RUNG, "shifts"): [[0, 0, 0], [1, 0, 1]], (*RUNG, "order"): [0, 1]},
            RuleBroken,
            "a cone may meet an earlier one",
        ),
        ({(*CASES, 1, "output"): "elsewhere"}, RuleBroken, "the steps of two runs differ"),
        (
            {
                **FROM_ABOVE,
                **{(*CASES, k, "output"): ["outside", "insampleprime"] for k in (1, 2)},
                ("model", "states", "q2", "rate_prime"): "1",
                ("model", "states", "q2", "mean_prime"): "0",
            },
            RuleBroken,
            "a number is output",
        ),
        ({(*CASES, 2, "guard"): [[">=", "high"]]}, RuleBroken, "two runs overlap"),
        (
            {
                **FROM_ABOVE,
                ("model", "states", "q1", "rate"): None,
                ("model", "states", "q1", "rate_left"): "inf",
                ("model", "states", "q1", "rate_right"): "1/4",
            },
            BadModel,
            NO_NOISE,
        ),
    ],
)
def test_what_is_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(LADDER, edits), failure, words)


def test_on_a_grid() -> None:
    """There all differences are looked at, and noise may have one side, to which nothing may be shifted."""
    coarse = edited(ON_A_GRID, {**FROM_ABOVE, ("model", "sensitivity"): "2", ("claim", "upper"): "9"})
    refused(coarse, BadModel, NO_NOISE)
    one_sided: dict[Path, Json] = {
        **FROM_ABOVE,
        ("model", "states", "q2", "rate"): None,
        ("model", "states", "q2", "rate_left"): "1/2",
        ("model", "states", "q2", "rate_right"): "inf",
    }
    groups = ON_A_GRID["evidence"]["groups"]
    (place,) = (n for n, group in enumerate(groups) if "cones" in group)
    first: dict[Path, Json] = {("evidence", "groups"): [groups[place], *groups[:place], *groups[place + 1 :]]}
    right: dict[Path, Json] = {("evidence", "groups", 0, "rungs", 1, "shifts"): [[0, 0, 1], [1, 0, 1]]}
    refused(edited(edited(ON_A_GRID, first), {**one_sided, **right}), RuleBroken, "a side without noise")
