"""The notebooks of examples/notebooks: their cells run, and show what the words around them say."""

from __future__ import annotations

import ast
import json
import linecache
from pathlib import Path
from typing import Any

import pytest

import prover
from tests.report.pages import read_page

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


EXPECTED = {
    "my_protocol": ("ln(2)", "4/15", "ln(773/100)", "tv alpha=6/5"),
    "my_sparse_vector": ("exactly ε (no smaller", "not private: privacy violating path", "99."),
    "is_this_claim_true": (
        "private: exactly 2·ε (no smaller",
        "private: exactly (3/2)·ε (no smaller",
        "value=3/2",
    ),
}
"""What the cells show, one after the other."""


def run(path: Path) -> list[Any]:
    """What the code cells end with, each in turn; None where that is no expression.

    As in a notebook, functions of a cell have a source.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    found = []
    for number, text in enumerate(codes(path)):
        file = f"<{path.stem} {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        body = ast.parse(text, file).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), file, "exec"), names)  # noqa: S102
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)  # noqa: S307
        found.append(value)
    return found


def codes(path: Path) -> list[str]:
    """The texts of the code cells."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_notebooks_are_kept_without_results() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        document = json.loads(path.read_text(encoding="utf-8"))
        assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
        assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
        assert all(not cell["outputs"] for cell in document["cells"] if cell["cell_type"] == "code")


def test_names_of_other_cells_stand_for_what_they_are() -> None:
    names: dict[str, Any] = {}
    cells = [
        "import prover\nimport prover.language as words\nfrom prover.language import see as show",
        "@prover.mechanism\ndef one(queries):\n    bound = words.laplace(0, rate=1)\n"
        "    for query in queries:\n        if words.laplace(query, rate=1) >= bound:\n"
        "            show('above')\n            return\n"
        "        show('below')\n",
    ]
    for number, text in enumerate(cells):
        file = f"<cell {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)  # noqa: S102
    assert str(prover.privacy(names["one"]()).epsilon) == "3"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run(path)
    for value in shown:
        if hasattr(value, "_repr_html_"):
            read_page(value._repr_html_())
    text = " ".join(map(str, shown))
    assert [part for part in EXPECTED[path.stem] if part not in text] == []
    (page,) = tmp_path.glob("*.html")
    read_page(page.read_text(encoding="utf-8"))
