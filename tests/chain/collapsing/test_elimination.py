"""Exits of strong components, however few or many ways lead out of them, against plain linear systems."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq

from prover.chain.collapsing.elimination import entered, next_seen
from prover.exact.fmpq import fraction_of
from tests.oracle_linear import solve_linear

Rows = dict[int, dict[int, fmpq]]


def is_seen(_: int, t: int) -> bool:
    return t >= 100


def by_one_system(rows: Rows, states: list[int]) -> dict[int, dict[int, Fraction]]:
    """All exits by one system over all unseen states, every one of which can leave."""
    number = {s: k for k, s in enumerate(states)}
    zero = Fraction(0)
    matrix = [[Fraction(s == t) for t in states] for s in states]
    for s in states:
        for t, p in rows[s].items():
            if t in number:
                matrix[number[s]][number[t]] -= fraction_of(p)
    found: dict[int, dict[int, Fraction]] = {s: {} for s in states}
    for v in sorted({t for s in states for t in rows[s] if is_seen(s, t)}):
        right = [fraction_of(rows[s][v]) if v in rows[s] else zero for s in states]
        for s, x in zip(states, solve_linear(matrix, right), strict=True):
            if x:
                found[s][v] = x
    return found


@pytest.mark.parametrize(("ends", "behind"), [(1, 9), (9, 1), (3, 3)])
@pytest.mark.parametrize("lacking", [0, 1])
def test_exits_of_components_one_behind_the_other(ends: int, behind: int, lacking: int) -> None:
    random = Random(ends)
    rows: Rows = {}
    # Two strong components of six states; the later one is entered at ``behind`` states.
    for first, others in ((0, [6 + k % 6 for k in range(behind)]), (6, [100 + k for k in range(ends)])):
        for k in range(6):
            targets = {first + (k + 1) % 6, first + random.randrange(6), random.choice(others), others[0]}
            weights = {t: random.randint(1, 4) for t in sorted(targets)}
            total = sum(weights.values()) + lacking
            rows[first + k] = {t: fmpq(w, total) for t, w in weights.items()}
    rows |= {100 + k: {100 + k: fmpq(1)} for k in range(ends)}
    found = next_seen(rows, is_seen, [0])
    wanted = by_one_system(rows, list(range(12)))
    assert {s: {v: fraction_of(p) for v, p in found[s].items()} for s in range(12)} == wanted
    known = sum(wanted[0].values(), Fraction(0))
    assert known == 1 if not lacking else known < 1


def test_what_is_never_left_has_no_exits() -> None:
    half = fmpq(1, 2)
    rows: Rows = {0: {1: half, 2: half}, 1: {0: fmpq(1)}, 2: {3: fmpq(1)}, 3: {2: half, 3: half}}
    assert next_seen(rows, is_seen, [0]) == {0: {}, 1: {}, 2: {}, 3: {}}
    rows[1] = {0: half, 100: half}
    rows[100] = {100: fmpq(1)}
    assert next_seen(rows, is_seen, [0]) == {
        0: {100: fmpq(1, 3)},
        1: {100: fmpq(2, 3)},
        2: {},
        3: {},
        100: {100: fmpq(1)},
    }


def test_states_are_kept_that_something_seen_enters() -> None:
    one = fmpq(1)
    rows: Rows = {0: {1: one}, 1: {100: one}, 100: {2: one}, 2: {101: one}, 101: {101: one}, 102: {102: one}}
    assert entered(rows, is_seen, [0]) == [0, 100, 101]
    assert entered(rows, is_seen, [2]) == [2, 101]
