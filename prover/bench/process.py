"""Doing one job in a process of its own, with its limits, so that whatever happens to it is a row.

The process is a fresh interpreter (see ``child``), not a fork: it measures itself alone, and it can be
started from any thread and on any machine of a cluster.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prover.bench.job import Job, encoded
from prover.bench.machine import processor_seconds, resident_memory
from prover.bench.row import COUNTED, Row, judged, row_of
from prover.parallel import interpreter

_OFTEN = 0.05  # seconds between two looks at a process
_LONGEST_LOOK = 1.0  # seconds between two looks that count; what is above was nobody's time
_START = 60.0  # processor seconds that a process may take until its model is built, beside its limit
_LONGEST_COMPLAINT = 200  # characters of what a process says before it crashes

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_TIMED = ("seconds", "cpu_seconds", "certificate_seconds", "certificate_bytes", "peak_mib")
_KEPT = ("lower", "upper", "width", "bits", "reason", "digest")


def run_job(job: Job, stop: threading.Event | None = None, home: str | None = None) -> Row | None:
    """Do a job and give its row; None if ``stop`` was set before it was done.

    Another version of this package does it that is in the folder ``home``, where that is given.
    """
    with tempfile.TemporaryDirectory(prefix="prover-bench-") as folder:
        errors = Path(folder, "errors.txt")
        command, environment = interpreter("prover.bench.child", home)
        with errors.open("wb") as complaints:
            child = subprocess.Popen(  # noqa: S603  this interpreter
                command,
                cwd=folder,
                env=environment | _ONE_THREAD,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
        watch = _Watch(job, child, stop)
        try:
            watch.begin()
            ended = watch.follow()
        finally:
            watch.end()
        if ended == "stopped":
            return None
        return judged(watch.row(ended, _last_words(errors)), job)


def _last_words(errors: Path) -> str:
    lines = errors.read_bytes()[-4 * _LONGEST_COMPLAINT :].decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return said[-1][:_LONGEST_COMPLAINT] if said else ""


class _Clock:
    """Counts the seconds of processors that a process uses from now on, of which it is allowed so many.

    It does not use them all by waiting; so it may not wait any longer than that either.
    """

    def __init__(self, process: int, allowed: float) -> None:
        self._process = process
        self._allowed = allowed
        self._began = self._used = processor_seconds(process)
        self._looked = time.monotonic()
        self._waited = 0.0

    def has_run_out(self) -> bool:
        """Whether the process has used what it is allowed, or has used nothing for as long.

        Seconds in which the whole machine stands still are not counted.
        """
        used, now = processor_seconds(self._process), time.monotonic()
        waited = self._waited + min(now - self._looked, _LONGEST_LOOK)
        self._waited = 0.0 if used > self._used else waited
        self._used, self._looked = used, now
        return used - self._began > self._allowed or self._waited > self._allowed


@dataclass(slots=True)
class _Watch:
    """A process at work: what it has said so far, and what it has used."""

    job: Job
    child: subprocess.Popen[bytes]
    stop: threading.Event | None
    said: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    peak: float = 0.0
    began: float = field(default_factory=time.monotonic)
    cpu: float = 0.0
    rest: bytes = b""

    def begin(self) -> None:
        """Hand the job over."""
        stdin = self.child.stdin
        if stdin is not None:
            try:
                stdin.write(encoded(self.job).encode())
                stdin.close()
            except BrokenPipeError:  # it has crashed, and its end says so
                return

    def follow(self) -> str:
        """Listen until the process ends ("ended") or is to be ended: "timeout", "memory", "stopped"."""
        stdout = self.child.stdout
        if stdout is None:
            return "ended"
        clock = _Clock(self.child.pid, self.job.timeout + _START)
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                if selector.select(_OFTEN):
                    data = os.read(stdout.fileno(), 1 << 20)
                    if not data:
                        return "ended"
                    *lines, self.rest = (self.rest + data).split(b"\n")
                    for message in map(json.loads, lines):
                        self.said[message["step"]] = message
                        if message["step"] in ("asked", "answered"):
                            self.began = time.monotonic()
                            clock = _Clock(self.child.pid, self.job.timeout)
                if self.stop is not None and self.stop.is_set():
                    return "stopped"
                if self._memory() > self.job.memory:
                    return "memory"
                if clock.has_run_out():
                    return "timeout"

    def _memory(self) -> float:
        """What the job holds now, in MiB; of a tool's process what it has started."""
        held = resident_memory(self.child.pid, itself=self.job.tool is None)
        self.peak = max(self.peak, held)
        return held

    def end(self) -> None:
        """End the process and all that it has started, and count what it has used."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.child.pid, signal.SIGKILL)
        _, status, used = os.wait4(self.child.pid, 0)
        self.child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = used.ru_utime + used.ru_stime
        if self.child.stdout is not None:
            self.child.stdout.close()

    def row(self, ended: str, last_words: str) -> Row:
        """How the job ended, as a row."""
        failed, answered = self.said.get("failed"), self.said.get("answered")
        found = answered or self.said.get("proved") or {}
        more = self._measured(found, failed or answered or {})
        if failed is not None:
            return row_of(self.job, failed["status"], error=failed["error"], more=more)
        is_checked = "checked" in self.said or (answered or {}).get("certificate_bytes") is None
        if answered is not None and ended == "ended" and is_checked:
            rejected = self.said.get("checked", {}).get("rejected")
            if rejected is not None:
                return row_of(self.job, "wrong", error=f"the certificate is rejected: {rejected}", more=more)
            more["value"] = answered["lower"] if answered["exact"] else None
            return row_of(self.job, "exact" if answered["exact"] else "interval", more=more)
        if answered is None:
            more["seconds"], more["cpu_seconds"] = round(time.monotonic() - self.began, 6), round(self.cpu, 6)
        if ended != "ended":
            problem = None if answered is None else "the certificate was not checked within the limit"
            return row_of(self.job, ended, error=problem, more=more)
        status = self.child.returncode or 0
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return row_of(
            self.job, "crash", error=": ".join(filter(None, (f"ended by {how}", last_words))), more=more
        )

    def _measured(self, found: Mapping[str, Any], took: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a row about an answer, and about what it took."""
        effort = found.get("effort", {})
        measured = {key: found.get(key) for key in _KEPT} | {key: took.get(key) for key in _TIMED}
        measured |= {key: effort.get(key) for key in COUNTED}
        measured["peak_mib"] = took.get("peak_mib") or self.peak or None
        for key in ("check_seconds", "check_cpu_seconds"):
            measured[key] = self.said.get("checked", {}).get(key)
        measured["versions"] = self.said.get("asked", {}).get("versions")
        for key, value in measured.items():
            measured[key] = round(value, 6) if isinstance(value, float) else value
        return measured
