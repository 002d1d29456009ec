"""Counts of linear extensions say nothing of ties: a union that looks convex loses more than its order would.

On the integers x1 is public, then x3 and x2 are drawn; o is seen iff x3 < x1 and x2 ≥ x1, or x3 ≥ x1 and
x2 > x1. All linear extensions of x1 < x2 are there, which would lose 1.
"""

from fractions import Fraction
from itertools import accumulate
from math import log2

from prover.certificate.check import check
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Test, Transition
from prover.program.noise import Noise
from prover.program.observer.bounds import above
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy

REACH = 30


def last(*cases: tuple[Test, str]) -> State:
    transitions = tuple(Transition((test,), (), output, "end") for test, output in cases)
    return State(True, Fraction(1), Fraction(0), None, None, transitions)


def unseen() -> Program:
    eight, zero = Fraction(8), Fraction(0)
    start = State(False, eight, zero, None, None, (Transition((), ("x",), "s", "q1"),))
    parts = Transition((("<", "x"),), (), "s", "q2"), Transition(((">=", "x"),), (), "s", "q3")
    states = {
        "q0": start,
        "q1": State(True, eight, zero, None, None, parts),
        "q2": last(((">=", "x"), "o"), (("<", "x"), "p")),
        "q3": last(((">", "x"), "o"), (("<=", "x"), "p")),
    }
    return Program("q0", states, noise=Noise("discrete-laplace"))


def weights(rate: int, mean: int) -> list[Fraction]:
    """Those of −REACH, …, REACH, with e^(−ε) = 1/2; far numbers are left out."""
    return [Fraction(1, 2 ** (rate * abs(place - mean))) for place in range(-REACH, REACH + 1)]


def seen(third: int, second: int) -> Fraction:
    """The probability of o, up to a factor, for inputs of x3 and x2."""
    below = [Fraction(0), *accumulate(weights(8, third))]
    before = [Fraction(0), *accumulate(weights(1, second))]
    return sum(
        (
            weight
            * (below[k] * (before[-1] - before[k]) + (below[-1] - below[k]) * (before[-1] - before[k + 1]))
            for k, weight in enumerate(weights(8, 0))
        ),
        Fraction(0),
    )


def test_more_is_lost_than_by_their_order() -> None:
    measured = log2(seen(-1, -6) / seen(0, -7))
    assert measured > 1.9
    found = above(unseen(), Adjacency.ALL_DIFFER, None, [], Budget(), set())
    assert found is None or found.upper >= 2
    answer = privacy(unseen())
    assert answer.upper is not None
    assert answer.upper >= 2
    assert answer.certificate is not None
    check(answer.certificate.data)
