"""Running suites: limits, crashes, expectations, growth, repetitions, any executor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prover.bench import Row, run, runner
from prover.bench.job import Job, decoded, encoded
from prover.bench.process import run_job
from prover.bench.row import row_of
from tests.bench.made import SVT, done_here, suite_of, timeless, tool_table, with_tool
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

PAPER = """
name = "paper"
timeout = 600
[[family]]
name = "chains"
question = "distance"
[[family.job]]
model = "pin-checker"
options = {alpha = "11/10", from = "0", to = "1"}
expected = "412/7791"
[[family]]
name = "programs"
question = "privacy"
[[family.job]]
model = "leaking-pair"
name = "with another reason"
reason = "leaking cycle"
"""


def only(rows: list[Row]) -> Row:
    (found,) = rows
    return found


class TestAnswers:
    def test_rows(self) -> None:
        first, second = run(suite_of(PAPER), jobs=2)
        assert (first.status, first.value, first.lower, first.upper, first.width) == (
            "exact",
            "412/7791",
            "412/7791",
            "412/7791",
            "0",
        )
        assert (first.pairs, first.bits) == (4, 13)
        assert first.versions is not None
        assert {"prover", "python", "z3", "flint", "highspy"} == first.versions.keys()
        for name in ("seconds", "cpu_seconds", "certificate_seconds", "check_seconds", "peak_mib"):
            assert getattr(first, name) > 0
        assert first.certificate_bytes == 1102
        assert (second.status, second.value) == ("wrong", "inf")
        assert second.error == "the reason is leaking pair, but leaking cycle is expected"

    @pytest.mark.usefixtures("in_this_process")
    def test_a_wrong_value(self) -> None:
        found = only(run(suite_of(SVT + "expected = 2")))
        assert (found.status, found.value, found.expected) == ("wrong", "5/4", "2")
        assert found.error == "the answer is 5/4, but 2 is expected"

    @pytest.mark.usefixtures("in_this_process")
    def test_a_table(self) -> None:
        asked = 'name = "s"\n[[family]]\nname = "f"\nmodel = "pin-checker"\nquestion = "distances"\n'
        exact, wide = run(
            suite_of(
                asked
                + "[[family.job]]\noptions = {alpha = 2}\n[[family.job]]\noptions = {alpha = 2, max_bits = 1}"
            )
        )
        assert (exact.status, exact.value, exact.lower, exact.width) == ("exact", None, None, "0")
        assert exact.digest is not None
        assert len(exact.digest) == 64
        assert (wide.status, wide.digest) == ("interval", None)
        assert wide.width != "0"

    @pytest.mark.usefixtures("in_this_process")
    def test_repetitions(self) -> None:
        rows = run(suite_of(SVT + "repeat = 3"))
        assert [row.run for row in rows] == [1, 2, 3]
        assert len({row.job for row in rows}) == 1

    def test_another_version_is_the_first_every_other_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        called: list[object] = []

        def noted(job: Job, stop: object, home: object) -> Row:
            called.append(home)
            return replace(done_here(job, stop), error=str(home))

        monkeypatch.setattr(runner, "run_job", noted)
        rows, others = list[Row](), list[Row]()
        folder = str(Path.cwd() / "nowhere")
        suite = suite_of(SVT).repeated(3)
        assert run(suite, on_row=rows.append, beside=folder, on_beside=others.append) == rows
        assert called == [None, folder, folder, None, None, folder]
        assert [row.error for row in others] == 3 * [folder]
        assert [row.key for row in others] == [row.key for row in rows]

    @pytest.mark.usefixtures("in_this_process")
    def test_a_tool_that_tells_its_seconds(self) -> None:
        told = only(
            run(suite_of(with_tool("print '2 in 99 s'", pattern=r"(?P<value>\S+) in (?P<seconds>\S+) s")))
        )
        assert (told.value, told.seconds, told.cpu_seconds) == ("2", 99, 99)

    @pytest.mark.usefixtures("in_this_process")
    @pytest.mark.parametrize("grows", [True, False])
    def test_a_job_at_its_limit_is_not_repeated(self, grows: bool) -> None:
        growth = 'grow = {parameter = "c", values = [1, 2]}' if grows else "parameters = {c = 1}"
        asked = SVT.replace("svt", "lyu-1") + growth
        first, *_ = suite_of(asked).repeated(3).lanes[0].jobs
        known = [row_of(first, "timeout")]
        assert run(suite_of(asked).repeated(3), done=known) == known

    @pytest.mark.usefixtures("in_this_process")
    def test_bad_input_that_only_a_larger_model_shows(self) -> None:
        asked = 'name = "s"\n[[family]]\nname = "f"\nmodel = "dining-cryptographers"\nquestion = "distance"\n'
        asked += 'options = {alpha = 2}\ngrow = {parameter = "n", values = [2, 200, 3]}'
        rows = run(suite_of(asked))
        assert [(row.size, row.status) for row in rows] == [(2, "exact"), (200, "error")]
        assert "BadParameter: parameter n" in str(rows[1].error)


@pytest.mark.usefixtures("in_this_process")
class TestTools:
    def ask(self, arguments: str, family: str = "", **more: str | None) -> Row:
        return only(run(suite_of(with_tool(arguments, family, **more))))

    def test_an_answer(self) -> None:
        found = self.ask("print 'value: 1.25'", "expected = 5/4".replace("5/4", "'5/4'"))
        assert (found.status, found.value, found.engine) == ("exact", "5/4", "tool:fake")
        assert found.certificate_bytes is None
        assert found.seconds is not None
        assert found.seconds > 0

    def test_a_wrong_answer(self) -> None:
        found = self.ask("print 'value: 1.2'", "expected = '5/4'")
        assert (found.status, found.error) == ("wrong", "the answer is 6/5, but 5/4 is expected")

    def test_an_answer_that_is_near_enough(self) -> None:
        assert self.ask("print 'value: 1.2'", "expected = '5/4'\ntolerance = 0.05").status == "exact"

    def test_an_interval(self) -> None:
        pattern = "(?P<lower>.*) to (?P<upper>.*)"
        assert self.ask("print '1 to 2'", "expected = 1.5", pattern=pattern).status == "interval"
        assert self.ask("print '1 to 2'", "expected = 3", pattern=pattern).status == "wrong"
        assert self.ask("print '1 to inf'", "expected = 3", pattern=pattern).status == "interval"
        assert self.ask("print 'inf to inf'", "expected = 'inf'", pattern=pattern).value == "inf"

    def test_the_model_in_its_format(self) -> None:
        pattern = r"(?s)value: (?P<value>.)\n\((?:.*)insample"
        assert self.ask("echo {model}", format="dipa", pattern=pattern).value == "1"
        pattern = r'value: (?P<value>.)\n\{\s*"type": "threshold-program"'
        assert self.ask("echo {model}", pattern=pattern).value == "1"

    def test_parameters_options_and_the_folder(self, tmp_path: Path) -> None:
        asked = with_tool("print 'value: {c}{adjacency}{suite}'", pattern="(?P<value>.*)")
        asked = (
            asked.replace('"svt"', '"lyu-1"') + 'parameters = {c = 7}\noptions = {adjacency = "increasing"}'
        )
        found = only(run(suite_of(asked, tmp_path)))
        assert found.status == "error"
        assert 'printed "value: 7increasing/' in str(found.error)
        assert str(tmp_path)[-10:] in str(found.error)

    def test_no_answer(self) -> None:
        found = self.ask("print nothing")
        assert found.status == "error"
        assert 'printed "nothing"' in str(found.error)

    def test_a_status_that_is_no_answer(self) -> None:
        found = self.ask("exit 3")
        assert (found.status, found.error) == ("crash", "tool fake ended with exit status 3")

    def test_output_without_end(self) -> None:
        found = self.ask("flood text")
        assert (found.status, found.error) == ("error", "tool fake prints more than 16,777,216 bytes")

    def test_no_such_program(self) -> None:
        asked = with_tool("x")
        asked = asked.replace(asked.split("'''")[1], "no-such-program-at-all")
        found = only(run(suite_of(asked)))
        assert found.status == "error"
        assert "cannot be started" in str(found.error)


class TestLimits:
    @pytest.mark.timing
    def test_crash_hang_and_hunger_leave_a_row_each(self) -> None:
        tools = "\n".join(
            tool_table(arguments).replace("fake", name)
            for name, arguments in (
                ("crash", "die 11"), ("hang", "sleep 60"), ("hunger", "fill 100000"),
                ("fine", "print 'value: 2'"),
            )
        )  # fmt: skip
        engines = '["tool:crash", "tool:hang", "tool:hunger", "tool:fine", "auto"]'
        asked = f'name = "s"\ntimeout = 2\nmemory = 150\n{tools}\n[[family]]\nname = "f"\nmodel = "svt"\n'
        began = time.monotonic()
        rows = run(suite_of(asked + f'question = "privacy"\nengines = {engines}'), jobs=2)
        assert [row.status for row in rows] == ["crash", "timeout", "memory", "exact", "exact"]
        crash, hang, hunger, fine, own = rows
        assert crash.error == "tool crash ended with signal 11"
        assert hang.seconds is not None
        assert 2 <= hang.seconds < 4
        assert hunger.peak_mib is not None
        assert hunger.peak_mib > 150
        assert (fine.value, own.value) == ("2", "5/4")
        assert time.monotonic() - began < 60

    def test_what_a_tool_has_started_ends_with_it(self) -> None:
        asked = with_tool("spawn 54321").replace("timeout = 600", "timeout = 1")
        assert only(run(suite_of(asked))).status == "timeout"
        wait_until(lambda: not any("54321" in line for line in processes()))

    @pytest.mark.timing
    def test_the_prover_at_its_limit_leaves_what_is_proved(self) -> None:
        asked = SVT.replace("svt", "random-program") + "timeout = 1\nparameters = {states = 3000}"
        found = only(run(suite_of(asked)))
        assert (found.status, found.value, found.lower, found.upper) == ("timeout", None, "0", "inf")
        assert found.cpu_seconds is not None
        assert found.cpu_seconds > 0.1

    def test_the_prover_without_memory(self) -> None:
        asked = 'name = "s"\nmemory = 40\n[[family]]\nname = "f"\nmodel = "random-chain"\n'
        asked += 'parameters = {states = 100}\nquestion = "distances"\noptions = {alpha = "6/5"}'
        assert only(run(suite_of(asked))).status == "memory"

    @pytest.mark.timing
    def test_growth_ends_at_a_limit_for_each_engine(self) -> None:
        tools = tool_table("sleep {c}")
        asked = (
            f'name = "s"\n{tools}[[family]]\nname = "f"\nmodel = "lyu-1"\nquestion = "privacy"\ntimeout = 1\n'
        )
        asked += 'repeat = 2\nengines = ["tool:fake", "auto"]\ngrow = {parameter = "c", values = [7, 8]}'
        rows = run(suite_of(asked), jobs=2)
        assert [(row.engine, row.size, row.run, row.status) for row in rows] == [
            ("tool:fake", 7, 1, "timeout"),
            *(("auto", size, number, "exact") for size in (7, 8) for number in (1, 2)),
        ]


def processes() -> Iterator[str]:
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield file.read_text()
        except OSError:
            continue


QUICK = """
name = "quick"
[[family]]
name = "programs"
question = "decide"
[[family.job]]
model = "svt"
[[family.job]]
model = "leaking-pair"
expected = 0
"""


@pytest.fixture(scope="module")
def quick() -> list[Row]:
    """The rows of QUICK, done in this process."""
    return [done_here(job) for job in suite_of(QUICK).jobs]


class TestRuns:
    @pytest.mark.usefixtures("in_this_process")
    def test_rows_come_one_by_one_and_progress_is_told(self) -> None:
        came: list[Row] = []
        heard: list[tuple[str, int, int | None]] = []
        rows = run(suite_of(QUICK), on_row=came.append, progress=lambda *report: heard.append(report))
        assert came == rows
        assert heard == [("quick", 0, 2), ("quick", 1, 2), ("quick", 2, 2)]

    @pytest.mark.usefixtures("in_this_process")
    def test_rows_that_are_done_are_not_done_again(self, quick: list[Row]) -> None:
        came: list[Row] = []
        assert run(suite_of(QUICK), done=quick[1:], on_row=came.append)[1:] == quick[1:]
        assert timeless(came) == timeless(quick[:1])

    @pytest.mark.usefixtures("in_this_process")
    def test_growth_that_has_ended_does_not_go_on(self) -> None:
        asked = 'name = "s"\n[[family]]\nname = "f"\nmodel = "lyu-1"\nquestion = "privacy"\n'
        suite = suite_of(asked + 'grow = {parameter = "c", values = [1, 2, 3]}')
        first, second, third = run(suite)
        late = Row(**{**second.document(), "status": "timeout"})
        assert run(suite, done=[first, late]) == [first, late]
        assert [row.size for row in run(suite, done=[first, second])] == [1, 2, third.size]

    def test_the_same_in_any_executor(self, quick: list[Row]) -> None:
        with ThreadPoolExecutor(2) as threads:  # in processes of their own
            assert timeless(run(suite_of(QUICK), threads)) == timeless(quick)

    def test_a_worker_that_is_lost_is_a_row(self) -> None:
        class Lossy(Executor):
            def submit(self, work: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
                del work, given, more
                future: Future[Any] = Future()
                future.set_exception(RuntimeError("gone"))
                return future

        found = only(run(suite_of(SVT), Lossy()))
        assert (found.status, found.error) == ("crash", "its worker is lost: RuntimeError: gone")

    def test_jobs_travel(self) -> None:
        for job in (*suite_of(QUICK).jobs, *suite_of(with_tool("x")).jobs):
            assert decoded(encoded(job)) == job

    def test_a_job_that_is_stopped_leaves_nothing(self) -> None:
        stop = threading.Event()
        threading.Timer(0.7, stop.set).start()
        (job,) = suite_of(with_tool("sleep 65432")).jobs
        assert run_job(job, stop) is None
        wait_until(lambda: not any("65432" in line for line in processes()))
