"""Ctrl-C on a terminal: the bar shows what is proved so far, and then that is printed and saved."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from pathlib import Path

import pytest

from prover.cli import divergences
from prover.formats.convert import save
from prover.zoo import build_chain, hidden_loops, pin_checker
from tests.commands import command, environment, verdicts
from tests.waiting import GUARD

SIZE = (24, 110)


def interrupted(folder: Path, sign: str, *arguments: str) -> tuple[list[str], int]:
    """What a terminal shows of a command, line by line, and how that ends; Ctrl-C is typed at the sign."""
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(folder)
            words = command(*arguments)
            os.execve(words[0], words, environment(TERM="xterm"))  # noqa: S606
        finally:
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    shown, typed, deadline = b"", False, time.monotonic() + GUARD
    try:
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                data = os.read(terminal, 1 << 16)
            except OSError:  # how the end of a terminal is reported
                break
            if not data:
                break
            shown += data
            if not typed and sign in shown.decode(errors="replace"):
                os.write(terminal, b"\x03")
                typed = True
    finally:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
    assert typed, shown
    text = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", shown.decode())
    return [line.strip() for line in re.split("[\r\n]+", text) if line.strip()], status


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(hidden_loops(), tmp_path / "loops.json")
    return tmp_path


def test_what_is_proved_is_shown_printed_and_saved(folder: Path) -> None:
    asked = ("--alpha", "6/5", "--gap", "1e-30", "--certificate", "it.cert", "--html", "it.html")
    lines, status = interrupted(folder, "delta: between", "delta", "loops.json", *asked)
    bars = [line for line in lines if line.startswith("delta: between 0.0710")]
    assert bars
    assert all(" | " in bar for bar in bars)
    answer = next(line for line in lines if "<= max delta_6/5 <=" in line)
    low, high = re.findall(r"0\.0710\d+", answer)
    assert low < high
    assert any(line.startswith("Certificate: it.cert (sha256 ") for line in lines)
    less = "a larger --gap, or --at-most, may make it faster"
    assert lines[-3:] == [
        "prover: not decided: interrupted",
        "prover: it.cert and it.html hold what is proved so far",
        f"prover: the same command starts again; {less}",
    ]
    assert os.waitstatus_to_exitcode(status) == 3
    assert verdicts(folder / "it.cert").status == 0
    assert (folder / "it.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_before_anything_is_proved(folder: Path) -> None:
    asked = ("--alpha", "1:2:50", "--gap", "1e-30", "--csv", "it.csv")
    lines, status = interrupted(folder, "unrolling", "curve", "loops.json", *asked)
    assert lines[-3:] == [
        "prover: not decided: interrupted",
        "prover: it.csv shows that nothing is proved yet",
        "prover: the same command starts again; fewer points, or a larger --gap, may make it faster",
    ]
    assert os.waitstatus_to_exitcode(status) == 3
    assert (folder / "it.csv").read_text().count("\n") == 1


@pytest.mark.slow
def test_claims_that_are_decided_stay(folder: Path) -> None:
    save(pin_checker(), folder / "pin.json")
    save(build_chain("random-chain", states="60"), folder / "random.json")
    claim = '[[claim]]\nmodel = "{}.json"\nalpha = "6/5"\ndelta_at_most = "{}"\ncertificate = "{}.cert"\n'
    slow = claim.format("random", "0.789", "b") + 'from = "s00"\nto = "s01"\n'
    claims = [slow, claim.format("pin", "1/2", "a")]
    (folder / "claims.toml").write_text("".join(claims))
    lines, status = interrupted(folder, "1 of 2", "check", "claims.toml", "--jobs", "2", "--output", "it.xml")
    assert "2 claims: 1 holds, 0 refuted, 0 open, 1 not decided yet." in lines
    assert lines[-3:] == [
        "prover: not decided: interrupted",
        "prover: it.xml holds what is proved so far",
        "prover: the same command continues: it only verifies the certificates that are kept",
    ]
    assert os.waitstatus_to_exitcode(status) == 3
    assert verdicts(folder / "a.cert").status == 0
    assert not (folder / "b.cert").exists()


@pytest.mark.slow
def test_benchmarks_are_continued(folder: Path) -> None:
    (folder / "suite.toml").write_text(
        'name = "s"\n[[family]]\nname = "f"\nquestion = "privacy"\n[[family.job]]\nmodel = "svt"\n'
        '[[family]]\nname = "g"\nquestion = "delta"\noptions = {alpha = "6/5", gap = "1e-60"}\n'
        '[[family.job]]\nmodel = "loops.json"\n'
    )
    lines, status = interrupted(folder, "1 of 2", "bench", "run", "suite.toml", "--output", "rows.jsonl")
    assert lines[-1] == "prover: interrupted: 1 of 2 jobs is done; --resume continues rows.jsonl"
    assert os.waitstatus_to_exitcode(status) == 3
    assert len((folder / "rows.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("name", ["renyi", "tradeoff"])
def test_what_may_take_less_time_is_an_option(name: str) -> None:
    command = getattr(divergences, name)
    source = Path(divergences.__file__).read_text(encoding="utf-8")
    hint = re.findall(rf'@as_query\("(.*)"\)\ndef {name}\(', source)
    named = re.findall(r"--[a-z-]+", hint[0])
    assert named
    assert {*named} <= {option for parameter in command.params for option in parameter.opts}
