"""The examples in docstrings say what is so."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def with_examples() -> list[str]:
    """The modules of prover whose text has an example."""
    paths = sorted((ROOT / "prover").rglob("*.py"))
    found = [path for path in paths if ">>> " in path.read_text(encoding="utf-8")]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found]


@pytest.mark.parametrize("name", with_examples())
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    assert result.attempted > 0
