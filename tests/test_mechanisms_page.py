"""The table of docs/mechanisms.md says what the prover finds, with a certificate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import prover
from prover.zoo import build_program
from tests.certified import proved

PAGE = Path(__file__).resolve().parent.parent / "docs" / "mechanisms.md"
ROW = re.compile(r"^\| .* \| `(?!prover)([\w =-]+)` \| ([\w/ ]+)(?:,.*)? \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))


def test_the_table_is_read() -> None:
    assert len(ROWS) >= 9
    assert {said for _, said in ROWS} >= {"5/4", "not private"}


@pytest.mark.parametrize(("model", "said"), ROWS, ids=[model for model, _ in ROWS])
def test_a_row(model: str, said: str) -> None:
    name, *parameters = model.split()
    found = prover.privacy(build_program(name, **dict(given.split("=") for given in parameters)))
    assert found.certificate is not None
    proved(found.certificate)
    assert said == ("not private" if found.private is False else str(found.epsilon))
