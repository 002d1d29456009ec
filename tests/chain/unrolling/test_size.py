"""δ of two secrets among tens of thousands of states, with certificates that verify."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover import collapse, delta, verify, zoo
from prover.chain.model import LabelledMarkovChain


def ending_at_random(states: int, labels: int) -> LabelledMarkovChain:
    """Random states with three successors and an end; two secrets lead to the same six of them."""
    draw = Random(1).randrange
    made: dict[str, tuple[str, dict[str, Fraction]]] = {"end": ("end", {"end": Fraction(1)})}
    for s in range(states):
        weights: dict[str, int] = {}
        while len(weights) < 3:
            weights[f"s{draw(states)}"] = 1 + draw(10)
        row = {t: Fraction(9 * w, 10 * sum(weights.values())) for t, w in weights.items()}
        made[f"s{s}"] = (f"l{s % labels}", row | {"end": Fraction(1, 10)})
    made["a"] = ("secret", {f"s{k}": Fraction(k + 1, 21) for k in range(6)})
    made["b"] = ("secret", {f"s{k}": Fraction(6 - k, 21) for k in range(6)})
    return LabelledMarkovChain.of(dict(made), [("a", "b")])


@pytest.mark.slow
def test_sixty_four_diners() -> None:
    chain = zoo.build_chain("dining-cryptographers", n="64")
    answer = delta(chain, "start(0)", "start(1)", "1.0002")
    assert len(chain) == 32_195
    assert answer.met
    assert answer.upper - answer.lower <= Fraction(1, 10**6)
    assert 0.002433 < answer.lower < 0.002434
    assert verify(answer.certificate).startswith("tv alpha=5001/5000")


@pytest.mark.slow
def test_a_crowd_of_twenty() -> None:
    chain = collapse(zoo.build_chain("crowds", members="20", rounds="25"))
    answer = delta(chain, "path(0,1)", "path(1,1)", 2)
    assert len(chain) == 11_001
    assert answer.met
    assert verify(answer.certificate).startswith("tv alpha=2")


@pytest.mark.slow
def test_random_states_whose_couplings_use_too_many_pairs() -> None:
    chain = ending_at_random(20_000, 4)
    answer = delta(chain, alpha="6/5", gap="1/1000")
    assert answer.met
    assert answer.origin.kind == "unrolling"
    assert verify(answer.certificate).startswith("tv alpha=6/5")


def test_random_states_of_a_smaller_chain() -> None:
    chain = ending_at_random(300, 6)
    answer = delta(chain, alpha="6/5", gap="1/100")
    assert answer.met
    assert delta(chain, alpha="6/5", gap="1/10000").lower <= answer.upper
    assert verify(answer.certificate).startswith("tv alpha=6/5")
