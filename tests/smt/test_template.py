"""Templates: where they are, and what their filters write."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from prover.smt.template import added, conjoined, names, number, render, templates

FOLDER = Path(__file__).resolve().parents[2] / "encodings"


def test_in_the_repository_templates_are_beside_the_package() -> None:
    assert templates() == FOLDER
    assert names() == tuple(sorted(path.stem for path in FOLDER.glob("*.smt2")))


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("privacy-2sat")


@pytest.mark.parametrize(
    ("value", "term"),
    [
        (Fraction(0), "0.0"),
        (3, "3.0"),
        (Fraction(-3), "(- 3.0)"),
        (Fraction(1, 3), "(/ 1.0 3.0)"),
        (Fraction(-5, 2), "(/ (- 5.0) 2.0)"),
    ],
)
def test_numbers_are_terms(value: Fraction | int, term: str) -> None:
    assert number(value) == term


@pytest.mark.parametrize(
    ("terms", "total"),
    [
        ("", "0.0"),
        (" 0.0\n0.0 ", "0.0"),
        (" x.1 ", "x.1"),
        ("(* 2.0 x)", "(* 2.0 x)"),
        ("x\n  (- (+ y z))\n0.0 (/ 1.0 3.0)", "(+ x (- (+ y z)) (/ 1.0 3.0))"),
    ],
)
def test_terms_one_after_the_other_make_a_sum(terms: str, total: str) -> None:
    assert added(terms) == total


def test_conditions_one_after_the_other_make_a_conjunction() -> None:
    assert conjoined("") == "true"
    assert conjoined("a\n") == "a"
    assert conjoined("a (not b)\n(=> a b)") == "(and a (not b) (=> a b))"
