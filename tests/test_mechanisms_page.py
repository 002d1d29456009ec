"""The table of docs/mechanisms.md says what the prover finds, with a certificate."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.formats.dipa import read_dipa
from prover.program.attack.probability import loss_between
from prover.program.noise import in_units
from prover.zoo import build_program, svt
from tests.certified import proved

PAGE = Path(__file__).resolve().parent.parent / "docs" / "mechanisms.md"
MODEL = re.compile(r"^\| .* \| `(?!prover)[a-z]", re.MULTILINE)
ROW = re.compile(r"^\| .* \| `(?!prover)([\w =-]+)` \| ([\w/ ]+)(?:[,:].*)? \| ([\w/ ]+) \|$", re.MULTILINE)
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = ROW.findall(TEXT)


def test_the_table_is_read() -> None:
    assert len(ROWS) == len(MODEL.findall(TEXT)) >= 20
    assert {said for _, said, _ in ROWS} >= {"5/4", "not private"}


@pytest.mark.family
@pytest.mark.parametrize(("model", "said", "monotonic"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row(model: str, said: str, monotonic: str) -> None:
    name, *parameters = model.split()
    program = build_program(name, **dict(given.split("=") for given in parameters))
    for adjacency, expected in (("all-differ", said), ("monotonic", monotonic)):
        found = prover.privacy(program, adjacency)
        assert found.certificate is not None
        proved(found.certificate)
        assert expected == ("not private" if found.private is False else str(found.epsilon))


def test_sensitivity_scales_all_rates() -> None:
    program = svt()
    threshold, query = program.states["q1"], program.states["q2"]
    halves = [
        replace(state, rate=in_units(state.rate or Fraction(0), Fraction(2))) for state in (threshold, query)
    ]
    both = replace(program, states={"q1": halves[0], "q2": halves[1]})
    queries = replace(program, states={"q1": threshold, "q2": halves[1]})
    assert (prover.privacy(both).epsilon, prover.privacy(queries).epsilon) == (Fraction(5, 2), Fraction(9, 4))
    # Inputs that differ by 2, in the program as it stands, lose nearly 5/2 and more than 9/4.
    path = [program.edges[k] for k in (0, 1, 1, 2)]
    deltas = (0, 1, 1, -1)
    near, far = ([Fraction(t * delta) for delta in deltas] for t in (20, 22))
    low, high = loss_between(program, path, near, far, Fraction(1)).loss
    assert Fraction(249, 100) < low <= high <= Fraction(5, 2)


def test_the_example_of_the_page() -> None:
    (text,) = re.findall(r"```dipa\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert prover.privacy(read_dipa(text)).headline == "private: exactly (5/4)·ε (no smaller multiple holds)"
