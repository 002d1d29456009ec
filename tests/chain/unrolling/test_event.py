"""The rule of an attack decides about every word: what it says is computed once more, from the JSON alone."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings

from prover.chain.collapsing.collapse import collapse
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling import event as event_module
from prover.chain.unrolling.event import Event, Step
from prover.chain.unrolling.refinement import Limits, UnrollingLimits
from prover.questions import delta
from prover.report.delta import delta_json
from prover.zoo import pin_checker
from prover.zoo.interactive import doors, wait
from tests.interactive_oracle import attackers_delta as delta_against_all
from tests.interactive_oracle import random_processes
from tests.oracle_linear import solve_linear
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
Json = dict[str, Any]
few = settings(max_examples=settings().max_examples // 6)
LITTLE = F(1, 10**9)


def chances(rule: Json, system: LabelledMarkovChain | LabelledMarkovDecisionProcess, start: str) -> Fraction:
    """How likely the event is from a state, by a walk of the system and the rule, side by side."""
    steps = {(node, label): target for node, label, target in rule["transitions"]}
    end, actions = rule["accepting"], rule.get("actions", [])

    def row(state: int, node: int) -> dict[int, Fraction]:
        if isinstance(system, LabelledMarkovChain):
            return dict(system.rows[state])
        return dict(system.row(state, actions[node] or ""))

    def after(states: dict[int, Fraction], node: int) -> dict[tuple[int, int], Fraction]:
        found: dict[tuple[int, int], Fraction] = {}
        for state, p in states.items():
            place = steps.get((node, system.labels[state]))
            if place is not None:
                found[state, place] = found.get((state, place), F(0)) + p
        return found

    first = after({system.index(start): F(1)}, rule["first"])
    leads = {place: after(row(*place), place[1]) for place in first if place[1] != end}
    waiting = list(leads)
    for place in waiting:  # which grows
        for target in leads[place]:
            if target[1] != end and target not in leads:
                leads[target] = after(row(*target), target[1])
                waiting.append(target)
    ending = {place for place in leads if any(to[1] == end for to in leads[place])}
    while grown := {place for place in leads.keys() - ending if leads[place].keys() & ending}:
        ending |= grown
    inner = sorted(ending)
    matrix = [[F(p == q) - leads[p].get(q, F(0)) for q in inner] for p in inner]
    right = [sum((p for to, p in leads[place].items() if to[1] == end), F(0)) for place in inner]
    values = dict(zip(inner, solve_linear(matrix, right), strict=True))
    return sum(
        (p * (F(1) if place[1] == end else values.get(place, F(0))) for place, p in first.items()), F(0)
    )


def check(found: Json, system: LabelledMarkovChain | LabelledMarkovDecisionProcess, alpha: Fraction) -> None:
    """The probabilities that are claimed, and the words, are those of the rule."""
    rule = found["event"]
    there, here = (chances(rule, system, found[side]) for side in ("from", "to"))
    for claimed, exact, sign in ((found["from_probability"], there, 1), (found["to_probability"], here, -1)):
        assert 0 <= sign * (exact - F(claimed)) <= LITTLE
    assert there > alpha * here
    assert {label for _, label, _ in rule["transitions"]} == set(rule["labels"])
    assert len({(node, label) for node, label, _ in rule["transitions"]}) == len(rule["transitions"])
    if "words" in rule:
        check_words(rule, there, here)


def check_words(rule: Json, there: Fraction, here: Fraction) -> None:
    """The words that are listed are in the event, and where all are, their probabilities are those of it."""
    steps = {(node, label): target for node, label, target in rule["transitions"]}
    for word in rule["words"]:
        node = rule["first"]
        for label in word["labels"]:
            node = steps[node, label]
        assert node == rule["accepting"]
    sums = [sum(F(word[f"{side}_probability"]) for word in rule["words"]) for side in ("from", "to")]
    assert rule["complete"] is (rule["count"] == len(rule["words"]))
    assert (sums == [there, here]) if rule["complete"] else (sums[0] <= there and sums[1] <= here)


def ask(chain: LabelledMarkovChain, s: str, t: str, alpha: Fraction, **options: Any) -> None:
    """Compare an answer, read back from JSON."""
    answer = delta(chain, s, t, alpha, **options)
    found = json.loads(json.dumps(delta_json(answer)))["attack"]
    if found is not None:
        check(found, chain, answer.alpha_lower)


@few
@given(chain=absorbed_chains(), alpha=alphas())
def test_events_of_chains_that_end(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for s, t in product(chain.states, repeat=2):
        if s < t:
            ask(chain, s, t, alpha, limits=UnrollingLimits(nodes=60))


@few
@given(chain=chains(), alpha=alphas())
def test_events_of_chains_with_cycles(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    ask(chain, chain.states[0], chain.states[1], alpha, limits=UnrollingLimits(nodes=200))
    ask(chain, chain.states[1], chain.states[0], alpha, kind="lv", limits=UnrollingLimits(nodes=200))


def twelve(count: int = 12, times: int = 2) -> LabelledMarkovChain:
    """One of so many colours is seen, half of them so many times as likely from t as from s."""
    whole = F(count // 2 * (times + 1))
    law = {f"c{k}": (1 if k < count // 2 else times) / whole for k in range(count)}
    other = {f"c{k}": (times if k < count // 2 else 1) / whole for k in range(count)}
    colours: dict[str, Any] = {name: (name, {name: 1}) for name in law}
    return LabelledMarkovChain.of({"s": ("start", law), "t": ("start", other), **colours}, [("s", "t")])


def endless() -> LabelledMarkovChain:
    """Nobody knows how long it takes, and the last label tells."""
    return LabelledMarkovChain.of(
        {
            "s": ("wait", {"s": "1/2", "u": "1/4", "x": "1/4"}),
            "t": ("wait", {"t": "1/2", "v": "1/4", "y": "1/4"}),
            "u": ("hm", {"s": "1/2", "x": "1/2"}),
            "v": ("hm", {"t": "1/2", "y": "1/2"}),
            "x": ("yes", {"x": "1/3", "y": "2/3"}),
            "y": ("no", {"y": "1/2", "x": "1/2"}),
        },
        [("s", "t")],
    )


CASES: dict[str, tuple[LabelledMarkovChain, dict[str, Any]]] = {
    "twelve": (twelve(), {"alpha": "6/5"}),
    "labels": (
        LabelledMarkovChain.of({"s": ("x", {"s": 1}), "t": ("y", {"t": 1})}, [("s", "t")]),
        {"alpha": 2},
    ),
    "endless": (endless(), {"alpha": "11/10"}),
    "pin": (pin_checker(), {"alpha": "11/10"}),
    "untimed": (collapse(pin_checker(), untimed=True), {"epsilon": "1/20"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_largest_of_a_relation(name: str) -> None:
    chain, options = CASES[name]
    answer = delta(chain, **options)
    found = json.loads(json.dumps(delta_json(answer)))["attack"]
    assert found["event"]["complete"] is (name in ("twelve", "labels"))
    check(found, chain, answer.alpha_lower)


def test_twelve_colours_are_six_words() -> None:
    attack = delta(twelve(), alpha=1).attack
    assert attack is not None
    assert (len(attack.words), attack.complete, attack.event.count) == (5, False, 6)
    assert [word.labels for word in attack.event.words()] == [
        ("start", f"c{k}") for k in (10, 11, 6, 7, 8, 9)
    ]


def test_many_words_are_counted_and_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_module, "MOST_WORDS", 5)
    found = delta_json(delta(twelve(), alpha=1))["attack"]["event"]
    assert (found["count"], found["complete"], len(found["words"])) == (6, False, 5)
    check_words(found, F(2, 3), F(1, 3))


def test_there_is_no_end_of_words() -> None:
    attack = delta(endless(), alpha="11/10").attack
    assert attack is not None
    assert (attack.event.is_endless, attack.event.count, attack.complete) == (True, None, False)
    assert attack.headline.endswith("one of infinitely many sequences of labels")
    lengths = [len(word.labels) for word in attack.words]
    assert lengths == sorted(lengths)


def ladder(rungs: int) -> Event:
    """Two ways at each of so many nodes."""
    half = [[Step(label, node + 1, fmpq(1), 0.5) for label in "ab"] for node in range(rungs)]
    return Event([*half, []])


def test_words_that_nobody_could_list_are_counted() -> None:
    assert (ladder(20).count, ladder(20).is_listed) == (2**20, False)
    assert (ladder(60).count, ladder(60).is_endless) == (None, False)
    assert ladder(60).extent == "more than 1,000,000,000,000,000 sequences of labels"
    assert len(next(ladder(2_000).words()).labels) == 2_000


@pytest.mark.parametrize("process", [doors(), wait()], ids=["doors", "wait"])
def test_strategies_have_rules_too(process: LabelledMarkovDecisionProcess) -> None:
    s, t = (process.states[state] for state in process.relation[0])
    assert against(process, s, t, F(6, 5))
    assert against(process, t, s, F(6, 5))


@pytest.mark.parametrize("ends", [True, False])
def test_strategies_of_random_processes(ends: bool) -> None:
    ways = (("s0", "s1"), ("s1", "s0"))
    found = [against(p, *way, F(1)) for p in random_processes(10, 5, ends=ends) for way in ways]
    assert sum(found) > 10


def against(process: LabelledMarkovDecisionProcess, s: str, t: str, alpha: Fraction) -> bool:
    """Compare the strategy of a pair, if somebody gains anything."""
    answer = delta_against_all(process, s, t, alpha, kind="lv", limits=Limits(nodes=40))
    found = json.loads(json.dumps(delta_json(answer)))["strategy"]
    if found is not None:
        check(found, process, alpha)
    return found is not None
