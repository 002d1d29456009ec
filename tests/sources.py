"""The modules of the prover as they are parsed, once for all tests that read them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROVER = ROOT / "prover"
SOURCES = sorted(PROVER.rglob("*.py"))


def relative(path: Path) -> str:
    """A file as messages name it."""
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=relative(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the tree, a node before those below it."""
    return tuple(ast.walk(parsed(path)))
