"""Claims about chains with real probabilities: what is accepted, and forgeries for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
    TooLarge,
    check,
)
from tests.certificate.forms import walk
from tests.certificate.real_judge import accepts_real
from tests.certificate.real_samples import GROWTH, LOGISTIC, REAL, real
from tests.certificate.samples import Path, encode, replaced
from tests.certificate.unrolling_samples import LOST
from tests.certificate.verdicts import accepted, edited, refused

R: Path = ("evidence", "rounding")
STATES: Path = ("model", "states")
EXITS: Path = (*R, "exits")
SMALL: Path = (*R, "model", "states")
T: Path = (*STATES, "t", "next")
U: Path = (*STATES, "u", "next")


WHOLE = [["0", "-1"], ["1", "1"], ["2", "2"]]
OPEN: dict[Path, Any] = {
    ("claim", "lower"): "0",
    ("claim", "upper"): "1",
    ("evidence", "unrolling"): {"nodes": [], "roots": []},
}


def test_the_sample() -> None:
    line = accepted(REAL)
    assert line == ('lv alpha=1 sees=labels silent="?" lost="lost" from="s" to="t" lower=23/128 upper=35/128')
    assert accepts_real(REAL)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        # numbers
        ({(*T, "b"): real([["1", "1"]], [["0", "1"], ["1", "2"]])}, BadModel, "do not sum to 1"),
        ({(*T, "b"): real([["0", "3/4"]])}, BadModel, "do not sum to 1"),
        ({(*U, "u"): real([["-1", "2"]])}, BadModel, "do not sum to 1"),
        ({(*U, "u"): "367879/1000000"}, BadModel, "do not sum to 1"),
        ({(*T, "a"): real([["0", "1"]], [["0", "1"], ["1", "-1"]])}, BadModel, "not known to be positive"),
        ({(*T, "a"): real([["0", "1"], ["1", "-1"]])}, BadModel, "not known to be positive"),
        ({(*T, "a"): real([["0", "-1"]], [["0", "-1"], ["1", "-1"]])}, BadModel, "not known to be positive"),
        ({(*T, "a"): "0"}, Malformed, "not positive"),
        ({(*T, "a"): real([["1", "1"], ["0", "1"]])}, Malformed, "exponents are out of order"),
        ({(*T, "a"): real([["0", "1"]], [["0", "1"], ["0", "1"]])}, Malformed, "exponents are out of order"),
        ({(*T, "a"): real([["0", "0"]], LOGISTIC)}, Malformed, "empty, or has a 0"),
        ({(*T, "a"): real([], LOGISTIC)}, Malformed, "empty, or has a 0"),
        ({(*T, "a", "below"): ...}, Malformed, "lacks a key"),
        ({(*T, "a"): "e^(-1)"}, Malformed, "not a rational"),
        ({(*U, "u"): real([["100001", "1"]])}, TooLarge, "exponent beyond"),
        ({(*STATES, "t", "next", "q"): "1/2"}, BadModel, "a successor is not a state"),
        ({("model", "type"): "markov-chain"}, Malformed, "not labelled-markov-chain"),
        ({("model", "version"): 2}, Malformed, "not 1"),
        # what silent states lead to
        ({(*EXITS, 0, 1, 0, 1): "127"}, RuleBroken, "exits of state 4: they exceed"),
        ({(*EXITS, 0, 1, 0, 1): "0"}, BadEvidence, "0 or above 1"),
        ({(*EXITS, 0, 1, 0, 1): "257"}, BadEvidence, "0 or above 1"),
        ({(*EXITS, 0, 1, 1, 0): 2}, RuleBroken, "exits of state 4: they exceed"),
        ({(*EXITS, 0, 1, 0, 0): 1}, BadEvidence, "exits are out of order"),
        ({(*EXITS, 0, 0): 3}, BadEvidence, "a state with exits is visible"),
        ({EXITS: [[4, [[0, "124"]]], [4, [[1, "124"]]]]}, BadEvidence, "states with exits are out of order"),
        ({EXITS: []}, RuleBroken, "row of state 3: state 0 is entered too often"),
        # the rows
        ({(*SMALL, "t", "next"): {"a": "69/256", "b": "93/128", "lost": "1/256"}}, RuleBroken, "state 4"),
        ({(*SMALL, "s", "next"): {"a": "63/128", "b": "31/64", "lost": "3/128"}}, RuleBroken, "state 3"),
        ({(*SMALL, "lost", "label"): "gone"}, BadEvidence, "it is neither entered nor lost"),
        ({(*SMALL, "a", "label"): "B"}, BadEvidence, "has another label"),
        ({(*R, "entered", 0): [0, 1], (*R, "entered", 1): [1, 0]}, BadEvidence, "has another label"),
        ({(*R, "entered"): [[0, 0], [1, 1], [3, 2]]}, BadEvidence, "neither entered nor lost"),
        ({(*R, "entered", 3): [4, 2]}, BadEvidence, "a state is entered twice"),
        ({(*R, "bits"): 0}, Malformed, "bits"),
        ({(*R, "bits"): 10_001}, Malformed, "bits"),
        ({(*R, "model", "relation"): []}, Malformed, "unknown key"),
        # the claim
        ({("claim", "lost"): ..., ("evidence", "lost"): ...}, BadClaim, "no lost runs"),
        ({("claim", "observer", "sees"): "changes"}, BadClaim, "sees changes"),
        ({("claim", "observer"): ...}, BadEvidence, "a state with exits is visible"),
        ({("claim", "lower"): "3/16"}, ClaimOpen, "do not prove lower"),
        ({("claim", "upper"): "17/64"}, ClaimOpen, "do not prove upper"),
        ({("claim", "from"): "u"}, BadModel, "no state of this name"),
        ({R: ...}, Malformed, "a claim about lost runs has an observer"),
        ({("claim", "observer"): ..., R: ...}, Malformed, "not of type str"),
    ],
)  # fmt: skip
def test_forgeries(edits: dict[Path, Any], failure: type[Rejected], words: str) -> None:
    refused(edited(REAL, edits), failure, words)


def test_no_state_proves_itself() -> None:
    """u only returns to itself, and is said to lead to a: 256/256 of what it is said to lead to."""
    circle: dict[Path, Any] = {
        U: {"u": "1"},
        EXITS: [[4, [[0, "256"]]]],
        (*SMALL, "s", "next"): {"a": "1"},
        ("evidence", "lost"): [[2, "1"], [4, "3/256"]],
        ("evidence", "unrolling", "nodes", 0): {
            "lower": "189/256", "upper": "189/256", "next": [["A", 1], ["B", 2], ["lost", 3]]
        },
        ("claim", "lower"): "23/32",
        ("claim", "upper"): "3/4",
    }  # fmt: skip
    refused(edited(REAL, circle), BadEvidence, "no way leads out")
    assert not accepts_real(edited(REAL, circle))


GROWS: Path = ("evidence", "growth")
B_IS_LOST: dict[Path, Any] = {(*STATES, "b", "label"): "lost", (*SMALL, "b", "label"): "lost"}


def test_the_sample_of_growth() -> None:
    line = accepted(GROWTH)
    assert line == 'lv alpha=3255/1156 sees=labels silent="?" lost="lost" from="s" to="t" value=0'
    assert accepts_real(GROWTH)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*GROWS, 2, 1): "36/35"}, RuleBroken, "its number is too small for state 0"),
        ({(*GROWS, 0, 1): "36/35"}, RuleBroken, "its number is too small for state 0"),
        ({(*GROWS, 0, 1): "34/35"}, BadEvidence, "a number is below 1"),
        ({(*GROWS, 0): ...}, BadEvidence, "state 0 may follow, which has no number"),
        ({(*GROWS, 2): ...}, BadEvidence, "a state of the claim has no number"),
        ({(*GROWS, 3): ...}, BadEvidence, "a state of the claim has no number"),
        ({(*GROWS, 2): [2, "1"]}, BadEvidence, "it stands for no state"),
        ({(*GROWS, 0): [1, "1"], (*GROWS, 1): [0, "1"]}, BadEvidence, "states are out of order"),
        ({(*GROWS, 3, 1): "18/17"}, RuleBroken, "node 0: upper does not follow"),
        ({("claim", "alpha"): "3254/1156"}, Malformed, "lowest"),
        ({("claim", "alpha"): "1627/578"}, RuleBroken, "node 0: upper does not follow"),
        ({("claim", "alpha"): "36/35"}, ClaimOpen, "alpha is too small"),
        ({("claim", "lower"): "1/9", ("claim", "upper"): "1/2"}, ClaimOpen, "proves no lower bound"),
        ({(*SMALL, "s", "next"): {"b": "93/128", "lost": "35/128"}}, BadEvidence, "state 0 may follow"),
        ({(*STATES, "z"): {"label": "?", "next": {"z": "1"}}}, BadEvidence, "no way leads from a silent"),
        (B_IS_LOST, BadEvidence, "the real chain itself has lost runs"),
        ({("evidence", "lost"): []}, Malformed, "unknown key"),
        ({GROWS: ...}, Malformed, "no probabilities of lost runs"),
        ({R: ..., ("claim", "observer"): ...}, Malformed, ""),
    ],
)
def test_forgeries_of_growth(edits: dict[Path, Any], failure: type[Rejected], words: str) -> None:
    forged = edited(GROWTH, edits)
    refused(forged, failure, words)
    if failure is not Malformed:
        assert not accepts_real(forged)


def test_growth_is_no_evidence_about_a_chain_that_is_rational() -> None:
    refused(edited(LOST, {GROWS: LOST["evidence"]["lost"], ("evidence", "lost"): ...}), Malformed)


def test_a_relation_has_all_its_states() -> None:
    related = edited(REAL, {("claim", "scope"): "relation", ("model", "relation"): [["s", "t"], ["t", "s"]],
                            ("claim", "upper"): "1"})  # fmt: skip
    accepted(related)
    assert accepts_real(related)
    wider = replaced(related, ("model", "relation"), [["s", "t"], ["t", "s"], ["u", "u"]])
    refused(wider, BadEvidence, "lacks a related state")
    assert not accepts_real(wider)


@pytest.mark.parametrize(
    "edits",
    [
        {(*EXITS, 0, 1, 0, 1): "126", (*EXITS, 0, 1, 1, 1): "1", **OPEN,
         (*SMALL, "s", "next"): {"b": "1/256", "lost": "255/256"}, ("evidence", "lost", 1, 1): "255/256"},
        {(*T, "b"): real(WHOLE, WHOLE), (*T, "a"): ..., ("evidence", "lost", 2, 1): "1/256", **OPEN,
         (*SMALL, "t", "next"): {"b": "255/256", "lost": "1/256"}},
        {(*STATES, "t", "next"): {"a": "17/64", "b": "47/64"}},
    ],
)  # fmt: skip
def test_what_is_accepted_besides(edits: dict[Path, Any]) -> None:
    accepted(edited(REAL, edits))
    assert accepts_real(edited(REAL, edits))


def other(value: Any) -> list[Any]:
    """Values near a number, which have its form."""
    if isinstance(value, int):
        return [value + 1, *([value - 1] if value else [])]
    if isinstance(value, str) and "/" in value:
        top, bottom = value.split("/")
        return [f"{int(top) + 2}/{bottom}", f"{int(top) - 2}/{bottom}"]
    if isinstance(value, str) and value.lstrip("-").isdigit():
        return [str(int(value) + 1), str(int(value) - 1)]
    return []


def test_the_judge_agrees_about_numbers_that_are_near() -> None:
    compared = 0
    for path, value in walk(REAL):
        if path[:2] not in (R, STATES[:2]) or "version" in path:
            continue
        for near in other(value):
            changed = replaced(REAL, path, near)
            try:
                found = accepts_real(changed)
            except (ValueError, LookupError, ZeroDivisionError):
                found = False
            assert found == verified(changed), path
            compared += 1
    assert compared > 100


def verified(certificate: Any) -> bool:
    try:
        check(encode(certificate))
    except Rejected:
        return False
    return True
