"""Trade-off functions against attackers: every rule has a certificate that breaks only this rule.

Action x tells s and t apart with the errors 1/4 and 1/4. Action y shows h or z with probability 1/4, and
otherwise nothing, so that it can be repeated; h has the odds 7 : 1 under s, and 1 : 1 under t.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from prover.accounting.tested import tradeoff
from prover.certificate.check import BadClaim, BadEvidence, ClaimOpen, Malformed, Rejected, RuleBroken
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.zoo import randomised_response
from prover.zoo.interactive import doors, pin_guessing
from tests.certificate.attackers_judge import accepts_attackers
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, confirming, edited, refused
from tests.interactive_oracle import random_processes

Json = Any
F = Fraction
STATES: dict[str, Any] = {
    "s": ("a", {"x": {"h": F(3, 4), "z": F(1, 4)}, "y": {"h": F(7, 32), "z": F(1, 32), "s": F(3, 4)}}),
    "t": ("a", {"x": {"h": F(1, 4), "z": F(3, 4)}, "y": {"h": F(1, 8), "z": F(1, 8), "t": F(3, 4)}}),
    "h": ("h", {"h": F(1)}),
    "z": ("z", {"z": F(1)}),
}
PROCESS = LabelledMarkovDecisionProcess.of(STATES, [("s", "t")])
PROVED: Json = json.loads(tradeoff(PROCESS, "s", "t").certificate.data)
VERTICES, GRAPHS = ("claim", "vertices"), ("evidence", "unrollings")
# α = 1, 2, 3 and 4; at 3 the attacker who knows t best takes y.
AT_THREE = (*GRAPHS, 2, "attackers", 1, 1)


def test_by_hand() -> None:
    assert PROVED["claim"]["vertices"] == [
        ["0", "1"],
        ["1/8", "1/2"],
        ["1/4", "1/4"],
        ["1/2", "1/8"],
        ["1", "0"],
    ]
    assert [graph["alpha"] for graph in PROVED["evidence"]["unrollings"]] == ["1", "2", "3", "4"]
    assert PROVED["evidence"]["unrollings"][2]["attackers"] == [[0, []], [1, [[1, "1/2", "1/8"]]]]
    told = 'tradeoff from="s" to="t" of=tv vertices=5 mu=168622437549/125000000000,'
    assert accepted(PROVED) == f"{told}1348979500393/1000000000000 attackers=all"
    assert accepts_attackers(PROVED)
    accepted(edited(PROVED, {(*GRAPHS, 0): ...}))  # α = 2 and 4 are the slopes, and (1/4, 1/4) is found at 2
    worse = edited(PROVED, {(*AT_THREE, 0, 1): "1/4"})  # less than the event has
    refused(worse, ClaimOpen, "no attacker is seen")


FORGERIES: dict[str, tuple[dict[Path, Json], type[Rejected], str]] = {
    "one direction": ({("claim", "of"): "lv"}, BadClaim, "both directions count"),
    "an observer": ({("claim", "observer"): {"sees": "labels", "silent": []}}, Malformed, "has an observer"),
    "mu without a proof": ({("evidence", "gaussian"): ...}, Malformed, "alone"),
    "a proof without mu": ({("claim", "gaussian"): ...}, Malformed, "alone"),
    "mu": ({("claim", "gaussian"): {"lower": "27/20", "upper": "27/20"}}, ClaimOpen, "curve of lower"),
    "above a test": ({(*VERTICES, 2): ["1/4", "9/32"]}, ClaimOpen, "smaller errors"),
    "below all tests": ({(*VERTICES, 2): ["1/4", "15/64"]}, ClaimOpen, "smaller errors"),
    "a slope is not asked": ({(*GRAPHS, 3): ...}, ClaimOpen, "smaller errors"),
    "alpha below 1": ({(*GRAPHS, 0, "alpha"): "1/2"}, BadEvidence, "alpha is below 1"),
    "another alpha": ({(*GRAPHS, 1, "alpha"): "17/8"}, RuleBroken, ""),
    "no root": ({(*GRAPHS, 1, "roots"): [[1, 2]]}, BadEvidence, ""),
    "twice": ({(*GRAPHS, 1, "roots", 1): [1, 2]}, BadEvidence, "a root is repeated"),
    "no attacker there": ({(*GRAPHS, 2, "attackers", 1, 0): 2}, BadEvidence, "begins at no root"),
    "attackers": ({(*GRAPHS, 2, "attackers", 1, 0): 0}, BadEvidence, "attackers are out of order"),
    "nodes": ({AT_THREE: [[1, "1/2", "1/8"], [1, "1/2", "1/8"]]}, BadEvidence, "nodes are out of order"),
    "unknown node": ({AT_THREE: [[1, "1/2", "1/8"], [99, "0", "0"]]}, Malformed, "unknown node"),
    "negative": ({(*AT_THREE, 0, 2): "-1"}, Malformed, "negative"),
    "nothing is taken": ({AT_THREE: [[0, "0", "0"], [1, "1/2", "1/8"]]}, BadEvidence, "no action is taken"),
    "on the way": ({AT_THREE: []}, BadEvidence, "on the way, and not listed"),
    "too likely": ({(*AT_THREE, 0, 1): "9/16"}, RuleBroken, "too good"),
    "too rare": ({(*AT_THREE, 0, 2): "1/16"}, RuleBroken, "too good"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_each_rule(name: str) -> None:
    edits, failure, words = FORGERIES[name]
    refused(edited(PROVED, edits), failure, words)


# Two functions: the first line needs an unrolling, and the second one an attacker for every vertex.
ABOVE = ("claim", "above")
BETWEEN: Json = edited(
    PROVED,
    {
        ("claim", "gaussian"): ...,
        ("evidence", "gaussian"): ...,
        ("claim", "vertices"): [["0", "1/2"], ["1/2", "0"], ["1", "0"]],
        ABOVE: [["0", "1"], ["1/4", "1/4"], ["1", "0"]],
    },
)
FORGED_BETWEEN: dict[str, tuple[dict[Path, Json], type[Rejected], str]] = {
    "mu": ({("claim", "gaussian"): {"lower": "1", "upper": "2"}}, Malformed, "needs one function"),
    "errors below": ({(*VERTICES, 0): ["0", "9/16"]}, ClaimOpen, "smaller errors"),
    "errors above": ({(*ABOVE, 1): ["1/4", "3/16"]}, ClaimOpen, "no attacker is seen"),
    "not convex": ({ABOVE: [["0", "1"], ["1/4", "7/8"], ["1", "0"]]}, BadClaim, "slopes are out of order"),
}


def test_between_two_functions() -> None:
    told = 'tradeoff from="s" to="t" of=tv vertices=3 above=3 attackers=all'
    assert accepted(BETWEEN) == told
    assert accepts_attackers(BETWEEN)
    confirm = confirming(accepts_attackers)
    for value in ("0", "1/8", "1/4", "1/2", "5/8", "1"):
        for side in range(2):
            for row in range(3):
                confirm(BETWEEN, (*VERTICES, row, side), value)
                confirm(BETWEEN, (*ABOVE, row, side), value)


@pytest.mark.parametrize("name", FORGED_BETWEEN)
def test_each_rule_of_two_functions(name: str) -> None:
    edits, failure, words = FORGED_BETWEEN[name]
    refused(edited(BETWEEN, edits), failure, words)


def test_chains_have_one_function() -> None:
    made = json.loads(tradeoff(randomised_response()).certificate.data)
    refused(edited(made, {ABOVE: made["claim"]["vertices"]}), Malformed, "a claim about a chain")


def test_a_relation_and_classes() -> None:
    for process, vertices in ((doors(), 3), (pin_guessing(), None)):
        made = json.loads(tradeoff(process).certificate.data)
        told = accepted(made)
        assert told.startswith("tradeoff relation maximum of=tv vertices=")
        assert vertices is None or f"vertices={vertices} " in told
        assert accepts_attackers(made)


def test_secrets_that_are_seen() -> None:
    made = json.loads(tradeoff(PROCESS, "s", "h").certificate.data)
    assert made["claim"]["vertices"] == [["0", "0"], ["1", "0"]]
    accepted(made)
    assert accepts_attackers(made)
    refused(edited(PROVED, {VERTICES: [["0", "0"], ["1", "0"]]}), ClaimOpen, "no attacker is seen")


def test_what_is_accepted_is_proved() -> None:
    confirm = confirming(accepts_attackers)
    for row in range(5):
        for side in range(2):
            for value in ("0", "1/8", "1/6", "1/4", "1/3", "1/2", "5/8", "1"):
                confirm(PROVED, (*VERTICES, row, side), value)
    for graph in range(4):
        for value in ("1", "3/2", "2", "3", "4", "5"):
            confirm(PROVED, (*GRAPHS, graph, "alpha"), value)
    for place in (1, 2):
        for value in ("0", "1/16", "1/8", "1/4", "1/2", "9/16", "1"):
            confirm(PROVED, (*AT_THREE, 0, place), value)


@pytest.mark.parametrize("seed", range(3))
def test_of_random_processes(seed: int) -> None:
    for process in random_processes(5, seed, ends=True):
        made = json.loads(tradeoff(process).certificate.data)
        accepted(made)
        assert accepts_attackers(made)
