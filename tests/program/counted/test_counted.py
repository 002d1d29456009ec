"""Formulas in a count, as docs/mechanisms.md lists them, and what is repeated."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from prover import zoo
from prover.certificate.check import check
from prover.formats.load import load_program
from prover.program.counted.model import counted
from prover.program.counted.privacy import privacy_of_counts
from prover.program.privacy import privacy
from tests.certificate.counted_judge import accepts_counted

FILES = "examples/mechanisms"
DEPENDS, NOT_PRIVATE = "the noise depends on c", "the program is not private at c = 1"


@pytest.mark.parametrize(
    ("name", "constant", "each", "first"),
    [
        ("counted.py:answers", "1", "1", 1),
        ("counted.py:redrawn", "0", "1", 2),
        ("counted.py:in_a_row", "1", "0", 3),
        ("sparse_vector.py:lyu_2", "0", "1", 2),
        ("sparse_vector.py:lyu_4", "1/4", "3/2", 1),
    ],
)
def test_formulas(name: str, constant: str, each: str, first: int) -> None:
    count = "c" if "lyu" in name else "count"
    found = privacy_of_counts(lambda c: load_program(f"{FILES}/{name}", const=f"{count}={c}"), count)
    assert found.formula is not None
    formula = found.formula
    assert (formula.constant, formula.each, formula.first) == (Fraction(constant), Fraction(each), first)
    assert check(formula.proof.data).startswith("counted-epsilon adjacency=all-differ loss=observer")
    assert accepts_counted(json.loads(formula.proof.data))
    assert found.divided is (name == "sparse_vector.py:lyu_2")
    assert all(found.at(c) == value for c, value in found.values.items())


@pytest.mark.parametrize("adjacency", ["one-differ", "monotonic", "decreasing"])
def test_other_adjacencies(adjacency: str) -> None:
    found = privacy_of_counts(zoo.lyu_4, "c", adjacency=adjacency)
    assert found.formula is not None
    assert accepts_counted(json.loads(found.formula.proof.data))
    assert found.at(8) == privacy(zoo.lyu_4(8), adjacency).epsilon


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("lyu-1", DEPENDS),
        ("lyu-3", NOT_PRIVATE),
        ("lyu-5", NOT_PRIVATE),
        ("lyu-6", NOT_PRIVATE),
    ],
)
def test_reasons(name: str, reason: str) -> None:
    found = privacy_of_counts(lambda c: zoo.build_program(name, c=str(c)), "c", last=4)
    assert found.formula is None
    assert found.reason == reason
    assert found.at(9) is None


@pytest.mark.parametrize(
    ("name", "parameter", "reason"),
    [
        ("sharing-pair", "tests", "no block of states is repeated"),
        ("numeric-svt", "n", "the noise depends on n"),
        ("svt-discrete", "sensitivity", "the noise depends on sensitivity"),
        ("noisy-max", "n", "the outputs do not show which transitions are taken"),
    ],
)
def test_more_reasons(name: str, parameter: str, reason: str) -> None:
    found = privacy_of_counts(lambda c: zoo.build_program(name, **{parameter: str(c)}), parameter, last=4)
    assert found.reason == reason


def test_copies_are_the_programs_that_were_compared() -> None:
    found = counted({c: zoo.chain_of_tests(c) for c in range(1, 6)})
    assert found is not None
    for copies in range(4):
        same = zoo.chain_of_tests(found.least + copies)
        assert privacy(found.repeated(copies)).epsilon == privacy(same).epsilon
        assert len(found.repeated(copies).states) == len(same.states)
