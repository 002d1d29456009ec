"""Distributions on a grid: whatever the grid, the truth is between them; and fine grids come close."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from prover.accounting import inverse_powers, refining
from prover.accounting.distribution import LossDistribution, composition
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import BadGrid
from prover.accounting.grid import Grid, SideAbove, SideBelow
from prover.accounting.inverse_powers import InversePowers
from prover.accounting.refining import compositions_on, refined_compositions
from tests.profiles import examples
from tests.refusals import refuses

F = Fraction

grids = st.builds(
    Grid, st.integers(1, 60), st.integers(2, 12), st.sampled_from([0, 1, 30])
)  # coarse, with few digits, and with ends that are cut off
alphas = st.one_of(st.just(F(1)), st.fractions(1, 40, max_denominator=20))


def random_loss(random: Random, atoms: int, largest: int = 9) -> LossDistribution:
    """Of two laws with so many outcomes, of which some are possible in one case only."""
    laws = []
    for _ in range(2):
        weights = [random.randint(0, largest) for _ in range(atoms)]
        weights[random.randrange(atoms)] += 1
        laws.append({k: F(weight, sum(weights)) for k, weight in enumerate(weights)})
    return LossDistribution.of_laws(*laws)


@examples(150)
@given(st.integers(0, 2**32), grids, alphas, st.integers(1, 4))
def test_the_exact_value_is_enclosed(seed: int, grid: Grid, alpha: Fraction, times: int) -> None:
    random = Random(seed)
    parts = [(random_loss(random, 3), times), (random_loss(random, 2, 10**6), 1)]
    exact = composition(parts)
    (found,) = compositions_on([[((loss, loss), n) for loss, n in parts]], grid)
    low, high = found.delta(alpha)
    assert low <= exact.delta(alpha) <= high
    bound = F(random.randint(0, 20), 20)
    truth, least = exact.epsilon(bound), found.epsilon(bound)
    if truth.alpha is None:
        assert least.alpha_upper is None
    else:
        assert least.alpha_lower is not None
        assert least.alpha_lower <= truth.alpha
        assert least.alpha_upper is None or truth.alpha <= least.alpha_upper


@examples(60)
@given(st.integers(0, 2**32), grids, st.fractions(0, 9, max_denominator=30))
def test_domination_holds_for_all_alpha(seed: int, grid: Grid, alpha: Fraction) -> None:
    """At α below 1, too: else nothing could be composed."""
    loss = random_loss(Random(seed), 4)
    found = EnclosedLossDistribution.of(loss, grid).repeat(2)
    exact, unit, one = loss.repeat(2).delta(alpha), grid.unit, grid.inverses.one
    above, below = found.above, found.below
    high = F(above.infinite, unit) + sum(
        max(F(0), F(int(p), unit) * (1 - alpha * F(grid.inverses.below(above.low + i), one)))
        for i, p in enumerate(above.p.coeffs())
    )
    low = F(below.infinite, unit) + sum(
        max(F(0), F(int(p), unit) - alpha * F(int(below.q[i]), unit)) for i, p in enumerate(below.p.coeffs())
    )
    assert low <= exact <= high


@examples(50)
@given(st.integers(1, 30), st.integers(1, 10**9))
def test_cells_are_where_they_say(steps: int, inverse: int) -> None:
    powers = InversePowers(steps, 10**14)
    k = powers.cell(inverse * 10**8)
    assert powers.above(k) <= inverse * 10**8 < powers.above(k - 1)
    exact = F(steps, steps + 1) ** k
    assert powers.below(k) <= exact * 10**14 <= powers.above(k)


def test_finer_grids_come_closer_with_their_square() -> None:
    loss = random_loss(Random(4), 12, 60).repeat(1)
    widths = []
    for steps in (40, 400):
        low, high = EnclosedLossDistribution.of(loss, Grid(steps)).repeat(20).delta(2)
        widths.append(high - low)
    assert widths[1] < widths[0] / 40


@examples(20)
@given(st.integers(0, 2**32), st.integers(1, 12), st.lists(st.integers(0, 2), max_size=3))
def test_halved_grids_enclose_the_exact_value(seed: int, times: int, halvings: list[int]) -> None:
    loss = random_loss(Random(seed), 4, 12)
    exact = loss.repeat(times)
    coin = LossDistribution.randomised_response("2/3")
    other = coin.repeat(3)
    grid = Grid(30, 20, 10**6, tuple(halvings))
    halved = EnclosedLossDistribution.of(loss, grid).repeat(times)
    both = halved.compose(EnclosedLossDistribution.of(coin, grid).repeat(3))
    for alpha in (F(1), F(6, 5), F(3), F(40)):
        low, high = halved.delta(alpha)
        assert low <= exact.delta(alpha) <= high
        low, high = both.delta(alpha)
        assert low <= exact.compose(other).delta(alpha) <= high


def test_halving_makes_cells_fewer_and_not_much_wider() -> None:
    loss = random_loss(Random(4), 12, 60)
    grids = (Grid(50), Grid(100, halvings=(0, 1, 0, 1, 0, 1)))
    found = [EnclosedLossDistribution.of(loss, grid).repeat(64) for grid in grids]
    cells = [one.above.p.degree() for one in found]
    widths = [high - low for low, high in (one.delta(2) for one in found)]
    assert cells[1] < cells[0] / 3
    assert widths[1] < widths[0]


def test_a_hundred_runs_are_known_to_a_millionth() -> None:
    weights = [50 + (37 * k) % 50 for k in range(50)]
    p = {k: F(weight, sum(weights)) for k, weight in enumerate(weights)}
    q = {k: F(weight, sum(weights)) for k, weight in enumerate(reversed(weights))}
    loss = LossDistribution.of_laws(p, q)
    *_, (found,) = refined_compositions(
        [[((loss, loss), 100)]],
        lambda its: its[0].delta(20)[1] - its[0].delta(20)[0],
        F(1, 10**6),
        lambda _: F(20),
    )
    low, high = found.delta(20)
    assert 0 < low < high <= low + F(1, 10**6)


def test_masses_below_a_unit_are_rounded_up_to_one() -> None:
    """A quotient of FLINT's that was negative, and above -1, came out as 0."""
    grid = Grid(10, 3, 0)
    side = SideAbove(grid, 0, fmpz_poly([1, 0, 999]), 0)
    assert [int(x) for x in (side * side).p.coeffs()] == [1, 0, 2, 0, 999]
    below = SideBelow(grid, 0, fmpz_poly([1, 0, 999]), fmpz_poly([1, 0, 999]), 0)
    assert [int(x) for x in (below * below).p.coeffs()] == [1, 0, 998]
    assert [int(x) for x in (below * below).q.coeffs()] == [2, 0, 999]


def test_choices_are_composed_as_if_alone() -> None:
    random = Random(5)
    losses = [random_loss(random, 3) for _ in range(4)]
    rows = [[0, 1, 2], [0, 3, 2], [1, 3, 2], [1, 3, 2]]
    choices = [[((losses[k], losses[k]), n) for k, n in zip(row, (3, 1, 6), strict=True)] for row in rows]
    grid = Grid(20, 12, 10, (0, 1))
    together = compositions_on(choices, grid)
    alone = [one for parts in choices for one in compositions_on([parts], grid)]
    assert list(together) == alone
    works, whole = ([sum(one.work or ()) for one in found] for found in (together, alone))
    assert works[0] == whole[0]
    assert all(less < more for less, more in zip(works[1:], whole[1:], strict=True))


def test_no_grid_is_finer_than_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refining, "MOST_STEPS", 3000)
    coin = LossDistribution.randomised_response("1/2")
    parts = [((coin, coin), 2)]
    *_, (found,) = refined_compositions([parts], lambda _: None, F(1, 10**6), lambda _: F(1))
    assert found.grid.steps == 3000


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    coin = LossDistribution.randomised_response("1/2")
    for wrong in ((0,), (10**7,), (10, 0), (10, 10**6), (10, 3, -1), (10, 3, 1001)):
        with pytest.raises(BadGrid):
            Grid(*wrong)
    found = EnclosedLossDistribution.of(coin, Grid(10))
    with pytest.raises(BadGrid):
        found.compose(EnclosedLossDistribution.of(coin, Grid(11)))
    with refuses("bad-question"):
        found.delta("1/2")
    monkeypatch.setattr(inverse_powers, "MOST_CELLS", 1000)
    far = LossDistribution.approximate(10**29, 0)
    with pytest.raises(BadGrid):
        EnclosedLossDistribution.of(far, Grid(100))


def test_distributions_without_atoms() -> None:
    apart = EnclosedLossDistribution.of(LossDistribution(()), Grid(10, 4, 0))
    assert apart.repeat(5).delta(7) == (F(1), F(1))
    coin = EnclosedLossDistribution.of(LossDistribution.randomised_response("1/2"), Grid(10, 4, 0))
    low, high = coin.compose(apart).delta(7)
    assert F(99, 100) < low <= high == 1
    assert apart.epsilon("1/2").impossible
