"""What is completed where, in all three shells; that bash takes it, and that nothing is ever an error."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ZshComplete

from prover import zoo
from prover.cli.commands import main
from prover.cli.shell.completion import SHELLS, VARIABLE, script
from prover.cli.shell.shells import Bash, Fish
from prover.formats.convert import write_json
from tests.commands import FORKS, prover
from tests.test_help_examples import COMMANDS

pytestmark = pytest.mark.filterwarnings(FORKS)

ROOT = Path(__file__).resolve().parents[3]
CODE = '''
import prover
from prover.language import see

@prover.mechanism
def above(queries, count=1): ...

@prover.protocol
def survey(truth: bool):
    """Of a coin."""
    see("yes: sure" if truth else "no: why?")

def aid(): ...

raise SystemExit("this was executed")
'''

Completed = Callable[[str], list[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with models, in which the shell is."""
    (tmp_path / "pin.json").write_text(write_json(zoo.build("pin-checker")))
    (tmp_path / "svt.json").write_text(write_json(zoo.build("svt")))
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "diners.drn").write_bytes((ROOT / "examples" / "diners.drn").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Completed:
    """What bash is given for a line; the cursor is behind its last word, of which pieces are split by |."""
    del folder

    def completed(line: str) -> list[str]:
        words = line.replace("|", " ").split(" ")
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        return Bash(main, {}, "prover", VARIABLE).complete().splitlines()

    return completed


def plain(*values: str) -> list[str]:
    return [f"plain,{value}" for value in values]


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("prover del", ["delta"]),
        ("prover bench co", ["compare"]),
        ("prover delta --ep", ["--epsilon"]),
        ("prover distance pin.json --kind k", ["kernel"]),
        ("prover zoo pin-c", ["pin-checker"]),
        ("prover zoo crowds m", ["members=6"]),
        ("prover zoo crowds members|=|", ["6"]),
        ("prover zoo crowds members|=|6 c", ["corrupt=1/6"]),
        ("prover zoo crowds members|=|6 m", []),
        ("prover gallery tumult", ["tumult-prefix-sums"]),
        ("prover encode --problem privacy-2", ["privacy-2sat"]),
        ("prover delta pin.json --from ", ["0", "1", "2", "3", "end"]),
        ("prover delta --to e pin.json --from e", ["end"]),
        ("prover delta pin.json --from=e", ["end"]),
        ("prover delta pin.json --from|=|e", ["end"]),
        ("prover delta pin.json --silent ", ["a", "b", "end"]),
        ("prover verify some.cert --model pin.json --silent e", ["end"]),
        ("prover compose pin.json pin.json --silent e", ["end"]),
        ("prover privacy code.py|:|", ["above", "survey"]),
        ("prover privacy code.py|:|a", ["above"]),
        ("prover privacy code.py|:|above --const ", ["count="]),
        ("prover delta code.py|:|survey --secret ", ["truth"]),
        ("prover delta code.py|:|survey --from t", ["truth=False", "truth=True"]),
        ("prover delta code.py|:|survey --silent n", [r"no:\ why\?"]),
        ("prover delta code.py|:|survey --silent no|:|", [r"\ why\?"]),
        ("prover delta diners.drn --observe said,t", ["said,turn"]),
        ("prover completion z", ["zsh"]),
    ],
)
def test_what_is_completed(bash: Completed, line: str, candidates: list[str]) -> None:
    assert bash(line) == plain(*candidates)


def test_in_quotes_nothing_is_escaped(bash: Completed, monkeypatch: pytest.MonkeyPatch) -> None:
    bash("prover")
    monkeypatch.setenv("COMP_WORDS", "prover\ndelta\ncode.py\n:\nsurvey\n--silent\n'no: w")
    monkeypatch.setenv("COMP_CWORD", "6")
    assert Bash(main, {}, "prover", VARIABLE).complete() == "plain,no: why?"


def test_words_may_have_spaces_between_them(bash: Completed, monkeypatch: pytest.MonkeyPatch) -> None:
    bash("prover")
    monkeypatch.setenv("COMP_WORDS", "prover delta pin.json --from ")
    monkeypatch.setenv("COMP_CWORD", "4")
    assert Bash(main, {}, "prover", VARIABLE).complete().splitlines() == plain("0", "1", "2", "3", "end")


def test_lists_go_on_behind_the_comma(bash: Completed, folder: Path) -> None:
    (folder / "walk.tra").write_text("2 2\n0 1 1\n1 1 1\n")
    (folder / "walk.sta").write_text("(x,y)\n0:(0,0)\n1:(1,0)\n")
    assert bash("prover delta walk.tra --observe ") == plain("x", "y")
    assert bash("prover delta walk.tra --observe x,") == plain("x,y")


@pytest.mark.parametrize(
    "line",
    [
        "prover delta missing.json --from ",
        "prover delta broken.json --from ",
        "prover delta broken.json --silent ",
        "prover delta broken.json --observe ",
        "prover delta broken.json --labels ",
        "prover delta - --from ",
        "prover delta --from ",
        "prover delta svt.json --from ",
        "prover delta pin.json --alpha x --at-most -1 --untimed --secret y --from ",
        "prover privacy broken.json --const ",
        "prover privacy missing.py|:|",
        "prover zoo nothing ",
        "prover delta code.py|:|aid --from ",
    ],
)
def test_what_cannot_be_read_completes_to_nothing(bash: Completed, line: str) -> None:
    assert bash(line) == []


@pytest.mark.slow
def test_a_large_model_is_given_up(bash: Completed, folder: Path) -> None:
    (folder / "large.py").write_text(
        "import prover\nfrom prover.language import see\n@prover.protocol\ndef counting(secret: bool):\n"
        "    for turn in range(10**9):\n        see(turn)\n"
    )
    began = time.process_time()
    assert bash("prover delta large.py|:|counting --from ") == []
    assert time.process_time() - began < 1


def test_a_pipe_is_not_waited_for(bash: Completed, folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    assert bash("prover delta pipe.json --from ") == []


def test_the_other_shells_see_what_things_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del folder
    monkeypatch.setenv("COMP_WORDS", "prover privacy code.py:a")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert ZshComplete(main, {}, "prover", VARIABLE).complete() == "plain\ncode.py\\:above\nmechanism"
    monkeypatch.setenv("COMP_CWORD", "code.py:a")
    assert Fish(main, {}, "prover", VARIABLE).complete() == "plain,code.py:above\tmechanism"


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
    assert ("string split --max 1" in done.out) is (shell == "fish")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with a program ``prover``."""
    place = tmp_path / "bin" / "prover"
    place.parent.mkdir()
    place.write_text(f'#!/bin/sh\nexec {sys.executable} -m prover.cli "$@"\n')
    place.chmod(0o755)
    return place.parent


def test_a_shell_that_asks_hears_no_error(folder: Path, program: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: "bash_complete"}
    asked = {"COMP_WORDS": "prover delta broken.json --from ", "COMP_CWORD": "4"}
    for given in (asked, {"COMP_WORDS": "prover", "COMP_CWORD": "nothing"}):
        done = subprocess.run(
            [program / "prover"],
            env=environment | given,
            cwd=folder,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (done.stdout.strip(), done.stderr) == (b"", b"")


@pytest.mark.thorough
def test_in_a_bash_that_is_typed_into(folder: Path, program: Path) -> None:
    (folder / "prover.bash").write_text(script("bash", main))
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
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        typed = b"source prover.bash\r"  # then echo, put before a line, prints what it has become
        for line in (
            b"prover privacy code.py:ab\t--const co\t\x01echo is \r",
            b"prover delta pin.json --from en\t\x01echo is \r",
            b"prover delta code.py:survey --silent no\t\x01echo is \r",
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
        "is prover privacy code.py:above --const count=",
        "is prover delta pin.json --from end",
        "is prover delta code.py:survey --silent no: why?",
    ]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_in_a_fish(folder: Path, program: Path) -> None:
    lines = ("privacy code.py:ab", "delta diners.drn --from first=1,last=1,payer=2,said=4", "zoo crowds m")
    asked = [f"complete -C 'prover {line}'" for line in lines]
    environment = {
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        ["fish", "--no-config", "-c", "; ".join(["prover completion fish | source", *asked])],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "code.py:above\tmechanism",
        "first=1,last=1,payer=2,said=4,turn=4",
        "members=6",
    ]
