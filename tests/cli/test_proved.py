"""`prover verify --proved`: where the program is looked for, and what becomes of what it says."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from prover.cli.proved import NAME, VARIABLE
from tests.commands import prover

SAYS = """#!{python}
import resource, sys
name = sys.argv[1].rpartition("/")[2]
text, stream, status = {{
    "good": ("VERIFIED a claim by {who}\\n", sys.stdout, 0),
    "bad": ("REJECTED a reason\\n", sys.stdout, 1),
    "other": ("the proofs do not cover this\\n", sys.stderr, 2),
    "stack": (f"VERIFIED {{len(set(resource.getrlimit(resource.RLIMIT_STACK)))}} limit\\n", sys.stdout, 0),
    "silent": ("", sys.stdout, 0),
    "broken": ("VERIFIED a claim\\n", sys.stdout, 1),
    "crash": ("VERIFIED a claim\\n", sys.stdout, 139),
}}[name]
stream.write(text)
sys.exit(status)
"""
"""Stands for the proved program."""


def stand_in(folder: Path, who: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / NAME
    path.write_text(SAYS.format(python=sys.executable, who=who))
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("good", "bad", "other", "stack", "silent", "broken", "crash"):
        (tmp_path / name).write_text("{}")


def test_the_program_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = prover("verify", "--proved", "good")
    assert run.status == 2
    assert "`make proved` in the sources of prover builds it" in run.err
    for folder in ("build", "bin", "own"):  # each is before the one before it
        path = stand_in(tmp_path / folder, folder)
        if folder == "own":
            monkeypatch.setenv(VARIABLE, str(path))
        run = prover("verify", "--proved", "good")
        assert (run.status, run.out) == (0, f"VERIFIED a claim by {folder}\n"), run.err
    monkeypatch.setenv(VARIABLE, "nowhere")
    run = prover("verify", "--proved", "good")
    assert run.status == 2
    assert f"${VARIABLE} names no program: nowhere" in run.err


def test_what_it_says_is_passed_on(tmp_path: Path) -> None:
    stand_in(tmp_path / "build", "build")
    run = prover("verify", "--proved", "bad")
    assert (run.status, run.out, run.err) == (1, "REJECTED a reason\n", "")
    run = prover("verify", "--proved", "other")
    assert (run.status, run.out) == (2, "")
    assert run.err == 'cannot judge "other": the proofs do not cover this\n'
    run = prover("verify", "--proved", "good", "bad")
    assert run.status == 1
    assert run.out == 'VERIFIED a claim by build ("good")\nREJECTED a reason ("bad")\n'


def test_it_has_all_the_stack_that_the_system_allows(tmp_path: Path) -> None:
    stand_in(tmp_path / "build", "build")
    before = resource.getrlimit(resource.RLIMIT_STACK)
    assert prover("verify", "--proved", "stack").out == "VERIFIED 1 limit\n"
    assert resource.getrlimit(resource.RLIMIT_STACK) == before


@pytest.mark.parametrize("name", ["silent", "broken", "crash"])
def test_a_fault_is_no_verdict(name: str, tmp_path: Path) -> None:
    stand_in(tmp_path / "build", "build")
    run = prover("verify", "--proved", name)
    assert (run.status, run.out) == (70, "")
    assert run.err.startswith(f'cannot judge "{name}": ')


@pytest.mark.parametrize(
    "options",
    [["--at-most", "1/2"], ["--model", "good"], ["--coq", "new"], ["--extract", "new"], ["--untimed"]],
)
def test_nothing_can_be_demanded(options: list[str], tmp_path: Path) -> None:
    stand_in(tmp_path / "build", "build")
    run = prover("verify", "--proved", *options, "good")
    assert run.status == 2
    assert "--proved takes no demands" in run.err


def test_pages_are_not_judged(tmp_path: Path) -> None:
    stand_in(tmp_path / "build", "build")
    (tmp_path / "good").write_text("<!doctype html>")
    assert "--proved needs certificates" in prover("verify", "--proved", "good").err
