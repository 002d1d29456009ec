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
from prover.program.model import Program
from prover.program.privacy import privacy
from tests.certificate.counted_judge import accepts_counted

FILES = "examples/mechanisms"


@pytest.mark.family
@pytest.mark.parametrize(
    ("name", "constants", "each", "first"),
    [
        ("counted.py:answers", ["1"], "1", 1),
        ("counted.py:redrawn", ["0"], "1", 2),
        ("counted.py:in_a_row", ["1"], "0", 3),
        ("counted.py:refreshed", ["0", "-1/2"], "1", 3),
        ("counted.py:outside", ["1"], "1/2", 2),
        ("sparse_vector.py:lyu_1", ["0"], "1", 1),
        ("sparse_vector.py:lyu_2", ["0"], "1", 2),
        ("sparse_vector.py:lyu_4", ["1/4"], "3/2", 1),
        ("sparse_vector.py:numeric_svt", ["0"], "1", 1),
        ("several_thresholds.py:rising_thresholds", ["0"], "1", 3),
    ],
)
def test_formulas(name: str, constants: list[str], each: str, first: int) -> None:
    count = {"lyu": "c", "num": "n", "ris": "n"}.get(name.split(":")[1][:3], "count")
    found = privacy_of_counts(lambda c: load_program(f"{FILES}/{name}", const=f"{count}={c}"), count)
    assert found.formula is not None
    formula = found.formula
    expected = tuple(map(Fraction, constants)), Fraction(each), first
    assert (formula.constants, formula.each, formula.first) == expected
    assert check(formula.proof.data).startswith("counted-epsilon adjacency=all-differ loss=observer")
    assert accepts_counted(json.loads(formula.proof.data), 2)
    divisors = {"lyu_1": "c", "lyu_2": "c", "numeric_svt": "n", "rising_thresholds": "(n + 1)"}
    assert found.by == divisors.get(name.split(":")[1])
    assert all(found.at(c) == value for c, value in found.values.items())


@pytest.mark.family
@pytest.mark.parametrize("adjacency", ["one-differ", "monotonic", "decreasing"])
@pytest.mark.parametrize("name", ["lyu-1", "lyu-4"])
def test_other_adjacencies(name: str, adjacency: str) -> None:
    found = privacy_of_counts(lambda c: zoo.build_program(name, c=str(c)), "c", adjacency=adjacency)
    assert found.formula is not None
    assert accepts_counted(json.loads(found.formula.proof.data), 2)
    assert found.at(8) == privacy(zoo.build_program(name, c="8"), adjacency).epsilon


@pytest.mark.parametrize("name", ["refreshed", "outside"])
def test_larger_counts_one_by_one(name: str) -> None:
    def make(count: int) -> Program:
        return load_program(f"{FILES}/counted.py:{name}", const=f"count={count}")

    found = privacy_of_counts(make, last=5 + (name == "refreshed"))
    assert found.formula is not None
    assert [found.at(c) for c in (9, 12)] == [privacy(make(c)).epsilon for c in (9, 12)]


def test_a_period_is_said_by_its_counts() -> None:
    found = privacy_of_counts(lambda c: load_program(f"{FILES}/counted.py:refreshed", const=f"count={c}"))
    assert found.headline == (
        "private: exactly (count - 1/2)·ε for count = 3, 5, … and count·ε for count = 4, 6, …"
        " (no smaller multiple holds)"
    )


def test_copies_are_the_programs_that_were_compared() -> None:
    found = counted({c: zoo.chain_of_tests(c) for c in range(1, 6)})
    assert found is not None
    for copies in range(4):
        same = zoo.chain_of_tests(found.least + copies)
        assert privacy(found.repeated(copies)).epsilon == privacy(same).epsilon
        assert len(found.repeated(copies).states) == len(same.states)
