"""Clusters of nearly bisimilar states bound ld and bd, and δ; which ones are found."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prover
from prover.chain import dispatch, secrets
from prover.chain.answer import Distance
from prover.chain.bisimulation import bisimilarity, integer_weights
from prover.chain.distance import distance
from prover.chain.ld import clusters
from prover.chain.ld.certificates import certify
from prover.chain.ld.clusters import Clusters, _Partitions, clusters_of_many, nearly_bisimilar
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve, curve
from prover.zoo import announced_diners, dining_cryptographers, random_chain
from tests import oracle
from tests.certified import proved, verified
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
ALPHA = F(6, 5)
ROUNDING = F(1, 2**40)
kinds = pytest.mark.parametrize("kind", ["ld", "bd"])
few = settings(max_examples=settings().max_examples // 4)


def partitions_of(chain: LabelledMarkovChain) -> _Partitions:
    """Those of a chain whose probabilities have a short common denominator."""
    scale, weight_of = integer_weights(chain)
    assert scale is not None
    rows = [[(t, int(weight_of[id(p)])) for t, p in row.items()] for row in chain.rows]
    return _Partitions(chain.labels, rows, scale)


def prove(chain: LabelledMarkovChain, found: Clusters, kind: str) -> None:
    """The checker accepts what the clusters say of every pair that shares one."""
    for states in found.members:
        s, t = states[:2]
        ends = {
            "from": chain.states[s],
            "to": chain.states[t],
            "lower": "0",
            "upper": str(found.value((s, t))),
        }
        proved(
            certify(
                chain, {"alpha": "3/2", "kind": kind, "scope": "pair", **ends}, {"upper": found.evidence()}
            )
        )


def bounds_all(chain: LabelledMarkovChain, found: Clusters, alpha: Fraction) -> bool:
    ld, bd = oracle.ld(chain, alpha), oracle.bd(chain, alpha)
    return all(max(ld[s][t], bd[s][t]) <= found.value((s, t)) for s, t in oracle.alike_pairs(chain))


@few
@given(st.one_of(chains(), absorbed_chains(5)), alphas(), st.randoms(use_true_random=False))
def test_any_partition_into_states_of_equal_label_bounds_distances(
    chain: LabelledMarkovChain, alpha: Fraction, random: Random
) -> None:
    names = sorted({(label, random.randrange(2)) for label in chain.labels} | {(a, 0) for a in chain.labels})
    cell = [names.index(random.choice([name for name in names if name[0] == a])) for a in chain.labels]
    found = partitions_of(chain).bounded(cell)
    assert bounds_all(chain, found, alpha)
    prove(chain, found, random.choice(["ld", "bd"]))


@few
@given(st.one_of(chains(), absorbed_chains(6)), alphas())
def test_what_is_found_bounds_distances(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    partitions = partitions_of(chain)
    for part in (2, 8, 128, 10**9):
        cell = partitions.found(part)
        assert cell is not None
        found = partitions.bounded(cell)
        assert bounds_all(chain, found, alpha)
        prove(chain, found, "bd")
    for pair in oracle.alike_pairs(chain):
        best = nearly_bisimilar(chain, [pair])
        if best is not None:
            assert oracle.bd(chain, alpha)[pair[0]][pair[1]] <= best.value(pair) < 1
            prove(chain, best, "ld")


@few
@given(st.one_of(chains(), absorbed_chains(6)))
def test_without_tolerance_cells_are_classes_of_bisimilarity(chain: LabelledMarkovChain) -> None:
    """Or parts of them: states of different levels are never together."""
    cell = partitions_of(chain).found(2**200)
    assert cell is not None
    classes = bisimilarity(chain).classes
    assert all(cell[s] != cell[t] for one, other in pairwise(classes) for s in one for t in other)
    found = partitions_of(chain).bounded(cell)
    assert set(found.numerators) <= {0}


def test_numbers_of_circles_by_hand() -> None:
    """c = 1/4 + c/2, from above; the ends e and f stay where they are, and have 0."""
    chain = LabelledMarkovChain.of(
        {
            "e": ("E", {"e": 1}),
            "f": ("E", {"f": 1}),
            "s": ("S", {"e": F(1, 2), "s": F(1, 2)}),
            "t": ("S", {"f": F(1, 4), "t": F(1, 2), "u": F(1, 4)}),
            "u": ("U", {"u": 1}),
        }
    )
    found = nearly_bisimilar(chain, [(2, 3)])
    assert found is not None
    assert found.members == ((0, 1), (2, 3))
    assert found.value((0, 1)) == 0
    assert F(1, 2) <= found.value((3, 2)) < F(1, 2) + ROUNDING * 2**20
    assert found.value((2, 4)) == found.value((4, 2)) == 1
    prove(chain, found, "bd")


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_diners(n: int) -> None:
    """Every coin but one loses 1/50 of what is in common; and the exact distance is no more than that."""
    chain = dining_cryptographers(n=n)
    found = nearly_bisimilar(chain, chain.relation)
    assert found is not None
    lost = 1 - F(49, 50) ** (n - 1)
    assert all(lost <= found.value(pair) <= lost + ROUNDING for pair in chain.relation)
    prove(chain, found, "bd")
    if n < 5:
        for kind in ("ld", "bd"):
            exact = distance(chain, alpha=ALPHA, kind=kind).value
            assert exact is not None
            assert exact <= lost


def test_the_smallest_bound_is_that_of_some_tolerance() -> None:
    """Where coins are unfair only the largest tolerance puts the states together."""
    chain = dining_cryptographers(n=3, p="1/3")
    found = nearly_bisimilar(chain, chain.relation)
    assert found is not None
    assert all(found.value(pair) == found.value(chain.relation[0]) < 1 for pair in chain.relation)
    assert nearly_bisimilar(announced_diners(n=3, p="1/100"), [(0, 1)]) is None


def test_only_clusters_that_are_used_are_kept() -> None:
    chain = dining_cryptographers(n=4)
    last = [(s, t) for s, t in oracle.alike_pairs(chain) if chain.rows[s] == chain.rows[t]][:1]
    found = nearly_bisimilar(chain, last)
    assert found is not None
    assert found.value(last[0]) == 0
    whole = nearly_bisimilar(chain, chain.relation)
    assert whole is not None
    assert len(found.members) < len(whole.members)
    assert list(found.members) == sorted(found.members)
    prove(chain, found, "ld")


def test_the_same_is_found_again_and_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dining_cryptographers(n=4)
    assert nearly_bisimilar(chain, chain.relation) == nearly_bisimilar(chain, chain.relation)
    for most in range(0, 4_000, 97):
        monkeypatch.setattr(clusters, "_MOST_WORK", most)
        found = nearly_bisimilar(chain, chain.relation)
        if found is not None:
            prove(chain, found, "ld")
    monkeypatch.setattr(clusters, "_MOST_WORK", 10)
    assert nearly_bisimilar(chain, chain.relation) is None
    assert nearly_bisimilar(dining_cryptographers(n=3), []) is None


def test_where_numbers_are_long_or_labels_differ_nothing_is_found() -> None:
    long = F(1, 2**5_000)
    rows: Any = {"s": ("S", {"e": long, "s": 1 - long}), "t": ("S", {"e": 1}), "e": ("E", {"e": 1})}
    chain = LabelledMarkovChain.of(rows)
    assert nearly_bisimilar(chain, [(1, 2)]) is None
    other = random_chain(states=6)
    apart = next((s, t) for s in range(6) for t in range(6) if other.labels[s] != other.labels[t])
    assert nearly_bisimilar(other, [apart]) is None


def test_clusters_are_for_many_pairs_of_large_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dining_cryptographers(n=3)
    assert clusters_of_many(chain, chain.relation) is None
    monkeypatch.setattr(clusters, "MANY_STATES", len(chain))
    monkeypatch.setattr(clusters, "MANY_QUERIES", len(chain.relation) + 1)
    assert clusters_of_many(chain, chain.relation) is None
    monkeypatch.setattr(clusters, "MANY_QUERIES", len(chain.relation))
    assert clusters_of_many(chain, chain.relation) is not None


# What questions leave ------------------------------------------------------------------------------------


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chain is large, and two pairs are many."""
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 0)
    monkeypatch.setattr(secrets, "_LARGE", 1)
    monkeypatch.setattr(clusters, "MANY_STATES", 1)
    monkeypatch.setattr(clusters, "MANY_QUERIES", 2)


@pytest.mark.usefixtures("many")
@kinds
@pytest.mark.parametrize("bounds", ["both", "upper"])
def test_distances(kind: str, bounds: str) -> None:
    seen: list[Distance] = []
    last = distance(
        dining_cryptographers(n=4), alpha=ALPHA, kind=kind, bounds=bounds, on_interval=seen.append
    )
    lost = 1 - F(49, 50) ** 3
    first = next(one for one in seen if one.upper < 1)
    assert lost <= first.upper <= lost + ROUNDING
    for one in seen:
        assert last.lower <= verified(one).upper
        assert one.lower <= last.upper
    assert all(narrow.upper <= wide.upper + F(1, 2**30) for wide, narrow in pairwise(seen))


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("question", [{"alpha": "6/5"}, {"epsilon": "1/10"}], ids=["alpha", "epsilon"])
def test_delta(question: Any) -> None:
    heard: list[prover.Delta] = []
    chain = dining_cryptographers(n=4)
    last = prover.delta(chain, **question, on_interval=heard.append)
    lost = 1 - F(49, 50) ** 3
    found = [one for one in heard if lost <= one.upper <= lost + ROUNDING]
    assert found
    assert last.upper <= found[0].upper
    assert found[0].origin.kind == "ld"
    document = proved(found[0].certificate)
    assert F(document["claim"]["upper"]) == found[0].upper
    assert document["evidence"]["distance"]["clusters"]
    assert proved(found[0].lower_certificate)["claim"]["lower"] == str(found[0].lower)


@pytest.mark.usefixtures("many")
def test_curves() -> None:
    """Curves that are certified have laws, and no clusters."""
    chain = dining_cryptographers(n=4)
    heard: list[Curve] = []
    last = curve(chain, alphas=["1", "6/5"], on_curve=heard.append)
    lost = 1 - F(49, 50) ** 3
    assert all(lost <= point.upper <= lost + ROUNDING for point in heard[0])
    assert heard[0].leaves_out_pairs
    for one in heard:
        assert all(p.lower <= q.upper <= p.upper for p, q in zip(one, last, strict=True))
    heard.clear()
    curve(chain, alphas=["1", "6/5"], on_curve=heard.append, provable=True)
    assert [point.upper for point in heard[0]] == [1, 1]
