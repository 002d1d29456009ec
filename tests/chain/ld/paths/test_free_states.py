"""What fixed potentials force on free states, against the same rounds in rational numbers, arc by arc."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from prover.chain.ld.paths.free_states import LabelDistances, raise_free_states
from prover.chain.ld.table import DistanceValues
from tests.chain.problems import flint

F = Fraction
Distances = Mapping[tuple[int, int], Fraction]
LONG = 3**60


def label_of(d: Distances) -> LabelDistances:
    """The arrays of states 0, 1, … with these distances, and 1 for all other pairs."""
    size = 1 + max(k for pair in d for k in pair)
    table = DistanceValues.of({pair: flint(d.get(pair, F(1))) for pair in permutations(range(size), 2)})
    rows: dict[int, dict[int, float]] = {}
    for (i, j), value in table.floats().items():
        rows.setdefault(i, {})[j] = value
    return LabelDistances.of(tuple(range(size)), table, rows)


def forced(d: Distances, fixed: Mapping[int, Fraction], alpha: Fraction) -> tuple[object, object]:
    """What is raised by whom, or the violated path."""
    label = label_of(d)
    scaled = {k: flint(f * label.denominator) for k, f in fixed.items()}
    closure = raise_free_states(scaled, label, flint(alpha))
    return None if closure.violated else dict(closure.raised), closure.violated


def forced_arc_by_arc(d: Distances, fixed: Mapping[int, Fraction], alpha: Fraction) -> tuple[object, object]:
    """The same, by the definition."""
    values, came_from = dict(fixed), dict[int, int]()
    states = sorted({k for pair in d for k in pair})
    frontier = [i for i in sorted(fixed) if values[i] > 0]
    while frontier:
        changed = set()
        for i in frontier:
            for k in [k for _, k in sorted((float(d[i, k]), k) for k in states if k != i)]:
                demand = (values[i] - d[i, k]) / alpha
                if demand > values.get(k, 0):
                    if k in fixed:
                        path = [k, i]
                        while path[-1] not in fixed:
                            path.append(came_from[path[-1]])
                        return None, tuple(reversed(path))
                    values[k], came_from[k] = demand, i
                    changed.add(k)
        frontier = sorted(changed)
    return came_from, ()


def test_forced_potentials_are_taken_to_a_fixed_point() -> None:
    d = {(0, 1): F(1, 10), (1, 2): F(1, 10), (0, 2): F(9, 10), (2, 3): F(0)}
    label = label_of(d)
    violated = raise_free_states({0: flint(F(10)), 3: flint(F(5))}, label, flint(F(1)))
    assert violated.violated == (0, 1, 2, 3)  # 1 → 9/10 → 4/5 → 4/5 at state 3, which has 1/2
    allowed = raise_free_states({0: flint(F(10)), 3: flint(F(8))}, label, flint(F(1)))
    assert allowed.violated == ()
    assert allowed.raised == {1: 0, 2: 1}


@pytest.mark.parametrize("alpha", [F(1), F(6, 5), F(2), F(LONG + 1, LONG), F(2000)])
@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(F(1, 10), id="many ties"),
        pytest.param(F(1, 10) + F(1, 10**14), id="ties that floating point takes for gaps"),
        pytest.param(F(LONG // 10, LONG), id="long numbers"),
    ],
)
def test_random_labels(unit: Fraction, alpha: Fraction) -> None:
    draw = Random(str(alpha))
    violated = raised = 0
    for _ in range(40):
        size = draw.randint(2, 7)
        tiny = draw.choice([F(0), F(1, 10**13), F(1, LONG)])
        d = {
            pair: min(F(1), draw.choice([0, 1, 1, 2, 3, 5, 10]) * unit + draw.randint(0, 1) * tiny)
            for pair in permutations(range(size), 2)
        }
        fixed = {
            k: draw.choice([F(0), F(1), draw.randint(0, 9) * unit / alpha])
            for k in draw.sample(range(size), draw.randint(1, size))
        }
        expected = forced_arc_by_arc(d, fixed, alpha)
        assert forced(d, fixed, alpha) == expected
        violated, raised = violated + bool(expected[1]), raised + bool(expected[0])
    assert violated > 0
    assert raised > 0


def test_a_gap_that_floating_point_cannot_see_decides() -> None:
    # 2 is forced by way of 1 or not at all: 1/2 − 1/4 − 1/4 against 0, up to the gap.
    for gap in (F(1, 10**20), F(0)):
        d = {(0, 1): F(1, 4), (1, 2): F(1, 4) - gap, (0, 2): F(1), (1, 0): F(1), (2, 0): F(1), (2, 1): F(1)}
        raised, violated = forced(d, {0: F(1, 2), 2: F(0)}, F(1))
        assert (raised, violated) == ((None, (0, 1, 2)) if gap else ({1: 0}, ()))
