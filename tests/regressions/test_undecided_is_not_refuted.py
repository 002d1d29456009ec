"""Benchmarks once said that a program is not private where the quick decision does not know.

A state without input compares a variable that its cycle assigns. All outputs have the same chances on all
inputs, since there are none: the program is private.
"""

from __future__ import annotations

from pathlib import Path

from prover.bench.runner import run
from tests.bench.made import suite_of

PROGRAM = """\
(q1: non-input, 1/4, 0): x := insample; output a; goto q2
(q2: non-input, 1/4, 0):
    if (insample < x) then output b; goto q2
    elseif (insample >= x) then output c; goto q1
"""
SUITE = """
name = "small"
[[family]]
name = "one"
model = "cycle.dipa"
question = "decide"
"""


def test_a_program_that_reads_nothing_is_private(tmp_path: Path) -> None:
    (tmp_path / "cycle.dipa").write_text(PROGRAM)
    (row,) = run(suite_of(SUITE, tmp_path))
    assert (row.status, row.value) == ("exact", "0"), row.error
