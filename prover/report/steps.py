"""Steps of runs for people."""

from __future__ import annotations

from collections.abc import Iterable

from prover.errors import shown
from prover.program.model import Edge


def tests_several(edges: Iterable[Edge]) -> bool:
    """Whether the edges test more than one variable, so that tests have to name theirs."""
    return len({name for edge in edges for _, name in edge.bounds}) > 1


def guard_text(edge: Edge, *, named: bool) -> str:
    """The tests of an edge, with the names of variables if ``named``; "true" without any."""
    tests = [f"{relation} {shown(name)}" if named else relation for relation, name in edge.written]
    return " && ".join(tests) or "true"
