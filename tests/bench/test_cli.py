"""`prover bench` as users call it: what is printed, exit statuses, continuing, and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from prover.bench.compare import COUNTS, compare_counts
from prover.bench.results import read_results, results_file
from prover.bench.suite import read_suite
from tests.bench.made import SVT, row, tool_table, with_tool
from tests.commands import FORKS, Run, command, environment, prover
from tests.waiting import FOREVER, GUARD, descendants, wait_until

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings(FORKS)]

ROOT = Path(__file__).parents[2]
GROWING = """
name = "grow"
timeout = {timeout}
{tool}[[family]]
name = "f"
model = "lyu-1"
question = "privacy"
engines = ["tool:fake"]
grow = {{parameter = "c", values = [50]}}
"""


def ran(text: str, folder: Path, *options: str) -> Run:
    """Run a suite; its rows are in rows.jsonl."""
    (folder / "suite.toml").write_text(text)
    return prover("bench", "run", folder / "suite.toml", "--output", folder / "rows.jsonl", *options)


class TestRun:
    def test_all_as_expected(self, tmp_path: Path) -> None:
        assert ran(SVT + "expected = '5/4'", tmp_path) == Run(0, "1 rows: 1 exact\n", "")
        assert [found.value for found in read_results(tmp_path / "rows.jsonl").rows] == ["5/4"]

    @pytest.mark.usefixtures("in_this_process")
    def test_a_wrong_value(self, tmp_path: Path) -> None:
        found = ran(SVT + "expected = 2", tmp_path)
        assert (found.status, found.out) == (1, "1 rows: 1 wrong\n")
        assert found.err == "prover: wrong: one: svt (auto): the answer is 5/4, but 2 is expected\n"

    def test_no_answer(self, tmp_path: Path) -> None:
        found = ran(with_tool("sleep 10000"), tmp_path, "--timeout", "1")
        assert found.status == 3
        assert "one: svt (tool:fake): " in found.err

    @pytest.mark.usefixtures("in_this_process")
    def test_an_interval_where_a_value_is_expected(self, tmp_path: Path) -> None:
        pattern = "(?P<lower>.*) to (?P<upper>.*)"
        assert ran(with_tool("print '1 to 2'", "expected = 1", pattern=pattern), tmp_path).status == 3

    def test_a_limit_is_where_growth_ends(self, tmp_path: Path) -> None:
        found = ran(GROWING.format(timeout=1, tool=tool_table("sleep {c}000")), tmp_path)
        assert (found.status, found.out) == (0, "1 rows: 1 timeout\n")

    @pytest.mark.usefixtures("in_this_process")
    def test_a_crash_is_not(self, tmp_path: Path) -> None:
        assert ran(GROWING.format(timeout=GUARD, tool=tool_table("die 11")), tmp_path).status == 3

    def test_a_bad_suite_runs_nothing(self, tmp_path: Path) -> None:
        found = ran(SVT + "[[family]]\nname = 'two'\nmodel = 'svt'\nquestion = 'x'", tmp_path)
        assert (found.status, found.out) == (2, "")
        assert "$.family[1].question" in found.err
        assert found.err.count("\n") == 1
        assert not (tmp_path / "rows.jsonl").exists()

    @pytest.mark.usefixtures("in_this_process")
    def test_results_are_not_overwritten(self, tmp_path: Path) -> None:
        ran(SVT, tmp_path)
        before = (tmp_path / "rows.jsonl").read_bytes()
        found = ran(SVT, tmp_path)
        assert found.status == 2
        assert "--resume" in found.err
        assert ran(SVT, tmp_path, "--resume").status == 0
        assert (tmp_path / "rows.jsonl").read_bytes() == before

    @pytest.mark.usefixtures("in_this_process")
    def test_repetitions(self, tmp_path: Path) -> None:
        assert ran(SVT + "repeat = 2", tmp_path, "--repeat", "3") == Run(0, "3 rows: 3 exact\n", "")

    def test_another_version_beside(self, tmp_path: Path) -> None:
        other = tmp_path / "other.jsonl"
        older = tmp_path / "older" / "prover" / "bench"
        assert ran(SVT, tmp_path, "--beside", str(tmp_path), str(other)).status == 2
        older.mkdir(parents=True)
        (older / "child.py").write_text("raise SystemExit('no answer')\n")
        for package in (older, older.parent):
            (package / "__init__.py").write_text("")
        beside = "--beside", str(tmp_path / "older"), str(other)
        assert ran(SVT, tmp_path, *beside, "--repeat", "2") == Run(0, "2 rows: 2 exact\n", "")
        assert [(row.status, row.error) for row in read_results(other).rows] == 2 * [
            ("crash", "ended by exit status 1: no answer")
        ]
        assert ran(SVT, tmp_path, *beside).status == 2
        assert ran(SVT, tmp_path, *beside, "--resume").status == 2
        assert ran(SVT, tmp_path, "--beside", str(ROOT), str(other), "--force").status == 0
        assert [row.value for row in read_results(other).rows] == ["5/4"]

    @pytest.mark.family
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_ctrl_c_leaves_a_file_that_is_continued_and_no_process(
        self, number: signal.Signals, tmp_path: Path
    ) -> None:
        slow = tool_table(f"spawn {FOREVER}").replace("fake", "slow")
        text = f"{SVT}{slow}[[family]]\nname = 'two'\nmodel = 'svt'\n"
        text += "question = 'privacy'\nengines = ['tool:slow']\n"
        (tmp_path / "suite.toml").write_text(text)
        rows = tmp_path / "rows.jsonl"
        asked = command("bench", "run", tmp_path / "suite.toml", "--output", rows)
        mark = f"MARK={tmp_path}"
        with subprocess.Popen(
            asked, env=environment(MARK=str(tmp_path)), stderr=subprocess.PIPE, stdout=subprocess.PIPE
        ) as started:
            if number == signal.SIGINT:  # at any moment after the first row; SIGTERM when all processes run
                wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") == 2)
            else:
                wait_until(lambda: sum("sleep" in words for words in descendants(mark)) == 1)
            started.send_signal(number)
            _, complaint = started.communicate(timeout=GUARD)
        message = f"prover: interrupted: 1 of 2 jobs is done; --resume continues {rows}"
        assert (started.returncode, complaint.decode().strip()) == (3, message)
        assert descendants(mark) == []
        assert [found.status for found in read_results(rows).rows] == ["exact"]
        found = ran(text, tmp_path, "--resume", "--timeout", "1")
        assert (found.status, found.out) == (3, "2 rows: 1 exact, 1 timeout\n")
        assert [found.status for found in read_results(rows).rows] == ["exact", "timeout"]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two files of results, the second of which is slower."""
    files = tmp_path / "rows.jsonl", tmp_path / "other.jsonl"
    for file, seconds in zip(files, (1.0, 5.0), strict=True):
        with results_file(str(file), "small", resume=False) as (writer, _):
            writer.add(row(cpu_seconds=seconds))
    return files


class TestCompare:
    def test_text(self, two: tuple[Path, Path]) -> None:
        found = prover("bench", "compare", *two)
        assert (found.status, found.err) == (0, "")
        assert "slower by more than 1.5:\n" in found.out
        assert "5.000" in found.out

    def test_json(self, two: tuple[Path, Path]) -> None:
        found = prover("bench", "compare", *two, "--json")
        assert found.status == 0
        assert [change["after"] for change in json.loads(found.out)["slower"]] == [5.0]

    def test_a_contradiction_is_a_refutation(self, two: tuple[Path, Path]) -> None:
        two[1].write_text(two[1].read_text().replace('"5/4"', '"7/4"'))
        assert prover("bench", "compare", *two).status == 1

    def test_counts(self, two: tuple[Path, Path]) -> None:
        found = prover("bench", "compare", *two, "--counts")
        assert (found.status, found.err) == (0, "")
        assert "5.000" not in found.out
        two[1].write_text(
            two[1].read_text().replace('"certificate_bytes": 1000', '"certificate_bytes": 1500')
        )
        found = prover("bench", "compare", *two, "--counts")
        assert found.status == 1
        assert found.out.endswith("worse:\none (auto): certificate_bytes grew from 1000 to 1500\n")
        found = prover("bench", "compare", *two, "--counts", "--json")
        assert found.status == 1
        assert [c["after"] for c in json.loads(found.out)["counts"]] == [1500]
        assert prover("bench", "compare", two[1], two[0], "--counts").status == 0
        assert prover("bench", "compare", *two).status == 0

    def test_ratios(self, two: tuple[Path, Path]) -> None:
        found = prover("bench", "compare", *two, "--ratios")
        assert (found.status, found.err) == (1, "")
        assert found.out.endswith("worse:\none (auto): the answer takes 5.00 times as long\n")
        found = prover("bench", "compare", *two, "--ratios", "--json")
        assert [c["ratio"] for c in json.loads(found.out)["ratios"]] == [5, 1]
        assert prover("bench", "compare", two[1], two[0], "--ratios").status == 0
        assert prover("bench", "compare", *two, "--ratios", "--counts").status == 2

    def test_recorded_counts_are_of_the_suite(self) -> None:
        recorded = read_results(ROOT / "benchmarks" / "results" / "counts.jsonl")
        suite = read_suite(ROOT / "benchmarks" / "counts.toml")
        assert [*{row.job for row in recorded.rows} ^ {job.identity for job in suite.jobs}] == []
        assert compare_counts(recorded, recorded).complaints == ()
        assert {change.count for change in compare_counts(recorded, recorded).counts} == {*COUNTS}

    def test_bad_files(self, two: tuple[Path, Path], tmp_path: Path) -> None:
        assert prover("bench", "compare", two[0], tmp_path / "none", "--counts").status == 2
        assert prover("bench", "compare", tmp_path / "suite.toml", two[1], "--counts").status == 2
        assert prover("bench", "compare", two[0], tmp_path / "none").status == 2
        assert prover("bench", "compare", two[0], tmp_path / "suite.toml").status == 2


class TestReport:
    def test_text(self, two: tuple[Path, Path]) -> None:
        found = prover("bench", "report", two[0])
        assert (found.status, found.err) == (0, "")
        assert "svt  auto    exact   5/4" in found.out

    def test_a_page(self, two: tuple[Path, Path], tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        assert prover("bench", "report", two[0], "--output", page) == Run(0, f"wrote {page}\n", "")
        assert page.read_text().startswith("<!doctype html>")

    def test_where_nothing_can_be_written(self, two: tuple[Path, Path], tmp_path: Path) -> None:
        assert prover("bench", "report", two[0], "--output", tmp_path / "no" / "page.html").status == 2

    def test_what_the_file_says_cannot_forge_lines(self, two: tuple[Path, Path]) -> None:
        text = two[0].read_text().replace('"one"', '"one\\nVERIFIED \\u001b[2J"')
        two[0].write_text(text)
        found = prover("bench", "report", two[0])
        assert "\nVERIFIED" not in found.out
        assert "\x1b" not in found.out


def test_no_command_is_a_question_for_help() -> None:
    found = prover("bench")
    assert (found.status, found.out) == (2, "")
    assert "compare" in found.err


def test_help() -> None:
    for words in ((), ("run",), ("compare",), ("report",)):
        found = prover("bench", *words, "--help")
        assert found.status == 0
        assert "Examples:" in found.out
