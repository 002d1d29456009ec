"""Thousands of rows of numbers of thousands of digits take about a second; one wrong digit is found."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from prover.certificate.check import RuleBroken, check
from tests.certificate.large import deep, large
from tests.certificate.samples import Path, encode, found
from tests.certificate.verdicts import claimed, edited, refused

FACTOR = 10**3_999 + 7  # 4,000 digits
MOST_SECONDS = 4  # of processor time; about 1 where this was written


@pytest.mark.timing
def test_3300_rows_of_4000_digits() -> None:
    data = encode(large(41, FACTOR))
    start = time.process_time()
    assert claimed(data) == "ld alpha=1 all-pairs exact: 3280 pairs"
    assert time.process_time() - start < MOST_SECONDS


@pytest.mark.timing
def test_700_nodes_over_200_states() -> None:
    data = encode(deep(100, 350))
    start = time.process_time()
    assert claimed(data) == 'lv alpha=1 from="s" to="t" value=1/997'
    assert time.process_time() - start < MOST_SECONDS


@pytest.mark.thorough
def test_memory_stays_near_the_size_of_the_file() -> None:
    data = encode(large(21, FACTOR))
    tracemalloc.start()
    check(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * len(data)


@pytest.mark.parametrize("row", [0, 55, 56, 111])
def test_the_last_digit_of_every_value_counts(row: int) -> None:
    certificate = large(8, FACTOR)
    path: Path = ("evidence", "exact", "rows", row, "value")
    value = found(certificate, path)
    assert len(value) > 3_990
    for digit in {"0", "1", "9"} - {value[-1]}:
        refused(edited(certificate, {path: value[:-1] + digit}), RuleBroken)
