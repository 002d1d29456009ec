"""Several systems at once: against a product from which nothing is left out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as tuples
from random import Random

import pytest

import prover
from prover.chain import product as concurrent
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.chain.product import product, repeat
from prover.errors import WrongArgument
from prover.questions import delta
from prover.zoo import pin_checker, randomised_response
from prover.zoo.interactive import doors, wait
from tests.refusals import refuses

Row = dict[str, Fraction]


def everything(left: LabelledMarkovDecisionProcess, right: LabelledMarkovDecisionProcess) -> System:
    """The product in which every action of either part may always be taken."""
    states: dict[str, tuple[str, dict[str, Row]]] = {}
    for s, t in tuples(range(len(left)), range(len(right))):
        rows: dict[str, Row] = {}
        for action in left.menu(s):
            row = left.row(s, action)
            rows[f"1 {action}"] = {f"{left.states[u]}|{right.states[t]}": p for u, p in row.items()}
        for action in right.menu(t):
            row = right.row(t, action)
            rows[f"2 {action}"] = {f"{left.states[s]}|{right.states[u]}": p for u, p in row.items()}
        states[f"{left.states[s]}|{right.states[t]}"] = f"{left.labels[s]}|{right.labels[t]}", rows
    return LabelledMarkovDecisionProcess.of(states, [("s0|s0", "s1|s1")])


def random_part(random: Random) -> LabelledMarkovDecisionProcess:
    """From two secrets on to later states, some of which leave a choice and some not, to one of two ends."""
    size = random.randint(3, 4)
    labels = ["a", "a", *(random.choice("abc") for _ in range(size - 2))]
    states: dict[str, tuple[str, dict[str, Row] | Row]] = {}
    for s, label in enumerate(labels):
        after = [f"s{k}" for k in range(max(s, 1) + 1, size)] + ["win", "lose"]

        def row(after: list[str] = after) -> Row:
            chosen = random.sample(after, min(len(after), 2))
            weights = [random.randint(1, 3) for _ in chosen]
            return {k: Fraction(w, sum(weights)) for k, w in zip(chosen, weights, strict=True)}

        states[f"s{s}"] = label, row() if label == "c" else {action: row() for action in "xy"}
    states |= {end: (end, {end: Fraction(1)}) for end in ("win", "lose")}
    return LabelledMarkovDecisionProcess.of(states, [("s0", "s1")])


def compare(count: int, seed: int) -> None:
    random = Random(seed)
    for _ in range(count):
        left, right = random_part(random), random_part(random)
        for alpha in (Fraction(1), Fraction(3, 2)):
            found = delta(product(left, right, related="both"), "(s0,s0)", "(s1,s1)", alpha)
            whole = prover.delta(everything(left, right), alpha=alpha)
            assert found.value == whole.value
            assert found.value is not None


def test_nothing_is_lost() -> None:
    compare(6, seed=1)


@pytest.mark.slow
def test_nothing_is_lost_in_many() -> None:
    compare(150, seed=2)


def test_two_doors_twice() -> None:
    twice = repeat(doors(), 2)
    assert str(prover.delta(twice, alpha="36/25").value) == "189/400"
    assert prover.delta(twice, alpha=1).value == Fraction(1, 2)
    # Gold and goat are a bit that is right three times in four; of three the majority is, 54 times in 64.
    thrice = prover.delta(repeat(doors(), 3), alpha=1)
    assert thrice.value == Fraction(54, 64) - Fraction(10, 64)
    assert "attackers=all" in prover.verify(thrice.certificate)
    assert repeat(doors(), 1) == doors()


def test_a_chain_beside_a_process() -> None:
    both = product(pin_checker(), wait(), related="one")
    assert isinstance(both, LabelledMarkovDecisionProcess)
    # A checker may go round: then it is one of the things to be chosen.
    assert both.menu(both.index("(0,s)")) == ("1", "2: cash", "2: wait")
    asked = prover.delta(both, "(0,s)", "(0,t)", 2)
    assert asked.value == prover.delta(wait(), "s", "t", 2).value
    survey = product(randomised_response(), wait(), related="one")
    assert isinstance(survey, LabelledMarkovDecisionProcess)
    # Who answers once does so at once.
    assert survey.menu(survey.index("(a,s)")) == ("",)


def test_chains_move_together() -> None:
    chain = product(randomised_response(), pin_checker())
    assert isinstance(chain, LabelledMarkovChain)
    assert chain == prover.product(randomised_response(), pin_checker())
    assert repeat(pin_checker(), 2) == prover.repeat(pin_checker(), 2)


def test_what_is_refused() -> None:
    with refuses("bad-count"):
        repeat(doors(), 0)
    with refuses("unknown-relation"):
        product(doors(), wait(), related="all")
    with pytest.raises(WrongArgument):
        product(doors(), 3)  # type: ignore[call-overload]
    comma = LabelledMarkovDecisionProcess.of(
        {"s": ("a", {"x": {"s,s": 1}, "y": {"s": 1}}), "s,s": ("a", {"x": {"s": 1}, "y": {"s": 1}})}
    )
    with refuses("ambiguous-product"):
        repeat(comma, 3)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent, "MOST_STATES", 94)
    with refuses("product-too-large", match="more than 94 states"):
        repeat(doors(), 2)
    monkeypatch.setattr(concurrent, "MOST_STATES", 95)
    assert len(repeat(doors(), 2)) == 95
    monkeypatch.setattr(concurrent, "MOST_TRANSITIONS", 95)
    with refuses("product-too-large", match="more than 95 transitions"):
        repeat(doors(), 2)
