"""Suites, rows and results made up for tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from prover.bench import child, process
from prover.bench.family import Lane
from prover.bench.job import Job
from prover.bench.results import Results
from prover.bench.row import Row, judged
from prover.bench.suite import Suite, parse_suite

TOOL = Path(__file__).resolve().parent / "tool.py"
"""A stand-in for a tool: see there."""

SVT = """
name = "small"
[[family]]
name = "one"
model = "svt"
question = "privacy"
"""


def suite_of(text: str, folder: Path | None = None) -> Suite:
    """The suite of a document; its files are in ``folder``."""
    return parse_suite(text, str(folder or Path.cwd()))


def tool_table(arguments: str, **more: str | None) -> str:
    """The table of tool ``fake``, called with these arguments."""
    reading: dict[str, str | None] = {"pattern": "value: (?P<value>.*)", **more}
    lines = [f"{key} = '{value}'" for key, value in reading.items() if value is not None]
    command = f"command = '''{sys.executable} {TOOL} {arguments}'''"
    return "\n".join(["[tool.fake]", command, *lines, ""])


def with_tool(arguments: str, family: str = "", **more: str | None) -> str:
    """A suite that asks tool ``fake`` about the privacy of svt."""
    asked = '[[family]]\nname = "one"\nmodel = "svt"\nquestion = "privacy"\nengines = ["tool:fake"]\n'
    return f'name = "tools"\ntimeout = 600\n{tool_table(arguments, **more)}\n{asked}{family}'


def done_here(job: Job, stop: object = None, home: object = None) -> Row:
    """The row of a job that this process does, in its folder: without limits, and without a start."""
    del stop, home
    done: Any = SimpleNamespace(pid=0, returncode=0)
    watch = process._Watch(job, done, None)

    def send(step: str, **said: Any) -> None:
        watch.said[step] = json.loads(json.dumps({"step": step, **said}))

    child.do(job, send)
    return judged(watch.row("ended", ""), job)


def row(**fields: Any) -> Row:
    """A row with an exact answer, but for these fields."""
    usual: dict[str, Any] = {
        "suite": "small", "family": "one", "name": "", "model": "svt", "parameters": {}, "size": None,
        "question": "privacy", "options": {}, "engine": "auto", "run": 1, "status": "exact", "value": "5/4",
        "lower": "5/4", "upper": "5/4", "width": "0", "seconds": 1.0, "cpu_seconds": 1.0,
        "certificate_seconds": 0.1, "check_seconds": 0.5, "check_cpu_seconds": 0.5, "certificate_bytes": 1000,
        "peak_mib": 50.0, "bits": 3, "job": "j",
    }  # fmt: skip
    return Row(**{**usual, **fields})


def results(*rows: Row) -> Results:
    """A file of these rows."""
    return Results("small", {"processor": "P", "cores": 2, "memory_mib": 1000}, {"prover": "0"}, rows)


def lanes(suite: Suite) -> list[Lane]:
    """The lanes of a suite."""
    return list(suite.lanes)


def timeless(rows: list[Row]) -> list[dict[str, Any]]:
    """Rows without what differs from run to run."""
    changing = ("seconds", "memory", "peak_mib", "versions")
    return [
        {key: value for key, value in row.document().items() if not key.endswith(changing)} for row in rows
    ]
