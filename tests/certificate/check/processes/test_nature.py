"""Certificates of games against nature: what is accepted, forgeries of either end, and mutations."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadEvidence, ClaimOpen, Malformed, RuleBroken
from prover.certificate.check.demands.claims import Demands, NotDemanded, meet
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.questions import delta
from tests.certificate.check.processes.test_processes import mutations_confirmed
from tests.certificate.interactive_judge import accepts_interactive
from tests.certificate.samples import certificate, encode, pair_claim
from tests.certificate.unrolling_samples import unrolling
from tests.certificate.verdicts import accepted, edited, refused
from tests.nature_oracle import NATURE, random_game, with_seen_choices

Json = Any
Path = tuple[Any, ...]


def model(**states: tuple[str, Json]) -> Json:
    """A process; one row in place of rows by actions is that of a state that leaves no choice."""
    listed = {
        name: {"label": label, ("actions" if isinstance(next(iter(rows.values())), dict) else "next"): rows}
        for name, (label, rows) in states.items()
    }
    return {"states": listed, "type": "labelled-markov-decision-process", "version": 1}


ENDS = {"X": ("x", {"X": "1"}), "Z": ("z", {"Z": "1"})}
DELAY = model(
    s=("c", {"wait": {"s": "1"}, "go": {"X": "1"}}), t=("c", {"wait": {"t": "1"}, "go": {"Z": "1"}}), **ENDS
)
CROSS = model(
    s=("c", {"even": {"X": "1"}, "odd": {"Z": "1"}}), t=("c", {"even": {"Z": "1"}, "odd": {"X": "1"}}), **ENDS
)


def claimed(process: Json, nature: list[str], lower: str, upper: str, *nodes: Json) -> Json:
    states = sorted(process["states"])
    root = [states.index("s"), states.index("t")]
    claim = pair_claim("lv", "s", "t", lower, upper, "1") | {"nature": nature}
    return certificate(claim, process, unrolling([root], *nodes))


def waiting(lower: str, upper: str, taken: str = "wait") -> Json:
    actions = {"go": [["x", 1]], "wait": [["c", 0]]}
    node = {"actions": actions, "lower": lower, "taken": taken, "upper": upper}
    return claimed(DELAY, ["go", "wait"], lower, upper, node, {})


def test_nature_that_waits_for_ever() -> None:
    """A path to an end is not enough for the lower end: nature need not take it."""
    line = 'lv alpha=1 from="s" to="t" value=0 attackers=all nature="go","wait"'
    assert accepted(waiting("0", "0")) == line
    assert accepts_interactive(waiting("0", "0"))
    forged = waiting("1", "1")
    refused(forged, BadEvidence, "nature can keep the attacker from ever stopping")
    assert not accepts_interactive(forged)


def test_the_upper_end_follows_nature() -> None:
    forged = waiting("0", "0", "go")
    refused(forged, RuleBroken, "node 0: upper is below an action's gain")
    assert not accepts_interactive(forged)
    node = {"actions": {"go": [["x", 1]], "wait": [["c", 0]]}, "lower": "0", "upper": "1"}
    nothing_taken = claimed(DELAY, ["go", "wait"], "0", "1", node, {})
    refused(nothing_taken, BadEvidence, "no action of nature is taken")
    assert not accepts_interactive(nothing_taken)


def test_choices_that_labels_hide_prove_no_lower_end() -> None:
    """Either choice gives the secret away, and a fair coin between both hides it: 1 is no lower end."""
    actions = {"even": [["x", 1]], "odd": [["z", 2]]}

    def crossing(lower: str) -> Json:
        node = {"actions": actions, "lower": lower, "taken": "even", "upper": "1"}
        return claimed(CROSS, ["even", "odd"], lower, "1", node, {}, {})

    assert accepted(crossing("0"))
    assert accepts_interactive(crossing("0"))
    refused(crossing("1"), RuleBroken, "a choice of nature that the next label need not show")
    assert not accepts_interactive(crossing("1"))


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "nature"): []}, BadClaim, "no action is nature's"),
        ({("claim", "nature"): ["wait", "go"]}, BadClaim, "actions of nature"),
        ({("claim", "nature"): ["go", "stay"]}, BadClaim, "an action of nature is unknown"),
        ({("claim", "nature"): ["", "go", "wait"]}, BadClaim, "an action of nature is unknown"),
        ({("claim", "nature"): ["go"]}, BadClaim, "actions of nature and of the attacker"),
        ({("claim", "nature"): "go"}, Malformed, "claim: "),
        ({("claim", "kind"): "ld"}, Malformed, "nature"),
        ({("claim", "upper"): "0", ("claim", "lower"): "0"}, None, ""),
    ],
)
def test_claims_about_nature(edits: dict[Path, Json], failure: type[Any] | None, words: str) -> None:
    forged = edited(waiting("0", "0"), edits)
    if failure is None:
        assert accepted(forged)
    else:
        refused(forged, failure, words)


def test_without_nature_in_the_claim_every_action_counts() -> None:
    sound = waiting("0", "0", "go")
    del sound["claim"]["nature"]
    refused(sound, RuleBroken, "upper is below an action's gain")
    assert not accepts_interactive(sound)
    chain = waiting("0", "0")
    states = {"s": {"label": "a", "next": {"s": "1"}}, "t": {"label": "a", "next": {"t": "1"}}}
    chain["model"] = {"states": states, "type": "labelled-markov-chain", "version": 1}
    refused(chain, Malformed, "a claim about a chain has actions of nature")
    refused(
        edited(waiting("0", "0"), {("claim", "lower"): "1/2", ("claim", "upper"): "1"}), ClaimOpen, "lower"
    )


def test_what_nature_leaves_is_not_what_a_bound_demands() -> None:
    proved = waiting("0", "0")
    with pytest.raises(NotDemanded, match="nature"):
        meet(Demands(at_most=(1, 2), secrets=("s", "t")), proved["claim"], encode(proved["model"]))


def made(process: LabelledMarkovDecisionProcess, alpha: str) -> Json:
    nature = [action for action in NATURE if action in process.actions]
    return json.loads(delta(process, "s0", "s1", alpha, against=nature).certificate.data)


def games(count: int, seed: int) -> list[LabelledMarkovDecisionProcess]:
    found, random = list[LabelledMarkovDecisionProcess](), Random(seed)
    while len(found) < count:
        game = random_game(random)
        if set(NATURE) <= set(game.actions):
            found.append(game)
    return found


def test_mutations_of_games() -> None:
    first, second = games(2, seed=3)
    for process in (with_seen_choices(first), second):
        assert mutations_confirmed(made(process, "6/5"), accepts_interactive) > 100


@pytest.mark.slow
def test_mutations_of_more_games() -> None:
    for process in games(3, seed=4):
        mutations_confirmed(made(process, "6/5"), accepts_interactive)
        mutations_confirmed(made(with_seen_choices(process), "1"), accepts_interactive)


def test_lower_values_of_nature_count_every_action() -> None:
    """Nature's values raised above one of its actions, or its upper values lowered, are refused by both."""
    seen, small = 0, Fraction(1, 1000)
    for process in games(12, seed=7):
        sound = made(with_seen_choices(process), "1")
        for q, node in enumerate(sound["evidence"]["unrolling"]["nodes"]):
            if node and node["actions"].keys() & set(NATURE):
                path = ("evidence", "unrolling", "nodes", q)
                for end, by in (("lower", small), ("upper", -small)):
                    value = Fraction(node[end]) + by
                    if value >= 0:
                        forged = edited(sound, {(*path, end): str(value)})
                        refused(forged, RuleBroken)
                        assert not accepts_interactive(forged)
                        seen += 1
    assert seen > 20
