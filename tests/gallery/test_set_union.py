"""SmartNoise SQL's set union, once more: the weights of items, by the paper and by the code."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

USERS = ["a", "a", "a", "a", "a", "a", "ac", "ax", "ax", "x", "x"]
WITHOUT = [*USERS[:5], "", *USERS[6:]]
LIMIT = Fraction("6.164")  # 4 + 3/ln 4, nearly


def weights(users: Sequence[str], *, as_written: bool) -> dict[str, Fraction]:
    """Each user spends 1 on the own items, the ones near the limit first, as the paper or the code says."""
    weight = dict.fromkeys("acx", Fraction())
    for items in users:
        lacking = sorted((LIMIT - weight[item], item) for item in items if weight[item] < LIMIT)
        budget, spent = Fraction(1), Fraction(0)
        for place, (gap, _) in enumerate(lacking):
            left = len(lacking) - place
            raised = lacking[place : left if as_written else None]
            step = gap if as_written else gap - spent
            full = step * left > budget
            for _, item in raised if full or not as_written else raised[:1]:
                weight[item] += budget / left if full else step
            if full:
                break
            budget -= step * left
            spent += step
    return weight


@pytest.mark.parametrize(("as_written", "distance"), [(True, 2), (False, 1)])
def test_one_user_changes_weights_by_two(as_written: bool, distance: int) -> None:
    one, other = (weights(users, as_written=as_written) for users in (USERS, WITHOUT))
    assert sum(abs(one[item] - other[item]) for item in "acx") <= distance
    if as_written:
        assert (one["x"], other["x"]) == (Fraction(4), Fraction(5, 2))
        assert (one["c"], other["c"]) == (Fraction(), Fraction(1, 2))
        assert one["a"] == other["a"] == LIMIT
