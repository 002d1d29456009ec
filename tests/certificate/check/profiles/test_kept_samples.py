"""Steps that test a sample and store or output it: rules broken by hand, and forgeries."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, BadModel, ClaimOpen, Malformed, Rejected, RuleBroken
from tests.certificate.check.profiles.test_forgeries import ADJACENCIES, accepted, confirm, forgeries
from tests.certificate.profile_judge import accepts_table
from tests.certificate.profile_samples import NODES, ONE, REGION, made, node, on_grid, table
from tests.certificate.program_samples import state, transition
from tests.certificate.samples import Path
from tests.certificate.verdicts import edited, refused
from tests.profiles import everything

Json = Any
CUTS: Path = ("evidence", "cuts")
CELLS: Path = (*NODES, 1, "cells", 0)
ANCHORS: Path = (*CELLS, 0, "anchors")


def anchored(*moves: Any, until: str = "1") -> Json:
    return {"anchors": [[1, *moves], [2, *moves]], "until": until}


FREE = ("offset", "0", "offset", "0")
# A public limit is 0, and nothing is known of the second world's but that it is the same. A query is compared
# with it; if it is above, the noisy query is the next limit, with which one more is compared.
STATES: Json = {
    "q0": state(transition("", "q1", assign=True), takes_input=False)
    | {"rate_left": "inf", "rate_right": "inf", "rate": None},
    "q1": state(transition("<", "end", "below"), transition(">=", "q2", "above", assign=True)),
    "q2": state(transition("<", "end", "below"), transition(">=", "end", "above")),
}
STILL: Json = [[anchored("shift", "0", until="0")]]
NEXT: Json = table(
    STATES,
    [
        node("q0", ONE, ONE, ONE, cells=STILL),
        node("q1", ONE, ONE, ONE, cells=[[anchored("shift", "0", "shift", "0")]]),
        node("q2", ONE, ONE, ONE),
    ],
    REGION,
)
NEXT["evidence"]["cuts"] = {"q1": ["-1", "0", "1"]}
STEP: Json = {"bound": "2", "exponent": "1", "lines": []}
NEXT_ON_GRID: Json = on_grid(edited(NEXT, {("evidence", "regions"): [STEP]}))


@pytest.mark.parametrize("certificate", [NEXT, NEXT_ON_GRID])
def test_a_table_and_all_its_forgeries(certificate: Json) -> None:
    assert accepted(certificate)
    assert accepts_table(certificate)
    changes = list(forgeries(certificate))
    some = changes if everything() else Random(1).sample(changes, 150)
    kept = [confirm(certificate, *change) for change in some]
    assert sum(kept) < len(kept) / 2


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({CUTS: ...}, BadEvidence, "no cuts of a state"),
        ({CUTS: {}}, BadEvidence, "no cuts of a state"),
        ({CUTS: []}, Malformed, "not of type dict"),
        ({(*CUTS, "q2"): ["0"]}, Malformed, "cuts of a state that needs none"),
        ({(*CUTS, "end"): ["0"]}, Malformed, "cuts of a state that needs none"),
        ({(*CUTS, "q1"): []}, Malformed, "not from 1 to 1,000 cuts"),
        ({(*CUTS, "q1"): [str(k) for k in range(1_001)]}, Malformed, "not from 1 to 1,000 cuts"),
        ({(*CUTS, "q1"): ["0", "0"]}, BadEvidence, "cuts that do not rise"),
        ({(*CUTS, "q1"): [0]}, Malformed, "not of type str"),
        ({(*NODES, 1, "cells"): ...}, Malformed, "no cells where a sample is tested and kept"),
        ({CELLS: []}, BadEvidence, "no cell"),
        ({(*NODES, 1, "cells"): []}, Malformed, "wrong length"),
        ({ANCHORS: []}, Malformed, "no anchor"),
        ({ANCHORS: [[1, "shift", "0"]]}, Malformed, "wrong length"),
        ({ANCHORS: [[1, "shift", "0", "shift", "0", "shift", "0"]]}, Malformed, "wrong length"),
        ({ANCHORS: [[1, "shift", "0", "stay", "0"]]}, Malformed, "neither an offset nor a shift"),
        ({ANCHORS: [[3, "shift", "0", "shift", "0"]]}, Malformed, "no such knot"),
        ({ANCHORS: [[1, "shift", "0", "shift", "1"]]}, BadEvidence, "no node for a shift"),
        ({(*CELLS, 0, "until"): "0"}, BadEvidence, "do not cover"),
        ({(*NODES, 1, "values"): [ONE, ONE // 2, ONE // 2]}, RuleBroken, "a step is worth more"),
        ({("claim", "upper"): "1/2"}, ClaimOpen, "larger"),
        (
            {("model", "states", "q1", "rate"): None,
             ("model", "states", "q1", "rate_left"): "1", ("model", "states", "q1", "rate_right"): "2"},
            BadEvidence, "noise with two rates",
        ),
        ({("model", "states", "q1", "transitions", 1, "output"): [{"gap": "x"}, "o"]}, BadModel, "a gap"),
        (
            {("model", "states", "q1", "transitions", 1, "output"): "insample",
             ANCHORS: [[1, "shift", "0", "offset", "0"]]},
            BadEvidence, "a sample that is output is moved",
        ),
    ],
)  # fmt: skip
def test_rules_that_are_broken(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(NEXT, edits), failure, words)


def test_off_the_grid() -> None:
    refused(edited(NEXT_ON_GRID, {(*CUTS, "q1"): ["1/2"]}), BadEvidence, "off the grid")
    moved = {ANCHORS: [[1, "shift", "-1/2", "shift", "0"]]}
    refused(edited(NEXT_ON_GRID, moved), BadEvidence, "off the grid")


# Nothing follows, so what is lost is that of one comparison with the limit, whose shift is 0.
ENDS: Json = edited(NEXT, {("model", "states", "q1", "transitions", 1, "to"): "end", (*NODES, 2): ...})


@pytest.mark.parametrize("certificate", [ENDS, on_grid(edited(ENDS, {("evidence", "regions"): [STEP]}))])
def test_moves_that_guards_forbid_gain_nothing(certificate: Json) -> None:
    """What is below the limit may move down only, and what is above it up only."""
    halves = [ONE, ONE * 4 // 5, ONE * 4 // 5]
    values: dict[Path, Json] = {(*NODES, 1, "values"): halves}
    public = edited(certificate, values | {("model", "states", "q1", "input"): False})
    for amounts in (("0", "0"), ("-1", "0"), ("0", "1")):
        cells = {CELLS: [anchored("shift", amounts[0], "shift", amounts[1], until="0")]}
        if amounts == ("0", "0"):
            assert accepted(edited(public, cells | {(*NODES, 1, "values"): [ONE, 1, 1]}))
        assert accepted(edited(public, cells))
        assert accepts_table(edited(public, cells))
    for amounts in (("1", "0"), ("0", "-1"), ("1", "-1")):
        cells = {CELLS: [anchored("shift", amounts[0], "shift", amounts[1], until="0")]}
        refused(edited(public, cells), RuleBroken, "a step is worth more")
        assert not accepts_table(edited(public, cells))


@pytest.mark.parametrize("q", [None, "1/2"])
@pytest.mark.parametrize("seed", range(300) if everything() else range(6))
def test_forgeries_of_random_programs(seed: int, q: str | None) -> None:
    two, gaussian = seed % 3 == 2, q is None and seed % 4 == 1
    certificate = made(seed, ADJACENCIES[seed % 5], 12, None, q, two=two, gaussian=gaussian, keeps=True)
    assert accepted(certificate)
    assert accepts_table(certificate)
    changes = list(forgeries(certificate))
    for change in Random(seed).sample(changes, min(40, len(changes))):
        confirm(certificate, *change)
