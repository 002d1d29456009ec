"""What the headline of a trade-off function says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.accounting.tradeoff import TradeOff
from prover.report.tradeoff import sum_of_errors

F = Fraction
GUESS = TradeOff(((F(0), F(1)), (F(1), F(0))))
THIRDS = TradeOff(((F(0), F(1)), (F(1, 3), F(1, 3)), (F(1), F(0))))
NEVER_WRONG = TradeOff(((F(0), F(0)), (F(1), F(0))))
HARDLY = TradeOff(((F(0), F(1, 10**9)), (F(1), F(0))))


@pytest.mark.parametrize(
    ("fewest", "most", "said"),
    [
        (THIRDS, GUESS, "in no test is the sum of both errors below 2/3"),
        (NEVER_WRONG, THIRDS, "the least sum of both errors of a test is at most 0.666667"),
        (NEVER_WRONG, NEVER_WRONG, "the least sum of both errors of a test is at most 0"),
        (NEVER_WRONG, GUESS, "nothing is known so far of the errors of tests"),
    ],
)
def test_sum_of_errors(fewest: TradeOff, most: TradeOff, said: str) -> None:
    assert sum_of_errors(fewest, most, str) == said


def test_a_sum_that_is_0_only_where_it_is_rounded() -> None:
    assert sum_of_errors(HARDLY, GUESS, lambda _: "0") == "in no test is the sum of both errors 0"
