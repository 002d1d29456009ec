"""The process of a job, when it fails in ways that no model makes it fail."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from prover.bench import process
from prover.bench.job import Job
from prover.bench.row import Row
from tests.bench.made import SVT, done_here, suite_of
from tests.waiting import GUARD


def done_by(script: str, monkeypatch: pytest.MonkeyPatch, timeout: float = GUARD) -> Row:
    """The row of a job whose process runs this script instead."""
    popen = subprocess.Popen

    def other(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        head = "import json, os, signal, sys, time\n"
        tell = "def tell(**said): print(json.dumps(said), flush=True)\n"
        return popen([command[0], "-c", head + tell + script], **options)

    monkeypatch.setattr(subprocess, "Popen", other)
    (job,) = suite_of(SVT + f"timeout = {timeout}").jobs
    row = process.run_job(job)
    assert row is not None
    return row


ANSWERED = """
tell(step="answered", exact=True, lower="1", upper="1", width="0", bits=1, effort={}, certificate_bytes=5)
"""


class TestEndings:
    def test_an_exit_without_an_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = done_by("print('a\\nlast words', file=sys.stderr); sys.exit(5)", monkeypatch)
        assert (row.status, row.error) == ("crash", "ended by exit status 5: last words")

    def test_a_signal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = done_by("tell(step='asked'); os.kill(os.getpid(), signal.SIGABRT)", monkeypatch)
        assert (row.status, row.error) == ("crash", "ended by signal 6")

    def test_what_was_proved_before_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        script = (
            "tell(step='proved', exact=False, lower='0', upper='inf', width='inf', effort={}); os._exit(1)"
        )
        row = done_by(script, monkeypatch)
        assert (row.status, row.lower, row.upper, row.value) == ("crash", "0", "inf", None)

    def test_a_rejected_certificate(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = done_by(ANSWERED + "tell(step='checked', rejected='Bad: no')", monkeypatch)
        assert (row.status, row.error) == ("wrong", "the certificate is rejected: Bad: no")

    def test_a_certificate_that_takes_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = done_by(ANSWERED + "time.sleep(10000)", monkeypatch, 0.5)
        assert (row.status, row.lower) == ("timeout", "1")
        assert row.error == "the certificate was not checked within the limit"

    def test_an_end_before_the_certificate_is_checked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert done_by(ANSWERED + "os._exit(0)", monkeypatch).status == "crash"

    def test_a_model_that_takes_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_START", 0.2)
        assert done_by("time.sleep(10000)", monkeypatch, 0.2).status == "timeout"

    def test_seconds_of_a_processor_are_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Work that is done in between other people's takes longer on the clock, and is not ended."""
        used = now = 0.0
        monkeypatch.setattr(process, "processor_seconds", lambda _: used)
        monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=lambda: now))
        clock = process._Clock(1, 2.0)
        for _ in range(10):
            used, now = used + 0.125, now + 1.5
            assert not clock.has_run_out()
        now += 20  # the machine stands still
        assert not clock.has_run_out()
        now += 1
        assert not clock.has_run_out()
        now += 0.125  # it waits for more than 2 s, and uses nothing
        assert clock.has_run_out()
        used += 0.125
        assert not clock.has_run_out()
        used += 1  # more than 2 s in all
        assert clock.has_run_out()

    def test_work_without_end_is_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = done_by("tell(step='asked')\nwhile True: pass", monkeypatch, 0.3)
        assert row.status == "timeout"
        assert row.cpu_seconds is not None
        assert row.cpu_seconds > 0

    def test_a_process_that_does_not_read_its_job(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert done_by("os.close(0); os._exit(4)", monkeypatch).error == "ended by exit status 4"


def test_a_job_that_no_suite_allows_is_an_error() -> None:
    (job,) = suite_of(SVT).jobs
    broken = Job(**{**{name: getattr(job, name) for name in job.__slots__}, "model": "unheard-of"})
    row = done_here(broken)
    assert row.status == "error"
    assert str(row.error).startswith("UnknownModel: the zoo has no model")
