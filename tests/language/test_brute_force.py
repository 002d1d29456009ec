"""Random functions of five kinds lose what is said, by all of their runs; ``python -m`` tries many more."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.language.brute_force import compared
from tests.language.functions_of_kinds import KINDS


@pytest.mark.family
@pytest.mark.parametrize("kind", KINDS)
def test_functions_lose_what_their_runs_lose(kind: str) -> None:
    found = [compared(kind, seed) for seed in range(6)]
    assert [one.wrong for one in found if one.wrong] == []
    assert sum(one.how.startswith("exact") for one in found) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_many_functions(kind: str, block: int) -> None:
    found = [compared(kind, seed) for seed in range(500 * block, 500 * (block + 1))]
    assert [one.wrong for one in found if one.wrong] == []
    assert Counter(one.how for one in found)["refused"] < 200
