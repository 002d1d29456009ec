"""Attacks that only count steps, and those that do not."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

import pytest
from hypothesis import given, settings

from prover.chain.collapsing.collapse import collapse
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling import attack
from prover.questions import delta
from prover.report.delta import reply_of
from prover.zoo import crowds, dining_cryptographers, pin_checker
from tests.chain.collapsing.observed import Observer, beginnings
from tests.strategies import alphas, chains

SLOW = LabelledMarkovChain.of(
    {
        "s": ("a", {"z": 1}),
        "t": ("a", {"u": 1}),
        "u": ("a", {"z": "1/2", "y": "1/2"}),
        "y": ("end", {"y": 1}),
        "z": ("end", {"z": 1}),
    },
    [("s", "t")],
)


def test_words_that_differ_in_length_only() -> None:
    answer = delta(SLOW, alpha=5)
    assert answer.value == 1
    assert answer.only_counts_steps
    assert "the attack depends on how long labels last" in reply_of(answer, certified=False).notes[0]


def test_words_of_one_length_that_are_no_attack_without_repetitions() -> None:
    """What is said of words as long as each other must not be that their lengths differ."""
    chain = LabelledMarkovChain.of(
        {
            "s": ("start", {"s1": 1}), "s1": ("off", {"on": "1/4", "off": "3/4"}),
            "t": ("start", {"t1": 1}), "t1": ("off", {"on": "3/4", "off": "1/4"}),
            "off": ("off", {"on": 1}), "on": ("on", {"on": 1}),
        },
    )  # fmt: skip
    answer = delta(chain, "s", "t", alpha=2)
    assert answer.attack is not None
    assert {len(word.labels) for word in answer.attack.words} == {3}
    assert answer.only_counts_steps
    assert "length" not in reply_of(answer, certified=False).notes[0]


def test_words_that_differ_in_what_comes_after_as_many_steps() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"v": 1}),
            "t": ("a", {"u": 1}),
            "u": ("a", {"y": "1/2", "z": "1/2"}),
            "v": ("a", {"z": 1}),
            "y": ("other end", {"y": 1}),
            "z": ("end", {"z": 1}),
        },
    )
    answer = delta(chain, "s", "t", alpha=1)
    assert answer.value == Fraction(1, 2)
    assert not answer.only_counts_steps
    assert reply_of(answer, certified=False).notes == ()


@pytest.mark.parametrize("chain", [dining_cryptographers(3), pin_checker(), collapse(crowds(2, 1))])
def test_attacks_on_what_is_seen(chain: LabelledMarkovChain) -> None:
    answer = delta(chain, alpha=1)
    assert answer.attack is not None
    assert not answer.only_counts_steps


def test_large_chains_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attack, "_MOST_STATES", 4)
    assert not delta(SLOW, alpha=5).only_counts_steps


def test_no_attack_counts_no_steps() -> None:
    assert not delta(SLOW, "y", "z", alpha=1).only_counts_steps


@given(chains(related=True), alphas())
@settings(max_examples=settings().max_examples // 2)
def test_what_is_said_is_so(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    answer = delta(chain, alpha=alpha, gap=Fraction(1, 100))
    if not answer.only_counts_steps or answer.attack is None:
        return
    words = {tuple(label for label, _ in groupby(word.labels)) for word in answer.attack.words}
    shortest = [word for word in words if not any(word[:n] in words for n in range(len(word)))]
    there, here = (
        beginnings(chain, chain.index(name), Observer(frozenset(), untimed=True), max(map(len, shortest)))
        for name in (answer.attack.source, answer.attack.target)
    )
    zero = Fraction(0)
    assert sum(there.get(word, zero) - alpha * here.get(word, zero) for word in shortest) <= 0
