"""What is completed where, and that bash and fish take it."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from prover.cli.commands import main
from prover.cli.shell import SHELLS, VARIABLE, script
from tests.commands import FORKS, prover
from tests.test_help_examples import COMMANDS
from tests.waiting import GUARD

pytestmark = pytest.mark.filterwarnings(FORKS)

ROOT = Path(__file__).resolve().parents[2]
Completed = Callable[[str], list[str]]


@pytest.fixture
def bash(monkeypatch: pytest.MonkeyPatch) -> Completed:
    """What bash is given for a line; the cursor is behind its last word."""

    def completed(line: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        return BashComplete(main, {}, "prover", VARIABLE).complete().splitlines()

    return completed


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("prover del", ["plain,delta"]),
        ("prover bench co", ["plain,compare"]),
        ("prover delta --ep", ["plain,--epsilon"]),
        ("prover distance pin.json --kind k", ["plain,kernel"]),
        ("prover zoo pin-c", ["plain,pin-checker"]),
        ("prover gallery tumult", ["plain,tumult-prefix-sums"]),
        ("prover delta pi", ["file,pi"]),
        ("prover delta missing.json --certificate c", ["file,c"]),
        ("prover delta missing.json --from ", []),
        ("prover completion z", ["plain,zsh"]),
    ],
)
def test_what_is_completed(bash: Completed, line: str, candidates: list[str]) -> None:
    assert bash(line) == candidates


def parameters() -> Iterator[tuple[str, click.Parameter]]:
    for name, command in COMMANDS.items():
        for parameter in command.params:
            yield " ".join(name), parameter


def test_wherever_a_file_is_meant_files_are_completed() -> None:
    for name, parameter in parameters():
        metavar = parameter.metavar or (parameter.name or "").upper()
        meant = metavar.partition(".")[0] in (
            "FILE",
            "MODEL",
            "PROGRAM",
            "PAGE",
            "SUITE",
            "CLAIMS",
            "IN",
            "OUT",
        )
        if meant or metavar == "FOLDER":
            context = click.Context(main)
            kinds = [item.type for item in parameter.shell_complete(context, "")]
            assert kinds == ["dir" if metavar == "FOLDER" else "file"], (name, parameter.name)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell: str) -> None:
    done = prover("completion", shell)
    assert (done.status, done.out, done.err) == (0, script(shell, main), "")
    assert f"{VARIABLE}={shell}_complete" in done.out


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with a program ``prover``."""
    place = tmp_path / "bin" / "prover"
    place.parent.mkdir()
    place.write_text(f'#!/bin/sh\nexec {sys.executable} -m prover.cli "$@"\n')
    place.chmod(0o755)
    return place.parent


@pytest.mark.thorough
def test_in_a_bash_that_is_typed_into(tmp_path: Path, program: Path) -> None:
    (tmp_path / "prover.bash").write_text(script("bash", main))
    (tmp_path / "pin.json").touch()
    environment = {
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "INPUTRC": os.devnull,
        "PS1": "$ ",
    }
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        typed = b"source prover.bash\r"  # then echo, put before a line, prints what it has become
        for line in (
            b"prover delta pi\t--alp\t\x01echo is \r",
            b"prover zoo pin-c\t\x01echo is \r",
        ):
            typed += line
        os.write(ours, typed + b"exit\r")
        seen = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:
                break
            if not data:
                break
            seen += data
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)
    said = [line for line in seen.decode().replace("\r", "\n").split("\n") if line.startswith("is ")]
    assert [" ".join(line.split()) for line in said] == [
        "is prover delta pin.json --alpha",
        "is prover zoo pin-checker",
    ]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_in_a_fish(tmp_path: Path, program: Path) -> None:
    environment = {
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run(
        ["fish", "--no-config", "-c", "prover completion fish | source; complete -C 'prover zoo pin-c'"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=GUARD, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["pin-checker"]
