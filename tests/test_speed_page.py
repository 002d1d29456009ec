"""docs/speed.md: its tables are those of the recorded results, and one command renews both."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from prover.bench import runner
from prover.bench.group import jobs_of
from prover.bench.results import read_results
from prover.bench.row import Row
from tests.bench.made import SVT, done_here, results, row
from tests.commands import ROOT, prover
from tests.scripts import module_at

SHORT = """
name = "short"
timeout = 20

[[family]]
name = "rings"
model = "random-chain"
question = "distances"
options = {alpha = "6/5"}
grow = {parameter = "states", values = [3, 4]}

[[family]]
name = "one"
question = "distance"
options = {alpha = "6/5", from = "s0", to = "s1"}
engines = ["lp", "linear"]
job = [{model = "random-chain", parameters = {states = 3, seed = 7}}]
"""


@pytest.fixture(scope="module")
def speed() -> Any:
    return module_at(ROOT / "benchmarks" / "speed.py")


def test_the_page_has_the_tables_of_the_recorded_results(speed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is outside the marks stays. The suites are in order, as they are read."""
    monkeypatch.setattr(speed, "read_suite", cache(speed.read_suite))  # it builds the models
    page = speed.PAGE.read_text(encoding="utf-8")
    assert speed.renewed(page) == page, "python benchmarks/speed.py writes the tables"
    emptied = re.sub(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", r"\1\3", page, flags=re.DOTALL)
    assert len(emptied) < len(page)
    assert speed.renewed(emptied) == page


def test_every_row_about_random_models_names_their_seed(speed: Any) -> None:
    page = speed.PAGE.read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\|.*\| random-(chain|program)", line)]
    assert len(rows) > 15
    assert [row for row in rows if not re.search(r"\| random-[^|]* \| [0-9]+ \|", row)] == []


def here(command: list[str], env: dict[str, str], check: bool) -> subprocess.CompletedProcess[str]:
    """The command of a program ``python -m prover.cli …``, in this process."""
    assert command[:3] == [sys.executable, "-m", "prover.cli"]
    assert env["PATH"].startswith(str(Path(sys.executable).parent))
    assert not check
    return subprocess.CompletedProcess(command, prover(*command[3:]).status)


def test_a_short_suite_is_measured_and_shown(
    speed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(speed, "subprocess", SimpleNamespace(run=here))
    monkeypatch.setattr(runner, "run_job", done_here)
    suite, results = tmp_path / "short.toml", tmp_path / "short.jsonl"
    suite.write_text(SHORT, encoding="utf-8")
    results.write_text("of an earlier run\n", encoding="utf-8")
    speed.measure(suite, results, repeat="2")
    found = read_results(results)
    assert [row.status for row in found.rows] == ["exact"] * 8
    scaling, engines = list(speed._scaling(found)), list(speed._engines(found))
    assert re.match(r"\| rings \| random-chain \| 1 \| 4 \| .* \| largest asked \|", scaling[2])
    assert engines[0] == "| family | question | seed | auto | lp | linear |"
    assert re.match(r"\| rings \| random-chain 4 \| 1 \| [^|]+ s \|  \|  \|", engines[2])
    assert re.match(
        r"\| one \| random-chain states=3 seed=7 [^|]* \| 7 \|  \| [^|]+ s \| [^|]+ s \|", engines[3]
    )
    assert list(tmp_path.glob("*.new")) == []


def test_an_older_version_does_the_jobs_beside_this_one(
    speed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The older version is this one once more, which answers the same in about the same time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(speed, "subprocess", SimpleNamespace(run=here))
    monkeypatch.setattr(runner, "run_job", done_here)
    suite, found, others = (tmp_path / name for name in ("short.toml", "now.jsonl", "older.jsonl"))
    suite.write_text(SHORT, encoding="utf-8")
    speed.measure(suite, found, repeat="2", beside=(str(ROOT), others))
    now, older = map(read_results, (found, others))
    assert [row.key for row in now.rows] == [row.key for row in older.rows]
    _, *table = "\n".join(speed._before(older, now, COMMITS)).split("\n\n")
    assert len(table[0].splitlines()) == 2 + 4
    assert list(tmp_path.glob("*.new")) == []


COMMITS = {
    "before": {"commit": "abc1234", "date": "2026-01-31"},
    "after": {"commit": "def5678", "date": "2026-02-28"},
}


def test_a_table_compares_with_an_older_commit(speed: Any) -> None:
    """Ratios are those of the same runs; what takes no time has none; what had no answer before is named."""
    slow = {"family": "slow", "parameters": {"n": "9"}, "size": 9, "job": "slow"}
    quick = {"family": "quick", "options": {"alpha": "2"}, "job": "quick", "check_cpu_seconds": None}
    before, after = list[Row](), list[Row]()
    for run, (was, now, checked) in enumerate([(4.0, 1.0, 0.4), (8.0, 4.0, 0.5), (6.0, 6.6, 0.6)], 1):
        before += [row(run=run, cpu_seconds=was, **slow), row(run=run, cpu_seconds=0.02, **quick)]
        before += [row(run=run, family="new", job="new", status="error", lower=None, upper=None)]
        after += [row(run=run, cpu_seconds=now, **{**slow, "check_cpu_seconds": checked})]
        after += [row(run=run, cpu_seconds=0.01, **quick), row(run=run, family="new", job="new")]
    prose, table = "\n".join(speed._before(results(*before), results(*after), COMMITS)).split("\n\n")
    assert prose.replace("\n", " ") == (
        "Before is commit `abc1234` (2026-01-31), after is `def5678` (2026-02-28); each did every job "
        "3 times. The median ratio of the 1 answers that take 0.05 s or more is 0.50; the largest is 0.50 "
        "(slow). The median ratio of the 1 checks that take 0.05 s or more is 1.00; the largest is 1.00 "
        "(slow). Before, these had no answer: new."
    )
    assert max(map(len, prose.splitlines())) <= 100
    assert table.splitlines()[2:] == [
        "| slow | svt 9 | — | 6 s → 4 s | 0.50 (0.25 to 1.10) | 0.5 s → 0.5 s | 1.00 (0.80 to 1.20) |",
        "| quick | svt alpha=2 | — | 0.02 s → 0.01 s | — | — | — |",
    ]


def test_the_spread_of_several_runs_is_shown(speed: Any) -> None:
    runs = [row(run=k, cpu_seconds=seconds) for k, seconds in enumerate((31.2, 30.4, 12.0), 1)]
    (job,) = jobs_of(runs).values()
    assert speed._cost(job)[0] == "30 s (12 to 31)"
    (single,) = jobs_of(runs[:1]).values()
    assert speed._cost(single)[0] == "31 s"


def test_a_suite_that_is_not_through_leaves_what_is_recorded(speed: Any, tmp_path: Path) -> None:
    suite, results = tmp_path / "bad.toml", tmp_path / "bad.jsonl"
    suite.write_text(SVT + "expected = 2", encoding="utf-8")
    results.write_text("of an earlier run\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="exit status 1"):
        speed.measure(suite, results)
    assert results.read_text(encoding="utf-8") == "of an earlier run\n"
