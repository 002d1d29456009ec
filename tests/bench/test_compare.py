"""Comparing two runs: medians, ratios, what is slower, other endings and contradictions."""

from __future__ import annotations

import json
import re

import pytest

from prover.bench.compare import compare, comparison_text, contradict
from tests.bench.made import results, row


def test_medians_and_ratios_of_families() -> None:
    before = results(*(row(job=str(k), cpu_seconds=float(k)) for k in (1, 2, 9)), row(job="x", family="two"))
    after = results(
        *(row(job=str(k), cpu_seconds=float(k * f)) for k, f in ((1, 1), (2, 1.4), (9, 3))),
        row(job="x", family="two", cpu_seconds=0.5),
    )
    found = compare(before, after)
    assert [(f.family, f.title, f.before, f.after, f.ratio) for f in found.families] == [
        ("one", "3 jobs", 2, 2.8, 1.4),
        ("two", "1 job", 1, 0.5, 0.5),
    ]
    assert [(change.before, change.after, change.ratio) for change in found.slower] == [(9, 27, 3)]
    assert [(change.family, change.ratio) for change in found.faster] == [("two", 0.5)]


def test_repetitions_count_by_their_median() -> None:
    before = results(*(row(run=k, cpu_seconds=s) for k, s in enumerate((1.0, 1.0, 50.0), 1)))
    after = results(*(row(run=k, cpu_seconds=s) for k, s in enumerate((1.2, 0.1, 1.2), 1)))
    found = compare(before, after)
    assert [(f.before, f.after) for f in found.families] == [(1, 1.2)]
    assert found.slower == ()


def test_short_times_are_noise() -> None:
    assert compare(results(row(cpu_seconds=0.001)), results(row(cpu_seconds=0.009))).slower == ()
    assert len(compare(results(row(cpu_seconds=0.001)), results(row(cpu_seconds=0.012))).slower) == 1


def test_other_endings_are_told_and_not_timed() -> None:
    after = row(status="timeout", value=None, lower=None, upper=None, cpu_seconds=60.0)
    found = compare(results(row()), results(after))
    assert [(e.before, e.after) for e in found.endings] == [("exact", "timeout")]
    assert (found.families, found.slower, found.contradictions) == ((), (), ())


def test_jobs_of_one_run_only() -> None:
    found = compare(results(row(job="a"), row(job="b")), results(row(job="b"), row(job="c"), row(job="d")))
    assert (found.only_before, found.only_after) == (1, 2)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("1", "1"), ("1", "1"), False),
        (("1", "1"), ("2", "2"), True),
        (("0", "1"), ("1", "2"), False),
        (("0", "1"), ("3/2", "2"), True),
        (("0", "inf"), ("5", "5"), False),
        (("inf", "inf"), ("5", "5"), True),
        (("inf", "inf"), ("0", "inf"), False),
        ((None, None), ("5", "5"), False),
    ],
)
def test_contradictions(one: tuple[str, str], other: tuple[str, str], expected: bool) -> None:
    first, second = row(lower=one[0], upper=one[1]), row(lower=other[0], upper=other[1])
    assert contradict(first, second) is contradict(second, first) is expected
    assert bool(compare(results(first), results(second)).contradictions) is expected


def test_tables_contradict_by_their_digests() -> None:
    nothing = {"value": None, "lower": None, "upper": None}
    one, other = row(digest="a" * 64, **nothing), row(digest="b" * 64, **nothing)
    assert contradict(one, other)
    assert not contradict(one, one)
    assert not contradict(one, row(**nothing))
    assert "table aaaaaaaaaaaa -> table bbbbbbbbbbbb" in comparison_text(
        compare(results(one), results(other))
    )


def test_the_text() -> None:
    before = results(row(), row(job="b", name="B"), row(job="c", value="1", lower="1", upper="1"))
    after = results(
        row(cpu_seconds=2.0),
        row(job="b", name="B", status="crash"),
        row(job="c", value="2", lower="2", upper="2"),
    )
    text = comparison_text(compare(before, after))
    assert re.search(r"slower by more than 1.5:\n.*ratio\none: svt \(auto\) +1.000 +2.000 +2.00\n", text)
    assert "other endings:\none: B (auto): exact -> crash" in text
    assert "CONTRADICTIONS:\none: svt (auto): 1 -> 2" in text
    assert comparison_text(compare(results(), results())) == "the two have no answered job in common"


def test_the_document_is_json() -> None:
    found = compare(results(row()), results(row(cpu_seconds=2.0)))
    assert json.loads(json.dumps(found.document()))["families"][0]["ratio"] == 2
