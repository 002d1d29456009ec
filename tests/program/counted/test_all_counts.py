"""Mechanisms with a count, of the zoo, the gallery and the examples: a formula, or a stated reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prover import zoo
from prover.formats.load import load_program
from prover.program.counted.privacy import privacy_of_counts
from prover.program.model import Program
from prover.program.privacy import privacy

FORMULA = "a formula"
NOT_PRIVATE = "the program is not private"
HIDDEN = "the outputs do not show which transitions are taken"
VARIABLES = "the number of variables depends on"
BLOCK = "no block of states is repeated"

ZOO = {
    "chain-of-tests n": FORMULA,
    "hidden-xor n": HIDDEN,
    "k-min-max k": "no proof was found",
    "levels k": VARIABLES,
    "lyu-1 c": FORMULA,
    "lyu-2 c": FORMULA,
    "lyu-3 c": NOT_PRIVATE,
    "lyu-4 c": FORMULA,
    "lyu-5 c": NOT_PRIVATE,
    "lyu-6 c": NOT_PRIVATE,
    "m-range m": VARIABLES,
    "nested-thresholds n": VARIABLES,
    "noisy-max n": HIDDEN,
    "numeric-svt n": FORMULA,
    "sharing-family n": BLOCK,
    "sharing-member n": BLOCK,
    "sharing-pair tests": BLOCK,
    "streams m": VARIABLES,
    "svt-discrete sensitivity": "the noise depends on sensitivity",
}
NO_COUNTS = {
    *("hidden-xor threshold", "hidden-xor rate", "noisy-max top", "random-program looping"),
    *("random-program seed", "random-program states", "sharing-member k", "svt-discrete grid"),
    "row-of-loops states",  # every seventh and every tenth state is another one
}
CODE = {
    "gallery/autodp.py:laplace_svt count": FORMULA,
    **{f"gallery/dp_auditorium.py:svt{number} count": FORMULA for number in (1, 2, 4)},
    "gallery/dp_auditorium.py:svt3 count": NOT_PRIVATE,
    "gallery/dp_auditorium.py:svt5 count": NOT_PRIVATE,
    "gallery/dp_auditorium.py:svt6 count": FORMULA,
    "gallery/hands_on.py:sparse_vector count": FORMULA,
    "gallery/relm.py:permute_and_flip candidates": HIDDEN,
    "gallery/relm.py:sparse_indicator count": FORMULA,
    "gallery/relm.py:sparse_numeric count": FORMULA,
    "mechanisms/other_noise.py:largest_shown size": HIDDEN,
    "mechanisms/several_thresholds.py:least_and_largest k": "the noise depends on k",
    "mechanisms/several_thresholds.py:ranges m": VARIABLES,
    "mechanisms/sparse_vector.py:lyu_3 c": NOT_PRIVATE,
    "mechanisms/used_again.py:smart_sum block": NOT_PRIVATE,
}
"""Where test_counted.py does not say more."""


def answered(make: Callable[[int], Program], parameter: str) -> str:
    """FORMULA, if one holds at a larger count, or the reason why there is none."""
    found = privacy_of_counts(make, parameter, last=6 if parameter == "k" else 5)
    if found.formula is None:
        assert found.at(9) is None
        return str(found.reason)
    assert found.at(9) == privacy(make(9)).epsilon
    return FORMULA


@pytest.mark.family
@pytest.mark.parametrize("row", ZOO)
def test_the_zoo(row: str) -> None:
    name, parameter = row.split()
    assert answered(lambda c: zoo.build_program(name, **{parameter: str(c)}), parameter).startswith(ZOO[row])


@pytest.mark.family
@pytest.mark.parametrize("row", CODE)
def test_code(row: str) -> None:
    name, parameter = row.split()

    def make(count: int) -> Program:
        return load_program(f"examples/{name}", const=f"{parameter}={count}")

    assert answered(make, parameter).startswith(CODE[row])


def test_all_counts_of_the_zoo_are_listed() -> None:
    found = {
        f"{name} {parameter}"
        for name in zoo.NAMES
        if isinstance(zoo.build(name), Program)
        for parameter, text in zoo.parameters_of(name).items()
        if text.isdigit()
    }
    assert found - NO_COUNTS == set(ZOO)


def test_code_need_not_go_on_as_it_begins() -> None:
    """Answers name the counts that were compared, as formulas are about the program that repeats a block."""

    def make(states: int) -> Program:
        return zoo.build_program("row-of-loops", states=str(states))

    found = privacy_of_counts(make, "states")
    assert found.formula is not None
    assert found.at(8) == 4 != privacy(make(8)).epsilon
