"""docs/speed.md: its tables are those of the recorded results, and one command renews both."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from prover.bench import runner
from prover.bench.group import jobs_of
from prover.bench.results import read_results
from tests.bench.made import SVT, done_here, row
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


def test_the_page_has_the_tables_of_the_recorded_results(speed: Any) -> None:
    page = speed.PAGE.read_text(encoding="utf-8")
    assert speed.renewed(page) == page, "python benchmarks/speed.py writes the tables"


def test_every_row_about_random_models_names_their_seed(speed: Any) -> None:
    page = speed.PAGE.read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\|.*\| random-(chain|program)", line)]
    assert len(rows) > 15
    assert [row for row in rows if not re.search(r"\| random-[^|]* \| [0-9]+ \|", row)] == []


def test_what_is_outside_the_marks_stays(speed: Any) -> None:
    page = speed.PAGE.read_text(encoding="utf-8")
    emptied = re.sub(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", r"\1\3", page, flags=re.DOTALL)
    assert len(emptied) < len(page)
    assert speed.renewed(emptied) == page


def here(command: list[str], check: bool) -> subprocess.CompletedProcess[str]:
    """The command of a program ``python -m prover.cli …``, in this process."""
    assert command[:3] == [sys.executable, "-m", "prover.cli"]
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
