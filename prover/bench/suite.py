"""Suites: TOML files that say what to measure, checked whole before anything is measured.

docs/benchmarks.md describes the format.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from prover.bench.family import Lane, Setting, no_jobs, read_family, read_limits, runs_of
from prover.bench.job import Job
from prover.bench.tool import FORMATS, Tool, check_tool
from prover.errors import BadDocument, in_file
from prover.formats.files import content_of
from prover.formats.strict_json import JsonValue, as_list, as_members, as_object, as_text, decoded
from prover.formats.toml import out_of_range, read_toml, whole


@dataclass(frozen=True, slots=True)
class Suite:
    """The jobs of a suite, in lanes that may be done side by side."""

    name: str
    lanes: tuple[Lane, ...]

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All jobs, in order."""
        return tuple(job for lane in self.lanes for job in lane.jobs)

    def within(self, timeout: float) -> Suite:
        """The same suite, no job with more than ``timeout`` processor seconds."""
        lanes = (
            replace(lane, jobs=tuple(replace(job, timeout=min(job.timeout, timeout)) for job in lane.jobs))
            for lane in self.lanes
        )
        return replace(self, lanes=tuple(lanes))

    def repeated(self, times: int) -> Suite:
        """The same suite with so many runs of each job."""
        lanes = (
            replace(lane, jobs=tuple(run for job in lane.jobs if job.run == 1 for run in runs_of(job, times)))
            for lane in self.lanes
        )
        return replace(self, lanes=tuple(lanes))


def read_suite(path: str | os.PathLike[str]) -> Suite:
    """The suite in a file.

    Every key, model, question, option and engine is checked, and every model is built but the larger ones of
    families that grow. Raises BadInput with the file and the place in it.
    """
    name = os.fspath(path)
    with in_file(name):
        return parse_suite(decoded(content_of(name)), str(Path(name).resolve().parent))


def parse_suite(text: str, folder: str) -> Suite:
    """The suite that a TOML document describes; its files are looked for in ``folder``."""
    document = as_object(
        read_toml(text), "$", ("name", "family"), ("about", "timeout", "memory", "repeat", "tool")
    )
    name = as_text(document["name"], "$.name")
    as_text(document.get("about", ""), "$.about")
    tools = {
        key: _tool(key, value, f"$.tool.{key}")
        for key, value in as_members(document.get("tool", {}), "$.tool").items()
    }
    setting = Setting(name, folder, tools, read_limits(document, "$"))
    families = as_list(document["family"], "$.family")
    if not families:
        raise no_jobs("family", "$.family")
    lanes: list[Lane] = []
    seen: set[tuple[str, int]] = set()
    for index, family in enumerate(families):
        path = f"$.family[{index}]"
        for lane in read_family(family, setting, path):
            for job in lane.jobs:
                if (job.identity, job.run) in seen:
                    raise BadDocument(
                        f"{job.title} occurs twice in this suite, with the same engine",
                        path=path,
                        code="same-job-twice",
                    )
                seen.add((job.identity, job.run))
            lanes.append(lane)
    return Suite(name, tuple(lanes))


def _tool(name: str, value: JsonValue, path: str) -> Tool:
    found = as_object(value, path, ("command",), ("format", "pattern", "json", "statuses"))
    if ("pattern" in found) == ("json" in found):
        raise BadDocument(
            "a tool has either a pattern or a json path, which finds its answer", path=path, code="no-reading"
        )
    format_ = as_text(found.get("format", FORMATS[0]), f"{path}.format")
    if format_ not in FORMATS:
        raise out_of_range("a format", format_, " or ".join(FORMATS), f"{path}.format")
    statuses = (
        [
            whole(status, f"{path}.statuses[{index}]", "an exit status", least=0)
            for index, status in enumerate(as_list(found["statuses"], f"{path}.statuses"))
        ]
        if "statuses" in found
        else [0]
    )
    tool = Tool(
        name,
        as_text(found["command"], f"{path}.command"),
        format_,
        as_text(found["pattern"], f"{path}.pattern") if "pattern" in found else None,
        as_text(found["json"], f"{path}.json") if "json" in found else None,
        tuple(statuses),
    )
    check_tool(tool, path)
    return tool
