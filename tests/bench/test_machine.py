"""What is told of the machine and of processes; nothing that names a host, a user or a folder."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from prover.bench.machine import machine, peak_memory, resident_memory, versions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")

HOLD = "x = b'x' * (50 * 2**20); print(flush=True); input()"
SPAWN = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"


def held(script: str, *, itself: bool) -> float:
    """The memory of a process that runs this script, once it has printed a line."""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        found = resident_memory(process.pid, itself=itself)
        process.stdin.write(b"\n")
        process.stdin.close()
    return found


def test_of_a_process_and_of_those_it_starts() -> None:
    assert 50 < held(HOLD, itself=True) < 100
    assert held(HOLD, itself=False) == 0
    assert 50 < held(SPAWN, itself=False) < held(SPAWN, itself=True) < 120


def test_of_a_process_that_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert resident_memory(process.pid) == 0
    assert peak_memory(process.pid) is None


def test_the_peak_is_no_less_than_what_is_held() -> None:
    held_now = resident_memory(os.getpid()) - resident_memory(os.getpid(), itself=False)
    peak = peak_memory()
    assert peak is not None
    assert 0 < held_now <= peak


def test_no_names() -> None:
    told = json.dumps({**machine(), **versions()})
    assert platform.node() not in told or len(platform.node()) < 3
    assert str(Path.home()) not in told
    assert machine()["cores"] == len(os.sched_getaffinity(0))
    assert versions()["python"] == platform.python_version()
