"""The examples of all pages are run as they stand; see tests/page_examples.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prover.errors import BadInput
from tests.page_examples import NOT_RUN, ROOT, RUNNERS, Block, blocks, prepare, run, steps

pytestmark = pytest.mark.thorough

PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "encodings" / "README.md"})
EXAMPLES = [
    block
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix())
]
RUNNABLE = [
    pytest.param(
        block,
        id=f"{block.page}-{block.language}-line-{block.line}",
        marks=[pytest.mark.slow] if "slow" in block.more.split() else [],
    )
    for block in EXAMPLES
    if block.language in RUNNERS
]
SHOWN = ("", "text", "json", "sh")
"""What fences may hold that are not run."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for commands that leave nothing that others would find."""
    return prepare(tmp_path_factory.mktemp("shared"))


def test_the_readme_has_examples() -> None:
    assert {"console", "python"} <= {block.language for block in EXAMPLES if block.page == "README.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_fence_is_recognised(page: Path) -> None:
    # One that is indented or never closed would silently not be run.
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^\s*```", text, re.MULTILINE)) == 2 * len(blocks(text))


def test_what_is_not_run_says_why() -> None:
    shown = [block for block in EXAMPLES if block.language not in RUNNERS]
    assert [block.place for block in shown if block.language not in SHOWN] == []
    for block in shown:
        if block.language == "sh":
            assert re.match(rf"{NOT_RUN}\w", block.body), block.place
        else:
            assert re.search(r"^\$ |^prover \w", block.body, re.MULTILINE) is None, block.place


@pytest.mark.family
@pytest.mark.parametrize("block", RUNNABLE)
def test_example(block: Block, folder: Path) -> None:
    RUNNERS[block.language](block, folder)


def test_the_demo_works_and_overwrites_nothing(folder: Path) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "demo").write_text("of the user\n", encoding="utf-8")
    done = run(["bash", "examples/demo.sh"], folder)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("$ prover verify ") == done.stdout.count("\nVERIFIED ") == 4
    pages = {Path(line) for line in done.stdout.splitlines() if line.endswith(".html") and line[0] == "/"}
    assert pages == set((folder / "build" / "demo-2").glob("*.html"))
    assert {page.name for page in pages} == {"survey.html", "sparse.html"}
    assert (folder / "build" / "demo").read_text(encoding="utf-8") == "of the user\n"
    assert "build/demo-2." in done.stdout


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
def test_a_true_example_passes(language: str, body: str, shared: Path) -> None:
    RUNNERS[language](Block(language, body, 1), shared)


@pytest.mark.parametrize(
    ("language", "body", "complaint"),
    [
        ("console", "$ echo one\ntwo\n", "it printed\none"),
        ("console", "$ echo one\n", "it printed\none"),
        ("console", "$ true\none\n", "the page says\none"),
        ("console", "$ echo one; echo two\none\n", "it printed\none\ntwo"),
        ("console", "$ echo aXb\na.b\n", "it printed\naXb"),
        ("console", "$ printf 'one\\ntwo\\n'\none...two\n", "it printed\none\ntwo"),
        ("console", "$ echo oops >&2; exit 3\noops\n", "status 3"),
        ("console", "$ exit 3\n$ echo 3\n3\n", "status 3"),
        ("python", "assert 1 + 1 == 3\n", "AssertionError"),
        ("python", ">>> 1 + 1\n3\n", "Expected:"),
    ],
)
def test_a_false_example_fails(language: str, body: str, complaint: str, shared: Path) -> None:
    with pytest.raises(pytest.fail.Exception) as failure:
        RUNNERS[language](Block(language, body, 7), shared)
    assert "README.md, block at line 7" in str(failure.value)
    assert complaint in str(failure.value)


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("toml", 'name = "a suite"\n[[family]]\nname = "f"\nmodel = "svt"\nquestion = "privacyy"\n'),
        ("dipa", "(q1: non-input, 1/4, 0): x := insample; output o; goto\n"),
    ],
)
def test_a_document_that_is_not_in_order_fails(language: str, body: str, shared: Path) -> None:
    with pytest.raises(BadInput):
        RUNNERS[language](Block(language, body, 7), shared)


def test_a_console_block_begins_with_a_command() -> None:
    with pytest.raises(ValueError, match="begins with a line"):
        steps("output\n$ command\n")


def test_blocks_are_found_with_their_lines() -> None:
    text = "# Title\n\n```console\n$ true\n```\ntext\n```\nplain\n```\n```python title\nx = 1\n```\n"
    expected = [
        Block("console", "$ true\n", 4),
        Block("", "plain\n", 8),
        Block("python", "x = 1\n", 11, more="title"),
    ]
    assert blocks(text) == expected
