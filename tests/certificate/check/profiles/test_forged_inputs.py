"""Pairs of inputs that are found prove what they claim; of forgeries, what the checker accepts is true by a
judge that shares no code with it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.certificate.check.profiles.test_forgeries import ADJACENCIES, forgeries
from tests.certificate.check.profiles.test_inputs import ONE, PUBLIC, SVT, TWICE
from tests.certificate.inputs_judge import gain, is_true
from tests.certificate.inputs_samples import NAMES, SEEDS, made
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, confirming, edited
from tests.profiles import everything, thinned

Json = Any
FEW = 10  # forgeries of each certificate that is found
LOWER: Path = ("claim", "lower")
BY_HAND = {"one": ONE, "public": PUBLIC, "svt": SVT, "twice": TWICE}


def sharp(certificate: Json) -> Json:
    """With the largest claim of nine places."""
    return edited(certificate, {LOWER: str(Fraction(int(gain(certificate) * 10**9 - 1), 10**9))})


confirm = confirming(is_true)


@pytest.mark.parametrize(("name", "adjacency"), thinned(list(product([*NAMES, *SEEDS], ADJACENCIES)), 16))
def test_what_is_found(name: str | int, adjacency: str) -> None:
    for alpha in ("1", "5/4"):
        certificate = made(name, adjacency, alpha)
        if certificate is None:
            # one-sided tests and one adjacency may gain nothing; both directions together do
            assert adjacency in ("increasing", "decreasing") or alpha != "1"
            continue
        accepted(certificate)
        lower = Fraction(certificate["claim"]["lower"])
        assert -1e-9 < gain(certificate) - float(lower) < 3e-9
        more = lower + Fraction(1, 10**6)
        assert not confirm(certificate, LOWER, str(more))


@pytest.mark.parametrize("name", BY_HAND)
def test_every_forgery_of_certificates_by_hand(name: str) -> None:
    certificate = sharp(BY_HAND[name])
    accepted(certificate)
    kept = [confirm(certificate, *change) for change in thinned([*forgeries(certificate)], 5)]
    assert 0 < sum(kept) < len(kept) / 3


@pytest.mark.parametrize("number", thinned(range(len(SEEDS) + len(NAMES)), 3))
def test_forgeries_of_what_is_found(number: int) -> None:
    certificate = made((*NAMES, *SEEDS)[number], ADJACENCIES[number % len(ADJACENCIES)], "1")
    if certificate is None:
        return
    changes = list(forgeries(certificate))
    about = [change for change in changes if change[0][0] != "model"]
    random, few = Random(number), 10_000 if everything() else FEW
    for some in (about, changes):
        for change in random.sample(some, min(few, len(some))):
            confirm(certificate, *change)


@pytest.mark.parametrize("q", [None, "1/2"])
@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_forgeries_on_a_grid(number: int, q: str | None) -> None:
    certificate = made(SEEDS[number], ADJACENCIES[number % len(ADJACENCIES)], "1", q, grid=True)
    if certificate is None:
        return
    accepted(certificate)
    assert -1e-9 < gain(certificate) - float(Fraction(certificate["claim"]["lower"])) < 3e-9
    changes = list(forgeries(certificate))
    random, few = Random(number), 10_000 if everything() else FEW
    for change in random.sample(changes, min(few, len(changes))):
        confirm(certificate, *change)


def test_runs_of_two_kinds() -> None:
    """Every set of runs of the sparse vector technique, in order: what is accepted is true, and sharp."""
    ends = [[0, 1, 1, 1, 1], [0, 1, 1, 1, 2], [0, 1, 1, 2], [0, 1, 2], [0, 2]]
    for chosen in range(1, 32):
        runs = [run for k, run in enumerate(ends) if chosen >> k & 1]
        certificate = edited(SVT, {("evidence", "runs"): runs, LOWER: "0"})
        most = gain(certificate)
        assert confirm(certificate, LOWER, "0") == (most > -1e-12)  # all runs gain 0
        if most > 1e-6:
            accepted(sharp(certificate))
            assert not confirm(certificate, LOWER, str(Fraction(int(most * 10**9 + 2), 10**9)))


@pytest.mark.parametrize("seed", [29, 34, 94])
def test_programs_that_go_round_without_reading(seed: int) -> None:
    """Runs are cut."""
    certificate = made(seed, "all-differ")
    assert certificate is None or is_true(certificate)
