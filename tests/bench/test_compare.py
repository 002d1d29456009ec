"""Comparing two runs: medians, ratios, what is slower, other endings and contradictions."""

from __future__ import annotations

import json
import re

import pytest

from prover.bench.compare import compare, compare_counts, comparison_text, contradict, counts_text
from prover.bench.ratios import compare_ratios, ratios_text
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


def test_ratios_are_those_of_runs_that_belong_together() -> None:
    seconds = [(1.0, 2.0), (4.0, 4.0), (2.0, 2.4), (0.01, 0.04)]
    before = results(*(row(run=k, cpu_seconds=b) for k, (b, _) in enumerate(seconds)))
    after = results(*(row(run=k, cpu_seconds=a) for k, (_, a) in enumerate(seconds)))
    found = compare_ratios(before, after)
    answer, check = found.ratios
    assert (answer.what, answer.runs, answer.ratio, answer.least, answer.most) == ("answer", 3, 1.2, 1, 2)
    assert (check.what, check.runs, check.ratio) == ("check", 4, 1)
    assert found.complaints == ()
    worse = compare_ratios(before, results(row(run=1, cpu_seconds=6.0), row(run=2, status="timeout")))
    assert worse.complaints == (
        "one (auto): the answer takes 1.50 times as long, 1 of 2 runs have no answer any more",
    )
    other = results(row(run=1, cpu_seconds=4.0, lower="2", upper="2"))
    assert compare_ratios(before, other).complaints == ("one (auto): 1 of 1 runs have contradicting answers",)
    short = results(row(cpu_seconds=0.01, check_cpu_seconds=None))
    assert "no runs in common" in ratios_text(compare_ratios(short, short))


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


def test_counts_of_a_family_are_summed() -> None:
    before = results(row(job="a", pairs=10), row(job="b", pairs=30), row(job="x", family="two", nodes=7))
    after = results(row(job="a", pairs=20), row(job="b", pairs=39), row(job="x", family="two", nodes=3))
    found = compare_counts(before, after)
    assert [(c.family, c.count, c.jobs, c.before, c.after) for c in found.counts] == [
        ("one", "pairs", 2, 40, 59),
        ("one", "certificate_bytes", 2, 2000, 2000),
        ("two", "nodes", 1, 7, 3),
        ("two", "certificate_bytes", 1, 1000, 1000),
    ]
    assert found.complaints == ()


@pytest.mark.parametrize("count", ["pairs", "rounds", "values", "nodes", "certificate_bytes"])
@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [(4, 6, True), (4, 5, False), (5, 7, False), (5, 8, True), (9, 3, False), (0, 1, True), (0, 0, False)],
)
def test_a_count_that_grows_by_half_is_worse(count: str, before: int, after: int, grown: bool) -> None:
    found = compare_counts(results(row(**{count: before})), results(row(**{count: after})))
    assert found.complaints == (f"one (auto): {count} grew from {before} to {after}",) * grown


def test_a_family_that_is_worse_has_one_sentence() -> None:
    before = results(row(job="a", pairs=2, rounds=2), row(job="b", pairs=2), row(job="x", family="two"))
    after = results(row(job="a", pairs=3, rounds=9, certificate_bytes=None), row(job="x", family="two"))
    assert compare_counts(before, after).complaints == (
        "one (auto): 1 of 2 jobs have no answer any more, pairs grew from 2 to 3, rounds grew from 2 to 9,"
        " certificate_bytes are not counted any more",
    )


def test_seconds_are_no_counts() -> None:
    slow = results(row(cpu_seconds=100.0, seconds=100.0, check_cpu_seconds=100.0, peak_mib=9000.0))
    assert compare_counts(results(row()), slow).complaints == ()


def test_counts_of_a_job_that_is_answered_no_more() -> None:
    lost = compare_counts(results(row()), results(row(status="timeout", certificate_bytes=None)))
    assert lost.complaints == ("one (auto): 1 of 1 jobs have no answer any more",)
    never = results(row(status="timeout", certificate_bytes=None))
    assert compare_counts(never, results()).complaints == ()
    assert compare_counts(never, results(row())).complaints == ()


def test_contradictions_are_worse_beside_counts() -> None:
    other = results(row(value="7/4", lower="7/4", upper="7/4"))
    assert compare_counts(results(row()), other).complaints == (
        "one (auto): 1 of 1 jobs have contradicting answers",
    )


def test_counts_of_a_new_job_are_no_growth() -> None:
    found = compare_counts(
        results(row(job="a", pairs=1)), results(row(job="a", pairs=1), row(job="b", pairs=9))
    )
    assert (found.complaints, found.only_after) == ((), 1)
    assert "jobs only after: 1" in counts_text(found)


def test_counts_are_medians_over_repetitions() -> None:
    before = results(*(row(run=k, rounds=n) for k, n in enumerate((4, 4, 90), 1)))
    after = results(*(row(run=k, rounds=n) for k, n in enumerate((5, 70, 5), 1)))
    assert compare_counts(before, after).complaints == ()


def test_the_text_of_counts() -> None:
    text = counts_text(compare_counts(results(row(rounds=0)), results(row(rounds=2))))
    assert re.search(r"one \(auto\) +rounds +0 +2 +-\n", text)
    assert re.search(r"one \(auto\) +certificate_bytes +1000 +1000 +1.00\n", text)
    assert "worse:\none (auto): rounds grew from 0 to 2" in text
    assert counts_text(compare_counts(results(), results())) == "the two have no counts in common"
