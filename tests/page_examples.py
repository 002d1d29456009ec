"""Examples in pages and help texts, run as they stand.

A fence of a page is run when its language is `console`, `python`, `toml` or `dipa`, every time in a folder of
its own that holds copies of examples/ and benchmarks/, and the checker (prover/certificate/check); `prover`
and `python` are those of this environment. A second word `slow` leaves it to `make test-long`. Fences stand
at the left margin. Commands that are only shown are in fences `sh`, whose first line says why: `# not run by
the tests: REASON`. Other fences (json, text, ...) hold no commands.

console
    A line `$ command` is run by bash, or, where it only calls `prover`, in this process; lines that follow as
    `> more` continue it. The lines up to the next `$`
    are what it prints, on standard output and standard error together. There `...` stands for any text within
    a line, and a line that is only `...` for any lines, or none; blank lines at the end do not count. A
    command must succeed, unless the next one is `$ echo $?` and so shows the status.

python
    A block with `>>>` is a doctest, where `...` stands for any text; any other block is a script that must
    end without an exception, so an `assert` in it holds. `make test-long` starts a program for each.

toml
    A suite of benchmarks, which must be in order.

dipa
    A threshold program, which must be in order.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import TextIO
from unittest.mock import patch

import pytest

from prover.bench.suite import parse_suite
from prover.cli.commands import run_command
from prover.formats.dipa import read_dipa
from tests.bench.made import done_here
from tests.gallery.proved import proved_already
from tests.profiles import everything
from tests.waiting import GUARD

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("benchmarks", "examples")
CHECKER = "prover/certificate/check"
BIN = str(Path(sys.executable).parent)
NOT_RUN = "# not run by the tests: "

FENCE = re.compile(
    r"^```(?P<language>[\w-]*)[ ]?(?P<more>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, the line of the page that its text begins at, and the page."""

    language: str
    body: str
    line: int
    page: str = "README.md"
    more: str = ""

    @property
    def place(self) -> str:
        return f"{self.page}, block at line {self.line}"


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a console block and the lines it is said to print."""

    command: str
    printed: tuple[str, ...]


def blocks(text: str, page: str = "README.md") -> list[Block]:
    return [
        Block(
            found["language"],
            found["body"],
            text.count("\n", 0, found.start("body")) + 1,
            page,
            found["more"].strip(),
        )
        for found in FENCE.finditer(text)
    ]


def steps(body: str) -> list[Step]:
    """The commands of a console block; ValueError where it does not begin with one."""
    commands: list[list[str]] = []
    printed: list[list[str]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append([line[2:]])
            printed.append([])
        elif not commands:
            raise ValueError(f"a console block begins with a line `$ command`, not with {line!r}")
        elif line.startswith("> ") and not printed[-1]:
            commands[-1].append(line[2:])
        else:
            printed[-1].append(line.rstrip())
    return [Step("\n".join(command), tuple(lines)) for command, lines in zip(commands, printed, strict=True)]


def matches(printed: tuple[str, ...], actual: str) -> bool:
    """Whether the text is what the lines say, `...` standing for anything."""
    lines = "\n".join(printed).rstrip("\n").splitlines()
    parts = [
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"[ \t]*\n"
        for line in lines
    ]
    text = actual.rstrip("\n")
    return re.fullmatch("".join(parts), text + "\n" if text else "") is not None


CALL = re.compile(r"prover (?P<words>[^|;&<>()$`*?~#\\\n]*)(?: > (?P<file>[\w.]+))?")
"""A line of a shell that calls `prover` and does nothing else, but for a file that its output goes to."""


def run_line(line: str, folder: Path, status: int = 0) -> tuple[int, str]:
    """What a line of a shell ends with and prints, where the line before it ended with the status."""
    if call := CALL.fullmatch(line):
        return _call(shlex.split(call["words"]), folder, call["file"])
    # `(exit N)` hands the status of the line before to a `$?` in this one.
    done = run(["bash", "-c", f"(exit {status})\n{line}"], folder)
    return done.returncode, done.stdout


def _call(words: list[str], folder: Path, file: str | None) -> tuple[int, str]:
    """`prover` with these words, without a program of its own, which would load everything anew."""
    printed = io.StringIO()
    with (
        chdir(folder),
        patch.dict(os.environ, _environment(folder), clear=True),
        patch("prover.bench.runner.run_job", done_here),
        proved_already() if words[0] == "gallery" and words[1:2] in ([], ["--html"]) else nullcontext(),
        redirect_stderr(printed),
        Path(file).open("w", encoding="utf-8") if file else nullcontext(printed) as out,
        redirect_stdout(out),
    ):
        return run_command(words), printed.getvalue()


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command as a reader would: in the folder, with `prover` and `python` on the path."""
    return subprocess.run(
        command, cwd=folder, env=_environment(folder), encoding="utf-8", timeout=GUARD, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.pathsep.join([str(folder / ".bin"), BIN, os.environ.get("PATH", os.defpath)]),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTHONPATH": str(ROOT),
    }


def run_console(block: Block, folder: Path) -> None:
    status = 0
    todo = steps(block.body)
    for step, following in zip(todo, [*todo[1:], None], strict=True):
        status, printed = run_line(step.command, folder, status)
        shown = f"{block.place}\n$ {step.command}\n"
        if not matches(step.printed, printed):
            expected = "\n".join(step.printed)
            pytest.fail(f"{shown}--- the page says\n{expected}\n--- it printed\n{printed}", pytrace=False)
        if status and (following is None or following.command != "echo $?"):
            pytest.fail(f"{shown}{printed}--- it exited with status {status}", pytrace=False)


def run_python(block: Block, folder: Path) -> None:
    is_doctest = ">>>" in block.body
    script = folder / ("block.txt" if is_doctest else "block.py")
    # Blank lines in front, so that a traceback gives the line numbers of the page.
    script.write_text("\n" * (block.line - 1) + block.body, encoding="utf-8")
    if everything():
        how = ["-m", "doctest", "-o", "ELLIPSIS"] if is_doctest else []
        done = run([sys.executable, *how, script.name], folder)
        failed, printed = done.returncode, done.stdout
    else:
        failed, printed = _forked(_doctest if is_doctest else _script, script, folder)
    if failed:
        pytest.fail(f"{block.place}\n{printed}", pytrace=False)


def _forked(task: Callable[[Path], int], script: Path, folder: Path) -> tuple[int, str]:
    """How a script ends, and what it prints, in a fork of this process, which has loaded everything."""
    printed = folder / "printed"
    with printed.open("w", encoding="utf-8", buffering=1) as out:
        process = get_context("fork").Process(target=_apart, args=(task, script, folder, out))
        process.start()
        process.join(GUARD)
        if process.exitcode is None:
            process.kill()
            process.join()
    return process.exitcode or 0, printed.read_text(encoding="utf-8")


def _apart(task: Callable[[Path], int], script: Path, folder: Path, out: TextIO) -> None:
    for number in (1, 2):
        os.dup2(out.fileno(), number)
    sys.stdout = sys.stderr = out
    warnings.resetwarnings()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(_environment(folder))
    sys.path.insert(0, str(folder))
    sys.argv = [script.name]
    sys.modules["__main__"] = main = ModuleType("__main__")
    main.__file__ = script.name
    sys.exit(task(script))


def _script(script: Path) -> int:
    exec(compile(script.read_bytes(), script.name, "exec"), vars(sys.modules["__main__"]))  # noqa: S102
    return 0


def _doctest(script: Path) -> int:
    return doctest.testfile(str(script), module_relative=False, optionflags=doctest.ELLIPSIS).failed


def run_suite(block: Block, folder: Path) -> None:
    parse_suite(block.body, str(folder))


def run_program(block: Block, _: Path) -> None:
    read_dipa(block.body, block.place)


RUNNERS = {"console": run_console, "python": run_python, "toml": run_suite, "dipa": run_program}


def prepare(tmp_path: Path) -> Path:
    """What a reader has at hand in the folder: examples, the checker, the commands `prover` and `python`."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name)
    checker = tmp_path / CHECKER
    checker.parent.mkdir(parents=True)
    checker.symlink_to(ROOT / CHECKER)
    module, function = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"][
        "prover"
    ].split(":")
    entry = f"import sys; from {module} import {function}; sys.argv[0] = 'prover'; sys.exit({function}())"
    commands = tmp_path / ".bin"
    commands.mkdir()
    for name, arguments in {"python": [], "prover": ["-c", entry]}.items():
        command = commands / name
        command.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *arguments])} "$@"\n')
        command.chmod(0o755)
    return tmp_path
