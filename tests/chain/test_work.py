"""How much work large chains take, in calls of functions."""

from functools import partial

import pytest

from prover.chain.bisimulation import bisimilar_classes
from prover.chain.delta import delta
from prover.chain.model import LabelledMarkovChain
from prover.zoo import random_chain
from tests.calls import calls_of


def with_others(others: int) -> LabelledMarkovChain:
    """Two coins, and so many other states with ten successors that no run of them reaches, all different."""
    coins: dict[str, tuple[str, dict[str, str]]] = {
        "fair": ("start", {"heads": "1/2", "tails": "1/2"}),
        "biased": ("start", {"heads": "3/5", "tails": "2/5"}),
        "heads": ("heads", {"heads": "1"}),
        "tails": ("tails", {"tails": "1"}),
    }
    successors = [*coins, *(f"s{s}" for s in range(6))]
    rest = {f"s{s}": (f"l{s}", dict.fromkeys(successors, "1/10")) for s in range(others)}
    return LabelledMarkovChain.of(coins | rest)


def test_a_state_that_no_run_reaches_takes_few_calls() -> None:
    few, many = (
        calls_of(partial(delta, with_others(others), "fair", "biased", "6/5")) for others in (100, 200)
    )
    assert many - few <= 45 * 100


def test_states_of_a_large_chain_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("prover.chain.bisimulation._entering")
    assert len(bisimilar_classes(random_chain(1_000, degree=10))) == 1_000
