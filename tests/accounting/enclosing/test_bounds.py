"""Bounds of δ(α) for all α ≥ 0 as distributions: one dominates the truth, and it dominates the other."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosing.bounds import UNIT, CurveBounds

F = Fraction


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.lists(st.fractions(F(1, 20), 20, max_denominator=30), max_size=5))
def test_the_truth_is_between_for_all_alpha(seed: int, places: list[Fraction]) -> None:
    random = Random(seed)
    weights = [[random.randint(0, 9) + (k == 0) for k in range(5)] for _ in "pq"]
    p, q = ([F(weight, sum(row)) for weight in row] for row in weights)
    loss = LossDistribution.of_laws(dict(enumerate(p)), dict(enumerate(q)))
    known = CurveBounds()
    for place in places:
        known.add_upper(place, loss.delta(place) + F(random.randint(0, 1), 50))
        event = [k for k in range(5) if random.randint(0, 1)]
        known.add_line(sum((p[k] for k in event), F(0)), sum((q[k] for k in event), F(0)))
    lower, upper = known.lower(), known.upper()
    grid = [F(k, 4) for k in range(60)] + places
    assert all(lower.delta(alpha) <= loss.delta(alpha) <= upper.delta(alpha) for alpha in grid)
    widest = max((gap for _, gap in known.widths()), default=F(0))
    assert all(upper.delta(alpha) - lower.delta(alpha) <= widest for alpha in grid)
    for alpha, gap in known.widths():
        assert gap == upper.delta(alpha) - lower.delta(alpha)
    for side in (lower, upper):
        assert side.infinite >= 0
        assert side.zero >= 0


def test_all_events_and_all_corners_say_everything() -> None:
    loss = LossDistribution.approximate("2", "1/8")
    known = CurveBounds()
    for atom in loss.atoms:
        known.add_upper(atom.ratio, loss.delta(atom.ratio))
    known.add_line(F(1, 8), F(0))
    known.add_line(F(1, 8) + F(7, 12), F(7, 24))
    known.add_line(F(1), F(7, 8))
    for alpha in (F(1, 4), F(1), F(3, 2), F(9)):
        assert abs(known.lower().delta(alpha) - loss.delta(alpha)) <= F(10, UNIT)
        assert abs(known.upper().delta(alpha) - loss.delta(alpha)) <= F(10, UNIT)
