"""Last steps that look alike: exact values, and random programs against exact sums of what is seen."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.adjacency import ADJACENCIES
from prover.program.gaps import completed
from prover.program.privacy import privacy
from tests.program.observer.test_sums import check_within
from tests.program.observer_examples import leaving_a_range, random_endless
from tests.program_examples import ABOVE, BELOW, program, state, step


@pytest.mark.parametrize(("rate", "loss"), [(Fraction(1, 3), Fraction(4, 3)), (Fraction(1, 2), Fraction(2))])
def test_ranges_that_are_left_unseen(rate: Fraction, loss: Fraction) -> None:
    """example_25 and example_27 of DiPAut."""
    answer = privacy(leaving_a_range(rate))
    assert answer.epsilon == loss
    assert answer.runs.upper == loss + Fraction(1, 3)
    assert answer.certificate is not None
    assert "loss=observer" in check(answer.certificate.data)


@pytest.mark.parametrize(
    ("rate", "loss"), [(Fraction(1, 3), Fraction(5, 3)), (Fraction(1, 2), Fraction(7, 3))]
)
def test_who_sees_the_end_learns_more(rate: Fraction, loss: Fraction) -> None:
    answer = privacy(completed(leaving_a_range(rate)))
    assert answer.epsilon == loss
    assert answer.observer is not None
    assert answer.observer.below is not None
    assert answer.observer.below.search == "far"
    assert answer.observer.below.costs.word[-1] == ("stuck", 0)
    assert answer.certificate is not None
    assert "value=" in check(answer.certificate.data)


def test_a_loop_that_is_left_unseen() -> None:
    """The public threshold alone has to move."""
    first = state(step((), "test", assign=True), input=False)
    answer = privacy(program({"draw": first, "test": state(step(BELOW, "test"), step(ABOVE, "end"))}))
    assert answer.epsilon == 1
    assert answer.runs.upper == 3


@pytest.mark.family
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(16))
def test_random_programs(seed: int) -> None:
    """Tables of last steps bound the loss of all outputs of up to four steps."""
    random = Random(seed)
    while True:
        made = random_endless(random, ("x",))
        adjacency = random.choice(ADJACENCIES)
        found = privacy(made, adjacency)
        if found.observer is not None and found.observer.last is not None:
            break
    assert check_within(made, adjacency, random, 2, 4)
    assert found.certificate is not None
    check(found.certificate.data)
