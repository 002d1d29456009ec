"""What is said of observers who do not see the run."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from prover.program.model import Program
from prover.program.noise import INFINITE, Gaussian, Noise
from prover.program.privacy import privacy
from prover.program.scope import is_scaled_by_epsilon
from prover.report.observer import observed_json, observer_text
from prover.zoo import hidden_xor, k_min_max
from tests.program.observer_examples import silent_pair


def test_runs_lose_as_much_together_where_other_inputs_are_needed() -> None:
    """Some of these runs lose less, so it is not said of all."""
    text = observer_text(privacy(k_min_max(6, hidden="yes")))
    assert "the runs with the output (o, c, c, c, c, c, in, in, in, in, lo) together lose as much" in text
    assert "the largest learns no more" in text


def test_all_runs_lose_as_much_where_none_are() -> None:
    text = observer_text(privacy(silent_pair()))
    assert text == "This does not matter here: all runs with the output (o, o, first) lose as much."


@pytest.mark.parametrize(
    ("program", "search"),
    [(silent_pair(), "run"), (k_min_max(3, hidden="yes"), "far"), (hidden_xor(), "box")],
)
def test_the_search_that_found_the_lower_bound(program: Program, search: str) -> None:
    observed = privacy(program).observer
    assert observed is not None
    assert observed_json(observed)["search"] == search


def test_why_the_answer_is_an_interval() -> None:
    text = observer_text(privacy(hidden_xor()))
    assert "(oinput, o, odd) proves the lower bound, found by trying many inputs (--box)." in text
    assert "falls to 0, loss/ε tends to this slope" in text
    on_grid = observer_text(privacy(replace(hidden_xor(), noise=Noise("discrete-laplace"))))
    assert "slope" not in on_grid
    assert on_grid.endswith("The observer's loss lies between the bounds.")


def test_slopes_are_about_letters_on_the_line_around_one_public_number() -> None:
    found = hidden_xor()
    first, second = found.states["q1"], found.states["q2"]
    shows = replace(second.transitions[0], output=("o", "insample"))
    changed = (
        {"q1": replace(first, rate=None, rate_left=Fraction(1), rate_right=INFINITE)},
        {"q2": replace(second, input=False, mean=Fraction(1))},
        {"q2": replace(second, transitions=(shows, *second.transitions[1:]))},
        {"q2": replace(second, rate=Gaussian(Fraction(1)))},
    )
    assert is_scaled_by_epsilon(
        replace(found, states={**found.states, "q2": replace(second, mean=Fraction(1))})
    )
    assert not is_scaled_by_epsilon(replace(found, at_epsilon=Fraction(1)))
    assert not any(is_scaled_by_epsilon(replace(found, states={**found.states, **own})) for own in changed)
