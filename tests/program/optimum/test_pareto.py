from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.program.optimum.pareto import bundled, dominates, fewer, maximal, split
from prover.program.optimum.transfer import Values
from tests.profiles import examples

CAP = 40
numbers = st.integers(0, 12) | st.just(CAP)
triples = st.tuples(numbers, numbers, numbers)
fronts = st.lists(triples, max_size=40)


def maximal_by_definition(values: list[Values]) -> list[Values]:
    found = {one for one in values if not any(dominates(o, one) and o != one for o in values)}
    return sorted(found, reverse=True)


def exceeds(values: Values, others: list[Values], goal: int) -> bool:
    return any(min(v + o for v, o in zip(values, other, strict=True)) > goal for other in others)


@given(fronts)
@examples(300)
def test_maximal_values(values: list[Values]) -> None:
    assert maximal(values) == maximal_by_definition(values)


def test_maximal_values_of_a_large_set() -> None:
    random = Random(1)
    values: list[Values] = [tuple(random.randrange(50) for _ in range(3)) for _ in range(1000)]
    assert maximal(values) == maximal_by_definition(values)


@given(fronts, fronts, st.integers(0, 30))
@examples(300)
def test_split_tells_apart_what_exceeds_a_goal(values: list[Values], others: list[Values], goal: int) -> None:
    values, others = maximal(values), maximal(others)
    high, rest = split(values, others, goal)
    assert sorted(high) == sorted(v for v in values if exceeds(v, others, goal))
    assert sorted(rest) == sorted(v for v in values if v not in high)
    low = bundled(rest, others, goal)
    assert not any(exceeds(v, others, goal) for v in low)
    assert all(any(dominates(one, v) for one in low) for v in rest)
    assert len(low) <= len(rest)


few = st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=3)


@given(few, few, st.integers(0, 6))
@examples(500)
def test_split_asks_for_more_than_the_goal(values: list[Values], others: list[Values], goal: int) -> None:
    high, _ = split(maximal(values), maximal(others), goal)
    assert sorted(high) == sorted(v for v in maximal(values) if exceeds(v, others, goal))


def test_all_are_bundled_into_one_where_the_goal_is_far() -> None:
    values = maximal([(k, 20 - k, 5) for k in range(20)])
    for others, goal in (([(0, 0, 0)], 30), ([], 0)):
        high, rest = split(values, others, goal)
        assert not high
        assert bundled(rest, others, goal) == [(19, 20, 5)]


@given(fronts.filter(bool), st.integers(1, 12), st.booleans())
@examples(300)
def test_fewer_values(values: list[Values], most: int, above: bool) -> None:
    front = maximal(values)
    found = fewer(front, most, CAP, above=above)
    assert 1 <= len(found) <= most
    if above:
        assert all(any(dominates(one, v) for one in found) for v in front)
        assert all(max(v[x] for v in front) >= one[x] for one, x in product(found, range(3)))
    else:
        assert set(found) <= set(front)


@given(fronts.filter(bool), st.integers(1, 12), st.booleans(), st.data())
@examples(200)
def test_fewer_values_with_worth(values: list[Values], most: int, above: bool, data: st.DataObject) -> None:
    front = maximal(values)
    worth = data.draw(st.lists(st.integers(0, 5), min_size=len(front), max_size=len(front)))
    found = fewer(front, most, CAP, above=above, worth=worth)
    assert 1 <= len(found) <= most
    ranked = sorted(zip(worth, front, strict=True), key=lambda own: -own[0])
    if above:
        assert found == maximal(found)
        assert all(any(dominates(one, v) for one in found) for v in front)
        assert all(any(dominates(one, v) for one in found) for _, v in ranked[: most // 3])
    else:
        assert set(found) <= set(front)
        assert sorted(worth[front.index(v)] for v in found) == sorted(m for m, _ in ranked[: len(found)])


def test_values_that_are_worth_most_are_kept_as_they_are() -> None:
    front = maximal([(k, 1000 - k, 0) for k in range(1000)])
    found = fewer(front, 90, 10**6, above=True, worth=[v[0] for v in front])
    assert set(front[:30]) <= set(found)
    assert len(found) <= 90


@pytest.mark.parametrize("above", [True, False])
def test_fewer_values_are_near_the_front(above: bool) -> None:
    front = maximal([(k, 1000 - k, 0) for k in range(1000)])
    found = fewer(front, 100, 10**6, above=above)
    for a, b, _ in front:
        assert any(abs(a - c) < 16 and abs(b - d) < 16 for c, d, _ in found)
