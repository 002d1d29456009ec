"""All rows of the gallery, proved once for all tests."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from prover.gallery.index import gallery
from prover.gallery.proving import Proved, prove


@pytest.fixture(scope="session")
def rows() -> Mapping[str, Proved]:
    return {entry.name: prove(entry) for entry in gallery()}
