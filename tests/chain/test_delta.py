"""`delta`: published values, scopes, α and ε, attacks, thresholds, and everything it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

import prover
from prover import zoo
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.answer import Delta
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.exact.rational import format_rational
from prover.questions import delta
from tests.certified import proved
from tests.oracle import alike_pairs, lv_words
from tests.refusals import refuses
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
few = settings(max_examples=settings().max_examples // 4)
fewer = settings(max_examples=settings().max_examples // 8)
PIN = zoo.build_chain("pin-checker")
RESPONSE = zoo.build_chain("randomised-response")
TWICE = zoo.build_chain("randomised-response", answers="2")


def verified(answer: Delta) -> Delta:
    """The answer itself; its certificates verify and prove what it says."""
    upper, lower = (proved(proof)["claim"] for proof in (answer.certificate, answer.lower_certificate))
    for claim, alpha in ((upper, answer.alpha_upper), (lower, answer.alpha_lower)):
        assert (claim["kind"], claim["alpha"]) == (answer.kind, format_rational(alpha))
        assert claim["scope"] == ("relation" if answer.over_relation else "pair")
    assert upper["upper"] == format_rational(answer.upper)
    assert lower["lower"] == format_rational(answer.lower)
    assert (lower["from"], lower["to"]) == (answer.source, answer.target)
    return answer


# Published values


@pytest.mark.parametrize(
    ("alpha", "forward", "backward"),
    [("1", "200/2503", "200/2503"), ("11/10", "130/7509", "3791/75090"), ("2809/2209", "0", "0")],
)
def test_the_pin_checker(alpha: str, forward: str, backward: str) -> None:
    found = verified(delta(PIN, "0", "1", alpha))
    assert found.directions == {"forward": (F(forward),) * 2, "backward": (F(backward),) * 2}
    assert found.value == max(F(forward), F(backward))
    one_way = verified(delta(PIN, "0", "1", alpha, kind="lv"))
    assert (one_way.value, one_way.directions) == (F(forward), {"forward": (F(forward),) * 2})


@pytest.mark.parametrize(
    ("chain", "alpha", "value", "pair"),
    [
        (RESPONSE, "6/5", "4/15", ("a", "b")),
        (TWICE, "36/25", "64/225", ("aa", "bb")),
        (zoo.build_chain("dining-cryptographers"), "1.0002", "0.00030004", ("start(0)", "start(1)")),
        (zoo.build_chain("fig1"), "3/2", "0", ("s0", "s1")),
        (PIN, "11/10", "3791/75090", ("1", "0")),
    ],
)
def test_the_largest_of_a_relation(
    chain: LabelledMarkovChain, alpha: str, value: str, pair: tuple[str, str]
) -> None:
    found = verified(delta(chain, alpha=alpha))
    assert (found.value, (found.source, found.target)) == (F(value), pair)
    assert found.over_relation
    assert found.met


# Random chains


@few
@given(chain=chains(max_states=5, related=True), alpha=alphas())
def test_every_answer_is_proved(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    limits = UnrollingLimits(nodes=60)
    found = verified(delta(chain, alpha=alpha, limits=limits)) if chain.relation else None
    for s, t in alike_pairs(chain)[:2]:
        names = chain.states[s], chain.states[t]
        one = verified(delta(chain, names[0], names[1], alpha, kind="lv", limits=limits))
        assert lv_words(chain, alpha, s, t, 5) <= one.upper
        if found is not None and (s, t) in chain.relation:
            assert one.lower <= found.upper


@fewer
@given(chain=absorbed_chains(), alpha=alphas())
def test_the_attack_is_worth_the_lower_end(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for s, t in alike_pairs(chain):
        found = delta(chain, chain.states[s], chain.states[t], alpha, limits=UnrollingLimits(nodes=200))
        if found.attack is None:
            assert found.lower == 0
            continue
        event = found.attack
        worth = event.from_probability - alpha * event.to_probability
        assert abs(worth - found.lower) < F(1, 10**9)
        pair = tuple(chain.index(name) for name in (event.source, event.target))
        assert {event.source, event.target} == {found.source, found.target}
        for word in event.words:
            seen = tuple(_probability(chain, state, word.labels) for state in pair)
            assert seen == (word.from_probability, word.to_probability)
            assert seen[0] > alpha * seen[1]
        if event.complete:
            assert event.from_probability == sum(word.from_probability for word in event.words)


def _probability(chain: LabelledMarkovChain, state: int, labels: tuple[str, ...]) -> Fraction:
    """The probability to see the labels first, from the state."""
    now = {state: F(1)}
    for place, label in enumerate(labels):
        now = {s: p for s, p in now.items() if chain.labels[s] == label}
        if place < len(labels) - 1:
            after: dict[int, Fraction] = {}
            for s, p in now.items():
                for t, q in chain.rows[s].items():
                    after[t] = after.get(t, F(0)) + p * q
            now = after
    return sum(now.values(), F(0))


def test_the_same_question_has_the_same_proof() -> None:
    chain = zoo.build_chain("random-chain", states="8", labels="2", seed="3")
    pair = next((s, t) for s, t in alike_pairs(chain))
    names = chain.states[pair[0]], chain.states[pair[1]]
    answers = [delta(chain, names[0], names[1], "6/5", limits=UnrollingLimits(nodes=800)) for _ in range(2)]
    assert answers[0].certificate == answers[1].certificate
    verified(answers[0])


# ε, the gap, thresholds, limits


def test_epsilon_is_rounded_both_ways() -> None:
    found = verified(delta(PIN, "0", "1", epsilon="1/10"))
    assert found.alpha is None
    assert found.alpha_upper < F("1.1051709180756477") < found.alpha_lower
    assert found.met
    assert found.lower <= F("0.0489649010481967") <= found.upper
    assert 0 < found.upper - found.lower < F(1, 10**6)
    assert delta(PIN, "0", "1", epsilon=0).value == F(200, 2503)
    assert found.headline.startswith("0.048964901048")
    assert "delta_e^(1/10)(0, 1)" in found.headline


def test_names_with_commas_are_parted_by_semicolons() -> None:
    rows = {"a=0, b=1": ("start", {"no": 1}), "a=1, b=1": ("start", {"yes": 1})}
    ends = {"no": ("no", {"no": 1}), "yes": ("yes", {"yes": 1})}
    found = delta(LabelledMarkovChain.of({**rows, **ends}), "a=0, b=1", "a=1, b=1", 2)
    assert found.headline == "delta_2(a=0, b=1; a=1, b=1) = 1"


def test_a_gap_of_0_asks_for_the_exact_number() -> None:
    chain = zoo.build_chain("random-chain", states="8", labels="2", seed="3")
    s, t = (chain.states[k] for k in alike_pairs(chain)[0])
    found = delta(chain, s, t, 1, gap=0, limits=UnrollingLimits(nodes=100))
    assert found.value is None
    assert not found.met
    assert delta(PIN, "0", "1", 1, gap=0).met


@pytest.mark.parametrize(("threshold", "holds"), [("0.0505", True), ("3791/75090", True), ("0.05", False)])
def test_a_threshold_is_decided(threshold: str, holds: bool) -> None:
    found = verified(delta(PIN, alpha="11/10", at_most=threshold))
    assert found.met
    assert found.is_at_most(F(threshold)) is holds
    by_epsilon = delta(PIN, epsilon="0.0953101798", at_most=threshold)
    assert by_epsilon.is_at_most(F(threshold)) is holds or threshold == "3791/75090"


def test_a_threshold_may_stay_undecided() -> None:
    found = delta(PIN, alpha="11/10", at_most="0.05", limits=UnrollingLimits(nodes=2))
    assert not found.met
    assert found.is_at_most(F("0.05")) is None


def test_memory_is_limited_too() -> None:
    chain = zoo.build_chain("random-chain", states="8", labels="2", seed="3")
    names = [chain.states[k] for k in alike_pairs(chain)[0]]
    found = verified(delta(chain, names[0], names[1], "6/5", limits=UnrollingLimits(memory=200_000)))
    assert not found.met
    assert 0 < found.lower < found.upper < 1
    assert 50 < found.origin.nodes < 200


def test_intervals_on_the_way_are_proved_too() -> None:
    chain = zoo.build_chain("random-chain", states="8", labels="2", seed="3")
    names = [chain.states[k] for k in alike_pairs(chain)[0]]
    seen: list[Delta] = []
    last = delta(chain, names[0], names[1], "6/5", limits=UnrollingLimits(nodes=700), on_interval=seen.append)
    assert len(seen) > 2
    for answer in [*seen, last]:
        verified(replace(answer))
        assert answer.lower <= last.upper
        assert last.lower <= answer.upper


def test_the_origin_of_the_upper_end() -> None:
    assert delta(PIN, "0", "1", 1).origin.kind == "exact"
    assert delta(PIN, "0", "end", 1).origin.kind == "labels"
    assert delta(PIN, "0", "0", 1).origin.kind == "labels"
    assert delta(PIN, "0", "1", 1, limits=UnrollingLimits(nodes=2)).origin.kind == "ld"
    assert delta(PIN, "0", "1", 1, limits=UnrollingLimits(nodes=2)).upper < F(6, 53) + F(1, 10**9)
    assert (
        delta(PIN, "0", "1", 1, limits=UnrollingLimits(nodes=2, distances=False)).origin.kind == "unrolling"
    )


def test_states_with_different_labels_are_told_apart_by_them() -> None:
    found = verified(delta(PIN, "0", "end", "6/5"))
    assert found.value == 1
    assert found.attack is not None
    assert found.attack.words[0].labels == ("a",)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("0", "1"), {}, "alpha-or-epsilon", "give either alpha"),
        (("0", "1", 2), {"epsilon": 1}, "alpha-or-epsilon", "give either alpha"),
        (("0", "1", "9/10"), {}, "bad-alpha", "at least 1"),
        (("0", "1", 1.5), {}, "bad-alpha", "not a float"),
        (("0", "1"), {"epsilon": -1}, "bad-epsilon", "at least 0"),
        (("0", "1"), {"epsilon": 0.5}, "bad-epsilon", "not a float"),
        (("0", "1"), {"epsilon": 1001}, "bad-epsilon", "at most 1000"),
        (("0", "1", 1), {"gap": "-1/2"}, "bad-gap", "at least 0"),
        (("0", "1", 1), {"gap": 0.1}, "bad-gap", "as text"),
        (("0", "1", 1), {"at_most": True}, "bad-threshold", "as text"),
        (("0", "1", 1), {"at_most": "-1"}, "bad-threshold", "at least 0"),
        (("0", "1", 1), {"kind": "ld"}, "unknown-delta", '"ld"'),
        (("0", "1", "x"), {}, "malformed-number", '"x"'),
        (("0", "x", 1), {}, "unknown-state", '"x"'),
        (("0", None, 1), {}, "half-a-pair", "both states"),
    ],
)
def test_what_is_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], error: str, message: str
) -> None:
    with refuses(error, match=message):
        delta(PIN, *arguments, **options)


def test_a_relation_is_needed_where_no_states_are_named() -> None:
    with refuses("empty-relation"):
        delta(LabelledMarkovChain.of({"s": ("l", {"s": 1})}), alpha=1)


def test_the_public_name() -> None:
    assert prover.delta(PIN, "0", "1", 1) == delta(PIN, "0", "1", 1)
    assert prover.Delta is Delta
    claim = json.loads(prover.delta(PIN, "0", "1", 1).certificate.data)["claim"]
    assert claim["kind"] == "tv"


def test_many_random_chains_have_brute_force_between_their_ends() -> None:
    for seed in range(10):
        random = Random(seed)
        size, seed_text = str(random.randint(4, 7)), str(seed)
        chain = zoo.build_chain("random-chain", states=size, labels="2", degree="2", seed=seed_text)
        alpha = random.choice([F(1), F(6, 5)])
        for s, t in alike_pairs(chain)[:3]:
            found = delta(
                chain, chain.states[s], chain.states[t], alpha, kind="lv", limits=UnrollingLimits(nodes=100)
            )
            assert lv_words(chain, alpha, s, t, 6) <= found.upper
