"""Benchmarks: suites of questions, done one process each, with rows that say what became of them."""

from __future__ import annotations

from prover.bench.results import Results, read_results
from prover.bench.row import Row
from prover.bench.runner import run
from prover.bench.suite import Suite, read_suite

__all__ = ["Results", "Row", "Suite", "read_results", "read_suite", "run"]
