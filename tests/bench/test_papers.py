"""The suites of the papers' and the field's values: an acceptance test of the whole prover."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from prover.bench import read_suite, run
from prover.bench.child import ask
from prover.bench.job import Job
from prover.bench.suite import Suite
from tests.profiles import thinned

ROOT = Path(__file__).resolve().parents[2]


@cache
def papers() -> Suite:
    return read_suite(ROOT / "benchmarks" / "papers.toml")


@cache
def field() -> Suite:
    return read_suite(ROOT / "benchmarks" / "field.toml")


@pytest.mark.parametrize("suite", [papers, field])
def test_the_values_of_the_papers(suite: Callable[[], Suite]) -> None:
    for job in thinned(suite().jobs, 3):
        about, said = f"{job.model} {job.title}", dict[str, dict[str, Any]]()
        ask(job, lambda step, said=said, **fields: said.update({step: fields}))
        assert job.expected is not None, about
        assert said["answered"]["lower"] == said["answered"]["upper"] == job.expected, about
        assert said["answered"]["reason"] == job.expected_reason, about
        assert "check_seconds" in said["checked"], about


@pytest.mark.slow
def test_the_suite_as_it_is_run() -> None:
    rows = run(papers(), jobs=2)
    assert {row.status for row in rows} == {"exact"}
    assert len(rows) == len(papers().jobs) >= 60


def test_the_table_of_the_page() -> None:
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    rows = [
        line.strip("|").split("|") for line in page.splitlines() if line.startswith("| `") and ".py:" in line
    ]
    written = sorted((row[0].strip(), row[1].strip(), row[-1].strip()) for row in rows)
    assert written == sorted(row_of(job) for job in field().jobs)


def row_of(job: Job) -> tuple[str, str, str]:
    """What the page says of a mechanism: its name, the adjacency, and the exact value."""
    name = f"`{job.model.removeprefix('field/')}`"
    if job.question == "epsilon":
        number = float(Fraction(str(job.expected)))
        return name, "—", "ln(9/8)" if job.expected == "9/8" else f"{math.log(number):.6f}…"
    value = {"inf": "not private", "1": "ε"}.get(str(job.expected))
    multiple = str(job.expected) if "/" not in str(job.expected) else f"({job.expected})"
    return name, job.options.get("adjacency", "all-differ"), value or f"{multiple}·ε"
