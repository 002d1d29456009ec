"""Sums that grow, with registers followed along runs of the program itself: accepted, and forged."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from prover.certificate.check import check
from prover.certificate.check.reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
    canonical,
)
from tests.certificate.registers_judge import followed_totals
from tests.certificate.verdicts import refused

Json = Any
ADDS = {"s": {"s": 1, "input": 1}}
KEEPS = {"s": {"s": 1}}


def case(to: str, output: Json = "u", *, test: str = "", assign: str = "", sums: Json = None) -> Json:
    """A transition: ``test`` is a relation to x."""
    made = {"assign": [assign] if assign else [], "guard": [[test, "x"]] if test else [], "output": output}
    return made | {"to": to} | ({"registers": sums} if sums else {})


def state(*cases: Json, input: bool = False, center: str = "", **noise: Json) -> Json:
    """A state of rate 1, unless something else is said."""
    made = {"input": input, "mean": "0", "mean_prime": None, "rate": "1", "rate_prime": None}
    return made | noise | {"transitions": list(cases)} | ({"center": center} if center else {})


def step(transition: int, delta: int = 0, multiplier: str = "0", **more: Json) -> Json:
    return {"delta": delta, "multiplier": multiplier, "transition": transition, **more}


def block(*steps: Json, repeat: bool = False) -> Json:
    return {"kind": "repeat" if repeat else "once", "steps": list(steps)}


def shown(output: Json = "insample", **noise: Json) -> Json:
    """A threshold, a loop that adds up queries, and the noisy sum of them, which is output."""
    return made(
        {
            "a": state(case("b", assign="x")),
            "b": state(case("b", "more", sums=ADDS), case("c", "last", sums=ADDS), input=True),
            "c": state(case("end", output), center="s") | noise,
        },
        [block(step(0)), block(step(1, 1), repeat=True), block(step(2), step(3))],
    )


def compared(multiplier: str = "1") -> Json:
    """The same sum, compared with the threshold in place of being output."""
    found = shown()
    found["model"]["states"]["c"]["transitions"] = [
        case("end", "low", test="<"),
        case("end", "high", test=">="),
    ]
    found["evidence"]["blocks"][2]["steps"][1]["multiplier"] = multiplier
    return found


def made(states: Json, blocks: Json) -> Json:
    claim = {"adjacency": "all-differ", "kind": "not-private", "loss": "observer"}
    model = {"initial": "a", "states": states, "type": "threshold-program", "version": 1}
    evidence = {"blocks": blocks, "sums": "followed"}
    return {
        "claim": claim,
        "evidence": evidence,
        "format": "prover-certificate",
        "model": model,
        "version": 1,
    }


PRIMED = {"rate_prime": "1/2", "mean_prime": "0"}
ACCEPTED = {
    "output": shown(),
    "compared": compared(),
    "output with a second sample": shown("insampleprime", **PRIMED),
    "output without noise": shown(rate=None, rate_left="inf", rate_right="inf"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_sums_that_grow(name: str) -> None:
    assert check(canonical(ACCEPTED[name])).startswith("not-private adjacency=all-differ loss=observer ")


@pytest.mark.parametrize("name", ["output", "compared"])
def test_the_second_judge_agrees(name: str) -> None:
    own = ACCEPTED[name]
    totals = followed_totals(own["model"], own["evidence"]["blocks"], 4)
    assert totals is not None
    assert {after - before for before, after in pairwise(totals)} == {1}
    assert followed_totals(own["model"], compared("2")["evidence"]["blocks"], 4) is None or name == "output"


def edited(found: Json, *path: Json, to: Json) -> Json:
    """The certificate with something else at a place."""
    found = json.loads(json.dumps(found))
    at = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return found


BLOCKS = ("evidence", "blocks")
STATES = ("model", "states")


def quadratic() -> Json:
    """A sum of sums grows by more in every turn."""
    found = shown()
    sums = {"s": {"s": 1, "r": 1}, "r": {"r": 1, "input": 1}}
    for one in found["model"]["states"]["b"]["transitions"]:
        one["registers"] = sums
    return found


def twice_repeated() -> Json:
    """The second block adds, in every turn, what the first one has added in all of its turns."""
    found = shown()
    states = found["model"]["states"]
    states["b"]["transitions"][1] = case("d", "on", sums={"r": {"s": 1}, "s": {"s": 1}})
    states["d"] = state(
        case("d", "more", sums={"r": {"r": 1}, "s": {"s": 1, "r": 1}}), case("c", "last", sums=KEEPS)
    )
    blocks = [block(step(0)), block(step(1, 1), repeat=True), block(step(2))]
    found["evidence"]["blocks"] = [*blocks, block(step(4), repeat=True), block(step(5), step(3))]
    return found


def in_the_loop(output: Json, multiplier: str = "0", test: str = "") -> Json:
    """The sum so far is output, or compared, in every turn; that is more in each turn."""
    states = {
        "a": state(case("b", assign="x")),
        "b": state(case("c", "more", assign="x", sums=ADDS), input=True),
        "c": state(case("b", output, test=test, sums=KEEPS), center="s") | PRIMED,
    }
    return made(states, [block(step(0)), block(step(1, 1), step(2, 0, multiplier), repeat=True)])


def both_grow() -> Json:
    """Noise that lacks a side carries a load that grows, about a sum that does."""
    found = compared("0")
    states = found["model"]["states"]
    states["a"]["transitions"][0]["to"] = "n"
    states["n"] = state(case("b", assign="x"), input=True, rate=None, rate_left="1", rate_right="inf")
    states["c"] |= {"rate": None, "rate_left": "inf", "rate_right": "1"}
    ends = block(step(2), step(3, slope="1"))
    found["evidence"]["blocks"] = [block(step(0), step(5)), block(step(1, 1), repeat=True), ends]
    return found


def turned() -> Json:
    """What is output is less than 0 for some N, and more for others."""
    found = shown()
    found["evidence"]["blocks"][0]["steps"] += [step(1, -1), step(1, -1)]
    return found


def bare() -> Json:
    """A query that is compared without noise is in the sum."""
    found = shown()
    found["model"]["states"]["b"] |= {"rate": None, "rate_left": "inf", "rate_right": "inf"}
    found["model"]["states"]["b"]["transitions"][0]["guard"] = [["<", "x"]]
    return found


FORGED: list[tuple[str, Json, type[Rejected], str]] = [
    ("nothing grows", edited(shown(), *BLOCKS, 1, "steps", 0, "delta", to=0), ClaimOpen, "does not grow"),
    ("only the last differs", edited(edited(shown(), *BLOCKS, 1, "steps", 0, "delta", to=0), *BLOCKS, 2,
     "steps", 0, "delta", to=1), ClaimOpen, "does not grow"),
    ("the wrong way", edited(compared(), *BLOCKS, 1, "steps", 0, "delta", to=-1), ClaimOpen, "does not grow"),
    ("too much", compared("2"), RuleBroken, "exceeds a rate"),
    ("forgotten", edited(shown(), *STATES, "b", "transitions", 1, "registers", to={"s": {"input": 1}}),
     ClaimOpen, "does not grow"),
    ("one differs", edited(shown(), "claim", "adjacency", to="one-differ"), BadEvidence, "more than one"),
    ("another word", edited(shown(), "evidence", "sums", to="follows"), Malformed, ""),
    ("more evidence", edited(shown(), "evidence", "table", to={}), Malformed, ""),
    ("changing", edited(shown(), *STATES, "b", "transitions", 0, "registers",
     to={"s": {"s": -1, "input": 1}}), RuleBroken, "differently in two turns"),
    ("quadratic", quadratic(), RuleBroken, "differently in two turns"),
    ("twice repeated", twice_repeated(), RuleBroken, "by more for more turns"),
    ("output in the loop", in_the_loop("insample"), RuleBroken, "sums that grow in a block"),
    ("second output in the loop", in_the_loop("insampleprime"), RuleBroken, "sums that grow in a block"),
    ("compared in the loop", in_the_loop("low", "1", "<"), RuleBroken, "sums that grow in a block"),
    ("both grow", both_grow(), RuleBroken, "both grow with N"),
    ("turned", turned(), RuleBroken, "changes its sign"),
    ("bare", bare(), BadClaim, "lack noise on a side"),
    ("no registers", edited(edited(shown(), *STATES, "b", "transitions", to=[case("b"), case("c", "v")]),
     *STATES, "c", to=state(case("end", "insample"))), BadClaim, "without registers"),
    ("an upper bound", edited(shown(), "claim", to={"adjacency": "all-differ", "kind": "epsilon",
     "loss": "observer", "lower": "1", "upper": "inf"}), Malformed, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "failure", "words"), [own[1:] for own in FORGED], ids=[o[0] for o in FORGED]
)
def test_forgeries(found: Json, failure: type[Rejected], words: str) -> None:
    refused(found, failure, words)


def test_steps_that_are_not_seen() -> None:
    found = edited(shown(), *STATES, "b", "transitions", 0, "seen", to=[])
    found["claim"].pop("loss")
    refused(found, BadClaim, "not seen")
