"""What is text of the machine and of processes; nothing that names a host, a user or a folder."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prover.bench.machine import machine, peak_memory, resident_memory, versions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")

HOLD = "x = b'x' * (50 * 2**20); print(flush=True); input()"
SPAWN = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"


@contextmanager
def holding(script: str) -> Iterator[int]:
    """A process that runs this script and has printed a line."""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.stdin.write(b"\n")
        process.stdin.close()


def test_of_a_process() -> None:
    with holding(HOLD) as pid:
        assert 50 < resident_memory(pid) < 100
        assert resident_memory(pid, itself=False) == 0
        peak = peak_memory(pid)
        assert peak is not None
        assert 50 < resident_memory(pid) <= peak < 100


def test_of_a_process_and_of_those_it_starts() -> None:
    with holding(SPAWN) as pid:
        assert 50 < resident_memory(pid, itself=False) < resident_memory(pid) < 120


def test_of_a_process_that_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert resident_memory(process.pid) == 0
    assert peak_memory(process.pid) is None


def test_no_names() -> None:
    text = json.dumps({**machine(), **versions()})
    assert platform.node() not in text or len(platform.node()) < 3
    assert str(Path.home()) not in text
    assert machine()["cores"] == len(os.sched_getaffinity(0))
    assert versions()["python"] == platform.python_version()
