"""Two versions in one run: how many times as long the later one takes, and how far that varies.

``prover bench run --beside`` lets both do every job, one right after the other. What slows the machine down
then slows down both, and their ratio says more than the seconds of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from prover.bench.compare import SLOWER, contradict
from prover.bench.results import Results
from prover.bench.row import Row
from prover.errors import shown
from prover.report.tables import aligned

SHORT = 0.05
"""Seconds: where both take less, their ratio would say nothing."""

_TIMES = {"answer": "cpu_seconds", "check": "check_cpu_seconds"}
_ANSWERS = ("exact", "interval")


@dataclass(frozen=True, slots=True)
class RatioChange:
    """How many times as long a family takes as before: the median over its runs, the least, the most.

    ``what`` is "answer", with its certificate, or "check".
    """

    family: str
    engine: str
    what: str
    runs: int
    ratio: float
    least: float
    most: float

    @property
    def slower(self) -> bool:
        """Whether it takes half as long again, or longer."""
        return self.ratio >= SLOWER


@dataclass(frozen=True, slots=True)
class RatioComparison:
    """The ratios of two runs. ``complaints`` has a sentence for each family that is worse: its ratio is 3/2
    or more, an answer is missing, or two answers contradict each other.
    """

    ratios: tuple[RatioChange, ...]
    complaints: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The comparison as a JSON object."""
        return asdict(self)


def compare_ratios(before: Results, after: Results) -> RatioComparison:
    """How many times as long each family takes, run by run."""
    later = {row.key: row for row in after.rows}
    families: dict[tuple[str, str], list[tuple[Row, Row]]] = {}
    for row in before.rows:
        if row.status in _ANSWERS and row.key in later:
            families.setdefault((row.family, row.engine), []).append((row, later[row.key]))
    changes, complaints = list[RatioChange](), list[str]()
    for (family, engine), rows in families.items():
        both = [(was, now) for was, now in rows if now.status in _ANSWERS]
        found = [
            RatioChange(family, engine, what, len(ratios), median(ratios), min(ratios), max(ratios))
            for what, field in _TIMES.items()
            if (ratios := _ratios(both, field))
        ]
        worse = [f"the {one.what} takes {one.ratio:.2f} times as long" for one in found if one.slower]
        if lost := len(rows) - len(both):
            worse.append(f"{lost} of {len(rows)} runs have no answer any more")
        if wrong := sum(contradict(was, now) for was, now in both):
            worse.append(f"{wrong} of {len(rows)} runs have contradicting answers")
        changes += found
        if worse:
            complaints.append(f"{family} ({engine}): {', '.join(worse)}")
    return RatioComparison(tuple(changes), tuple(complaints))


def _ratios(pairs: Sequence[tuple[Row, Row]], field: str) -> list[float]:
    times = ((getattr(was, field), getattr(now, field)) for was, now in pairs)
    return [round(now / was, 3) for was, now in times if was and now is not None and max(was, now) >= SHORT]


def ratios_text(found: RatioComparison) -> str:
    """The comparison for people."""
    body = [
        (
            shown(f"{c.family} ({c.engine})"),
            c.what,
            str(c.runs),
            *(f"{x:.2f}" for x in (c.ratio, c.least, c.most)),
        )
        for c in found.ratios
    ]
    lines = [f"the two have no runs in common that take {SHORT} s"]
    if body:
        lines = ["processor time after / before, run by run"]
        lines += aligned([("", "", "runs", "median", "least", "most"), *body], texts=2)
    if found.complaints:
        lines += ["", "worse:", *map(shown, found.complaints)]
    return "\n".join(lines)
