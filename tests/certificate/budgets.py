"""What the checker counts of a certificate, and other limits of that."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import budget as rules
from prover.certificate.check import check, verdict
from tests.certificate.samples import encode

Json = Any


def spent(monkeypatch: pytest.MonkeyPatch, certificate: Json) -> tuple[int, int]:
    """The units that the checker counts of what it accepts, and the bits that it keeps."""
    budgets: list[rules.Budget] = []

    def budget(size: int) -> rules.Budget:
        budgets.append(rules.Budget(size))
        return budgets[-1]

    data = encode(certificate)
    with monkeypatch.context() as patch:
        patch.setattr(verdict, "Budget", budget)
        check(data)
    (used,) = budgets
    return rules.UNITS + rules.UNITS_PER_BYTE * len(data) - used.units, rules.MEMORY_BITS - used.bits


def allow(monkeypatch: pytest.MonkeyPatch, units: int = 10**10, bits: int = 2**31) -> None:
    """From now on no file may cost more, however long it is."""
    monkeypatch.setattr(rules, "UNITS", units)
    monkeypatch.setattr(rules, "UNITS_PER_BYTE", 0)
    monkeypatch.setattr(rules, "MEMORY_BITS", bits)
