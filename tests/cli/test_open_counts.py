"""`prover privacy --open COUNT`: the formula, its certificate, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import FORKS, prover, verdicts
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)

CODE = "examples/mechanisms/counted.py"


def test_a_formula_and_its_certificate(tmp_path: Path) -> None:
    proof, page = tmp_path / "count.cert", tmp_path / "count.html"
    asked = ("privacy", f"{CODE}:answers", "--open", "count=1:5", "--json")
    run = prover(*asked, "--certificate", proof, "--html", page)
    assert run.status == 0
    check_answer(["privacy"], run.out)
    found = json.loads(run.out)
    assert found["formula"] == {"constants": ["1"], "each": "1", "first": 1}
    assert found["values"] == {str(count): str(count + 1) for count in range(1, 6)}
    assert "counted.py:answers" in page.read_text(encoding="utf-8")
    assert verdicts(proof).out.startswith("VERIFIED counted-epsilon adjacency=all-differ ")


def test_no_formula_is_undecided() -> None:
    run = prover("privacy", "examples/mechanisms/several_thresholds.py:ranges", "--open", "m=1:4")
    assert run.status == 3
    assert run.out.startswith("no formula: the number of variables depends on m\n")
    assert "Nothing is claimed for m above 4." in run.out


def test_not_private_at_a_count_is_refuted() -> None:
    run = prover("privacy", "examples/mechanisms/sparse_vector.py:lyu_3", "--open", "c=1:4")
    assert run.status == 1
    assert run.out.startswith("not private: the program is not private at c = 1\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--open", "count=1:2"], "at least four counts"),
        (["--open", "count", "--at-most", "2"], "leave out --open, or --at-most"),
        (["--open", "count", "--engine", "smt"], "leave out --open, or --engine"),
        (["--open", "other"], "other"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str) -> None:
    run = prover("privacy", f"{CODE}:answers", *arguments)
    assert (run.status, run.out) == (2, "")
    assert words in run.err
