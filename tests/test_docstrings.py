"""The examples in docstrings say what is so."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import prover
from tests.sources import ROOT, SOURCES, nodes

RAISED = re.compile(r"aises (.*?)(?:\. |\.?$)")
NAME = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]*)+\b")
NAMED_ELSEWHERE = {"Crosscheck", "InputAttack"}
"""What the examples of functions show."""


def with_examples() -> list[str]:
    """The modules of prover whose text has an example."""
    found = [path for path in SOURCES if ">>> " in path.read_text(encoding="utf-8")]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found]


def test_errors_that_docstrings_name_exist() -> None:
    known, named = set(dir(builtins)), {}
    for path in SOURCES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                text = " ".join((ast.get_docstring(node) or "").split())
                for error in NAME.findall(" ".join(RAISED.findall(text))):
                    named[error] = f"{path.name}: {node.name}"
    assert len(named) > 30
    assert {error: place for error, place in named.items() if error not in known} == {}


def has_example(thing: Any) -> bool:
    return ">>> " in (getattr(thing, "__doc__", None) or "")


def test_everything_public_has_an_example() -> None:
    # Errors have none: no example ends with one.
    missing = []
    for name in prover.__all__:
        thing = getattr(prover, name)
        if not (isinstance(thing, type) and issubclass(thing, Warning | Exception)):
            parts = vars(thing).values() if isinstance(thing, type) else ()
            if not has_example(thing) and not any(has_example(part) for part in parts):
                missing.append(name)
    assert set(missing) <= NAMED_ELSEWHERE


@pytest.mark.family
@pytest.mark.parametrize("name", with_examples())
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # They read examples/, as in a checkout, and write where they are.
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    assert result.attempted > 0
