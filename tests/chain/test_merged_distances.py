"""Distances in which bisimilar states count as one."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prover
from prover.chain.model import LabelledMarkovChain
from tests import oracle
from tests.certificate.made import random_chain
from tests.chain.symmetry.rings import ring
from tests.refusals import refuses

ALPHA = "6/5"


def doubled(chain: LabelledMarkovChain) -> LabelledMarkovChain:
    """The chain, in which every state has a copy; what went to it goes to either, in turn."""
    rows = {}
    for s, name in enumerate(chain.states):
        for copy in "01":
            row: dict[str, Fraction] = {}
            for t, p in chain.rows[s].items():
                share = Fraction(1 + int(copy) + t % 2, 5)
                row |= {f"{chain.states[t]}0": p * share, f"{chain.states[t]}1": p * (1 - share)}
            rows[f"{name}{copy}"] = (chain.labels[s], row)
    return LabelledMarkovChain.of(rows)


def test_an_example() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("S", {"e": "3/5", "g": "2/5"}),
            "t": ("S", {"f": "1/2", "g": "1/2"}),
            "e": ("e", {"e": 1}),
            "f": ("e", {"f": 1}),
            "g": ("g", {"g": 1}),
        },
        [("s", "t"), ("e", "f")],
    )
    merged = prover.distance(chain, "s", "t", "11/10", merge=True)
    assert merged.headline == "ld_11/10(s, t) = 1/20 (0.05), with bisimilar states merged"
    assert merged.value == prover.delta(chain, "s", "t", "11/10", kind="lv").value
    assert prover.distance(chain, "s", "t", "11/10").value == Fraction(1, 10)
    assert prover.distance(chain, "e", "f", "11/10", merge=True).value == 0
    assert prover.distance(chain, alpha="11/10", merge=True).value == Fraction(3, 50)
    table = prover.distances(chain, "11/10", merge=True)
    assert table["s", "t"].merged
    assert table.headline.endswith("exact, with bisimilar states merged")


@pytest.mark.thorough
@given(st.integers(0, 2**32 - 1), st.sampled_from(["ld", "bd"]))
@settings(max_examples=max(1, settings().max_examples // 25))
def test_copies_change_nothing(seed: int, kind: str) -> None:
    chain, _ = ring(seed, turning_labels=True)
    twice = doubled(chain)
    single = prover.distances(chain, ALPHA, kind=kind, merge=True)
    merged = prover.distances(twice, ALPHA, kind=kind, merge=True)
    plain = prover.distances(twice, ALPHA, kind=kind)
    assert "quotient=bisimilarity" in prover.verify(merged.certificate)
    for (s, t), value in merged.lower.items():
        assert value == single.lower[s[:-1], t[:-1]]
        assert value <= plain.lower[s, t]


@pytest.mark.thorough
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=settings().max_examples // 12)
def test_between_delta_and_the_distance(seed: int) -> None:
    chain = random_chain(Random(seed))
    merged, plain = prover.distances(chain, ALPHA, merge=True), prover.distances(chain, ALPHA)
    assert prover.verify(merged.certificate)
    for (s, t), value in merged.upper.items():
        i, j = chain.index(s), chain.index(t)
        assert oracle.lv_within(chain, Fraction(6, 5), i, j, 3)[0] <= value <= plain.upper[s, t]


def test_intervals_and_upper_bounds() -> None:
    chain, _ = ring(7)
    exact = prover.distances(chain, ALPHA, merge=True)
    for found in (
        prover.distances(chain, ALPHA, merge=True, max_bits=1),
        prover.distances(chain, ALPHA, merge=True, bounds="upper"),
    ):
        assert all(found.lower[pair] <= value <= found.upper[pair] for pair, value in exact.lower.items())
        assert prover.verify(found.certificate)


@pytest.mark.parametrize("kind", ["kernel", "bisimilarity"])
def test_relations_are_about_the_states_as_they_are(kind: str) -> None:
    chain, _ = ring(7)
    alpha = ALPHA if kind == "kernel" else None
    with refuses("unfit-merge", match="merge is for ld, lgd and bd"):
        prover.distances(chain, alpha, kind=kind, merge=True)
