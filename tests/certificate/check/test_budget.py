"""The budget of work: what is counted, where it ends, and that small files cannot ask for much."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from prover import distance, verify
from prover.certificate import errors, schema
from prover.certificate.check import RuleBroken, TooLarge, reading
from prover.certificate.check import budget as rules
from prover.zoo import pin_checker
from tests.certificate import heavy
from tests.certificate.budgets import allow, spent
from tests.certificate.collapsing_samples import COLLAPSING_SAMPLES
from tests.certificate.judges import ALL_SAMPLES
from tests.certificate.program_samples import SVT_EPSILON
from tests.certificate.samples import BISIMILARITY, KERNEL, LADDER
from tests.certificate.unrolling_samples import LOST, PIN
from tests.certificate.variables_samples import VARIABLES_SAMPLES
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
SAMPLES: Mapping[str, Json] = {**ALL_SAMPLES, **COLLAPSING_SAMPLES}
SHORT = 32 + 1  # units of an operation on short numbers


def long_ladder() -> Json:
    """The ladder over a denominator of 130 bits."""
    rows = [{**row, "value": str(10**39)} for row in LADDER["evidence"]["exact"]["rows"]]
    return edited(LADDER, {("evidence", "exact"): {"denominator": str(10**39), "rows": rows}})


@pytest.mark.parametrize(
    ("certificate", "units"),
    [
        # Six rows of one number; of four rows potentials, two ranks with a tie and two without, and
        # couplings, with an entry and without; the identity of a table of four values, for both sides.
        (LADDER, SHORT * (6 * 4 + 4 * (4 + 6 + 4 + 7 + 3) + 2 * (4 + 1 + 5 + 2) + 2 * (4 + 1 + 5 + 1)
                          + 2 * (4 + 5 + 6 + 3) + 2 * (5 + 3 + 2) + 2 * 8)),
        # The same; with D three words are in 4 + 7 + 3 operations of potentials, 1 of a rank, C + 2 of a
        # coupling; in the identity three by three.
        (long_ladder(), SHORT * 222 + 2 * (4 * (4 + 7 + 3) + 4 * 1 + 2 * 3 + 2 * 2) + 2 * 8 * (32 + 3 * 3)),
        # Rows; five related pairs without an entry and one with two; unrelated pairs with one and three.
        (KERNEL, SHORT * (3 * 4 + 5 * 8 + 5 * (6 + 4) + (8 + 6 + 10) + (4 + 5 + 1) + (12 + 7 + 3))),
        # Rows; classes; two states of a splitter, into each of which three rows lead.
        (BISIMILARITY, SHORT * (3 * 4 + 2 * 8 + 12 + 2 * 10) + 2 * (32 + 3 * SHORT)),
        # Rows; two inner nodes of two states and four products, with two sums of three; a factor; two leaves.
        (PIN, SHORT * (4 + 4 * 8 + 2 * (8 + 8 + 2 * (12 + 2 * 4)) + 4 + 2 * (6 + 3 + 2 + 4))),
        # Rows; four numbers of lost runs, nine steps from six states, the bounds; a node and two leaves.
        (LOST, SHORT * (4 * 9 + 4 * 4 + 9 + 2 * 6 + 16 + (8 + 8 + 2 * (12 + 4 * 2)) + 2 * (6 + 3 + 2 + 4))),
        # Four numbers for each of four steps; ten numbers of table and rates; functions before and after.
        (SVT_EPSILON, SHORT * (4 * 16 + 4 * 10 + 12 * (4 + 2 * 4 + 2 * 3))),
        # Blocks: four numbers for three steps, six for three; five transitions, six steps. Nodes; fourteen
        # numbers; functions compared at the nodes, the last two of which test two variables.
        (VARIABLES_SAMPLES["range"], SHORT * (4 * 30 + 45 + 30 + 6 * 16 + 3 + 45 + 80 + 53 + 4 * 14
                                              + 2 * 8 + (12 + 8) + 276 + 294)),
        # Nine transitions, seven nodes with at most two pairs of tokens.
        (VARIABLES_SAMPLES["branches, bounded"], SHORT * (81 + 9 * 16 + 54 + 7 * 3 * 3 + 9 * 16 + 52
                                                          + 15 * 16)),
    ],
)  # fmt: skip
def test_what_small_certificates_cost(monkeypatch: pytest.MonkeyPatch, certificate: Json, units: int) -> None:
    assert spent(monkeypatch, certificate)[0] == units
    allow(monkeypatch, units=units)
    accepted(certificate)
    allow(monkeypatch, units=units - 1)
    refused(certificate, TooLarge, "the work exceeds the limit")


@pytest.mark.parametrize("name", SAMPLES)
def test_all_work_is_counted(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    units, _ = spent(monkeypatch, SAMPLES[name])
    allow(monkeypatch, units=max(units, 1))
    accepted(SAMPLES[name])
    if units:
        allow(monkeypatch, units=units - 1)
        refused(SAMPLES[name], TooLarge, "the work exceeds the limit")


def test_every_byte_of_a_file_adds_to_its_budget() -> None:
    assert rules.Budget(1000).units == rules.Budget(0).units + 200 * 1000
    assert rules.Budget(0).units == 10**10


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    # Four rows of two numbers and one of one; two nodes with four numbers; each counts 256 bits. Then the
    # three numbers of a sum are over 125150.
    kept = (4 * 2 + 1 + 2 * 4) * 256
    assert spent(monkeypatch, PIN)[1] == kept
    allow(monkeypatch, bits=kept + 3 * 17)
    accepted(PIN)
    allow(monkeypatch, bits=kept + 3 * 17 - 1)
    refused(PIN, TooLarge, "node 0: the memory exceeds the limit")
    allow(monkeypatch, bits=kept - 1)
    refused(PIN, TooLarge, "node 1: the memory exceeds the limit")


def test_memory_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    # Six numbers of the model are kept; then four potentials over D times 2 · 3 · 5 · 7, of nine bits. Short
    # or long, they break the rule.
    potentials = [[0, "1/2"], [1, "1/3"], [2, "1/5"], [3, "1/7"]]
    changed = edited(LADDER, {("evidence", "exact", "rows", 0, "potentials"): potentials})
    allow(monkeypatch, bits=6 * 256 + 4 * 9)
    refused(changed, RuleBroken)
    allow(monkeypatch, bits=6 * 256 + 4 * 9 - 1)
    refused(changed, TooLarge, "the memory exceeds the limit")


QUICK: Mapping[str, Callable[[], Json]] = {
    "a dense row": lambda: heavy.dense_row(4000, 4000),
    "a dense row with potentials": lambda: heavy.dense_row_with_potentials(1500, 1000),
    "a row of long numbers": lambda: heavy.long_rows(20, 1000, 2000),
    "one splitter again and again": lambda: heavy.splitters(5000, 100_000, same=True),
    "a label full of potentials": lambda: heavy.flat_potentials(1000, 80),
    "a label of detours": lambda: heavy.detours(200),
    "one separator again and again": lambda: heavy.separators(300, 1000, ranks=100),
}
TOO_MUCH: Mapping[str, Callable[[], Json]] = {
    "many splitters": lambda: heavy.splitters(20_000, 40_000, same=False),
    "a closed table": lambda: heavy.closed_table(4000, 10_000),
}
TOO_MUCH_TO_COUNT: Mapping[str, Callable[[], Json]] = {
    "a larger label of detours": lambda: heavy.detours(900),
    "too many separators": lambda: heavy.separators(5000, 10_000),
    "more pairs than fit into the memory": lambda: heavy.separators(25_000, 10),
}
MOST_SECONDS = 4  # of processor time; at most 1 where this was written


@pytest.mark.timing
@pytest.mark.parametrize("name", QUICK)
def test_these_are_quick_to_check(name: str) -> None:
    certificate = QUICK[name]()
    start = time.process_time()
    accepted(certificate)
    assert time.process_time() - start < MOST_SECONDS


@pytest.mark.timing
@pytest.mark.parametrize("name", TOO_MUCH_TO_COUNT)
def test_these_are_refused_soon(name: str) -> None:
    certificate = TOO_MUCH_TO_COUNT[name]()
    start = time.process_time()
    refused(certificate, TooLarge, "than the budget")
    assert time.process_time() - start < 5 * MOST_SECONDS


@pytest.mark.timing
@pytest.mark.parametrize("name", TOO_MUCH)
def test_these_are_refused_at_once(name: str) -> None:
    certificate = TOO_MUCH[name]()
    start = time.process_time()
    refused(certificate, TooLarge, "the work exceeds the limit")
    assert time.process_time() - start < MOST_SECONDS


@pytest.mark.parametrize("limit", ["MAX_BYTES", "MAX_VALUES"])
def test_the_writer_refuses_what_checkers_do_not_read(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert getattr(schema, limit) == getattr(reading, limit)
    answers = [distance(pin_checker(), "0", "1", "11/10") for _ in range(2)]
    assert verify(answers[0].certificate)
    monkeypatch.setattr(schema, limit, 60)
    with pytest.raises(errors.TooLarge, match="larger than the files that checkers read"):
        answers[1].make_certificate()
