"""Claims about all systems that a chain is cut from: how often runs are lost, and what this costs."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prover
from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, Rejected, RuleBroken
from prover.chain.model import LabelledMarkovChain
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES
from tests.certificate.collapsing_samples import COLLAPSING_SAMPLES
from tests.certificate.samples import SAMPLES, Path, replaced
from tests.certificate.unrolling_judge import accepts_unrolling
from tests.certificate.unrolling_samples import LOST
from tests.certificate.verdicts import accepted, edited, refused
from tests.oracle import alike_pairs, lv_words
from tests.strategies import acyclic_chain

fewer = settings(max_examples=settings().max_examples // 4)
F: Path = ("evidence", "lost")
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*F, 0, 1): "15/16"}, RuleBroken, "state 2 is lost more often"),
        ({(*F, 1, 1): "1/17"}, RuleBroken, "state 3 is lost more often"),
        ({(*F, 2, 1): "1/33"}, RuleBroken, "state 4 is lost more often"),
        ({F: [[2, "1"], [3, "1/16"], [5, "3/64"]]}, RuleBroken, "state 4 is lost more often"),
        ({F: []}, RuleBroken, "state 2 is lost more often"),
        ({(*F, 3, 1): "2/64"}, Malformed, "lowest"),
        ({(*F, 3, 1): "0"}, Malformed, "positive"),
        ({(*F, 3, 0): 6}, Malformed, "unknown index of a state"),
        ({(*F, 3, 0): 4}, BadEvidence, "out of order or repeated"),
        ({(*F, 3, 1): "1/16"}, ClaimOpen, "the nodes do not prove lower"),
        ({F: ...}, Malformed, "no probabilities of lost runs"),
        ({("claim", "lost"): ...}, Malformed, ""),
        ({("claim", "lost"): 2}, Malformed, ""),
        ({LOWER: "11/64"}, ClaimOpen, "the nodes do not prove lower"),
        ({UPPER: "37/128"}, ClaimOpen, "the nodes and distances do not prove upper"),
        ({LOWER: "0", UPPER: "1/64"}, ClaimOpen, "too many runs are lost"),
        ({LOWER: "15/16", UPPER: "1"}, ClaimOpen, "too many runs are lost"),
        ({("claim", "alpha"): "17/16"}, RuleBroken, "node 0: lower does not follow"),
        (
            {("claim", "observer"): {"sees": "changes", "silent": ["M"]}},
            Malformed,
            "lost runs has an observer",
        ),
        ({("claim", "kind"): "ld"}, Malformed, ""),
    ],
)
def test_forgeries(edits: dict[Path, object], failure: type[Rejected], words: str) -> None:
    refused(edited(LOST, edits), failure, words)


@pytest.mark.parametrize(
    "edits",
    [
        {(*F, 1, 1): "1/16", (*F, 2, 1): "3/64"},
        {LOWER: "0", UPPER: "1"},
        {LOWER: "1/8", UPPER: "5/16", (*F, 3, 1): "1/16"},
        # No state has this label: nothing is lost, and more than nothing may be listed.
        {("claim", "lost"): "gone", F: [], LOWER: "1/4", UPPER: "1/4"},
    ],
)
def test_what_is_accepted_besides(edits: dict[Path, object]) -> None:
    accepted(edited(LOST, edits))
    assert accepts_unrolling(edited(LOST, edits))


CUT = ACCOUNT_SAMPLES["profile at points, of a chain that is cut"]
LAST: Path = ("claim", "points", 2)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*F, 3, 1): "1/14"}, RuleBroken, "state 3 is lost more often"),
        ({(*F, 3, 1): "1/13", (*LAST, 2): "1"}, ClaimOpen, "does not prove lower"),
        ({F: ...}, Malformed, "no probabilities of lost runs"),
        ({("claim", "lost"): ...}, Malformed, ""),
        ({("claim", "observer"): {"sees": "labels", "silent": ["b"]}}, Malformed, "has an observer"),
        ({LAST: ["2", "0", "3/40"], (*F, 3, 1): "1/13"}, ClaimOpen, "too many runs are lost"),
        ({(*LAST, 1): "4/5", (*LAST, 2): "1"}, ClaimOpen, "too many runs are lost"),
        ({("claim", "points"): ..., ("claim", "corners"): [["1", "1"]]}, Malformed, "has corners"),
    ],
)
def test_forged_profiles(edits: dict[Path, object], failure: type[Rejected], words: str) -> None:
    """L is 3/40: of δ = 1/4, 3/16 and 0 these are bounds of all systems that the chain is cut from."""
    assert CUT["claim"]["points"] == [["1", "1/10", "13/40"], ["5/4", "3/160", "21/80"], ["2", "0", "3/40"]]
    refused(edited(CUT, edits), failure, words)


@pytest.mark.parametrize("name", ["walk", "bisimilarity"])
def test_other_claims_have_no_lost_runs(name: str) -> None:
    refused(replaced(SAMPLES[name], ("claim", "lost"), "lost"), Malformed)


def test_an_observer_sees_every_step() -> None:
    nothing: dict[Path, object] = {("claim", "lost"): "gone", F: []}
    refused(edited(COLLAPSING_SAMPLES["silent"], nothing), Malformed, "about lost runs has an observer")


def cut(chain: LabelledMarkovChain, random: Random) -> LabelledMarkovChain:
    """The chain with some of its states made lost, which are entered less often than others."""
    gone = set(random.sample(range(2, len(chain)), random.randint(1, 3)))
    states = {}
    for s, name in enumerate(chain.states):
        row: dict[str, Fraction] = {}
        for t, p in chain.rows[s].items():
            q = p if t not in gone else p / random.choice([1, 8, 64])
            row[chain.states[t]] = row.get(chain.states[t], Fraction(0)) + p - q
            row["lost" if t in gone else chain.states[t]] = (
                row.get("lost" if t in gone else chain.states[t], Fraction(0)) + q
            )
        states[name] = (chain.labels[s], row)
    return replace(LabelledMarkovChain.of(states | {"lost": ("lost", {"lost": 1})}), lost="lost")


@fewer
@given(seed=st.integers(0, 10**9))
def test_claims_hold_of_the_chain_that_was_cut(seed: int) -> None:
    """Random chains, a part of which is lost: brute force over the words of the whole chain."""
    random = Random(seed)
    chain, alpha = acyclic_chain(random), random.choice([Fraction(1), Fraction(11, 10), Fraction(3, 2)])
    part = cut(chain, random)
    for s, t in alike_pairs(chain)[:3]:
        names = chain.states[s], chain.states[t]
        answer = prover.delta(part, *names, alpha, kind="lv", gap=0)
        assert answer.lower <= lv_words(chain, alpha, s, t, len(chain) + 1) <= answer.upper
        made = json.loads(answer.certificate.data)
        assert accepts_unrolling(made)
        accepted(made)


def test_bounds_are_as_far_apart_as_the_lost_runs_say() -> None:
    names = {name: (state["label"], state["next"]) for name, state in LOST["model"]["states"].items()}
    answer = prover.delta(replace(LabelledMarkovChain.of(names), lost="lost"), "s", "t", 1, kind="lv")
    assert answer.lost == Fraction("0.04688")  # 3/64, rounded up
    assert (answer.lower, answer.upper) == (Fraction(1, 4) - 2 * answer.lost, Fraction(1, 4) + answer.lost)
    assert answer.attack is not None
    assert answer.attack.from_probability == Fraction(1, 2) - answer.lost
    assert answer.attack.to_probability == Fraction(1, 4) + answer.lost
