"""Standard output and standard error: closed, full, broken, not in UTF-8, or a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import command, environment, long_work, program, saved, zoo
from tests.waiting import GUARD

pytestmark = pytest.mark.thorough

CLOSED = "prover: standard output is closed; there is nowhere to write the answer\n"


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def shell(script: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in which ``prover`` runs a command; its arguments are $1, $2, …"""
    words = " ".join(f"'{word}'" for word in command())
    return subprocess.run(
        ["bash", "-c", f'prover() {{ {words} "$@"; }}\n{script}', "bash", *map(str, arguments)],
        env=environment(**variables),
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD,
        check=False,
    )


class TestNothingButTheAnswer:
    def test_on_standard_output(self, pin: Path) -> None:
        for options in (["--all-pairs"], ["--max-bits", "2"]):
            run = program("distance", pin, "--alpha", "11/10", "--json", *options)
            assert run.out.count("\n") == 1
            assert isinstance(json.loads(run.out), dict)
            assert (run.status, bool(run.err)) in ((0, False), (3, True))

    def test_whatever_libraries_print(self, pin: Path) -> None:
        # What native code writes goes past sys.stdout.
        noisy = "import os, prover.formats.load as f; g = f.load_system\n"
        noisy += "f.load_system = lambda *a: (os.write(1, b'noise'), g(*a))[1]\n"
        noisy += "import sys, prover.cli.commands; sys.exit(prover.cli.commands.run_command(sys.argv[1:]))\n"
        ran = subprocess.run(
            [sys.executable, "-c", noisy, "distance", str(pin), "--alpha", "2", "--json"],
            env=environment(), capture_output=True, encoding="utf-8", timeout=GUARD, check=False,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, "noise")
        assert json.loads(ran.stdout)["kind"] == "ld"


class TestClosedStreams:
    def test_standard_output(self, pin: Path) -> None:
        for words in ('distance "$1" --alpha 2', "--help"):
            ran = shell(f"prover {words} >&-", pin)
            assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", CLOSED)

    def test_standard_error(self, pin: Path) -> None:
        ran = shell('prover distance "$1" --alpha 2 2>&-', pin)
        assert (ran.returncode, ran.stdout.count("\n")) == (0, 2)
        ran = shell('prover distance "$1" --alpha 0 2>&-', pin)
        assert (ran.returncode, ran.stdout) == (2, "")

    def test_all_of_them(self, pin: Path, tmp_path: Path) -> None:
        for words in ('distance "$1" --alpha 2 --certificate "$2"', "nonsense"):
            ran = shell(f"prover {words} <&- >&- 2>&-", pin, tmp_path / "x.cert")
            assert ran.returncode == 2
        assert not (tmp_path / "x.cert").exists()

    def test_standard_input(self, pin: Path) -> None:
        assert shell('prover distance "$1" --alpha 2 <&-', pin).returncode == 0


class TestFullDevice:
    @pytest.mark.family
    @pytest.mark.parametrize("words", ['distance "$1" --alpha 2 --json', "zoo fig1", "--help"])
    def test_standard_output(self, pin: Path, words: str) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no full device here")
        ran = shell(f"prover {words} > /dev/full", pin)
        assert ran.returncode == 2
        assert ran.stderr == "prover: cannot write the answer: No space left on device\n"

    def test_standard_error(self, pin: Path) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no full device here")
        assert shell('prover distance "$1" --alpha 0 2> /dev/full', pin).returncode == 2
        assert shell('prover distance "$1" --alpha 2 --max-bits 2 2> /dev/full', pin).returncode == 3


class TestBrokenPipe:
    @pytest.mark.family
    @pytest.mark.parametrize(
        ("words", "status"),
        [
            ("zoo random-chain states=5000", 0),
            ("--help", 0),
            ('distance "$1" --alpha 2 --json', 0),
            ('distance "$1" --alpha 11/10 --max-bits 2', 3),
        ],
    )
    def test_the_status_still_tells(self, pin: Path, words: str, status: int) -> None:
        ran = shell(f'prover {words} | true; exit "${{PIPESTATUS[0]}}"', pin)
        assert (ran.returncode, ran.stdout) == (status, "")
        said = [line for line in ran.stderr.splitlines() if "not decided" not in line]
        assert [line for line in said if "starts again" not in line and "proved" not in line] == []

    def test_of_which_a_line_is_read(self) -> None:
        ran = shell('prover zoo random-chain states=5000 | head -1; exit "${PIPESTATUS[0]}"')
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "{\n", "")

    def test_the_certificate_is_written_nevertheless(self, pin: Path, tmp_path: Path) -> None:
        path = tmp_path / "pin.cert"
        ran = shell('prover distance "$1" --alpha 2 --certificate "$2" | true', pin, path)
        assert ran.stderr == ""
        assert shell('prover verify "$1"', path).stdout.startswith("VERIFIED ")


class TestEncodings:
    @pytest.fixture
    def odd(self, tmp_path: Path) -> Path:
        """A model of states that not every terminal can print."""
        names = ("😀", "é\n", "\ud800", "\x1b[31m", "")
        states = {name: ("α", {name: "1"}) for name in names}
        return saved(tmp_path, states, [("😀", "\ud800"), ("é\n", "")])

    @pytest.mark.family
    @pytest.mark.parametrize(
        "variables",
        [
            {"LC_ALL": "C"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"PYTHONIOENCODING": "ascii:strict"},
            {"PYTHONIOENCODING": "latin-1"},
        ],
    )
    def test_every_answer_is_printed(self, odd: Path, variables: dict[str, str]) -> None:
        for options in (["--all-pairs"], ["--from", "😀", "--to", "nobody"]):
            ran = subprocess.run(
                command("distance", odd, "--alpha", "6/5", *options),
                env=environment(**variables), capture_output=True, timeout=GUARD, check=False,
            )  # fmt: skip
            text = (ran.stdout or ran.stderr).decode("utf-8", errors="replace")
            assert ran.returncode == (2 if "--from" in options else 0), text
            assert "Traceback" not in text
            assert "\x1b" not in text

    def test_json_is_ascii(self, odd: Path) -> None:
        run = program("distance", odd, "--alpha", "6/5", "--all-pairs", "--json")
        assert run.out.isascii()
        assert "\ud800" in json.loads(run.out)["values"]


class TestProgress:
    def watch(self, *arguments: str | Path, variables: dict[str, str] | None = None) -> tuple[str, str, int]:
        """What a command prints on standard output and on a terminal, and its status."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            command(*arguments),
            env=environment(**{"TERM": "xterm", "COLUMNS": "80", **(variables or {})}),
            stdout=subprocess.PIPE,
            stderr=theirs,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
        )
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how the end of a terminal is reported
            while chunk := os.read(ours, 65536):
                shown += chunk
        os.close(ours)
        out, _ = process.communicate(timeout=GUARD)
        return out, shown.decode(), process.returncode

    @pytest.mark.timing
    def test_on_a_terminal(self, tmp_path: Path) -> None:
        model = long_work(tmp_path)
        began = time.monotonic()
        out, shown, status = self.watch("distance", model, "--alpha", "6/5", "--timeout", "3")
        seconds = time.monotonic() - began
        assert status == 3
        assert out.startswith(("0.", "Nothing"))
        assert "linear systems (pairs)" in shown
        assert " of 114" in shown
        assert "prover: not decided: the time is up\r\n" in shown
        assert len(shown) < 5_000 * (seconds + 1)  # some ten small pictures a second, no flood

    def test_a_quick_answer_leaves_a_clean_terminal(self, pin: Path) -> None:
        out, shown, status = self.watch("distance", pin, "--alpha", "2")
        assert (status, out.count("\n")) == (0, 2)
        last = shown.split("\r")[-1]
        assert last.replace("\x1b[1A", "").replace("\x1b[2K", "").replace("\x1b[?25h", "").strip() == ""

    def test_bad_input_is_told_after_the_bar(self, tmp_path: Path) -> None:
        _, shown, status = self.watch("distance", tmp_path / "none.json", "--alpha", "2")
        assert status == 2
        assert shown.endswith("none.json: no such file\r\n")

    def test_a_terminal_that_can_do_little(self, pin: Path) -> None:
        out, shown, status = self.watch("distance", pin, "--alpha", "2", variables={"TERM": "dumb"})
        assert (status, out.count("\n")) == (0, 2)
        assert "\x1b" not in shown

    def test_none_beside_json(self, tmp_path: Path) -> None:
        out, shown, status = self.watch(
            "distance", zoo(tmp_path, "random-chain"), "--alpha", "2", "--all-pairs", "--json"
        )
        assert (status, shown) == (0, "")
        assert json.loads(out)["kind"] == "ld"

    def test_none_elsewhere(self, tmp_path: Path) -> None:
        run = program("distance", zoo(tmp_path, "random-chain"), "--alpha", "6/5", "--all-pairs", "--json")
        assert (run.status, run.err) == (0, "")
