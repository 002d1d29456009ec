"""The writer of compositions and of profiles counts no less work than the checker."""

from __future__ import annotations

import pytest

from tests.certificate.accounts_samples import ACCOUNT_SAMPLES, CYCLIC_SAMPLES
from tests.certificate.work_of import spent, written

SAMPLES = ACCOUNT_SAMPLES | CYCLIC_SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_the_writer_counts_no_less(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    units, bits = spent(monkeypatch, SAMPLES[name])
    count = written(SAMPLES[name])
    assert 0 < units <= count.units <= 3 * units + 2 * 10**7
    assert bits <= count.bits
