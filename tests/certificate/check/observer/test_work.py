"""What checkers count of certificates about observers is no more than what the writer counts."""

from __future__ import annotations

import pytest

from prover.zoo import noisy_max
from tests.certificate.observer_samples import OBSERVER_SAMPLES, made_of_observer, observed
from tests.certificate.work_of import spent, written

SAMPLES = {
    **OBSERVER_SAMPLES,
    **{f"random {seed}": made_of_observer(seed) for seed in range(10)},
    "noisy max of 5": observed(noisy_max(5)),
    "the two largest of 4": observed(noisy_max(4, top=2), "monotonic"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_writer_counts_no_less(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    units, bits = spent(monkeypatch, SAMPLES[name])
    count = written(SAMPLES[name])
    assert units <= count.units <= 1.2 * units
    assert bits <= count.bits
