"""Ctrl-C while the program loads its modules: one line, and the exit status of what is not decided."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from prover.cli.status import Status
from prover.formats.convert import write_json
from prover.zoo import pin_checker

WHERE_LOADED = """
import os, sys
from prover.cli.main import entry

wanted = sys.argv.pop(1)

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.killpg(0, 2)  # SIGINT

sys.meta_path.insert(0, Interrupting())
entry()
"""


def started(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program in a group of processes of its own."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, start_new_session=True, check=False)


@pytest.mark.family
@pytest.mark.parametrize(
    "module",
    [
        "signal",  # nobody is there to be told yet
        "prover.cli.commands",
        "prover.errors",
        "prover.formats.load",  # in the process that answers, and in the one that waits
        "prover.report.delta",
    ],
)
def test_an_interrupt_while_modules_are_loaded(module: str, tmp_path: Path) -> None:
    path = tmp_path / "pin.json"
    path.write_text(write_json(pin_checker()), encoding="utf-8")
    ended = started(WHERE_LOADED, module, "delta", str(path), "--alpha", "2")
    assert ended.returncode == Status.UNDECIDED
    assert ended.stdout in ("", "0 <= delta <= 1\nNo bound below 1 is proved yet.\n")
    assert ended.stderr.strip().splitlines()[0] in ("prover: interrupted", "prover: not decided: interrupted")
    assert "Traceback" not in ended.stderr


def test_an_interrupt_within_exec_keeps_the_exit_status() -> None:
    """Python itself would end by the signal; dataclasses call ``exec`` while modules are loaded."""
    program = WHERE_LOADED.replace("os.killpg(0, 2)", "exec('os.killpg(0, 2)')")
    assert started(program, "prover.errors", "zoo").returncode == Status.UNDECIDED


def test_little_is_loaded_before_somebody_can_be_told() -> None:
    program = "import sys; before = set(sys.modules)\n"
    program += "import prover.cli.main; print(*sorted({*sys.modules} - before))"
    assert started(program).stdout.split() == ["__future__", "prover", "prover.cli", "prover.cli.main"]
