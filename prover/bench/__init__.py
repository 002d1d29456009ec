"""Benchmarks: suites of questions, done one process each, with rows that say what became of them.

The parts are loaded when they are first used: a process that does one job needs few of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prover.bench.results import Results, read_results
    from prover.bench.row import Row
    from prover.bench.runner import run
    from prover.bench.suite import Suite, read_suite

_HOME = {
    "Results": "prover.bench.results",
    "Row": "prover.bench.row",
    "Suite": "prover.bench.suite",
    "read_results": "prover.bench.results",
    "read_suite": "prover.bench.suite",
    "run": "prover.bench.runner",
}

__all__ = ["Results", "Row", "Suite", "read_results", "read_suite", "run"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'prover.bench' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
