"""The README's examples are run as they stand.

A fence is run when its language is `console` or `python`; every other fence (sh, json, text, …) is only
shown. Fences stand at the left margin. Each runs in an empty directory of its own, holding copies of
examples/ and of the checker (prover/certificate/check); `prover` and `python` are those of this
environment.

console
    A line `$ command` is run by bash; lines that follow as `> more` continue it. The lines up to the next `$`
    are what it prints, on standard output and standard error together. There `...` stands for any text within
    a line, and a line that is only `...` for any lines, or none; blank lines at the end do not count. A
    command must succeed, unless the next one is `$ echo $?` and so shows the status.

python
    A block with `>>>` is a doctest, where `...` stands for any text; any other block is a script that must
    end without an exception, so an `assert` in it holds.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
COPIED = ("examples", "prover/certificate/check")
SECONDS = 120

FENCE = re.compile(r"^```(?P<language>[\w-]*)[^\n`]*\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and the line of the README that its text begins at."""

    language: str
    body: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a console block and the lines it is said to print."""

    command: str
    printed: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    return [
        Block(match["language"], match["body"], text.count("\n", 0, match.start("body")) + 1)
        for match in FENCE.finditer(text)
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


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command as a reader would: in the folder, with `prover` and `python` on the path."""
    environment = {
        "PATH": os.pathsep.join([str(folder / ".bin"), os.environ.get("PATH", os.defpath)]),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        command, cwd=folder, env=environment, encoding="utf-8", timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def run_console(block: Block, folder: Path) -> None:
    status = 0
    todo = steps(block.body)
    for step, following in zip(todo, [*todo[1:], None], strict=True):
        # `(exit N)` hands the status of the command before to a `$?` in this one.
        done = run(["bash", "-c", f"(exit {status})\n{step.command}"], folder)
        status = done.returncode
        shown = f"README.md, block at line {block.line}\n$ {step.command}\n"
        if not matches(step.printed, done.stdout):
            expected = "\n".join(step.printed)
            pytest.fail(f"{shown}--- README says\n{expected}\n--- it printed\n{done.stdout}", pytrace=False)
        if status and (following is None or following.command != "echo $?"):
            pytest.fail(f"{shown}{done.stdout}--- it exited with status {status}", pytrace=False)


def run_python(block: Block, folder: Path) -> None:
    doctest = ">>>" in block.body
    script = folder / ("block.txt" if doctest else "block.py")
    # Blank lines in front, so that a traceback gives the README's line numbers.
    script.write_text("\n" * (block.line - 1) + block.body, encoding="utf-8")
    how = ["-m", "doctest", "-o", "ELLIPSIS"] if doctest else []
    done = run([sys.executable, *how, script.name], folder)
    if done.returncode:
        pytest.fail(f"README.md, block at line {block.line}\n{done.stdout}", pytrace=False)


RUNNERS = {"console": run_console, "python": run_python}
EXAMPLES = blocks(README.read_text(encoding="utf-8")) if README.is_file() else []
RUNNABLE = [block for block in EXAMPLES if block.language in RUNNERS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a reader has at hand: examples/, the checker, and the commands `prover` and `python`."""
    for name in COPIED:
        source, target = ROOT / name, tmp_path / name
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.is_file():
            target.parent.mkdir(parents=True)
            shutil.copy(source, target)
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


def test_the_readme_has_examples() -> None:
    assert README.is_file(), "README.md is missing"
    assert {block.language for block in RUNNABLE} == set(RUNNERS)


def test_every_fence_is_recognised() -> None:
    # One that is indented or never closed would silently not be run.
    fences = re.findall(r"^\s*```", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(EXAMPLES)


@pytest.mark.parametrize("block", [pytest.param(b, id=f"{b.language}-line-{b.line}") for b in RUNNABLE])
def test_example(block: Block, folder: Path) -> None:
    RUNNERS[block.language](block, folder)


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("console", "$ echo one; echo two\none\ntwo\n"),
        ("console", "$ echo one; echo two; echo three\none\n...\nthree\n"),
        ("console", "$ echo one\none\n...\n"),
        ("console", "$ echo took 3 seconds\ntook ... seconds\n"),
        ("console", "$ echo kept > file\n$ cat file\nkept\n"),
        ("console", "$ false\n$ echo $?\n1\n"),
        ("console", "$ echo one \\\n> two\none two\n"),
        ("console", "$ printf unended\nunended\n"),
        ("console", "$ echo one\none\n\n$ echo two\ntwo\n"),
        ("console", "$ true\n$ true\n...\n"),
        ("console", "$ python -c 'print(1)'\n1\n"),
        ("python", "assert 1 + 1 == 2\n"),
        ("python", ">>> 1 + 1\n2\n>>> list(range(99))\n[0, 1, ..., 98]\n"),
    ],
)
def test_a_true_example_passes(language: str, body: str, folder: Path) -> None:
    RUNNERS[language](Block(language, body, 1), folder)


@pytest.mark.parametrize(
    ("language", "body", "complaint"),
    [
        ("console", "$ echo one\ntwo\n", "it printed\none"),
        ("console", "$ echo one\n", "it printed\none"),
        ("console", "$ true\none\n", "README says\none"),
        ("console", "$ echo one; echo two\none\n", "it printed\none\ntwo"),
        ("console", "$ echo aXb\na.b\n", "it printed\naXb"),
        ("console", "$ printf 'one\\ntwo\\n'\none...two\n", "it printed\none\ntwo"),
        ("console", "$ echo oops >&2; exit 3\noops\n", "status 3"),
        ("console", "$ exit 3\n$ echo 3\n3\n", "status 3"),
        ("python", "assert 1 + 1 == 3\n", "AssertionError"),
        ("python", ">>> 1 + 1\n3\n", "Expected:"),
    ],
)
def test_a_false_example_fails(language: str, body: str, complaint: str, folder: Path) -> None:
    with pytest.raises(pytest.fail.Exception) as failure:
        RUNNERS[language](Block(language, body, 7), folder)
    assert "README.md, block at line 7" in str(failure.value)
    assert complaint in str(failure.value)


def test_a_console_block_begins_with_a_command() -> None:
    with pytest.raises(ValueError, match="begins with a line"):
        steps("output\n$ command\n")


def test_blocks_are_found_with_their_lines() -> None:
    text = "# Title\n\n```console\n$ true\n```\ntext\n```\nplain\n```\n```python title\nx = 1\n```\n"
    expected = [Block("console", "$ true\n", 4), Block("", "plain\n", 8), Block("python", "x = 1\n", 11)]
    assert blocks(text) == expected
