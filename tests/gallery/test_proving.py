"""What is proved of the gallery: known numbers, a rejected proof, and inputs that are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

import prover
from prover.certificate.check import Rejected
from prover.errors import BadValue, Fault
from prover.gallery import proving
from prover.gallery.index import GalleryEntry, ListedStep, gallery
from prover.gallery.inputs import measured
from prover.gallery.proving import Proved, prove
from prover.program.adjacency import Adjacency
from prover.zoo import lyu_1, lyu_2, lyu_4, noisy_max
from tests.certified import proved
from tests.refusals import refuses

# d₀ + 2cd with a public threshold that is drawn once, d₀ + d with c = 1 and monotonic queries, 2d and d for
# noisy max. With a private threshold that moves in the direction of the queries: d₀ + d.
KNOWN = {
    "sampcert-above-threshold": "1",
    "sampcert-sparse": "3",
    "tumult-prefix-sums": "3",
    "opendp-noisy-max": "2",
    "opendp-noisy-max-monotonic": "1",
    "relm-above-threshold": "1",
    "relm-above-threshold-monotonic": "1",
    "dp-auditorium-svt1": "1",
    "dp-auditorium-svt2": "2/3",
    "dp-auditorium-svt4": "19/4",
    "hands-on-above-threshold": "2",
    "hands-on-above-threshold-monotonic": "3/2",
}
ENTRIES: Mapping[str, GalleryEntry] = {entry.name: entry for entry in gallery()}


@pytest.fixture(scope="module")
def rows() -> Mapping[str, Proved]:
    return {name: prove(entry) for name, entry in ENTRIES.items()}


def test_losses_are_the_known_ones(rows: Mapping[str, Proved]) -> None:
    assert {name: str(row.answer.epsilon) for name, row in rows.items()} == KNOWN


def test_certificates_are_verified(rows: Mapping[str, Proved]) -> None:
    for name, row in rows.items():
        assert row.certificate is not None
        proved(row.certificate)
        claim = f"epsilon adjacency={row.entry.adjacency} loss=observer value={KNOWN[name]} "
        assert row.verified is not None
        assert row.verified.startswith(claim)


def test_every_difference_has_inputs_that_show_it(rows: Mapping[str, Proved]) -> None:
    compared = {name: row.compared for name, row in rows.items() if row.compared != "same"}
    assert compared == {
        "tumult-prefix-sums": "less",
        "dp-auditorium-svt2": "less",
        "hands-on-above-threshold-monotonic": "more",
    }
    for name, row in rows.items():
        assert (row.measured is not None) is (name in compared)
        if row.measured is not None and row.answer.epsilon is not None:
            lower, upper = row.measured.loss
            assert upper <= row.answer.epsilon
            goal = row.entry.declared if compared[name] == "more" else Fraction(99, 100) * row.answer.epsilon
            assert lower > goal


def test_other_programs_of_the_same_mechanisms_say_the_same() -> None:
    """dp_auditorium's are those of Lyu, Su and Li, but for the second; noisy max goes through all in turn."""
    assert prover.privacy(lyu_1(3)).epsilon == Fraction(KNOWN["dp-auditorium-svt1"])
    assert prover.privacy(lyu_4(3)).epsilon == Fraction(KNOWN["dp-auditorium-svt4"])
    assert prover.privacy(lyu_2(3)).epsilon == 1 != Fraction(KNOWN["dp-auditorium-svt2"])
    for n in (2, 3, 4):
        for name in ("opendp-noisy-max", "opendp-noisy-max-monotonic"):
            found = prover.privacy(noisy_max(n=n, rate="1"), ENTRIES[name].adjacency)
            assert found.epsilon == Fraction(KNOWN[name])


def test_a_rejected_certificate_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> str:
        raise Rejected("no")

    monkeypatch.setattr(proving, "verify", refuse)
    with pytest.raises(Fault, match="rejects the certificate of sampcert-sparse: no"):
        prove(ENTRIES["sampcert-sparse"])


def test_bounds_that_do_not_tell_are_open() -> None:
    row = prove(ENTRIES["hands-on-above-threshold"])
    assert row.compared == "same"
    wide = replace(row.answer, runs=replace(row.answer.runs, lower=Fraction(1), upper=Fraction(3)))
    assert replace(row, answer=wide).compared == "open"
    assert replace(row, entry=replace(row.entry, declared=Fraction(1, 2)), answer=wide).compared == "more"
    assert replace(row, entry=replace(row.entry, declared=Fraction(4)), answer=wide).compared == "less"


def step(output: str, one: int, other: int, turns: int = 1) -> ListedStep:
    return ListedStep(output, Fraction(one), Fraction(other), turns)


BOOK = ENTRIES["hands-on-above-threshold-monotonic"]


@pytest.mark.parametrize(
    ("steps", "refusal"),
    [
        ([step("begin", 0, 1)], "not-neighbours"),
        ([step("begin", 0, 0), step("below", 0, 2)], "not-neighbours"),
        ([step("begin", 0, 0), step("below", 0, 1), step("above", 0, -1)], "not-neighbours"),
        ([step("begin", 0, 0), step("beyond", 0, 1)], "no-such-run"),
        ([step("begin", 0, 0), step("above", 0, 1, 2)], "no-such-run"),
    ],
)
def test_inputs_that_are_none_are_refused(steps: list[ListedStep], refusal: str) -> None:
    with refuses(refusal):
        measured(BOOK.read(), replace(BOOK, steps=tuple(steps)))


def test_any_adjacency_has_its_neighbours() -> None:
    def loses(adjacency: Adjacency, *steps: ListedStep) -> bool:
        asked = replace(BOOK, adjacency=adjacency, steps=(step("begin", 0, 0), *steps))
        try:
            return measured(BOOK.read(), asked) is not None
        except BadValue as error:
            if error.code != "not-neighbours":
                raise
            return False

    up, down = (step("below", 0, 1), step("below", 0, 0)), (step("below", 1, 0), step("below", 0, 0))
    both, twice = (step("below", 0, 1), step("below", 1, 0)), (step("below", 0, 1, 2),)
    found = {
        adjacency: [loses(adjacency, *steps) for steps in (up, down, both, twice)] for adjacency in Adjacency
    }
    assert found == {
        Adjacency.ALL_DIFFER: [True, True, True, True],
        Adjacency.ONE_DIFFER: [True, True, False, False],
        Adjacency.INCREASING: [True, False, False, True],
        Adjacency.DECREASING: [False, True, False, False],
        Adjacency.MONOTONIC: [True, True, False, True],
    }
