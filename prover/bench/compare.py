"""Two runs of a suite side by side: what is slower, what is faster, and what has another answer.

Processor time is compared, which other work on the machine changes little; or counts of the work, which are
the same on other machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from statistics import median
from typing import Any

from prover.bench.group import Done, jobs_of
from prover.bench.result import INFINITE
from prover.bench.results import Results
from prover.bench.row import COUNTED, MAX_DIGITS, Row
from prover.errors import shown
from prover.exact.rational import parse_rational
from prover.report.tables import aligned

SLOWER = 1.5
"""From which ratio on a job counts as slower, or its inverse as faster."""

NOISE = 0.01
"""Seconds by which it has to differ besides."""

COUNTS = (*COUNTED, "certificate_bytes")
"""What is counted of a job."""


@dataclass(frozen=True, slots=True)
class Change:
    """A job, or the median of a family, before and after, in seconds; the ratio is after over before."""

    family: str
    engine: str
    title: str
    before: float
    after: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Ending:
    """A job that has ended otherwise than before, or with another answer."""

    family: str
    engine: str
    title: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SuiteComparison:
    """What two runs have in common, and where they differ. ``only_before`` and ``only_after`` are counts."""

    families: tuple[Change, ...]
    slower: tuple[Change, ...]
    faster: tuple[Change, ...]
    endings: tuple[Ending, ...]
    contradictions: tuple[Ending, ...]
    only_before: int
    only_after: int

    def document(self) -> dict[str, Any]:
        """The comparison as a JSON object."""
        return asdict(self)


def compare(before: Results, after: Results) -> SuiteComparison:
    """What has changed between two runs of the same jobs."""
    old, new = jobs_of(before.rows), jobs_of(after.rows)
    both = [(old[job], new[job]) for job in old if job in new]
    timed = []
    for b, a in both:
        was, now = b.middle("cpu_seconds"), a.middle("cpu_seconds")
        if b.answered and a.answered and was is not None and now is not None:
            ratio = round(now / max(was, 1e-6), 3)
            timed.append(Change(b.row.family, b.row.engine, b.row.title, was, now, ratio))
    return SuiteComparison(
        tuple(_families(timed)),
        tuple(change for change in timed if _is_more(change.before, change.after)),
        tuple(change for change in timed if _is_more(change.after, change.before)),
        tuple(_ending(b, b.status, a.status) for b, a in both if b.status != a.status),
        tuple(_ending(b, _said(b.row), _said(a.row)) for b, a in both if contradict(b.row, a.row)),
        len(old.keys() - new.keys()),
        len(new.keys() - old.keys()),
    )


def contradict(one: Row, other: Row) -> bool:
    """Whether two rows about the same question cannot both be right."""
    if one.digest is not None and other.digest is not None:
        return one.digest != other.digest
    bounds = (one.lower, one.upper, other.lower, other.upper)
    low, high, low2, high2 = (None if b is None else _number(b) for b in bounds)
    if low is None or high is None or low2 is None or high2 is None:
        return False
    return low > high2 or low2 > high


def _number(text: str) -> Fraction | float:
    return float(INFINITE) if text == INFINITE else parse_rational(text, MAX_DIGITS)


def _families(changes: Sequence[Change]) -> list[Change]:
    """For every family and engine the medians of the times, and of the ratios of single jobs."""
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.family, change.engine), []).append(change)
    return [
        Change(
            family,
            engine,
            f"{len(found)} job{'s' * (len(found) != 1)}",
            median(change.before for change in found),
            median(change.after for change in found),
            round(median(change.ratio for change in found), 3),
        )
        for (family, engine), found in groups.items()
    ]


def _is_more(less: float, more: float) -> bool:
    return more > SLOWER * less and more - less > NOISE


def _ending(job: Done, before: str, after: str) -> Ending:
    return Ending(job.row.family, job.row.engine, job.row.title, before, after)


def _said(row: Row) -> str:
    if row.digest is not None:
        return f"table {row.digest[:12]}"
    return str(row.lower) if row.lower == row.upper else f"[{row.lower}, {row.upper}]"


def comparison_text(found: SuiteComparison) -> str:
    """The comparison for people."""
    if not found.families:
        lines = ["the two have no answered job in common"]
    else:
        lines = _table([(f"{c.family} ({c.engine}), {c.title}", c) for c in found.families])
        lines.insert(0, "processor seconds, medians; ratios: after / before, medians over the jobs")
    for word, changes in (("slower", found.slower), ("faster", found.faster)):
        if changes:
            lines += ["", f"{word} by more than {SLOWER}:"]
            lines += _table([(f"{c.family}: {c.title} ({c.engine})", c) for c in changes])
    for word, endings in (("other endings", found.endings), ("CONTRADICTIONS", found.contradictions)):
        if endings:
            lines += ["", f"{word}:"]
            lines += [shown(f"{e.family}: {e.title} ({e.engine}): {e.before} -> {e.after}") for e in endings]
    if found.only_before or found.only_after:
        lines += ["", f"jobs only before: {found.only_before}, only after: {found.only_after}"]
    return "\n".join(lines)


def _table(rows: Sequence[tuple[str, Change]]) -> list[str]:
    body = [(shown(n), f"{c.before:9.3f}", f"{c.after:9.3f}", f"{c.ratio:6.2f}") for n, c in rows]
    return aligned([("", "before", "after", "ratio"), *body], texts=1)


@dataclass(frozen=True, slots=True)
class CountChange:
    """A count of a family, summed over the jobs that have it in both runs."""

    family: str
    engine: str
    count: str
    jobs: int
    before: int
    after: int

    @property
    def grown(self) -> bool:
        """Whether it has grown by half or more."""
        return self.after > self.before and 2 * self.after >= 3 * self.before


@dataclass(frozen=True, slots=True)
class CountComparison:
    """The counts of two runs. ``complaints`` has a sentence for each family that is worse: a count has grown
    by half or more, an answer or a count is missing, or two answers contradict each other. ``only_after`` is
    the number of new jobs."""

    counts: tuple[CountChange, ...]
    complaints: tuple[str, ...]
    only_after: int

    def document(self) -> dict[str, Any]:
        """The comparison as a JSON object."""
        return asdict(self)


def compare_counts(before: Results, after: Results) -> CountComparison:
    """How the counts of each family have changed; seconds are not looked at."""
    old, new = jobs_of(before.rows), jobs_of(after.rows)
    families: dict[tuple[str, str], list[tuple[Done, Done | None]]] = {}
    for job, done in old.items():
        families.setdefault((done.row.family, done.row.engine), []).append((done, new.get(job)))
    changes, complaints = list[CountChange](), list[str]()
    for (family, engine), jobs in families.items():
        both = [(was, now) for was, now in jobs if now is not None and was.answered and now.answered]
        lost = sum(was.answered for was, _ in jobs) - len(both)
        worse = [f"{lost} of {len(jobs)} jobs have no answer any more"] if lost else []
        if wrong := sum(contradict(was.row, now.row) for was, now in both):
            worse.append(f"{wrong} of {len(jobs)} jobs have contradicting answers")
        for count in COUNTS:
            found = [(was.middle(count), now.middle(count)) for was, now in both]
            if any(b is not None and a is None for b, a in found):
                worse.append(f"{count} are not counted any more")
            pairs = [(int(b), int(a)) for b, a in found if b is not None and a is not None]
            if pairs:
                total = [sum(column) for column in zip(*pairs, strict=True)]
                change = CountChange(family, engine, count, len(pairs), total[0], total[1])
                changes.append(change)
                if change.grown:
                    worse.append(f"{count} grew from {change.before} to {change.after}")
        if worse:
            complaints.append(f"{family} ({engine}): {', '.join(worse)}")
    return CountComparison(tuple(changes), tuple(complaints), len(new.keys() - old.keys()))


def counts_text(found: CountComparison) -> str:
    """The comparison of counts for people."""
    body = [
        (shown(f"{c.family} ({c.engine})"), c.count, str(c.before), str(c.after), _ratio(c))
        for c in found.counts
    ]
    lines = ["the two have no counts in common"]
    if body:
        lines = ["counts, summed over the jobs of both runs; ratios: after / before"]
        lines += aligned([("", "", "before", "after", "ratio"), *body], texts=2)
    if found.complaints:
        lines += ["", "worse:", *map(shown, found.complaints)]
    if found.only_after:
        lines += ["", f"jobs only after: {found.only_after}"]
    return "\n".join(lines)


def _ratio(change: CountChange) -> str:
    return f"{change.after / change.before:.2f}" if change.before else "-"
