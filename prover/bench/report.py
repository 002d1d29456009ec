"""Results for people: tables as text, and a page with tables and plots that stands by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Any

from prover.bench.group import Done, Group, groups_of
from prover.bench.plot import Series, colour_of, log_plot
from prover.bench.result import INFINITE
from prover.bench.results import Results
from prover.bench.row import LIMITS, MAX_DIGITS
from prover.bench.summary import counts
from prover.errors import abbreviated, shown
from prover.exact.rational import parse_rational
from prover.exact.readable import readable_interval
from prover.report.tables import aligned

_TEMPLATE = "page.html.jinja"
_SHORT = 12  # characters of a number

_COLUMNS = (
    ("CPU s", "cpu_seconds", 1),
    ("wall s", "seconds", 1),
    ("check s", "check_cpu_seconds", 1),
    ("certificate kB", "certificate_bytes", 1000),
    ("peak MiB", "peak_mib", 1),
    ("pairs", "pairs", 1),
    ("rounds", "rounds", 1),
    ("values", "values", 1),
    ("bits", "bits", 1),
)
"""The columns of numbers: heading, field of a row, and what it is divided by."""

_FIRST = ("job", "engine", "status", "value")


@dataclass(frozen=True, slots=True)
class _Family:
    """What a page shows of a family."""

    name: str
    head: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    plots: tuple[str, ...]
    legend: tuple[tuple[str, str, str], ...]
    limited: bool
    faults: tuple[str, ...]


def tables(results: Results) -> str:
    """A table for each family, columns without numbers left out."""
    lines = [shown(f"{results.suite}: {counts(results.rows)}"), _machine(results)]
    for family in _families(results):
        lines += ["", shown(family.name)]
        lines += aligned([[shown(cell) for cell in row] for row in (family.head, *family.body)], len(_FIRST))
        lines += family.faults
    return "\n".join(lines)


def page(results: Results) -> str:
    """The results as an HTML page that needs nothing but itself."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    text = (files("prover.bench") / _TEMPLATE).read_text(encoding="utf-8")
    return environment.from_string(text).render(
        suite=results.suite,
        counts=counts(results.rows),
        machine=_machine(results),
        families=_families(results),
    )


def _families(results: Results) -> list[_Family]:
    groups = groups_of(results.rows)
    return [_family(name, tuple(found)) for name, found in groupby(groups, key=lambda group: group.family)]


def _family(name: str, groups: Sequence[Group]) -> _Family:
    jobs = [job for group in groups for job in group.jobs]
    columns = [column for column in _COLUMNS if any(job.middle(column[1]) is not None for job in jobs)]
    body = []
    for job in jobs:
        numbers = [_number(job.middle(field), unit) for _, field, unit in columns]
        body.append((_title(job), job.row.engine, job.status, _value(job), *numbers))
    faults = [
        shown(f"{_title(job)} ({job.row.engine}): {row.error}")
        for job in jobs
        for row in job.runs
        if row.error
    ]
    plots, legend = _plots(groups)
    return _Family(
        name,
        (*_FIRST, *(head for head, _, _ in columns)),
        tuple(body),
        plots,
        legend,
        any(job.status in LIMITS for job in jobs),
        tuple(faults),
    )


def _title(job: Done) -> str:
    row = job.row
    asked = " ".join(f"{name}={value}" for name, value in row.options.items())
    return " ".join(dict.fromkeys(filter(None, (row.title, asked))))


def _value(job: Done) -> str:
    row = job.row
    if row.value is not None:
        reason = "" if row.reason is None else f" ({row.reason})"
        return abbreviated(row.value) + reason
    if row.lower is not None and row.upper is not None and row.lower != row.upper:
        return _interval(row.lower, row.upper)
    if row.status == "interval" and row.width is not None:
        return f"width {float(parse_rational(row.width, MAX_DIGITS)):.1e}"
    return "table" if row.digest is not None else ""


def _interval(lower: str, upper: str) -> str:
    """An interval for people: decimals that enclose it where its ends are long."""
    if INFINITE not in (lower, upper) and max(len(lower), len(upper)) > _SHORT:
        lower, upper = readable_interval(parse_rational(lower, MAX_DIGITS), parse_rational(upper, MAX_DIGITS))
    return f"[{abbreviated(lower)}, {abbreviated(upper)}]"


def _number(value: float | None, unit: float) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and unit == 1:
        return f"{value:,}"
    return f"{value / unit:,.3f}" if value / unit < 10 else f"{value / unit:,.1f}"


def _plots(groups: Sequence[Group]) -> tuple[tuple[str, ...], tuple[tuple[str, str, str], ...]]:
    """The plots of a family that grows: processor time, and size of the certificate, by size."""
    if sum(job.row.size is not None for group in groups for job in group.jobs) < 2:
        return (), ()
    times: list[Series] = []
    sizes: list[Series] = []
    for place, group in enumerate(groups):
        name = f"{group.engine}: " if len(groups) > 1 else ""
        missed = tuple(float(job.row.size) for job in group.jobs if job.row.size and job.status in LIMITS)
        times.append(Series(f"{name}answer", _points(group, "cpu_seconds"), place, missed=missed))
        times.append(Series(f"{name}check", _points(group, "check_cpu_seconds"), place, dashed=True))
        sizes.append(Series(f"{name}certificate", _points(group, "certificate_bytes"), place))
    plots = tuple(
        log_plot(series, "size", label)
        for series, label in ((times, "processor seconds"), (sizes, "bytes of certificate"))
        if any(one.points for one in series)
    )
    legend = tuple(
        (one.name, colour_of(one), "dashed" if one.dashed else "solid") for one in times if one.points
    )
    return plots, legend


def _points(group: Group, field: str) -> tuple[tuple[float, float], ...]:
    found = []
    for job in group.jobs:
        value = job.middle(field)
        if job.row.size and value and job.answered:
            found.append((float(job.row.size), float(value)))
    return tuple(found)


def _machine(results: Results) -> str:
    machine, versions = results.machine, results.versions
    told: list[Any] = [machine.get("processor"), machine.get("system"), machine.get("architecture")]
    told += [f"{machine.get('cores')} cores", f"{machine.get('memory_mib')} MiB"]
    told += [f"{name} {version}" for name, version in versions.items() if version is not None]
    return shown(", ".join(str(part) for part in told if part is not None))
