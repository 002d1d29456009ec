"""Whether a number between two bounds is at most another."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.exact.readable import multiple
from prover.report.reply import Reply
from prover.report.verdict import is_at_most, with_verdict

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("lower", "upper", "threshold", "holds"),
    [
        (THIRD, HALF, Fraction(1), True),
        (THIRD, HALF, HALF, True),
        (THIRD, HALF, Fraction(49, 100), None),
        (THIRD, HALF, THIRD, None),
        (THIRD, HALF, Fraction(33, 100), False),
        (THIRD, THIRD, THIRD, True),
        (THIRD, None, HALF, None),
        (HALF, None, THIRD, False),
        (THIRD, HALF, None, None),
    ],
)
def test_is_at_most(lower: Fraction, upper: Fraction | None, threshold: Fraction, holds: bool | None) -> None:
    assert is_at_most(lower, upper, threshold) is holds


@pytest.mark.parametrize(("holds", "word"), [(True, "yes"), (False, "no"), (None, "undecided")])
def test_with_verdict(holds: bool | None, word: str) -> None:
    reply = with_verdict(Reply("an answer", {"lower": "0"}, None, exact=True), HALF, holds, multiple)
    assert reply.text == f"at most (1/2)·ε: {word}\nan answer"
    assert reply.json == {"lower": "0", "at_most": "1/2", "holds": holds}
    assert (reply.exact, reply.refuted, reply.holds) == (holds is not None, holds is False, holds)


def test_nothing_is_asked() -> None:
    reply = with_verdict(Reply("an answer", {}, None, exact=False, refuted=True), None, None)
    assert (reply.text, reply.exact, reply.refuted, reply.holds) == ("an answer", False, True, None)
    assert reply.json == {"at_most": None, "holds": None}
