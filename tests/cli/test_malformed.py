"""Malformed input of every kind for every command: one message, the right status, and no file is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.malformed import (
    CHAINS,
    DRN,
    EXPLICIT,
    HEAD,
    NO_JSON,
    ON_CHAINS,
    ON_PROGRAMS,
    ONE_STATE,
    OPTIONS,
    PROGRAMS,
    RESULTS,
    SUITES,
    TEXTS,
    chain,
    program,
    suite,
)
from tests.commands import FORKS, Run, prover
from tests.profiles import everything

pytestmark = pytest.mark.filterwarnings(FORKS)

LONGEST_MESSAGE = 1500
CONVERTED = ["distance MODEL --alpha 2", "convert MODEL OUT.json --force"]
ON_RESULTS = ["bench compare MODEL MODEL", "bench report MODEL --output OUT --force"]


def cases() -> list[Any]:
    """Every kind of broken file with one of the commands that read it, or with all of them."""
    found: list[tuple[str, str, str, str | bytes]] = []
    for commands, ending, contents in (
        (ON_CHAINS, ".json", NO_JSON | CHAINS),
        (ON_PROGRAMS, ".json", NO_JSON | PROGRAMS),
        (ON_PROGRAMS, ".dipa", TEXTS),
        *((CONVERTED, ending, contents) for ending, contents in EXPLICIT.items()),
        (["bench run MODEL --output OUT.new"], ".toml", SUITES),
        (ON_RESULTS, ".jsonl", RESULTS),
    ):
        for number, (name, content) in enumerate(contents.items()):
            chosen = commands if everything() else [commands[number % len(commands)]]
            found += [(command, ending, name, content) for command in chosen]
    return [pytest.param(*case, id=f"{case[0].split(' --')[0]} {case[1]}: {case[2]}") for case in found]


def state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """What is in the files of a folder, and when it was written."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}


def one_message(run: Run, status: int = 2) -> None:
    """The command has ended so, and has said why in one line; a second one may lead to the help."""
    assert run.status == status, (run.status, run.err)
    assert run.out == ""
    first, *more = run.err.removesuffix("\n").split("\n")
    assert first.startswith("prover: ")
    assert len(first) > len("prover: ")
    assert first.isprintable()
    assert len(first) <= LONGEST_MESSAGE
    assert more == [] or (len(more) == 1 and more[0].startswith("Try 'prover"))
    assert "Traceback" not in run.err
    assert "fault" not in run.err


@pytest.mark.family
@pytest.mark.parametrize(("command", "ending", "name", "content"), cases())
def test_a_broken_file(tmp_path: Path, command: str, ending: str, name: str, content: str | bytes) -> None:
    del name
    model = tmp_path / f"model{ending}"
    model.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    for out in ("OUT", "OUT.lower", "OUT.json", "OUT.dot"):
        (tmp_path / out).write_text("precious")
    before = state_of(tmp_path)
    words = command.replace("OUT", str(tmp_path / "OUT")).replace("MODEL", str(model)).split(" ")
    one_message(prover(*words))
    assert state_of(tmp_path) == before


@pytest.mark.family
@pytest.mark.parametrize(
    ("command", "ending", "content"),
    [
        *((command, ".json", chain()) for command in ON_CHAINS),
        *((command, ".json", program()) for command in ON_PROGRAMS),
        ("distance MODEL --alpha 2 --from 0 --to 0", ".drn", DRN + ONE_STATE),
        ("bench run MODEL --output OUT.new", ".toml", suite()),
        ("bench compare MODEL MODEL", ".jsonl", HEAD),
    ],
)
def test_what_is_not_broken_is_taken(tmp_path: Path, command: str, ending: str, content: str) -> None:
    model = tmp_path / f"model{ending}"
    model.write_text(content)
    words = command.replace("OUT", str(tmp_path / "OUT")).replace("MODEL", str(model)).split(" ")
    run = prover(*words)
    assert run.status == 0, run.err


CERTIFICATE_ENDINGS = [
    *((name, content) for name, content in NO_JSON.items()),
    ("a chain", chain()),
    ("a program", program()),
    ("another version", '{"claim":{},"evidence":{},"format":"prover-certificate","model":{},"version":9}'),
    ("nothing in it", '{"claim":{},"evidence":{},"format":"prover-certificate","model":{},"version":1}'),
]


@pytest.mark.parametrize(
    "content", [content for _, content in CERTIFICATE_ENDINGS], ids=[name for name, _ in CERTIFICATE_ENDINGS]
)
def test_a_broken_certificate(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "proof"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    before = state_of(tmp_path)
    run = prover("verify", path)
    assert (run.status, run.err) == (1, "")
    assert run.out.startswith("REJECTED ")
    assert run.out.endswith("\n")
    assert run.out[:-1].isprintable()
    assert len(run.out) <= LONGEST_MESSAGE
    assert state_of(tmp_path) == before


NAMES = [
    "none.json",
    "",
    ".",
    "none/none.json",
    "x" * 300 + ".json",
    "a\0b.json",
    "text",
    "text.txt",
    "loop.json",
]
READERS = [
    *ON_CHAINS,
    *ON_PROGRAMS,
    "bench run MODEL --output OUT.new",
    *ON_RESULTS,
]


@pytest.mark.family
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("command", READERS)
def test_a_file_that_cannot_be_read(tmp_path: Path, command: str, name: str) -> None:
    for file in ("text", "text.txt", "OUT"):
        (tmp_path / file).write_text("precious")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "loop.json").symlink_to("loop.json")
    model = str(folder / name) if name.startswith("loop") else str(tmp_path / name) if name else ""
    words = [str(tmp_path / word) if word[:3] == "OUT" else word for word in command.split(" ")]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    one_message(prover(*(model if word == "MODEL" else word for word in words)))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


OPTION_CASES = [
    (command, "" if options.strip() == "(nothing)" else options.strip())
    for command, several in OPTIONS.items()
    for options in several.split("|")
]


@pytest.mark.family
@pytest.mark.parametrize(("command", "options"), OPTION_CASES)
def test_options_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, options: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"CHAIN": "chain.json", "PROGRAM": "program.json"}
    Path("chain.json").write_text(chain())
    Path("program.json").write_text(program())
    Path("OUT").write_text("precious")
    before = state_of(tmp_path)
    one_message_or_help(prover(*(files.get(word, word) for word in f"{command} {options}".split())))
    assert state_of(tmp_path) == before


def one_message_or_help(run: Run) -> None:
    """The same, said by the checker, too, which is a program of its own."""
    if run.err.startswith("cannot read "):
        assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    else:
        one_message(run)


def test_there_are_many() -> None:
    assert len(cases()) > (800 if everything() else 160)
    assert len(OPTION_CASES) > 120
