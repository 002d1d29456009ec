"""Curves of δ: published values, brute force, what one α says about others, refusals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from prover.chain import privacy_profile as module
from prover.chain.arguments import Slope
from prover.chain.breakpoints import breakpoints
from prover.chain.delta import DeltaQuestion, delta
from prover.chain.distance import distance
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve, curve, epsilon_grid, grid
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.chain.unrolling.word_graph import TooManyWords
from prover.zoo import pin_checker, random_chain, randomised_response
from tests.oracle import lv_words
from tests.outside_examples import THREE_RUNGS
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import ending_chains

F = Fraction
ALPHAS = (F(1), F(9, 8), F(5, 4), F(2), F(7, 2))


def without_breakpoints(*_: Any, **__: Any) -> None:
    """As if there were too many words."""
    raise TooManyWords(0, None)


@pytest.fixture
def no_breakpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """The values of α at which δ is asked for, as they are."""
    asked: list[Fraction] = []
    original: Callable[..., Any] = module.delta_at  # type: ignore[attr-defined]

    def ask(question: DeltaQuestion, slope: Slope, *options: Any) -> Any:
        asked.append(slope.upper)
        return original(question, slope, *options)

    monkeypatch.setattr(module, "delta_at", ask)
    return asked


def test_the_pin_checker() -> None:
    found = curve(pin_checker(), "0", "1", ["1", "11/10", "2809/2209"], kind="lv")
    assert [(p.alpha, p.lower, p.ld, p.bd) for p in found] == [
        (F(1), F(200, 2503), F(6, 53), F(6, 53)),
        (F(11, 10), F(130, 7509), F(412, 7791), F(6, 53)),
        (F(2809, 2209), F(0), F(94, 2597), F(6, 53)),
    ]
    assert all(p.lower == p.upper for p in found)
    assert found.exact is not None


@pytest.mark.parametrize("names", [("0", "1"), (None, None)])
def test_both_ways_round(names: tuple[str | None, str | None]) -> None:
    found = curve(pin_checker(), *names, ["11/10"])
    point = found.points[0]
    assert (point.lower, point.upper, point.ld) == (F(3791, 75090), F(3791, 75090), F(6611, 77910))


@pytest.mark.usefixtures("no_breakpoints")
@pytest.mark.parametrize("kind", ["tv", "lv"])
def test_without_breakpoints_the_unrolling_says_the_same(kind: str) -> None:
    exact = {F(1): F(200, 2503), F(11, 10): F(3791, 75090) if kind == "tv" else F(130, 7509)}
    found = curve(pin_checker(), "0", "1", exact, kind=kind)
    assert found.exact is None
    assert {p.alpha: p.lower for p in found} == {p.alpha: p.upper for p in found} == exact


@examples(15)
@given(ending_chains())
def test_against_sums_over_words(chain: LabelledMarkovChain) -> None:
    s, t = chain.index("s"), chain.index("t")
    least = F(1)
    for point in curve(chain, "s", "t", reversed(ALPHAS)):
        true = max(lv_words(chain, point.alpha, *pair, 4) for pair in ((s, t), (t, s)))
        ld = max(distance(chain, *pair, point.alpha).upper for pair in (("s", "t"), ("t", "s")))
        least = min(least, ld)
        assert point.lower == point.upper == true
        assert (point.ld, point.ld_least) == (ld, least)
        assert point.bd == distance(chain, "s", "t", point.alpha, kind="bd").value


@examples(8)
@given(ending_chains(layers=3))
def test_what_one_alpha_says_about_others_is_sound(chain: LabelledMarkovChain) -> None:
    """With very wide intervals, so that most of what is known comes from other values of α."""
    s, t = chain.index("s"), chain.index("t")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "breakpoints_of", without_breakpoints)
        wide = curve(chain, "s", "t", ALPHAS, kind="lv", bounds=False, gap="1/5")
        narrow = curve(chain, "s", "t", ALPHAS, kind="lv", bounds=False, gap="1/1000")
    for found, gap in ((wide, F(1, 5)), (narrow, F(1, 1000))):
        for point in found:
            true = lv_words(chain, point.alpha, s, t, 5)
            assert point.lower <= true <= point.upper <= point.lower + gap
            assert point.ld is point.ld_least is point.bd is None


@pytest.mark.usefixtures("no_breakpoints")
def test_on_a_straight_line_two_values_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch)
    found = curve(randomised_response(), "a", "b", grid(F(1), F(2), 9), bounds=False)
    assert asked == [1, 2]
    assert all(p.lower == p.upper == (2 - p.alpha) / 3 for p in found)


def test_ld_is_not_monotone_but_its_least_value_bounds_delta() -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    found = curve(chain, "s", "t", ["3/2", "8/5"], kind="lv")
    assert [(p.ld, p.ld_least, p.upper) for p in found] == [(F(0), F(0), F(0)), (F(13, 1500), F(0), F(0))]


@pytest.mark.usefixtures("no_breakpoints")
def test_a_least_ld_is_used_at_larger_alphas() -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    found = curve(chain, "s", "t", ["3/2", "8/5"], kind="lv", gap="1/2")
    assert [p.upper for p in found] == [0, 0]


@pytest.mark.usefixtures("no_breakpoints")
def test_points_come_one_by_one() -> None:
    seen: list[Curve] = []
    final = curve(pin_checker(), None, None, grid(F(1), F(5, 4), 6), gap="1/100", on_curve=seen.append)
    assert [(len(found.points), sum(p.ld is not None for p in found)) for found in seen] == [
        (points, points - 1 + after_distances) for points in range(1, 7) for after_distances in range(2)
    ]
    assert seen[-1] == final
    last = {p.alpha: p for p in final}
    for found in seen:
        assert list(found) == sorted(found, key=lambda p: p.alpha)
        for point in found:
            assert point.lower <= last[point.alpha].lower <= last[point.alpha].upper <= point.upper


def test_points_come_at_once_where_delta_is_known_everywhere() -> None:
    seen: list[Curve] = []
    final = curve(pin_checker(), None, None, grid(F(1), F(5, 4), 3), on_curve=seen.append)
    assert [sum(p.bd is not None for p in found) for found in seen] == [0, 1, 2, 3]
    assert seen[-1] == final
    for found in seen:
        assert [(p.lower, p.upper) for p in found] == [(p.lower, p.upper) for p in final]


def test_the_same_alpha_counts_once() -> None:
    assert [p.alpha for p in curve(pin_checker(), alphas=["1.5", 1, "3/2", F(1)])] == [1, F(3, 2)]


class TestGrid:
    def test_both_ends_are_included(self) -> None:
        assert grid(F(1), F(2), 5) == (F(1), F(5, 4), F(3, 2), F(7, 4), F(2))
        assert grid(F(3), F(3), 1) == (F(3),)

    @pytest.mark.parametrize(
        ("first", "last", "points"),
        [
            (F(1, 2), F(2), 3),
            (F(2), F(1), 3),
            (F(1), F(2), 1),
            (F(1), F(2), 0),
            (F(1), F(2), 1001),
            (F(1), F(1), 2),
        ],
    )
    def test_refused(self, first: Fraction, last: Fraction, points: int) -> None:
        with refuses("bad-grid"):
            grid(first, last, points)


def test_bad_questions() -> None:
    with refuses("no-alphas"):
        curve(pin_checker())
    with refuses("bad-alpha"):
        curve(pin_checker(), alphas=["1/2"])
    with refuses("bad-grid", match="1,001"):
        curve(pin_checker(), alphas=[F(1) + F(k, 10) for k in range(1001)])
    with refuses("unknown-delta"):
        curve(pin_checker(), alphas=[1], kind="ld")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_chains(seed: int) -> None:
    """Cyclic chains: no less than the sums over words of some length, and no two answers contradict."""
    chain = random_chain(6, 2, 2, seed=seed)
    same = [s for s, label in enumerate(chain.labels) if label == chain.labels[0]][:2]
    first, second = (chain.states[s] for s in same)
    found = curve(chain, first, second, ALPHAS, kind="lv", gap="1/100")
    for point in found:
        assert lv_words(chain, point.alpha, same[0], same[1], 7) <= point.upper <= (point.ld_least or 0)
        alone = delta(
            chain, first, second, point.alpha, kind="lv", gap="1/1000", limits=UnrollingLimits(nodes=5_000)
        )
        assert point.lower <= alone.upper
        assert alone.lower <= point.upper


class TestEpsilons:
    def test_bounds_hold_at_epsilon(self) -> None:
        found = curve(pin_checker(), "0", "1", epsilons=["ln 11/10", "1/5", 0])
        assert [point.slope.epsilon for point in found] == [None, None, F(1, 5)]
        assert found.exact is not None
        first, exact, irrational = found
        assert (first.alpha, exact.alpha, exact.lower) == (F(1), F(11, 10), F(3791, 75090))
        assert irrational.lower == found.exact.value(irrational.slope.lower)
        assert irrational.upper == found.exact.value(irrational.slope.upper)
        assert 0 < irrational.upper - irrational.lower < F(1, 10**9)
        there, back = (distance(pin_checker(), s, t, irrational.alpha).upper for s, t in ("01", "10"))
        assert irrational.ld == max(there, back)

    @pytest.mark.usefixtures("no_breakpoints")
    def test_without_breakpoints_the_interval_is_as_narrow_as_asked_for(self) -> None:
        found = curve(pin_checker(), "0", "1", epsilons=("1/10", "1/5"), bounds=False)
        exact = breakpoints(pin_checker(), "0", "1").delta
        for point in found:
            assert point.lower <= exact.value(point.slope.lower)
            assert exact.value(point.slope.upper) <= point.upper <= point.lower + F(1, 10**6)

    def test_the_grid(self) -> None:
        assert epsilon_grid(F(0), F(2), 5) == (F(0), F(1, 2), F(1), F(3, 2), F(2))
        with refuses("bad-grid", match="epsilon goes from a number of at least 0"):
            epsilon_grid(F(-1), F(2), 5)

    def test_refused(self) -> None:
        with refuses("alpha-or-epsilon"):
            curve(pin_checker(), "0", "1", [1], epsilons=[1])
        with refuses("bad-epsilon"):
            curve(pin_checker(), "0", "1", epsilons=["-1"])
