"""What one step says at once of distances, and that later intervals keep it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prover import zoo
from prover.chain import dispatch
from prover.chain.answer import Distance, DistanceTable
from prover.chain.distance import distance, distances
from prover.chain.ld import first
from prover.chain.ld.certificates import no_evidence
from prover.chain.ld.found import TRIVIAL, FoundBounds
from prover.chain.ld.options.problem import TooManyOptions, explore
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.symmetry import generators
from tests.certified import proved, verified
from tests.interactive_oracle import random_process
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
UNIT = F(1, 2**50)
some = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
kinds = pytest.mark.parametrize("kind", ["ld", "bd"])


def chain_of(*rows: tuple[str, str, dict[str, Fraction | int]]) -> LabelledMarkovChain:
    return LabelledMarkovChain.of({name: (label, row) for name, label, row in rows})


TWO_COINS = chain_of(
    ("s", "toss", {"x": F(1, 2), "y": F(1, 2)}),
    ("t", "toss", {"x": F(1, 4), "y": F(3, 4)}),
    ("x", "heads", {"x": 1}),
    ("y", "tails", {"y": 1}),
)
"""At α = 6/5: from s to t heads gain 1/2 − 6/5 · 1/4 = 1/5, and from t to s tails 3/4 − 6/5 · 1/2 = 3/20."""


@pytest.mark.parametrize(
    ("kind", "pair", "gain"),
    [
        ("ld", ("s", "t"), F(1, 5)),
        ("ld", ("t", "s"), F(3, 20)),
        ("bd", ("s", "t"), F(1, 5)),
        ("bd", ("t", "s"), F(1, 5)),
    ],
)
def test_gains_of_labels_by_hand(kind: str, pair: tuple[str, str], gain: Fraction) -> None:
    seen: list[Distance] = []
    assert distance(TWO_COINS, *pair, F(6, 5), kind=kind, on_interval=seen.append).value == gain
    trivial, found = seen[:2]
    assert (trivial.engine, trivial.lower, trivial.upper) == ("trivial", F(0), F(1))
    assert found.engine == "labels"
    assert gain - 2 * UNIT <= found.lower < gain <= found.upper < gain + UNIT
    verified(found)


def test_mass_left_behind_is_an_upper_end_of_both_directions_of_bd() -> None:
    """At α = 1 nothing is gained by the one label, and 1/2 has to move from s to t and from t to s."""
    chain = chain_of(
        ("s", "a", {"x": F(1, 2), "s": F(1, 2)}),
        ("t", "a", {"t": F(1, 2), "s": F(1, 2)}),
        ("x", "a", {"x": 1}),
    )
    for kind, source, target in (("ld", "s", "t"), ("bd", "t", "s")):
        seen: list[Distance] = []
        distance(chain, source, target, 1, kind=kind, on_interval=seen.append)
        assert (seen[1].engine, seen[1].lower, seen[1].upper) == ("labels", F(0), F(1, 2))
        verified(seen[1])


def test_nothing_is_reported_where_one_step_says_nothing() -> None:
    chain = chain_of(
        ("s", "a", {"x": 1}),
        ("t", "a", {"y": 1}),
        ("x", "a", {"x": 1}),
        ("y", "a", {"x": F(1, 2), "y": F(1, 2)}),
    )
    seen: list[Distance] = []
    distance(chain, "s", "t", 1, on_interval=seen.append)
    assert [answer.engine for answer in seen] == ["trivial"]


@kinds
@some
@given(st.one_of(chains(), absorbed_chains(6)), alphas())
def test_contains_the_distance_of_all_pairs(kind: str, chain: LabelledMarkovChain, alpha: Fraction) -> None:
    seen: list[DistanceTable] = []
    exact = distances(chain, alpha, kind=kind, on_interval=seen.append)
    assert exact.exact
    for table in seen:
        verified(table)
        assert all(table.lower[p] <= value <= table.upper[p] for p, value in exact.lower.items())


@kinds
@some
@given(st.one_of(chains(), absorbed_chains(6)), alphas(), st.data())
def test_contains_the_distance_of_one_pair(
    kind: str, chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    source, target = (data.draw(st.sampled_from(chain.states)) for _ in "st")
    seen: list[Distance] = []
    exact = distance(chain, source, target, alpha, kind=kind, on_interval=seen.append).value
    assert exact is not None
    assert all(verified(answer).lower <= exact <= answer.upper for answer in seen)
    assert all(b.lower >= a.lower and b.upper <= a.upper for a, b in pairwise(seen))


RING = zoo.build_chain("herman-ring", processes="5")


@kinds
@pytest.mark.parametrize("known", [F(0), F(1, 4)])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_later_intervals_keep_its_ends(
    kind: str, known: Fraction, all_pairs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that knows less from above, and has symmetries among its evidence."""
    evidence = {**no_evidence(), "symmetries": [list(g) for g in generators(RING)]}
    assert evidence["symmetries"]

    def tired(*arguments: object) -> FoundBounds:
        *_, report = arguments
        later = FoundBounds(lambda _: known, lambda _: F(1), "lp", lambda: evidence)
        report(later)  # type: ignore[operator]
        return TRIVIAL

    monkeypatch.setattr(dispatch, "_find_by_programs", tired)
    seen: list[Distance | DistanceTable] = []
    ask = distances if all_pairs else distance
    ask(RING, alpha=F(6, 5), kind=kind, on_interval=seen.append)
    _, found, kept = seen
    assert found.upper == kept.upper
    assert found.engine == "labels"
    if known == 0:
        assert (kept.lower, kept.engine) == (found.lower, "labels")
        assert kept.certificate is not None
        proved(kept.certificate)  # a row stands for all pairs of an orbit
    else:
        assert kept.engine == "lp"


@kinds
def test_of_many_pairs_it_is_said_of_the_first(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of (s, t); of (t, s) in both directions only."""
    monkeypatch.setattr(first, "MOST_AT_ONCE", 1)
    seen: list[DistanceTable] = []
    distances(TWO_COINS, F(6, 5), kind=kind, on_interval=seen.append)
    assert [table.engine for table in seen] == ["trivial", "labels"]
    found = verified(seen[1])
    low, high = found.lower["s", "t"], found.upper["s", "t"]
    assert F(1, 5) - 2 * UNIT <= low < F(1, 5) <= high < F(1, 5) + UNIT
    assert (found.lower["t", "s"], found.upper["t", "s"]) == ((low, high) if kind == "bd" else (F(0), F(1)))
    assert found.lower["s", "x"] == found.upper["s", "x"] == 1


@given(st.randoms(use_true_random=False), alphas(), st.booleans())
@some
def test_a_process_with_too_many_pairs_has_what_one_step_says(
    random: Random, alpha: Fraction, symmetric: bool
) -> None:
    process, kind = random_process(random), "bd" if symmetric else "ld"
    exact = distance(process, "s0", "s1", alpha, kind=kind)
    seen: list[Distance] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "_MOST_PAIRS_OF_PROCESSES", 1)
        found = distance(process, "s0", "s1", alpha, kind=kind, on_interval=seen.append)
    verified(found)
    assert found.lower <= exact.lower <= exact.upper <= found.upper
    assert found.engine in ("trivial", "labels", exact.engine)
    assert found.engine == exact.engine or (found.lower, found.upper) == (seen[-1].lower, seen[-1].upper)


def test_pairs_are_not_listed_once_they_are_too_many() -> None:
    states = {f"s{k:02}": ("a", {action: {f"s{(k + 1) % 30:02}": 1} for action in "xy"}) for k in range(30)}
    process = LabelledMarkovDecisionProcess.of(states)
    with pytest.raises(TooManyOptions):
        explore(process, F(1), [(0, 1)], most=30 * 29 - 1)
    assert len(explore(process, F(1), [(0, 1)], most=30 * 29).options) == 30 * 29
