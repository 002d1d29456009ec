"""No retired words (`tests/retired_words.py`) are left in what people read, nor in what commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import FORKS
from tests.plain_words import ANSWERS, HELP, files, findings, prepared, printed, retired
from tests.sources import ROOT

pytestmark = pytest.mark.filterwarnings(FORKS)


def folder_of(path: Path) -> str:
    """A folder of the repository, or one of the prover's, in which the file is."""
    return "/".join(path.relative_to(ROOT).parts[:-1][:2])


@pytest.mark.parametrize("folder", sorted({folder_of(path) for path in files()}))
def test_what_people_read(folder: str) -> None:
    read = [path for path in files() if folder_of(path) == folder]
    assert [finding for path in read for finding in findings(path)] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("answers"))


@pytest.mark.family
@pytest.mark.parametrize("line", ANSWERS + HELP)
def test_what_commands_print(line: str, folder: Path) -> None:
    assert printed(line, folder) == []


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
