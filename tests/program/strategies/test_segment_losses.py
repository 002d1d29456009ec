"""The losses of segments themselves, from exact probabilities: what strategies cost is not only compared with
what the theory calls the loss.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.program.attack.probability import Interval, loss_between
from prover.program.branches import looping_branches
from prover.program.model import Program
from prover.program.strategies.segments import segment_loss
from prover.program.strategies.strategy import named_strategies, optimum, outlay
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

Rate = Fraction | int | str
RATES: list[Rate] = ["1/2", 1, 2]
FAR = 40  # inputs are this far from 0


def one_segment(first: Rate, below: list[Rate], above: list[Rate], *, input: bool = True) -> Program:
    """An assignment and tests of these rates."""
    tests = [(BELOW, rate) for rate in below] + [(ABOVE, rate) for rate in above]
    states = {"q0": state(step(TRUE, "q1", assign=True), rate=first, input=input)}
    states |= {
        f"q{k}": state(step(guard, f"q{k + 1}"), rate=rate) for k, (guard, rate) in enumerate(tests, start=1)
    }
    return program(states)


def worst_loss(model: Program) -> Interval:
    """What inputs that differ in the worst way lose at ε = 1."""
    (branch,) = looping_branches(model)
    best = optimum(branch)
    assert best is not None
    assert best.differences is not None
    assert best.cost == segment_loss(branch)
    near, far = ([Fraction((FAR + more) * delta) for delta in best.differences] for more in (0, 1))
    return loss_between(model, branch.edges, near, far, Fraction(1)).loss


@pytest.mark.parametrize(
    ("first", "below", "above", "input", "loss"),
    [
        ("1/2", [1], [1], True, 2),  # the counterexample with both guards, where S^L costs 3 and S^J 4
        (1, [1, 1], [], True, 2),  # S^L is tight
        (2, [1], [], True, 2),  # S^J is tight
        (1, [2], [1], True, 4),
        (1, [1, 1], [1, 1], True, 4),
        (1, ["3/4"], [], False, Fraction(3, 4)),  # a public threshold, where S^L costs 1 and S^J 3/2
        ("1/3", [1], ["1/4"], False, Fraction(5, 6)),
    ],
)
def test_the_loss_is_what_the_proposition_says(
    first: Rate, below: list[Rate], above: list[Rate], input: bool, loss: Rate
) -> None:
    low, _ = worst_loss(one_segment(first, below, above, input=input))
    assert Fraction(loss) - Fraction(1, 20) < low <= Fraction(loss)


def test_no_loss_is_above_the_cost_of_a_strategy() -> None:
    for seed in range(40):
        random = Random(seed)
        below, above = ([random.choice(RATES) for _ in range(random.randint(0, 2))] for _ in range(2))
        model = one_segment(random.choice(RATES), below, above, input=random.random() < 0.7)
        (branch,) = looping_branches(model)
        low, _ = worst_loss(model)
        costs = [cost for found in named_strategies(branch) if (cost := outlay(found).cost) is not None]
        best = segment_loss(branch)
        assert best is not None
        assert best - Fraction(1, 10) < low <= best <= min(costs), seed
