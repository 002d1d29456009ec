"""Classes by fingerprints, and bisimilar classes of large systems, against refinement state by state."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain import bisimulation
from prover.chain.bisimulation import bisimilar_classes, bisimilarity, numbers_of
from prover.chain.fingerprints import separated
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import System
from prover.zoo import random_chain
from tests.interactive_oracle import random_process
from tests.strategies import absorbed_chains, chains

F = Fraction
SYSTEMS = st.one_of(chains(), absorbed_chains(7), st.randoms(use_true_random=False).map(random_process))


def corridor(length: int) -> LabelledMarkovChain:
    """Rooms of one label in a row; the last one has another."""
    rooms = {f"s{k:04}": ("c", {f"s{k + 1:04}": 1}) for k in range(length)}
    return LabelledMarkovChain.of({**rooms, f"s{length:04}": ("end", {f"s{length:04}": 1})})


def two_of_a_kind(*rows: dict[str, Fraction]) -> LabelledMarkovChain:
    """States of one label with these rows, into ends of the labels A, B, C, D; there are two of A."""
    states = {f"s{k}": ("s", row) for k, row in enumerate(rows)}
    ends = {name: (name[0], {name: F(1)}) for name in ("A", "A2", "B", "C", "D")}
    return LabelledMarkovChain.of({**states, **ends})


def grouped(numbers: list[int]) -> tuple[tuple[int, ...], ...]:
    classes: dict[int, list[int]] = {}
    for s, number in enumerate(numbers):
        classes.setdefault(number, []).append(s)
    return tuple(map(tuple, classes.values()))


@given(SYSTEMS)
def test_fingerprints_separate_no_bisimilar_states(system: System) -> None:
    exact = bisimilarity(system)
    for rounds in range(4):
        found = separated(system, rounds)
        assert found is not None
        assert all(len({found.number[s] for s in members}) == 1 for members in exact.classes)
        if found.bisimilar:
            assert grouped(found.number) == exact.classes
    whole = separated(system)
    assert whole is not None
    assert whole.bisimilar


@given(SYSTEMS)
def test_bisimilar_classes(system: System) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bisimulation, "_LARGE", 0)
        assert bisimilar_classes(system) == bisimilarity(system).classes


def test_where_rounds_end_states_are_refined_one_by_one() -> None:
    chain = corridor(1_100)
    found = separated(chain)
    assert found is not None
    assert not found.bisimilar
    assert len(bisimilar_classes(chain)) == len(chain)


def test_what_fingerprints_leave_together_is_decided_by_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    # With the prime 3 the numbers 1/8 and 1/2 have one fingerprint, and so have their complements.
    rows = [{"A": F(1, 8), "B": F(7, 8)}, {"A": F(1, 2), "B": F(1, 2)}]
    chain = two_of_a_kind(*rows)
    monkeypatch.setattr("prover.chain.fingerprints._PRIME", 3)
    monkeypatch.setattr(bisimulation, "_LARGE", 0)
    found = separated(chain)
    assert found is not None
    assert not found.bisimilar
    assert numbers_of(bisimilar_classes(chain))[chain.index("s0")] != chain.index("s1")
    assert bisimilar_classes(chain) == bisimilarity(chain).classes


def test_integers_see_equal_sums_over_different_denominators() -> None:
    rows = [
        {"A": F(1, 6), "A2": F(1, 3), "B": F(1, 2)},
        {"A2": F(1, 2), "B": F(1, 4), "C": F(1, 4)},
        {"A": F(1, 2), "B": F(1, 2)},
    ]
    chain = two_of_a_kind(*rows)
    found = separated(chain)
    assert found is not None
    assert found.bisimilar
    assert found.number[chain.index("s0")] == found.number[chain.index("s2")]
    assert found.number[chain.index("s0")] != found.number[chain.index("s1")]


@pytest.mark.parametrize(
    "tiny",
    [F(1, 2**31 - 1), F(1, 2**64), F(2**62 + 1, 2**63 + 5)],
    ids=["prime divides", "too long", "too long above"],
)
def test_numbers_that_have_no_fingerprint(monkeypatch: pytest.MonkeyPatch, tiny: Fraction) -> None:
    monkeypatch.setattr(bisimulation, "_LARGE", 0)
    chain = two_of_a_kind({"A": tiny, "B": 1 - tiny}, {"A2": tiny, "B": 1 - tiny}, {"C": F(1)})
    assert separated(chain) is None
    assert bisimilar_classes(chain) == bisimilarity(chain).classes


def test_common_denominators_that_are_too_long_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bisimulation, "_LARGE", 0)
    x, y = 2**40 - 87, 2**40 - 167
    others = {"B": F(x - 1, 2 * x), "C": F(1, 2 * y), "D": F(y - 1, 2 * y)}
    chain = two_of_a_kind({"A": F(1, 2 * x), **others}, {"A2": F(1, 2 * x), **others})
    found = separated(chain)
    assert found is not None
    assert not found.bisimilar
    assert bisimilar_classes(chain) == bisimilarity(chain).classes


def test_four_rounds_tell_the_states_of_a_large_random_chain_apart() -> None:
    found = separated(random_chain(2_000, degree=10), most_rounds=4)
    assert found is not None
    assert found.bisimilar
    assert len(set(found.number)) == 2_000
