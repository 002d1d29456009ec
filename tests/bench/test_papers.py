"""The suite of the papers' values: an acceptance test of the whole prover."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prover.bench import read_suite, run
from prover.bench.child import ask
from prover.bench.job import Job

SUITE = read_suite(Path(__file__).resolve().parents[2] / "benchmarks" / "papers.toml")


@pytest.mark.parametrize("job", SUITE.jobs, ids=lambda job: job.title)
def test_the_value_of_the_paper(job: Job) -> None:
    said: dict[str, dict[str, Any]] = {}
    ask(job, lambda step, **fields: said.update({step: fields}))
    assert job.expected is not None
    assert said["answered"]["lower"] == said["answered"]["upper"] == job.expected
    assert said["answered"]["reason"] == job.expected_reason
    assert "check_seconds" in said["checked"]


@pytest.mark.slow
def test_the_suite_as_it_is_run() -> None:
    rows = run(SUITE, jobs=2)
    assert {row.status for row in rows} == {"exact"}
    assert len(rows) == len(SUITE.jobs) >= 60
