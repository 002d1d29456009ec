"""Queries that are compared without noise: ties have probability 0 where the stored number has noise."""

from __future__ import annotations

import pytest

from prover.language.errors import NotYetInTheModel
from prover.language.files import function_in
from prover.language.written import Mechanism
from prover.program.origin import WrittenProgram
from prover.program.privacy import privacy


def program(relation: str, noise: str = "laplace(0, rate=1)") -> WrittenProgram:
    text = f"""\
import prover
from prover.language import discrete_laplace, exponential, gaussian, laplace, see
@prover.mechanism
def f(queries):
    border = {noise}
    for query in queries:
        if query {relation} border:
            see("yes")
            return
        see("no")
"""
    read = function_in(text.encode(), "f", "f.py")
    assert isinstance(read, Mechanism)
    return read.program({})


@pytest.mark.parametrize(("strict", "loose"), [(">", ">="), ("<=", "<")])
@pytest.mark.parametrize("noise", ["laplace(0, rate=1)", "exponential(0, rate=1)", "gaussian(0, sigma=1)"])
def test_a_tie_with_noise_has_no_probability(strict: str, loose: str, noise: str) -> None:
    assert program(strict, noise).states == program(loose, noise).states


def test_on_a_grid_ties_count() -> None:
    assert (
        program(">", "discrete_laplace(0, rate=1)").states
        != program(">=", "discrete_laplace(0, rate=1)").states
    )


def test_a_number_without_noise_may_tie() -> None:
    with pytest.raises(NotYetInTheModel, match="may be equal"):
        program(">", 'laplace(0, rate="inf")')


def test_it_is_not_private() -> None:
    answer = privacy(program(">"), "all-differ")
    assert answer.private is False
    assert answer.certificate is not None
