"""What tests expect where input is refused."""

from __future__ import annotations

from typing import Any

import pytest

from prover.errors import BadInput


def refuses(code: str, match: str | None = None) -> pytest.RaisesExc[Any]:
    """What a block expects to be raised: a BadInput of this code, whose text ``match`` fits."""
    return pytest.raises(BadInput, match=match, check=lambda error: error.code == code)
