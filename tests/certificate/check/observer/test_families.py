"""Words all of whose runs lose more and more: each rule with a certificate that breaks only this one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prover.certificate.check.reading import BadClaim, BadEvidence, ClaimOpen, Malformed, RuleBroken, TooLarge
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# A threshold is drawn (0). Numbers are below it or not, which nobody sees (1 and 2); one that is not leads to
# numbers not below it (3), until one is below (4). Rates are 1.
PROGRAM = program(
    {
        "q0": state(transition("", "q1", assign=True)),
        "q1": state(transition("<", "q1", "a"), transition(">=", "q2", "a")),
        "q2": state(transition(">=", "q2", "b"), transition("<", "end", "c")),
    }
)


def place(q: str, shift: str, start: str, end: str, constant: str) -> Json:
    return {"constant": constant, "end": end, "order": [], "shifts": [shift], "start": start, "state": q}


# N numbers that are seen to rise by 1, and N that are seen to fall by 1. All that are below want the
# threshold to rise, so that it costs a turn, or each of them costs 1; likewise above it.
BELOW = [
    place("q1", "-1", "0", "2", "1"),
    place("q1", "0", "0", "1", "0"),
    place("q1", "1", "0", "0", "1"),
    place("q2", "-1", "0", "2", "-1"),
    place("q2", "0", "0", "1", "-1"),
    place("q2", "1", "0", "0", "1"),
]
ABOVE = [
    place("q1", "-1", "2", "2", "3"),
    place("q1", "0", "1", "2", "0"),
    place("q1", "1", "0", "2", "1"),
    place("q2", "-1", "2", "2", "2"),
    place("q2", "0", "1", "2", "0"),
    place("q2", "1", "0", "2", "2"),
]


def once(*steps: tuple[int, int]) -> Json:
    return {"kind": "once", "steps": [{"delta": d, "transition": t} for t, d in steps]}


def repeat(places: list[Json], *steps: tuple[int, int]) -> Json:
    return once(*steps) | {"kind": "repeat", "places": places}


BLOCKS = [once((0, 0)), repeat(BELOW, (1, 1)), once((1, 0), (2, 0)), repeat(ABOVE, (3, -1))]
WORDS = certificate(
    {"adjacency": "all-differ", "kind": "not-private", "loss": "observer"},
    PROGRAM,
    {"words": {"blocks": BLOCKS, "places": 25}},
)
IN: Path = ("evidence", "words")
FIRST: Path = (*IN, "blocks", 1)
TURN: Path = (*FIRST, "places")
LAST: Path = (*IN, "blocks", 3)
CLAIM = "not-private adjacency=all-differ loss=observer"


def test_words() -> None:
    assert accepted(WORDS) == CLAIM


@pytest.mark.parametrize(
    "edits",
    [
        {(*IN, "places"): 26},
        {(*LAST, "places", 5, "constant"): "1"},  # weaker
        {TURN: [*BELOW, place("q9", "0", "0", "0", "0") | {"shifts": []}], (*IN, "places"): 26},
    ],
)
def test_other_evidence_that_does_as_well(edits: dict[Path, Json]) -> None:
    assert accepted(edited(WORDS, edits)) == CLAIM


RISES = "a place exceeds the cost after a turn"


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "loss"): "runs"}, BadClaim, "evidence about outputs is for observers only"),
        ({("claim", "loss"): ...}, BadClaim, "evidence about outputs is for observers only"),
        ({("claim", "adjacency"): "increasing"}, BadEvidence, "the adjacency excludes a delta"),
        ({("claim", "adjacency"): "monotonic"}, BadEvidence, "two deltas have opposite signs"),
        ({("claim", "adjacency"): "one-differ"}, BadEvidence, "more than one delta is not 0"),
        (
            {("claim", "adjacency"): "one-differ", (*LAST, "steps", 0, "delta"): 0},
            BadEvidence,
            "more than one delta is not 0",
        ),
        ({("claim", "kind"): "private"}, Malformed, "key"),
        ({("evidence", "blocks"): []}, Malformed, "key"),
        ({(*IN, "blocks"): []}, BadEvidence, "there are no blocks"),
        ({(*FIRST, "steps"): []}, BadEvidence, "a block has no steps"),
        ({(*FIRST, "kind"): "once"}, Malformed, "a once block has places, or a repeat block has none"),
        ({(*FIRST, "kind"): "twice"}, Malformed, "the kind of a block is unknown"),
        ({TURN: ...}, Malformed, "a once block has places, or a repeat block has none"),
        ({(*FIRST, "steps", 0, "transition"): 9}, Malformed, "unknown transition"),
        ({(*FIRST, "steps", 0, "transition"): 2}, BadEvidence, "does not end where it starts"),
        ({(*FIRST, "steps", 0, "transition"): 4}, BadEvidence, "does not follow the one before"),
        ({(*FIRST, "steps", 0, "delta"): 2}, BadEvidence, "the adjacency excludes a delta"),
        ({(*IN, "places"): 24}, BadEvidence, "more places are reached than the evidence declares"),
        ({(*IN, "places"): 10**17}, TooLarge, "the work exceeds the limit"),
        ({TURN: BELOW[:-1]}, RuleBroken, "a place that is reached is not listed"),
        ({TURN: BELOW[1:]}, RuleBroken, "a place that is reached is not listed"),
        ({TURN: [*BELOW, BELOW[-1]]}, BadEvidence, "listed twice"),
        ({TURN: BELOW[::-1]}, BadEvidence, "places are out of order or repeated"),
        ({(*TURN, 0, "shifts"): []}, Malformed, "a list has the wrong length"),
        ({(*TURN, 0, "shifts"): ["1/2"]}, Malformed, "a number is not an integer"),
        ({(*TURN, 5, "shifts"): ["2"]}, BadEvidence, "a shift of a place is not -1, 0 or 1"),
        ({(*TURN, 0, "order"): [["x", "x"]]}, Malformed, "a pair has the same variable twice"),
        ({(*TURN, 1, "constant"): "1"}, RuleBroken, "a place exceeds the cost before it"),
        ({(*TURN, 1, "start"): "1"}, RuleBroken, "a place exceeds the cost before it"),
        ({(*LAST, "places", 5, "start"): "1"}, RuleBroken, "a place exceeds the cost before it"),
        ({(*TURN, 1, "end"): "3/2"}, RuleBroken, RISES),
        ({(*TURN, 4, "end"): "3/2"}, RuleBroken, RISES),
        ({(*TURN, 4, "start"): "1/10"}, RuleBroken, RISES),
        ({(*TURN, 2, "end"): "1/10"}, RuleBroken, RISES),
        ({(*TURN, 5, "constant"): "3/2"}, RuleBroken, RISES),
        ({(*IN, "blocks"): BLOCKS[:2], (*IN, "places"): 9}, ClaimOpen, "does not grow"),
        ({(*IN, "blocks"): BLOCKS[:3]}, ClaimOpen, "does not grow"),
        ({(*IN, "blocks"): BLOCKS[:1]}, ClaimOpen, "does not grow"),
    ],
)
def test_rejected(edits: dict[Path, Json], failure: type, words: str) -> None:
    refused(edited(WORDS, edits), failure, words)


def test_the_loss_of_a_run_is_not_that_of_its_word() -> None:
    """The run goes on below the threshold; one that is above it from the second number on costs nothing."""
    model = deepcopy(PROGRAM)
    model["states"]["q2"]["transitions"][0]["output"] = "a"
    blocks = [once((0, 0)), repeat(BELOW, (1, 1)), once((2, 0)), repeat(ABOVE, (3, -1))]
    refused(edited(WORDS, {("model",): model, (*IN, "blocks"): blocks}), RuleBroken)


def test_a_word_that_becomes_impossible() -> None:
    """Without noise neither number moves; no place is left, and nothing has to grow."""
    model = deepcopy(PROGRAM)
    for name in ("q0", "q1"):
        model["states"][name] |= {"rate": None, "rate_left": "inf", "rate_right": "inf"}
    model["states"]["q1"]["transitions"].pop()
    model["states"]["q1"]["transitions"][0]["to"] = "q2"
    made = edited(WORDS, {("model",): model, (*IN, "blocks"): [once((0, -1), (1, 1))], (*IN, "places"): 2})
    assert accepted(made) == CLAIM
    refused(edited(made, {(*IN, "blocks"): [once((0, 1), (1, 1))]}), ClaimOpen, "does not grow")
    model["states"]["q0"]["input"] = model["states"]["q1"]["input"] = False
    refused(
        edited(made, {("model",): model}),
        BadClaim,
        "public samples have no noise on a side, so whether a run is possible may depend on the means",
    )


def test_a_run_of_probability_0() -> None:
    """With two names of one number nothing is below the one and not below the other."""
    both = {"assign": [], "guard": [["<", "x"], [">=", "y"]], "output": "o", "to": "q2"}
    start = {"assign": ["x", "y"], "guard": [], "output": "o", "to": "q1"}
    model = program({"q0": state(start), "q1": state(both, transition("<", "q2"))})
    made = edited(WORDS, {("model",): model, (*IN, "blocks"): [once((0, 0), (1, 0))]})
    refused(made, RuleBroken, "the run has probability 0")


def test_an_order_that_changes_in_a_turn() -> None:
    """The first turn learns that y is no less than x."""
    states = {
        "q0": state({"assign": ["x", "y"], "guard": [], "output": "o", "to": "q1"}),
        "q1": state({"assign": ["y"], "guard": [], "output": "o", "to": "q2"}),
        "q2": state(
            {"assign": ["y"], "guard": [[">=", "x"]], "output": "a", "to": "q2"},
            {"assign": [], "guard": [["<", "x"], [">=", "y"]], "output": "a", "to": "end"},
        ),
    }
    made = edited(
        WORDS, {("model",): program(states), (*IN, "blocks"): [once((0, 0), (1, 0)), repeat([], (2, 0))]}
    )
    refused(made, BadEvidence, "block 1 does not end where it starts")


def test_what_else_may_be_in_the_model() -> None:
    """Ties, and inputs that are not rounded."""
    model = deepcopy(PROGRAM) | {"noise": "discrete-laplace"}
    model["states"]["q2"]["transitions"][0]["guard"][0][0] = ">"
    model["states"]["q2"]["transitions"][1]["guard"][0][0] = "<="
    assert accepted(edited(WORDS, {("model",): model})) == CLAIM
    for sensitivity, holds in (("2", True), ("1/2", False)):
        made = edited(WORDS, {("model",): model | {"sensitivity": sensitivity, "grid": "1/2"}})
        if holds:
            assert accepted(made) == CLAIM
        else:
            refused(made, RuleBroken)
