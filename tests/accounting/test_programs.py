"""Threshold programs in compositions: known values, all that is below what dominates, and adaptive inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from random import Random
from statistics import NormalDist
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover.accounting.account import Questions, account
from prover.accounting.certificates import certificate_of
from prover.accounting.conversions import epsilon_of_gaussian
from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.accounting.programs import ProgramLosses
from prover.accounting.theorems import basic, of_exact_epsilons
from prover.certificate.check.reading import Rejected
from prover.certificate.check.verdict import check
from prover.chain.arguments import Slope
from prover.errors import NotSupported
from prover.exact.exponential import exponential
from prover.program.adjacency import Adjacency
from prover.program.attack.at_epsilon import given_place
from prover.program.model import Program
from prover.program.noise import Gaussian
from prover.program.profiles import composed
from prover.program.profiles.composed import Outcome, PairLaw, law_of_pair
from prover.program.profiles.simulation import Simulation
from prover.zoo import build_program, lyu_1, noisy_max, randomised_response, svt
from tests.certificate.mechanisms_samples import all_answers, losses, refused, showing
from tests.program.test_gaussian import first_hit

F = Fraction
ONE = 10**16
DELTA = F(1, 10**6)


@pytest.fixture(scope="module")
def sparse() -> prover.ProgramLosses:
    """A sparse vector that is exactly (1/10)-differentially private: for 100 runs."""
    return prover.ProgramLosses.of(lyu_1(), at_epsilon="1/10", times=100)


def test_a_hundred_sparse_vectors(sparse: prover.ProgramLosses) -> None:
    assert sparse.pure == F(1, 10)
    hundred = Mechanism.of_program(sparse, times=100)
    composed = account([hundred], Questions((), (DELTA,)))
    found = composed.epsilon(DELTA)
    assert found.lower is not None
    assert found.upper is not None
    assert F("1.26") < found.lower < F("1.27")
    assert F("1.9") < found.upper < F("2.03")
    alone = of_exact_epsilons(composed, DELTA)
    assert alone is not None
    assert F("4.7745") < alone < F("4.776")
    assert basic([hundred])[0] - 10 < DELTA


def test_one_run_is_within_its_bounds(sparse: prover.ProgramLosses) -> None:
    ((lower, upper),) = sparse.bounds()
    assert sparse.bounds(forward=False) == sparse.bounds()
    for alpha in ("0", "1/2", "19/20", "1", "101/100", "21/20", "9/8", "2"):
        assert max(F(0), 1 - F(alpha)) <= lower.delta(alpha) <= upper.delta(alpha) <= 1
    assert upper.delta("11/10") > upper.delta("10/9") == upper.infinite < F(1, 10**9)
    assert "all-differ" in repr(sparse)


def test_a_table_that_leaves_much_far_out_is_joined_by_the_exact_epsilon() -> None:
    losses = prover.ProgramLosses.of(noisy_max(n=3), at_epsilon="1/10")
    ((lower, upper),), ((_, alone),) = losses.bounds(), replace(losses, uses_pure=False).bounds()
    assert upper.infinite == 0 < F(1, 1000) < alone.infinite
    for alpha in ("0", "9/10", "1", "21/20", "11/10", "2"):
        assert lower.delta(alpha) <= upper.delta(alpha) <= alone.delta(alpha) + F(1, 10**15)
    found = account([Mechanism.of_program(losses, times=3)], Questions((), (DELTA,)))
    least = found.epsilon(DELTA)
    assert least.lower is not None
    assert least.upper is not None
    assert F(18, 100) < least.lower < least.upper < F(301, 1000)
    proof = certificate_of(found, Slope.of_alpha(F(27, 20)), upper=True).data
    assert check(proof).startswith("composition alpha=27/20 lower=0 upper=")
    with pytest.raises(Rejected):
        check(proof.replace(b'"pure":', b'"pur":'))


def test_divergences_of_one_run(sparse: prover.ProgramLosses) -> None:
    """They are at most those of randomised response with the same ε, and at least those of any two inputs."""
    response = prover.LossDistribution.randomised_response(1 / exponential(F(1, 10), 64)[1])
    random = Random(1)
    for order in ("3/2", 2, 8, "inf"):
        found, pure = sparse.renyi(order), response.renyi(order)
        assert found.lower is not None
        assert found.upper is not None
        assert pure.upper is not None
        assert 0 < found.lower < found.upper <= pure.upper + F(1, 10**11)
        for _ in range(5 if order != "inf" else 0):
            read = [random.uniform(-4, 8) for _ in range(3)]
            moved = [x + random.choice((-1, 1)) for x in read]
            a = float(F(order))
            masses = [(p, q) for p, q in runs(lyu_1(), read, moved, "1/10") if p * q > 0]
            assert log(sum(p**a * q ** (1 - a) for p, q in masses)) / (a - 1) < float(found.upper)
    rho = sparse.zcdp()
    assert rho.lower is not None
    assert rho.upper is not None
    assert 0 < rho.lower < rho.upper < F("0.004996")
    lower, upper = sparse.tradeoff()
    assert lower.is_at_least(response.tradeoff())
    assert upper.is_at_least(lower)
    assert not lower.is_at_least(upper)
    assert lower.gaussian() is not None


def no_test_errs_less(found: prover.ProgramLosses, random: Random, tests: int) -> None:
    """So many random tests with coins of two random inputs, whichever of them is tested against the other."""
    fewest, _ = found.tradeoff()
    for _ in range(tests // 20):
        read = [random.uniform(-4, 8) for _ in range(3)]
        outcomes = runs(found.program, read, [x + random.choice((-1, 0, 1)) for x in read], "1/10")
        for _ in range(20):
            guesses = [random.choice((0, 0.5, 1)) for _ in outcomes]
            pairs = list(zip(guesses, outcomes, strict=True))
            x, y = sum(g * p for g, (p, _) in pairs), 1 - sum(g * q for g, (_, q) in pairs)
            assert y >= float(fewest.value(F(min(1, max(0, x))))) - 1e-9


def test_no_test_errs_less(sparse: prover.ProgramLosses) -> None:
    no_test_errs_less(sparse, Random(2), 200)


@pytest.mark.slow
def test_no_test_of_ten_thousand_errs_less(sparse: prover.ProgramLosses) -> None:
    no_test_errs_less(sparse, Random(3), 10_000)


def test_divergences_of_a_number_with_gaussian_noise() -> None:
    """N(0, 1) and N(1, 1) have D_a = a/2; a table does not show that no mass is at ∞."""
    found = prover.ProgramLosses.of(showing(Gaussian(F(1))))
    order, rho = found.renyi(2), found.zcdp()
    assert order.lower is not None
    assert F("0.995") < order.lower <= 1
    assert order.upper is None
    assert found.renyi("inf").upper is None
    assert rho.lower is not None
    assert F("0.495") < rho.lower <= F(1, 2)
    assert rho.without is not None
    assert F("0.49") < rho.without < F("0.6")
    assert 0 < rho.delta < F(1, 10**6)
    assert "no upper bound is proved; approximate zCDP with rho at most 0.5" in rho.headline
    lower, upper = found.tradeoff()
    for error in (F(1, 100), F(1, 10), F(1, 2)):
        exact = NormalDist().cdf(NormalDist().inv_cdf(float(1 - error)) - 1)
        assert exact - 1e-3 < lower.value(error) < exact < upper.value(error) < exact + 1e-3


@given(
    st.lists(st.fractions(F(1, 50), 3, max_denominator=50), min_size=1, max_size=6, unique=True),
    st.lists(st.fractions(0, F(5, 4), max_denominator=60), min_size=6, max_size=6),
)
def test_the_pair_of_a_profile(places: list[Fraction], heights: list[Fraction]) -> None:
    """Its δ is convex, not above the points, and the largest such function."""
    knots = [F(0), *sorted(places)]
    values = [
        F(1),
        *sorted((max(h, 1 - min(x, F(1))) for x, h in zip(knots[1:], heights, strict=False)))[::-1],
    ]
    values = [max(value, 1 - min(x, F(1))) for x, value in zip(knots, values, strict=True)]
    points = list(zip(knots, values, strict=True))
    loss = prover.LossDistribution.of_profile(points)
    assert loss.delta(0) == 1
    assert loss.infinite == loss.delta(10)
    assert loss.zero >= 0
    for x, value in points:
        chords = (
            min(F(1), v) + (min(F(1), w) - min(F(1), v)) * (x - a) / (b - a)
            for a, v in points
            for b, w in points
            if a <= x <= b and a < b
        )
        assert loss.delta(x) == min([min(F(1), value), *chords])


def test_directions() -> None:
    increasing, decreasing, both = (losses("svt", name) for name in ("increasing", "decreasing", "monotonic"))
    assert [up for _, up in increasing.bounds()] == [up for _, up in decreasing.bounds(forward=False)]
    assert [up for _, up in increasing.bounds(forward=False)] == [up for _, up in decreasing.bounds()]
    assert {up for _, up in both.bounds()} == {
        up for one in (increasing, decreasing) for _, up in one.bounds()
    }
    assert both.bounds() == both.bounds(forward=False)
    for one in (increasing, decreasing, both):
        assert one.pair is not None
        for forward in (True, False):
            assert all(low.delta(1) <= up.delta(1) for low, up in one.bounds(forward=forward))


def test_inputs_are_neighbours() -> None:
    for name, allowed in (("increasing", {0, 1}), ("decreasing", {0, -1}), ("all-differ", {-1, 0, 1})):
        pair = losses("svt", name).pair
        assert pair is not None
        assert {y - x for x, y in zip(pair.inputs, pair.neighbour, strict=True)} <= allowed
    one = losses("svt", "one-differ").pair
    assert one is not None
    assert sum(x != y for x, y in zip(one.inputs, one.neighbour, strict=True)) == 1


def test_runs_of_one_loss_are_one_outcome() -> None:
    half = ONE // 2
    first, second = Outcome(((0, 1),), (half, half, half, half)), Outcome(((0, 2),), (1, 2, 3, 4))
    assert first + second == second + first
    law = PairLaw((F(0),), (F(1),), (first, second))
    assert law.masses(forward=True)[1] == (F(1, ONE), F(4, ONE))
    assert law.masses(forward=False)[1] == (F(1, 2), F(1, 2))


def runs(
    program: Program, one: Sequence[float], two: Sequence[float], at_epsilon: str = "1"
) -> list[tuple[float, float]]:
    first, second = ([F(x).limit_denominator(10**6) for x in read] for read in (one, two))
    return [(p, q) for _, p, q in Simulation(program, F(at_epsilon)).runs(first, second, 100)]


@pytest.mark.parametrize("adjacency", ["all-differ", "monotonic"])
def test_inputs_that_depend_on_earlier_outputs(adjacency: str) -> None:
    """Two runs, of which the second gets other inputs after each output of the first."""
    found = account([Mechanism.of_program(losses("svt", adjacency), times=2)], Questions(), gap="1/100")
    alphas = [F(1), F(5, 4), F(2), F(4)]
    uppers = [float(found.delta(Slope.of_alpha(alpha))[1]) for alpha in alphas]
    random, program = Random(adjacency), svt()
    largest = [0.0] * len(alphas)
    for _ in range(30):
        way = random.choice((-1.0, 1.0))

        def inputs(way: float = way) -> tuple[list[float], list[float]]:
            read = [random.uniform(-4, 8) for _ in range(3)]
            ends = (-1.0, 1.0) if adjacency == "all-differ" else (0.0, way)
            return read, [x + random.choice(ends) for x in read]

        outcomes = [(p * r, q * s) for p, q in runs(program, *inputs()) for r, s in runs(program, *inputs())]
        for k, alpha in enumerate(map(float, alphas)):
            largest[k] = max(largest[k], sum(max(0.0, p - alpha * q) for p, q in outcomes))
    assert all(low < high + 1e-3 for low, high in zip(largest, uppers, strict=True))
    assert largest[0] > uppers[0] / 5


def test_with_a_chain() -> None:
    survey = Mechanism.of(randomised_response(), times=3)
    program = Mechanism.of_program(losses("svt", "all-differ"), times=2)
    found = account([program, survey], Questions(), gap="1/100")
    alone = [account([part], Questions(), gap="1/100") for part in (program, survey)]
    for alpha in ("1", "3/2", "4"):
        lower, upper = found.delta(Slope.of_alpha(F(alpha)))
        assert max(one.delta(Slope.of_alpha(F(alpha)))[0] for one in alone) <= lower + F(1, 50)
        assert lower < upper
    assert not found.exact
    assert found.headline == "5 runs of 2 mechanisms, between two bounds"


def test_gaussian_noise() -> None:
    """The lower end of one run is δ of its two inputs, which the pair of these inputs has alone."""
    program = first_hit()
    found = prover.ProgramLosses.of(program, steps=2, times=50)
    ((lower, upper),) = found.bounds()
    assert found.pair is not None
    assert (found.pure, found.q, len(found.pair.inputs)) == (None, None, 2)
    for alpha in ("1", "9/8", "5/4", "3/2"):
        pair = prover.delta(program, alpha=alpha, inputs=found.pair.inputs, neighbour=found.pair.neighbour)
        assert pair.lower - F(1, 10**12) < lower.delta(alpha) < pair.upper <= upper.delta(alpha)
    many = prover.EnclosedLossDistribution.of(lower, prover.Grid(1000), upper).repeat(50).epsilon(DELTA)
    assert many.lower is not None
    assert many.upper is not None
    assert 6 < many.lower < many.upper < 2 * many.lower


def test_gaussian_noise_that_is_compared_with_other_noise() -> None:
    """No inputs are found, which proves nothing; the upper ends hold."""
    query = replace(svt().states["q2"], rate=Gaussian(F(4)))
    found = prover.ProgramLosses.of(
        replace(svt(), states={**svt().states, "q2": query}), at_epsilon=1, steps=1
    )
    ((lower, upper),) = found.bounds()
    assert found.pair is None
    assert lower.delta(1) == 0 < upper.delta(1) < 1


def test_a_number_that_is_output() -> None:
    """δ of Gaussian noise with σ = 4 is 2Φ(1/8) − 1 at α = 1, that of Laplace noise 1 − e^(−1/4)."""
    for rate, exact in ((Gaussian(F(4)), 2 * NormalDist().cdf(1 / 8) - 1), (F(1, 2), 1 - exp(-1 / 4))):
        for adjacency in ("all-differ", "increasing"):
            found = prover.ProgramLosses.of(showing(rate), at_epsilon=1, steps=1, adjacency=adjacency)
            for lower, upper in (*found.bounds(), *found.bounds(forward=False)):
                assert exact - 1e-3 < lower.delta(1) < exact < upper.delta(1) < exact + 1e-3
    far = Gaussian(F(1, 100))  # the inputs are certain, up to what is 0 in certificates
    ((lower, _),) = prover.ProgramLosses.of(showing(far), at_epsilon=1).bounds()
    assert lower.delta(1) > 1 - F(1, 10**9)
    near = Gaussian(F(10**11))  # segments are merged where their ratios are too much alike
    ((lower, _),) = prover.ProgramLosses.of(showing(near), at_epsilon=1).bounds()
    assert 0 <= lower.delta(1) < F(1, 10**11)


def test_many_sums_with_gaussian_noise() -> None:
    """All runs together are like one with a σ that is a fifth, and that is known."""
    sums = Mechanism.of_known("gaussian", {"sigma": 10}, times=25)
    found = account([sums], Questions((), (DELTA,)), gap="1/10000").epsilon(DELTA)
    exact = epsilon_of_gaussian("1/2", DELTA)
    assert found.lower is not None
    assert found.upper is not None
    assert exact * F(997, 1000) < found.lower < exact < found.upper < exact * F(1003, 1000)


def test_one_sum_with_gaussian_noise() -> None:
    """δ at α = 1 is 2·Φ(1/4) - 1 where σ is 2."""
    once = account([Mechanism.of_known("gaussian", {"sigma": 2})], Questions((Slope.of_alpha(F(1)),)))
    lower, upper = once.delta(Slope.of_alpha(F(1)))
    assert F("0.19741265") < lower < upper < F("0.19741266")


def test_rational_noise() -> None:
    """With q all is as with the ε that it stands for, and probabilities need no enclosures."""
    program, adjacency = build_program("svt-discrete"), Adjacency.ALL_DIFFER
    place = given_place(program, None, F(9, 10))
    inputs, other = [F(x) for x in (-2, 0, 3)], [F(x) for x in (-1, -1, 2)]
    simulation = Simulation(program, place.epsilon)
    exact, near = (law_of_pair(simulation, place.epsilon, inputs, other, q) for q in (place.q, None))
    assert exact is not None
    assert near is not None
    assert exact.followed == {}
    assert near.followed is not None
    assert set(near.followed) == {"bits"}
    for one, two in zip(exact.outcomes, near.outcomes, strict=True):
        assert one.runs == two.runs
        assert all(abs(x - y) <= 2 for x, y in zip(one.chances, two.chances, strict=True))
    answer = prover.delta(program, q="9/10", alpha="5/4", inputs=inputs, neighbour=other)
    masses = exact.masses(forward=True), exact.masses(forward=False)
    gains = [sum(max(F(0), p - F(5, 4) * r) for p, r in side) for side in masses]
    assert answer.value is not None
    assert answer.value - F(1, 10**12) < max(gains) <= answer.value
    losses = prover.ProgramLosses.of(program, q="9/10", adjacency=adjacency, steps=1)
    assert "q = 9/10, all-differ" in losses.headline
    assert losses.noise == (None, F(9, 10))
    assert losses.pure is not None
    assert losses.pure / 5 == pytest.approx(-log(0.9))


def test_words_that_are_equally_likely_are_one() -> None:
    """Of ten equal queries whose answers are all seen there are 1,024 runs, and eleven numbers of hits."""
    program = all_answers()
    law = law_of_pair(Simulation(program, F(1)), F(1), [F(0)] * 10, [F(1)] * 10)
    assert law is not None
    assert sum(len(one.runs) for one in law.outcomes) == 11
    masses = law.masses(forward=True)
    gained = sum(max(F(0), p - r) for p, r in masses)
    answer = prover.delta(program, at_epsilon=1, alpha=1, inputs=[0] * 10, neighbour=[1] * 10)
    assert answer.lower - F(1, 10**12) < gained <= answer.upper
    with patch.object(composed, "followed_by", refused):  # and 1,024 runs are too many to be listed
        assert law_of_pair(Simulation(program, F(1)), F(1), [F(0)] * 10, [F(1)] * 10) is None


def test_longer_inputs_reveal_more() -> None:
    short, longer = (losses("svt", "all-differ", steps) for steps in (1, 2))
    ((low, up),), ((more, most),) = short.bounds(), longer.bounds()
    for alpha in ("1", "5/4", "2"):
        assert low.delta(alpha) <= up.delta(alpha) <= most.delta(alpha) + F(1, 10**6)
    assert short.pair is not None
    assert len(short.pair.inputs) == 1
    assert low.delta(1) < more.delta(1)


def test_what_is_refused() -> None:
    for wrong in ({"at_epsilon": 0}, {"at_epsilon": 1, "delta": 0}, {"at_epsilon": 1, "times": 0}):
        with pytest.raises(prover.BadInput):
            prover.ProgramLosses.of(svt(), **wrong)  # type: ignore[arg-type]
    with pytest.raises(prover.BadInput):
        prover.ProgramLosses.of(svt(), at_epsilon=1, adjacency="some-differ")
    with pytest.raises(prover.BadInput):
        prover.ProgramLosses.of(randomised_response(), at_epsilon=1)  # type: ignore[arg-type]


def test_very_large_noise_is_refused() -> None:
    with pytest.raises(prover.BadInput, match="very large or very small"):
        prover.ProgramLosses.of(svt(), at_epsilon="1/100000000000000")


def test_what_is_better_for_one_run_may_be_worse_for_many(sparse: prover.ProgramLosses) -> None:
    """The pair of docs/theory_profiles.md, *False shortcuts*."""
    inputs = [F(x) for x in ("-165/4", "-14", "-17/4", "3/4", "21/2", "38")]
    other = [F(x) for x in ("-169/4", "-13", "-21/4", "7/4", "19/2", "39")]
    law = law_of_pair(Simulation(lyu_1(), F(1, 10)), F(1, 10), inputs, other)
    assert law is not None
    ((found, upper),) = sparse.bounds()
    grid, needed, gained = prover.Grid(1000), [], []
    for masses in (law.masses(forward=True), law.masses(forward=False)):
        p, q = (dict(enumerate(side)) for side in zip(*masses, strict=True))
        one = prover.LossDistribution.of_laws(p, q)
        gained.append(one.delta(1))
        needed.append(prover.EnclosedLossDistribution.of(one, grid).repeat(100).epsilon(DELTA).upper)
    assert found.delta(1) < F("0.0116") < F("0.0134") < max(gained) <= upper.delta(1)
    best = prover.EnclosedLossDistribution.of(found, grid, upper).repeat(100).epsilon(DELTA).lower
    assert all(one is not None and one < F("1.162") for one in needed)
    assert best is not None
    assert best > F("1.26")


def test_ratios_rise() -> None:
    ((_, upper),) = losses("svt", "all-differ").bounds()
    assert all(one.ratio < two.ratio for one, two in pairwise(upper.atoms))


Heard = list[tuple[ProgramLosses, list[str]]]


def heard_of(program: Program, **asked: Any) -> tuple[ProgramLosses, Heard]:
    """The losses, and those that were heard of on the way, each with the stages before it."""
    stages: list[str] = []
    heard: Heard = []
    last = ProgramLosses.of(
        program,
        progress=lambda stage, *_: stages.append(stage),
        on_bounds=lambda found: heard.append((found, [*stages])),
        **asked,
    )
    return last, heard


def test_what_holds_for_all_inputs_is_known_before_inputs_are_looked_for() -> None:
    last, ((_, before), (first, stages)) = heard_of(svt(), at_epsilon="1/10", steps=2)
    assert "closing a profile table" in stages
    assert "closing a profile table" not in before
    assert "inputs" not in stages
    assert first.pair is None
    assert replace(last, pair=None) == first
    ((_, above),), ((below, most),) = first.bounds(), last.bounds()
    assert above == most
    assert 0 < below.delta(1) < most.delta(1)


@pytest.mark.parametrize("adjacency", ["all-differ", "increasing", "monotonic"])
def test_an_exact_epsilon_alone_is_randomised_response(adjacency: str) -> None:
    last, ((alone, _), *_) = heard_of(svt(), at_epsilon="1/10", steps=2, adjacency=adjacency)
    assert (alone.tables, alone.pair, alone.private) == ({}, None, last.private)
    assert alone.most is not None
    response = prover.LossDistribution.randomised_response(1 / alone.most)
    sides = [*alone.bounds(), *alone.bounds(forward=False)]
    assert {above for _, above in sides} == {response}
    for one, two in zip(sides, [*last.bounds(), *last.bounds(forward=False)], strict=True):
        for alpha in ("1", "21/20", "10/9"):
            assert two[0].delta(alpha) <= one[1].delta(alpha)
            assert two[1].delta(alpha) <= one[1].delta(alpha) + F(1, 10**6)
    (least, most), (fewest, _) = alone.tradeoff(), last.tradeoff()
    assert fewest.is_at_least(least)
    assert most.is_at_least(least)
    found = account([Mechanism.of_program(alone, times=3)], Questions((), (DELTA,)))
    proof = certificate_of(found, Slope.of_alpha(F(3, 2)), upper=True).data
    assert b'"tables":' not in proof
    assert check(proof).startswith("composition alpha=3/2 value=0 ")


def test_short_inputs_of_many_states_are_known_before_a_table_is_closed() -> None:
    """Of 12 states there are none yet, which would take longer than the table."""
    for states, pairs in ((12, [False, False]), (13, [False, True, False])):
        _, heard = heard_of(build_program("chain-of-tests", n=str(states - 1)), at_epsilon=1, steps=3)
        assert [found.pair is not None for found, _ in heard] == pairs
        assert [bool(found.tables) for found, _ in heard] == [False] * (len(pairs) - 1) + [True]


def test_programs_without_a_table_have_an_exact_epsilon() -> None:
    last, heard = heard_of(build_program("k-min-max", k="3"), at_epsilon=1)
    assert last.only_pure
    assert last.pair is None
    assert last.pure == F(5, 6)
    assert [found for found, _ in heard] == [last]
    answer = divergences([Mechanism.of_program(last)], [2])
    assert "order=2 lower=1 " in check(answer.certificate.data)
    with pytest.raises(NotSupported, match="stores or outputs a sample that it also compares"):
        ProgramLosses.of(build_program("leaking-pair"), at_epsilon=1)


def test_what_is_not_for_who_sees_that_a_run_stops_is_not_heard() -> None:
    gaps = build_program("partition", weights="1,2,3")
    _, heard = heard_of(gaps, at_epsilon=1)
    assert [bool(found.tables) for found, _ in heard] == [True]
