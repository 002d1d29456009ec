"""What `make` compiles for the tests: the proofs, and the proved program."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands import ROOT

PROOFS = ROOT / "proofs"

_NAMES = ("json", "sha256", "chain", "process", "seen", "program", "words", "privacy", "systems", "main")
READER = tuple(f"checker/{name}.ml" for name in _NAMES)
"""What the proved program rests on beside what is proved."""

needs_coq = [
    pytest.mark.coq,
    pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed"),
]


def make(target: str) -> None:
    """Have a target of `proofs/` made, by one process at a time."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "proofs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "--directory", PROOFS, target], check=True, capture_output=True)


def proved_program() -> Path:
    make("program")
    return ROOT / "build" / "prover-checked"
