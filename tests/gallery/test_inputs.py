"""The gallery's concrete inputs, once more: by sums and integrals over the threshold, in floating point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from scipy.integrate import quad

from prover.gallery.index import GalleryEntry, ListedStep, gallery
from prover.gallery.inputs import measured
from prover.gallery.proving import prove
from prover.program.model import Program

ENTRIES = {entry.name: entry for entry in gallery()}


def sides(entry: GalleryEntry) -> list[list[tuple[str, float]]]:
    """What is seen and read, for either input."""
    steps = [step for step in entry.steps for _ in range(step.turns)]
    return [
        [(step.output, float(step.input)) for step in steps],
        [(step.output, float(step.neighbour)) for step in steps],
    ]


def laplace_below(rate: float, x: float) -> float:
    return math.exp(rate * x) / 2 if x < 0 else 1 - math.exp(-rate * x) / 2


def geometric_below(rate: float, x: float) -> float:
    """P[noise < x] for two-sided geometric noise and an integer x."""
    q = math.exp(-rate)
    return math.exp(-rate * (1 - x)) / (1 + q) if x <= 0 else 1 - math.exp(-rate * x) / (1 + q)


def likelihood(
    run: list[tuple[str, float]], z: float, rate: float, below: Callable[[float, float], float]
) -> float:
    """The probability of the tests of a run, given the noisy threshold z."""
    product = 1.0
    for output, answer in run[1:]:
        chance = below(rate, z - answer)
        product *= chance if output == "below" else 1 - chance
    return product


def laplace_loss(entry: GalleryEntry, threshold: float, rate: float) -> float:
    def chance(run: list[tuple[str, float]]) -> float:
        def density(z: float) -> float:
            noise = threshold / 2 * math.exp(-threshold * abs(z - run[0][1]))
            return noise * likelihood(run, z, rate, laplace_below)

        kinks = sorted({answer for _, answer in run})
        borders = [kinks[0] - 60, *kinks, kinks[-1] + 60]
        return math.fsum(quad(density, low, high)[0] for low, high in pairwise(borders))

    one, other = map(chance, sides(entry))
    return math.log(one / other)


def geometric_loss(entry: GalleryEntry, threshold: float, rate: float) -> float:
    def chance(run: list[tuple[str, float]]) -> float:
        center = int(run[0][1])
        q = math.exp(-threshold)
        return math.fsum(
            (1 - q) / (1 + q) * q ** abs(z - center) * likelihood(run, z, rate, geometric_below)
            for z in range(center - 60, center + 61)
        )

    one, other = map(chance, sides(entry))
    return math.log(one / other)


def test_the_books_inputs() -> None:
    entry = ENTRIES["hands-on-above-threshold-monotonic"]
    row = prove(entry)
    assert row.measured is not None
    assert laplace_loss(entry, 1, 1 / 2) == pytest.approx(float(row.measured.loss[0]), abs=1e-7)
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
    row = prove(entry)
    assert row.measured is not None
    assert geometric_loss(entry, 2, 1) == pytest.approx(float(row.measured.loss[0]), abs=1e-7)
    counts = [9, *[0] * 19, 1, 0]  # the last rank is not tested
    fewer = [9, *[0] * 21]
    for table, run in zip((counts, fewer), sides(entry), strict=True):
        assert [answer for _, answer in run] == [sum(table), *list(accumulate(table))[:-1]]
    assert sum(abs(one - other) for one, other in zip(counts, fewer, strict=True)) == 1


def test_sparse_that_asks_a_query_again_loses_as_much() -> None:
    """SampCert's Sparse begins again with the query that was above, and the loss still comes near to 3."""
    entry = ENTRIES["sampcert-sparse"]
    low, high = (Fraction(-40), Fraction(-41)), (Fraction(40), Fraction(41))
    begin, again = ListedStep("begin", Fraction(0), Fraction(0), 1), ListedStep("below", *low, 1)
    rest = [ListedStep("below", *high, 12), ListedStep("above", *low, 1)]
    first, later = [begin, *rest], [begin, again, *rest]
    program = entry.read()
    assert isinstance(program, Program)
    lost = measured(program, replace(entry, steps=(*first, *later, *later)))
    assert lost is not None
    assert Fraction(297, 100) < lost.loss[0] <= lost.loss[1] <= 3
