"""Bisimilarity against the oracle, and its certificates."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.bisimulation import bisimilarity, numbers_of
from prover.chain.distance import distances
from prover.chain.model import LabelledMarkovChain
from tests import oracle
from tests.certified import verified
from tests.outside_examples import SINKS
from tests.strategies import absorbed_chains, chains

F = Fraction


@given(st.one_of(chains(), absorbed_chains(7)))
def test_classes(chain: LabelledMarkovChain) -> None:
    found = bisimilarity(chain)
    assert [list(members) for members in found.classes] == oracle.bisimilarity(chain)
    assert numbers_of(found.classes) == {s: c for c, members in enumerate(found.classes) for s in members}


@given(st.one_of(chains(), absorbed_chains(7)))
def test_certificates_of_bisimilarity(chain: LabelledMarkovChain) -> None:
    table = verified(distances(chain, kind="bisimilarity"))
    class_of = {s: c for c, members in enumerate(oracle.bisimilarity(chain)) for s in members}
    for (s, t), value in table.lower.items():
        assert value == (class_of[chain.index(s)] != class_of[chain.index(t)])


def test_splitters_are_small() -> None:
    # A corridor is split into its states one after the other, from its end on.
    length = 300
    corridor = {f"s{k:03}": ("c", {f"s{k + 1:03}": 1}) for k in range(length)}
    chain = LabelledMarkovChain.of({**corridor, f"s{length}": ("end", {f"s{length}": 1})})
    found = bisimilarity(chain)
    assert len(found.classes) == len(chain)
    assert sum(map(len, found.splitters)) < 2 * length


@pytest.mark.parametrize("splitter", [2, 5, 30])
def test_states_that_differ_only_after_many_steps(splitter: int) -> None:
    # Two corridors of equal length; only their ends have labels of their own.
    corridors = {f"{side}{k}": ("c", {f"{side}{k + 1}": 1}) for side in "pq" for k in range(splitter)}
    ends = {f"{side}{splitter}": (side, {f"{side}{splitter}": 1}) for side in "pq"}
    chain = LabelledMarkovChain.of({**corridors, **ends})
    found = bisimilarity(chain)
    assert len(found.classes) == len(chain)
    table = verified(distances(chain, kind="bisimilarity"))
    assert all(value == (s != t) for (s, t), value in table.lower.items())


def test_bisimilar_up_to_probabilities_that_floats_cannot_tell_apart() -> None:
    tiny = F(1, 10**40)
    rows = [
        {"A": F(1, 3), "B": F(2, 3)},
        {"A": F(1, 3) + tiny, "B": F(2, 3) - tiny},
        {"A": F(1, 3), "B": F(2, 3)},
    ]
    chain = LabelledMarkovChain.of(
        {**{f"s{k}": ("s", row) for k, row in enumerate(rows)}, "A": SINKS["A"], "B": SINKS["B"]}
    )
    assert bisimilarity(chain).classes == ((0,), (1,), (2, 4), (3,))
