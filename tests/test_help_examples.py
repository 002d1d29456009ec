"""The examples in every help text work, and pages name commands and options that there are."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from prover.cli.commands import main
from tests.page_examples import ROOT, prepare, run_line
from tests.profiles import everything
from tests.test_page_examples import PAGES

ENDS = {"prover privacy leak.json --plot leak.dot": 1, "prover privacy leak.json --witness --exceed 50": 1}
"""How examples end, where they do not end with 0."""

NEEDED = {
    "quick.jsonl": "benchmarks/results/papers.jsonl",
    "scaling.jsonl": "benchmarks/results/scaling.jsonl",
    "before.jsonl": "benchmarks/results/papers.jsonl",
    "after.jsonl": "benchmarks/results/papers.jsonl",
}
"""Files that examples take for granted, as earlier runs have left them."""

NOT_RUN = {
    "prover bench run benchmarks/scaling.toml --output scaling.jsonl --timeout 20 --jobs 2": "takes minutes",
    "prover bench run benchmarks/scaling.toml --output scaling.jsonl --resume": "takes minutes",
    "prover bench run benchmarks/quick.toml --output new.jsonl --beside ../older old.jsonl --repeat 5": (
        "there is no older version"
    ),
}

LONG = {
    "prover curve svt.json --at-epsilon 1 --alpha 1:2:3 --steps 3 --certificate svt.cert",
    "prover distance pin.json --from 0 --to 1 --alpha 11/10 --engine nonlinear",
    "prover privacy svt.json --advantage",
}
"""Left to `make test-long`: tests/cli/ asks for the same of smaller models."""

CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def commands(
    command: click.Command = main, name: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands with their names, from `prover` itself on."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            below = command.get_command(context, child)
            assert below is not None
            yield from commands(below, (*name, child))


COMMANDS = dict(commands())


def examples(text: str) -> list[str]:
    """The commands under the heading of a help text, up to a blank line."""
    lines = [line.strip() for line in text.splitlines()]
    assert "Examples:" in lines, text
    found = lines[lines.index("Examples:") + 1 :]
    return found[: found.index("")]


def shown_below(name: tuple[str, ...]) -> list[str]:
    """The examples of the commands of a group: run as those of the commands, and not once more."""
    below = (command for other, command in COMMANDS.items() if other[: len(name)] == name != other)
    return [example for command in below for example in examples(f"{command.help}\n\n")] if name else []


def options_of(command: click.Command) -> set[str]:
    given = {text for parameter in command.params for text in parameter.opts if text.startswith("--")}
    return given | {"--help", "--version"}


def command_of(words: list[str]) -> click.Command | None:
    """The command that these words call, the first of which is `prover`."""
    return COMMANDS.get(tuple(words[1:3])) or COMMANDS.get(tuple(words[1:2]))


@pytest.mark.family
@pytest.mark.thorough
@pytest.mark.parametrize("name", COMMANDS, ids=lambda name: " ".join(("prover", *name)))
def test_the_examples_in_a_help_text_work(name: tuple[str, ...], tmp_path: Path) -> None:
    folder = prepare(tmp_path)
    status, shown = run_line(" ".join(["prover", *name, "--help"]), folder)
    assert status == 0
    left = NOT_RUN if everything() else {*NOT_RUN, *LONG}
    tried = [e for e in examples(shown) if e not in left and e not in shown_below(name)]
    for needed, source in NEEDED.items():
        if needed in shown and not any(f"--output {needed}" in example for example in tried):
            shutil.copy(ROOT / source, folder / needed)
    for example in tried:
        ended, printed = run_line(example, folder)
        assert ended == ENDS.get(example, 0), (example, printed)


def test_every_exception_is_an_example() -> None:
    shown = [example for command in COMMANDS.values() for example in examples(f"{command.help}\n\n")]
    assert len(shown) >= 2 * len(COMMANDS)
    assert [example for example in (*ENDS, *NOT_RUN, *LONG) if example not in shown] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_and_options_in_the_text_of_a_page_exist(page: Path) -> None:
    known = set().union(*map(options_of, COMMANDS.values()))
    wrong = []
    for code in CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        words, options = code.split(), set(OPTION.findall(code))
        if words[:1] == ["prover"] and len(words) > 1 and re.match("[a-z]", words[1]):
            command = command_of(words)
            if command is None or not options <= options_of(command):
                wrong.append(code)
        elif code.startswith("--") and not options <= known:
            wrong.append(code)
    assert wrong == []
