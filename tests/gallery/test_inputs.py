"""The gallery's concrete inputs, once more: by sums and integrals over the threshold, in floating point."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from scipy.integrate import quad

from prover.gallery.index import GalleryEntry, gallery
from prover.gallery.proving import prove

ENTRIES = {entry.name: entry for entry in gallery()}


PARTS = {
    "sampcert-above-threshold": (1 / 2, 1 / 4),
    "sampcert-sparse": (1 / 2, 1 / 4),
    "sampcert-unbounded-max": (1 / 2, 1 / 4),
    "tumult-prefix-sums": (2, 1),
    "relm-sparse-indicator": (1 / 2, 1 / 12),
    "relm-sparse-indicator-monotonic": (1 / 2, 1 / 6),
    "dp-auditorium-svt1": (1 / 2, 1 / 12),
    "dp-auditorium-svt2": (1 / 6, 1 / 12),
    "dp-auditorium-svt4": (1 / 4, 3 / 4),
    "dp-auditorium-svt6": (1 / 2, 1 / 2),
    "hands-on-above-threshold": (1, 1 / 2),
    "hands-on-above-threshold-monotonic": (1, 1 / 2),
    "hands-on-sparse-vector": (1, 1 / 2),
    "hands-on-sparse-vector-monotonic": (1, 1 / 2),
    "autodp-laplace-svt": (1, 1 / 2),
}
"""The rates of threshold and queries, as the sources have them."""

WHOLE = ("sampcert", "tumult")
"""Whose noise is on whole numbers."""


def thresholds(entry: GalleryEntry, side: str) -> list[tuple[float, list[tuple[str, float]]]]:
    """What is read where a threshold is drawn, each with what is seen and read after it, for either input."""
    found: list[tuple[float, list[tuple[str, float]]]] = []
    for step in entry.steps:
        value = float(getattr(step, side))
        for _ in range(step.turns):
            if step.output in ("begin", "unseen"):
                found.append((value, []))
            else:
                found[-1][1].append((step.output, value))
    return found


def laplace_below(rate: float, x: float) -> float:
    return math.exp(rate * x) / 2 if x < 0 else 1 - math.exp(-rate * x) / 2


def geometric_below(rate: float, x: float) -> float:
    """P[noise < x] for two-sided geometric noise and an integer x."""
    q = math.exp(-rate)
    return math.exp(-rate * (1 - x)) / (1 + q) if x <= 0 else 1 - math.exp(-rate * x) / (1 + q)


def likelihood(tests: list[tuple[str, float]], z: float, rate: float, whole: bool) -> float:
    """The probability of the tests of a run, given the noisy threshold z."""
    product = 1.0
    for output, answer in tests:
        if output in ("below", "larger"):
            product *= geometric_below(rate, z - answer) if whole else laplace_below(rate, z - answer)
        else:  # the noise is at least z - answer: the mirror image, but for equality
            product *= geometric_below(rate, answer - z + 1) if whole else laplace_below(rate, answer - z)
    return product


def log_chance(
    center: float, tests: list[tuple[str, float]], rates: tuple[float, float], whole: bool
) -> float:
    """The logarithm of the probability of the tests, for a threshold with noise around its center."""
    threshold, rate = rates
    kinks = sorted({center, *(answer for _, answer in tests)})
    borders = [kinks[0] - 200, *kinks, kinks[-1] + 200]
    if whole:
        q = math.exp(-threshold)
        return math.log(
            math.fsum(
                (1 - q) / (1 + q) * q ** abs(z - center) * likelihood(tests, z, rate, whole)
                for z in range(int(borders[0]), int(borders[-1]))
            )
        )

    def density(z: float) -> float:
        return threshold / 2 * math.exp(-threshold * abs(z - center)) * likelihood(tests, z, rate, whole)

    parts = [quad(density, *ends, epsabs=0, epsrel=1e-9, limit=200)[0] for ends in pairwise(borders)]
    return math.log(math.fsum(parts))


@pytest.mark.parametrize("name", PARTS)
def test_inputs_lose_what_sums_and_integrals_say(name: str) -> None:
    entry = ENTRIES[name]
    whole = name.startswith(WHOLE)
    one, other = (
        math.fsum(log_chance(*part, PARTS[name], whole) for part in thresholds(entry, side))
        for side in ("input", "neighbour")
    )
    found = entry.independent
    assert found is not None
    assert found.number is not None
    assert found.error is not None
    assert found.number == pytest.approx(one - other, abs=float(found.error))


def test_the_books_inputs_are_printed_with_their_probabilities() -> None:
    entry = ENTRIES["hands-on-above-threshold-monotonic"]
    row = prove(entry)
    assert row.measured is not None
    assert float(row.measured.probability[0]) == pytest.approx(0.0199887, abs=1e-7)
    assert float(row.measured.other_probability[0]) == pytest.approx(0.0060159, abs=1e-7)


def test_the_books_solution_is_not_of_epsilon_one() -> None:
    """scripts/ch04_stream_soln.py: sums of values between 0 and 10, threshold 100, scale 10, "at most 1"."""
    entry = ENTRIES["hands-on-above-threshold-monotonic"]
    days = [
        (100 + 10 * step.input, 100 + 10 * step.neighbour)
        for step in entry.steps[1:]
        for _ in range(step.turns)
    ]
    assert [[*map(int, day)] for day in days] == [[110, 120], [110, 120], [110, 120], [100, 100]]
    assert "scripts/ch04_stream_soln.py" in entry.note
    row = prove(entry)
    assert row.value == Fraction(3, 2)
    assert row.measured is not None
    assert row.measured.loss[0] > 1


def test_the_inputs_of_prefix_sums_are_those_of_two_tables() -> None:
    entry = ENTRIES["tumult-prefix-sums"]
    counts = [9, *[0] * 19, 1, 0]  # the last rank is not tested
    fewer = [9, *[0] * 21]
    for table, side in zip((counts, fewer), ("input", "neighbour"), strict=True):
        ((center, tests),) = thresholds(entry, side)
        assert [center, *(answer for _, answer in tests)] == [sum(table), *list(accumulate(table))[:-1]]
    assert sum(abs(one - other) for one, other in zip(counts, fewer, strict=True)) == 1


def test_sparse_asks_a_query_again() -> None:
    """SampCert's Sparse begins again with the query that was above, and the loss still comes near to 3."""
    entry = ENTRIES["sampcert-sparse"]
    first, *later = (tests for _, tests in thresholds(entry, "input"))
    for before, after in pairwise([first, *later]):
        assert (before[-1][0], after[0]) == ("above", ("below", before[-1][1]))
    assert len(later) == 2
