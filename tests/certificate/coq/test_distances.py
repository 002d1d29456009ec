"""Potentials that rows of ld from below leave out, against rounds of their definition."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.certificate.coq.distances import Distances, free_potentials, with_forced
from prover.certificate.coq.model import CoqRows

LABELS = (0, 0, 0, 1, 0, 0, 0, 1)
STATES = range(len(LABELS))


@pytest.mark.parametrize("seed", range(20))
def test_forced_and_free_potentials(seed: int) -> None:
    random = Random(seed)
    alpha, unit = random.choice([Fraction(1), Fraction(6, 5), Fraction(3, 2)]), 12
    peers = [[u for u in STATES if LABELS[u] == LABELS[k]] for k in STATES]
    values: dict[tuple[int, ...], int] = {
        (s, t): random.randrange(4) for s in STATES for t in peers[s] if s != t
    }
    d = Distances(CoqRows(LABELS, [{s: Fraction(1)} for s in STATES]), alpha, values, unit)
    given = {k: Fraction(random.randrange(12), unit) for k in random.sample(STATES, 3)}

    f = given
    for _ in STATES:
        forced = {
            u: max((f[k] - Fraction(values.get((k, u), 0), unit)) / alpha for k in f if u in peers[k])
            for u in STATES
            if u not in given and any(k in f for k in peers[u])
        }
        f = given | {u: x for u, x in forced.items() if x > 0}
    finer, found = with_forced(d, unit, {k: int(x * unit) for k, x in given.items()})
    assert {k: Fraction(n, finer) for k, n in found.items()} == f

    free = {
        label: min(
            Fraction(values.get((u, k), 0), unit) + alpha * f[k]
            for k in f
            for u in STATES
            if LABELS[k] == LABELS[u] == label and u not in f
        )
        for label in {LABELS[k] for k in f}
        if any(LABELS[u] == label and u not in f for u in STATES)
    }
    assert {
        label: Fraction(n, finer * alpha.denominator) for label, n in free_potentials(d, finer, found).items()
    } == {label: x for label, x in free.items() if x < 1}
