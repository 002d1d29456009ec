"""Each row of the gallery has all that is published with it; its independent number is near the exact one."""

from __future__ import annotations

from collections.abc import Mapping

from prover.certificate.schema import Certificate
from prover.gallery.index import folder, gallery
from prover.gallery.library import REPLAY
from prover.gallery.page import row_page
from prover.gallery.proving import Proved
from prover.program.model import Program
from prover.report.certificate import embedded
from prover.report.document import html
from tests.report.pages import whole_text

HEADINGS = ["The code", "Declared and exact", "What is not claimed", "The proof", "Do it again"]
NO_RUN = {
    "relm-above-threshold": "its grid is too fine for sums",
    "relm-above-threshold-monotonic": "its grid is too fine for sums",
    "relm-sparse-numeric": "it shows a label and a number at once",
    "relm-permute-and-flip": "different runs have the same output",
    "dp-auditorium-svt3": "the loss of its runs grows without bound",
    "dp-auditorium-svt5": "the loss of its run is infinite",
    "libprio-histogram": "it shows numbers",
    "libprio-sum-vector": "it shows numbers",
}
"""Rows about threshold programs without ``steps``, and why."""


def missing(row: Proved) -> set[str]:
    """The elements that a row must have and has not."""
    entry = row.entry
    demanded = {
        "library or versions": (entry.library is None) != (not entry.versions),
        "inputs, or a program in replay": (entry.library is None) == (entry.inputs is not None),
        "independent": entry.independent is not None,
        "steps": bool(entry.steps) == (isinstance(row.model, Program) and entry.name not in NO_RUN),
        "reported": bool(entry.reported) or row.compared != "more",
        "certificate": bool(row.certificates),
    }
    return {element for element, there in demanded.items() if not there}


def test_a_row_has_every_element(rows: Mapping[str, Proved]) -> None:
    lacking = {name: found for name, row in rows.items() if (found := missing(row))}
    assert lacking == {}, "examples/gallery/gallery.toml says what each element is"


def test_independent_numbers_are_near_the_exact_ones(rows: Mapping[str, Proved]) -> None:
    for name, row in rows.items():
        low, high = (row.lower, row.upper) if row.measured is None else row.measured.loss
        found = row.entry.independent
        assert found is not None
        if found.number is None or found.error is None:
            assert low is None, name
        elif low is not None and high is not None:
            assert low - found.error <= found.number <= high + found.error, name


def test_a_page_shows_every_element(rows: Mapping[str, Proved]) -> None:
    for name, row in rows.items():
        entry, page = row.entry, row_page(row)
        text = whole_text(html(page))
        assert entry.independent is not None
        if entry.inputs is None:
            code = (folder() / REPLAY / f"{name}.py").read_text("utf-8")
        else:
            code = entry.inputs.code
        parts = (entry.quote, entry.claim, entry.versions, entry.independent.how, entry.commit, code)
        assert [part for part in parts if " ".join(part.split()) not in text] == []
        assert [section.heading for section in page.sections if section.heading in HEADINGS] == HEADINGS
        formula = [] if row.every is None else [row.every.certificate]
        assert [Certificate(data) for data in embedded(page)] == [*row.certificates, *formula]


def test_inputs_in_python_are_python() -> None:
    codes = {entry.name: entry.inputs for entry in gallery() if entry.inputs is not None}
    for name, inputs in codes.items():
        if inputs.language == "Python":
            compile(inputs.code, name, "exec")
    assert {inputs.language for inputs in codes.values()} == {"Python", "Python 2", "Lean", "Go", "Rust"}
