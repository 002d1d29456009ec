"""The losses of segments themselves, by numerical integration: what strategies cost is not only compared with
what the theory calls the loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from prover.program.branches import Branch
from prover.program.segments import segment_loss
from prover.program.strategy import optimum
from tests.program.segment_examples import Rate, assignment, comparing

POINTS = np.linspace(-60, 60, 60_001)
FAR = 25  # inputs are this far from 0


def log_probability(segment: Branch, inputs: Sequence[int]) -> float:
    """The logarithm of the probability of a segment at ε = 1, up to the same constant for all inputs."""
    total = np.zeros_like(POINTS)
    for place, center in zip(segment.places, inputs, strict=True):
        away = float(place.edge.rate) * (POINTS - center)
        if place.edge.assigns:
            total -= np.abs(away)
        else:
            side = away if place.edge.relation == "<" else -away
            tail = 0.5 * np.exp(-np.abs(side))  # P[insample < x] is tail, or 1 − tail
            total += np.where(side < 0, side - np.log(2), np.log1p(-tail))
    return float(np.logaddexp.reduce(total))


@pytest.mark.parametrize(
    ("first", "below", "above", "input"),
    [
        ("1/2", [1], [1], True),  # the counterexample with both guards: 2, where S^L costs 3 and S^J 4
        (1, [1, 1], [], True),  # S^L is tight
        (2, [1], [], True),  # S^J is tight
        (1, [2], [1], True),
        (1, [1, 1], [1, 1], True),
        (1, [], ["1/2", "1/3"], True),
        (1, ["3/4"], [], False),  # the public threshold: 3/4, where S^L costs 1 and S^J 3/2
        ("1/3", [1], ["1/4"], False),
    ],
)
def test_the_loss_is_what_the_proposition_says(
    first: Rate, below: list[Rate], above: list[Rate], input: bool
) -> None:
    segment = comparing(assignment(first, input=input), below, above)
    best = optimum(segment)
    assert best is not None
    assert best.cost is not None
    assert best.differences is not None
    assert best.cost == segment_loss(segment)
    near, far = ([FAR * delta + step * delta for delta in best.differences] for step in (0, 1))
    loss = log_probability(segment, near) - log_probability(segment, far)
    assert float(best.cost) - 0.05 < loss < float(best.cost) + 0.001
