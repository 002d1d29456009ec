"""Results for people: tables as text, and a page with tables and plots that stands by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from prover.bench.group import Done, RowGroup, groups_of
from prover.bench.result import INFINITE
from prover.bench.results import Results
from prover.bench.row import LIMITS, MAX_DIGITS
from prover.bench.summary import counts
from prover.errors import abbreviated, shown
from prover.exact.rational import parse_rational
from prover.exact.readable import readable_interval
from prover.report.document import Figure, Listing, Page, PageBlock, PageTable, Section, html
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.tables import aligned

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

_PLOTS = (
    ("cpu_seconds", "processor seconds of the answer"),
    ("check_cpu_seconds", "processor seconds of the check"),
    ("certificate_bytes", "bytes of certificate"),
)
"""What is drawn of families that grow, by size: field of a row, and what it is."""

_LOOKS = ("curve", "bound", "other", "limit", "faint")


def tables(results: Results) -> str:
    """A table for each family, columns without numbers left out."""
    lines = [shown(f"{results.suite}: {counts(results.rows)}"), _machine(results)]
    for name, groups in _families(results):
        heading, *rows = _rows(groups)
        lines += ["", shown(name)]
        lines += aligned([[shown(cell) for cell in row] for row in (heading, *rows)], len(_FIRST))
        lines += _faults(groups)
    return "\n".join(lines)


def page(results: Results) -> str:
    """The results as an HTML page that needs nothing but itself."""
    wrong = any(row.error or row.status in ("wrong", "crash") for row in results.rows)
    return html(
        Page(
            title="Benchmarks",
            question=f"Measurements of the suite {results.suite}",
            answer=counts(results.rows),
            meaning=[_machine(results)],
            sections=[Section(name, _blocks(groups)) for name, groups in _families(results)],
            verdict="bad" if wrong else "",
        )
    )


def _families(results: Results) -> list[tuple[str, list[RowGroup]]]:
    groups = groups_of(results.rows)
    return [(name, list(same)) for name, same in groupby(groups, key=lambda group: group.family)]


def _blocks(groups: Sequence[RowGroup]) -> list[PageBlock]:
    """What a page shows of a family: plots, the table, and what went wrong."""
    heading, *rows = _rows(groups)
    faults = _faults(groups)
    numbers = range(len(_FIRST), len(heading))
    return [
        *_plots(groups),
        PageTable("Medians of all runs of a job", heading, rows, numbers),
        *([Listing(faults)] if faults else []),
    ]


def _rows(groups: Sequence[RowGroup]) -> list[tuple[str, ...]]:
    """A heading, and a row for each job; columns without numbers are left out."""
    jobs = [job for group in groups for job in group.jobs]
    columns = [column for column in _COLUMNS if any(job.middle(column[1]) is not None for job in jobs)]
    rows: list[tuple[str, ...]] = [(*_FIRST, *(head for head, _, _ in columns))]
    for job in jobs:
        numbers = [_number(job.middle(field), unit) for _, field, unit in columns]
        rows.append((_title(job), job.row.engine, job.status, _value(job), *numbers))
    return rows


def _faults(groups: Sequence[RowGroup]) -> list[str]:
    """What went wrong, a line each."""
    return [
        shown(f"{_title(job)} ({job.row.engine}): {row.error}")
        for group in groups
        for job in group.jobs
        for row in job.runs
        if row.error
    ]


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


def _plots(groups: Sequence[RowGroup]) -> list[Figure]:
    """The plots of a family that grows, a line for each engine, both axes logarithmic."""
    if sum(job.row.size is not None for group in groups for job in group.jobs) < 2:
        return []
    return [figure for field, label in _PLOTS if (figure := _plot(groups, field, label)) is not None]


def _plot(groups: Sequence[RowGroup], field: str, label: str) -> Figure | None:
    """One of the plots; None without a number."""
    lines = [(group.engine, _points(group, field)) for group in groups]
    points = [point for _, line in lines for point in line]
    if not points:
        return None
    series = [ChartSeries(name, line, _LOOKS[k % len(_LOOKS)]) for k, (name, line) in enumerate(lines)]
    series.append(ChartSeries("", points, "dot", dots=True))
    answers = groups if field == "cpu_seconds" else ()
    missed = [
        (group.engine, float(job.row.size))
        for group in answers
        for job in group.jobs
        if job.row.size and job.status in LIMITS
    ]
    if missed:
        most = max(y for _, y in points)
        series.append(
            ChartSeries("a limit was reached", [(size, most) for _, size in missed], "asked", dots=True)
        )
    words = [f"{name}, size {x:g}: {y:.4g}." for name, line in lines for x, y in line]
    words += [f"{name}, size {size:g}: a limit was reached." for name, size in missed]
    floor = min(y for _, y in points)
    chart = Chart(f"{label} by size", "size", label, series, logarithmic=True, floor=floor)
    return Figure(drawn_chart(chart), f"{label[:1].upper()}{label[1:]}, by size.", words)


def _points(group: RowGroup, field: str) -> tuple[tuple[float, float], ...]:
    found = []
    for job in group.jobs:
        value = job.middle(field)
        if job.row.size and value and job.answered:
            found.append((float(job.row.size), float(value)))
    return tuple(found)


def _machine(results: Results) -> str:
    machine, versions = results.machine, results.versions
    parts: list[Any] = [machine.get("processor"), machine.get("system"), machine.get("architecture")]
    parts += [f"{machine.get('cores')} cores", f"{machine.get('memory_mib')} MiB"]
    parts += [f"{name} {version}" for name, version in versions.items() if version is not None]
    return shown(", ".join(str(part) for part in parts if part is not None))
