"""Public numbers that are added to outputs tell which path was taken where nothing else does.

`f` tests a noisy number and then shows another one, 5 more where the test failed. Far to the left the density
of what is shown is p + (1 − p)·e^(−5) times that of the same noise, where p is the probability that the test
holds; p depends on the first query. So the loss is above ε, which is that of the second query alone. The
program has no public numbers, and with outputs that do not tell the run it would be answered with ε.
"""

from math import exp, log

import pytest

from prover.language.errors import NotYetInTheModel
from prover.language.files import function_in
from prover.language.written import Mechanism
from prover.program.model import Program
from prover.program.privacy import privacy

HEAD = """
import prover
from prover.language import laplace, see

@prover.mechanism
def f(queries):
    test = laplace(next(queries), rate=1) >= 0
"""
SECOND = "    value = laplace(next(queries), rate=1)\n"


def program_of(text: str) -> Program:
    function = function_in((HEAD + text).encode(), "f", "f.py")
    assert isinstance(function, Mechanism)
    return function.program({})


def code(first: str, other: str) -> str:
    return SECOND + f"    if test:\n        {first}\n    else:\n        {other}\n"


def test_the_loss_is_above_that_of_the_second_query() -> None:
    def density(first: float, second: float) -> float:
        holds = 1 - exp(-first) / 2 if first > 0 else exp(first) / 2
        at = -100
        return holds * exp(at - second) / 2 + (1 - holds) * exp(at - second - 5) / 2

    assert log(density(0, -1) / density(-1, 0)) > 1.9


@pytest.mark.parametrize("first", ["see(value)", "see(value - 1)"])
def test_the_loss_of_runs_bounds_that_of_numbers_that_are_moved(first: str) -> None:
    found = privacy(program_of(code(first, "see(value + 5)")))
    assert found.lower == 0
    assert found.upper == 2


@pytest.mark.parametrize(
    "text",
    [
        code("see(value); see('a')", "see('a'); see(value)"),
        code("see('a_b'); see(value)", "see('a'); see('b'); see(value)"),
    ],
)
def test_paths_that_differ_by_it_are_refused(text: str) -> None:
    with pytest.raises(NotYetInTheModel, match="which comparison was true"):
        program_of(text)


@pytest.mark.parametrize(
    ("text", "loss"),
    [
        (code("see(value + 5)", "see(value + 5)"), 1),
        (code("see('high'); see(value)", "see('low'); see(value + 5)"), 2),
    ],
)
def test_others_are_answered(text: str, loss: int) -> None:
    answer = privacy(program_of(text))
    assert answer.lower == answer.upper == loss


def test_registers_are_no_way_around() -> None:
    again = "    query = next(queries)\n    first = laplace(query, rate=1) >= 0\n"
    shown = "    value = laplace(query + next(queries), rate=1)\n"
    ends = "    if first:\n        see(value)\n    else:\n        see(value + 5)\n"
    found = privacy(program_of(again + shown + ends))
    assert found.lower == 0
    assert found.upper == found.runs.upper == 3
    assert program_of(again + shown + ends.replace(" + 5", "")).has_registers
