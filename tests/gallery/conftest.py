"""All rows of the gallery, proved once for all tests."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from prover.gallery.proving import Proved
from tests.gallery.proved import every_row


@pytest.fixture(scope="session")
def rows() -> Mapping[str, Proved]:
    return every_row()
