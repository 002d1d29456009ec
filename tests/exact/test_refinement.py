"""What guides refinement, and how few digits its solutions need; solutions as such are in test_linear.py."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from types import FunctionType
from typing import Any

import pytest
from flint import fmpq

from prover.exact import refinement
from prover.exact.linear import solve
from prover.exact.refinement import IntegerSystem
from tests.exact.test_linear import Rows, dominant, image, leaking, rationals


@pytest.fixture
def guides(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The guides of the systems that are solved from now on; sweeps are thought of in small ones, too."""
    used: list[str] = []
    rounds = refinement._refine_rounds

    def watched(system: IntegerSystem, guide: Any, max_bits: int | None) -> Any:
        used.append("sweeps" if isinstance(guide.solve, FunctionType) else "factors")
        return rounds(system, guide, max_bits)

    monkeypatch.setattr(refinement, "_FEW", 10)
    monkeypatch.setattr(refinement, "_SPARSER", 0.2)
    monkeypatch.setattr(refinement, "_refine_rounds", watched)
    return used


def heavy(random: Random, size: int, *, cyclic: bool = False) -> Rows:
    """Rows of which the diagonal outweighs the rest twice; the rest is near to it if ``cyclic``."""
    rows: Rows = []
    for i in range(size):
        places = [(i + 1) % size, (i + 2) % size] if cyclic else random.sample(range(size), 3)
        rest = {j: fmpq(random.choice([-1, 1]) * random.randint(1, 9), 7) for j in places if j != i}
        rows.append({i: 2 * sum((abs(v) for v in rest.values()), fmpq(1)), **rest})
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_where_the_diagonal_outweighs_the_rest(seed: int, guides: list[str]) -> None:
    random = Random(seed)
    rows, x = heavy(random, 600), rationals(random, 600, 10**4, 10**3)
    assert solve(rows, image(rows, x)) == x
    assert guides == ["sweeps"]


def test_factors_where_these_are_small(guides: list[str]) -> None:
    random = Random(1)
    rows, x = heavy(random, 300, cyclic=True), rationals(random, 300, 10**4, 10**3)
    assert solve(rows, image(rows, x)) == x
    assert guides == ["factors"]


def test_factors_where_many_sweeps_would_be_needed(guides: list[str]) -> None:
    random = Random(2)
    rows, x = leaking(random, 300, fmpq(1, 10**3)), rationals(random, 300, 99, 99)
    assert solve(rows, image(rows, x)) == x
    assert guides == ["factors"]


@pytest.mark.parametrize("place", [0, 100, 298])
def test_factors_where_the_diagonal_has_a_gap(place: int, guides: list[str]) -> None:
    random = Random(place)
    rows = heavy(random, 300)
    rows[place], rows[place + 1] = rows[place + 1], rows[place]
    assert place not in rows[place]
    x = rationals(random, 300, 99, 99)
    assert solve(rows, image(rows, x)) == x
    assert guides == ["factors"]


def test_sweeps_that_led_astray_are_followed_by_factors(
    guides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # They find five times what is missing, so that what is left over grows.
    random = Random(3)
    rows, x = heavy(random, 600), rationals(random, 600, 10**4, 10**3)
    honest = refinement._sweeping

    def hasty(matrix: Any, scale: int) -> Any:
        found = honest(matrix, scale)
        assert found is not None
        return refinement._Guide(lambda right: 5 * found.solve(right), found.bits, found.length)

    monkeypatch.setattr(refinement, "_sweeping", hasty)
    assert solve(rows, image(rows, x)) == x
    assert guides == ["sweeps", "factors"]


def rounds_of(system: IntegerSystem, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bits of the solution are found before it is."""
    attempts: list[int] = []
    recover = refinement._recover

    def counted(*arguments: Any, **keywords: Any) -> Any:
        attempts.append(arguments[1].bits)
        return recover(*arguments, **keywords)

    with monkeypatch.context() as patched:
        patched.setattr(refinement, "_recover", counted)
        assert refinement.refined(system) is not None
    return attempts[-1]


def integers(rows: Rows, right: Sequence[int]) -> IntegerSystem:
    entries = tuple(tuple((j, int(7 * v)) for j, v in row.items()) for row in rows)
    sizes = tuple(max(abs(v).bit_length() for _, v in row) for row in entries)
    return IntegerSystem(entries, tuple(right), sizes)


def test_two_unknowns_give_their_denominator_away_after_half_more_than_its_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = Random(4)
    system = integers(dominant(random, 150), [random.randint(1, 99) for _ in range(150)])
    found = refinement.refined(system)
    assert found is not None
    bits = found[1].bit_length()
    assert bits > 400
    assert rounds_of(system, monkeypatch) < 1.5 * 1.2 * bits + 200  # for one unknown it is twice as many


def test_unknowns_of_which_many_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    rows = dominant(random, 80)
    twice = [*rows, *({j + 80: v for j, v in row.items()} for row in rows)]
    mixed = [{(j % 80) * 2 + j // 80: v for j, v in twice[i % 2 * 80 + i // 2].items()} for i in range(160)]
    right = [random.randint(1, 99) for _ in range(80)]
    alone = integers(rows, right)
    both = integers(mixed, [right[i // 2] for i in range(160)])
    found, one = refinement.refined(both), refinement.refined(alone)
    assert found is not None
    assert one is not None
    assert found == ([n for n in one[0] for _ in range(2)], one[1])
    assert rounds_of(both, monkeypatch) == rounds_of(alone, monkeypatch)
