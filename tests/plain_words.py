"""What people read, piece by piece, and the retired words (`tests/retired_words.py`) in it.

python -m tests.plain_words [PATH...]    what is found, in all that is read or in these files
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import prover
from prover.errors import BadInput
from tests.page_examples import prepare, run_line
from tests.retired_words import SENTENCES, WORDS
from tests.sources import ROOT, nodes, parsed, relative
from tests.test_help_examples import COMMANDS

COMMENT = re.compile(r"^[ \t]*(#+|//+)", re.MULTILINE)
COMMENTED = {".prism", ".dipa", ".toml", ".sh", ".py"}
NAME = re.compile(r"[\w.:/-]*")
"""A string like this is a name, a key or a path, and no prose."""

PATTERNS = {
    re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE): instead
    for pattern, instead in WORDS.items()
} | {re.compile(pattern, re.MULTILINE): instead for pattern, instead in SENTENCES.items()}

MODELS = {
    "survey.json": "randomised-response",
    "pin.json": "pin-checker",
    "doors.json": "two-doors",
    "guessing.json": "pin-guessing",
    "svt.json": "svt",
    "leak.json": "leaking-pair",
    "ranges.json": "m-range m=2",
}
CERTIFIED = (
    "prover delta pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert",
    "prover privacy svt.json --certificate svt.cert",
)
ANSWERS = """
prover delta survey.json --alpha 6/5
prover delta survey.json --alpha 2 --html delta.html
prover delta pin.json --from 0 --to 1 --alpha 11/10
prover delta pin.json --alpha 1 --untimed
prover delta doors.json --alpha 2 --html doors.html
prover delta guessing.json --alpha 2 --open-loop
prover distance guessing.json --alpha 2
prover epsilon survey.json --delta 1/100 --html epsilon.html
prover epsilon survey.json --delta 1/100 --times 20
prover curve survey.json --alpha 1:3:5 --html curve.html
prover curve pin.json --from 0 --to 1 --epsilon 0:0.24:3
prover distance pin.json --from 0 --to 1 --alpha 11/10 --html distance.html
prover distance pin.json --alpha 11/10 --all-pairs
prover distance pin.json --alpha 1 --kind bd
prover privacy svt.json --verbose --html privacy.html
prover privacy svt.json --strategies
prover privacy svt.json --witness --at-epsilon 1/10 --html witness.html
prover privacy svt.json --at-most 3/2
prover privacy leak.json --witness --html leak.html
prover privacy ranges.json
prover verify pin.cert svt.cert
prover verify pin.cert --at-most 1/100
prover check examples/claims/claims.toml
prover account examples/account.toml --html account.html
prover gallery sampcert-sparse
prover zoo
prover encode pin.json --problem ld-threshold --theta 1/2 --alpha 2 --from 0 --to 1
prover compose survey.json --times 2
prover convert svt.json seen.json --stuck
prover bench compare benchmarks/results/papers.jsonl benchmarks/results/papers.jsonl
prover bench report benchmarks/results/scaling.jsonl
prover man
""".strip().splitlines()
HELP = [" ".join(("prover", *name, "--help")) for name in COMMANDS]
TAG = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)


def retired(text: str, place: str, first: int = 1) -> list[str]:
    """The retired words of a text, each with its place and what to write instead."""
    found = []
    for pattern, instead in PATTERNS.items():
        for match in pattern.finditer(text):
            line = first + text.count("\n", 0, match.start())
            words = " ".join(match[0].split())
            found.append((line, f"{place}:{line}: “{words:.70}”; instead: {instead}"))
    return [finding for _, finding in sorted(found)]


def files() -> list[Path]:
    """The files with text that people read."""
    found = {
        ROOT / "Makefile",
        *ROOT.glob("*.md"),
        *ROOT.glob("[a-z]*/README.md"),
        *ROOT.glob("prover/**/*.py"),
    }
    for folder, endings in {
        "docs": ("md", "rst"),
        "docs/schemas": ("json",),
        "examples": ("ipynb", "prism", "dipa", "toml", "sh", "py"),
        "prover/report": ("html",),
    }.items():
        found |= {path for ending in endings for path in (ROOT / folder).rglob(f"*.{ending}")}
    return sorted(found)


def findings(path: Path) -> list[str]:
    """The retired words in what people read of a file."""
    text, place = path.read_text(encoding="utf-8"), relative(path)
    if place.startswith("prover/") and path.suffix == ".py":
        strings = sorted(set(_strings(path, place)))
        prose = [(line, said) for line, said in strings if not NAME.fullmatch(said)]
        return [finding for line, said in prose for finding in retired(said, place, line)]
    if path.suffix == ".ipynb":
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
        places = [f"{place}, cell {number}" for number in range(1, len(cells) + 1)]
        return [finding for pair in zip(cells, places, strict=True) for finding in retired(*pair)]
    if path.suffix in COMMENTED:
        text = COMMENT.sub(lambda mark: " " * len(mark[0]), text)
    return retired(text, place)


def _strings(path: Path, place: str) -> Iterator[tuple[int, str]]:
    """The strings of a module that may be printed, and the docstrings of what is public, with their lines."""
    unread = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    unread -= {id(node.value) for node in _read(parsed(path), place)}
    for node in nodes(path):
        if isinstance(node, ast.JoinedStr):
            unread |= {id(part) for part in node.values}  # which are read as a whole
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
    for node in nodes(path):
        if isinstance(node, ast.Constant) and id(node) not in unread and isinstance(node.value, str):
            yield node.lineno, node.value


def _read(tree: ast.Module, place: str) -> Iterator[ast.Expr]:
    """The docstrings that people read: of what is public, and of commands."""
    names = public().get(place, set())
    if "" in names:
        yield from (node for node in tree.body if isinstance(node, ast.Expr))
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            decorators = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
            shown = "" in names and not node.name.startswith("_")
            if shown or node.name in names or re.search(r"\.(command|group)\(", decorators):
                yield from _docstrings(node)


def _docstrings(node: ast.AST) -> Iterator[ast.Expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr):
            yield child
        elif isinstance(child, ast.ClassDef | ast.FunctionDef) and not child.name.startswith("_"):
            yield from _docstrings(child)


@cache
def public() -> dict[str, set[str]]:
    """Of each module's file, the names in the API reference, `` for the module itself and all in it."""
    things = [getattr(prover, name) for name in prover.__all__] + _errors()
    whole = ["prover"]
    for page in ROOT.glob("docs/site/api/*.rst"):
        for kind, name in re.findall(r"auto(\w+):: ([\w.]+)", page.read_text(encoding="utf-8")):
            if kind == "module":
                whole.append(name)
            else:
                module, _, attribute = name.rpartition(".")
                things.append(getattr(importlib.import_module(module), attribute))
    found: dict[str, set[str]] = {}
    for module, name in [(name, "") for name in whole] + [
        (one.__module__, one.__qualname__) for one in things
    ]:
        source = inspect.getsourcefile(importlib.import_module(module))
        assert source is not None
        found.setdefault(relative(Path(source)), set()).add(name.split(".")[0])
    return found


def _errors() -> list[type]:
    """All errors about input, which have a page in the reference."""
    for module in pkgutil.walk_packages(prover.__path__, "prover."):
        if not module.name.endswith(("__main__", "plugin")):
            importlib.import_module(module.name)
    found, new = list[type](), [BadInput]
    while new:
        found += new
        new = [error for above in new for error in above.__subclasses__()]
    return found


def prepared(folder: Path) -> Path:
    """The folder with the models and the certificates that the commands of ANSWERS are about."""
    prepare(folder)
    for file, model in MODELS.items():
        assert run_line(f"prover zoo {model} > {file}", folder) == (0, "")
    for line in CERTIFIED:
        assert run_line(line, folder)[0] == 0
    return folder


def printed(line: str, folder: Path) -> list[str]:
    """The retired words in what a command prints, and in the page that it writes."""
    status, text = run_line(line, folder)
    assert status in (0, 1), text
    found = retired(text, line)
    for page in re.findall(r"--html (\S+)", line):
        found += retired(TAG.sub(" ", (folder / page).read_text(encoding="utf-8")), page)
    return found


if __name__ == "__main__":
    for one in [ROOT / place for place in sys.argv[1:]] or files():
        sys.stdout.writelines(f"{finding}\n" for finding in findings(one))
