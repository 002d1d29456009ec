"""No retired words (`tests/retired_words.py`) are left in what people read, nor in what commands print."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.commands import FORKS
from tests.plain_words import ANSWERS, HELP, STILL, files, findings, named, prepared, printed, retired, still

pytestmark = pytest.mark.filterwarnings(FORKS)


@cache
def unfinished() -> frozenset[str]:
    return frozenset(still())


def judge(place: str, found: list[str]) -> None:
    """Fails where retired words are found, and where a place is listed as unfinished without need."""
    if place in unfinished():
        assert found, f"{place} is done: take it off {STILL.name} (python -m tests.plain_words --renew)"
    else:
        assert found == []


@pytest.mark.parametrize("path", files(), ids=named)
def test_what_people_read(path: Path) -> None:
    judge(named(path), findings(path))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("answers"))


@pytest.mark.parametrize("line", ANSWERS + HELP)
def test_what_commands_print(line: str, folder: Path) -> None:
    judge(line, printed(line, folder))


def test_what_is_unfinished_exists() -> None:
    assert unfinished() <= {*map(named, files()), *ANSWERS, *HELP}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Whatever is\nobserved, it holds.", ["Whatever is observed", "Whatever is observed, it holds."]),
        ("private: ε·5/4", ["ε·5/4"]),
        ("Who sees this knows. Who is it? What an attacker does.", ["Who sees this", "What an attacker"]),
        ("| What it is. | Who asks? |", []),
        ("# What is new\n\nA size of 2.5, twinned.", []),
        ("A neighbor of *behavior*", ["neighbor", "behavior"]),
        ("A twin, and a twin-like", ["twin"]),
    ],
)
def test_retired_words_are_found(text: str, words: list[str]) -> None:
    found = retired(text, "here")
    assert len(found) == len(words)
    assert all(any(f"“{word}" in finding for finding in found) for word in words)
