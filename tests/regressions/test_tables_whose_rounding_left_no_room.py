"""Values that were made convex after it was looked whether they have room: checkers rejected the table."""

from __future__ import annotations

import pytest

import prover
from tests.certified import proved


@pytest.mark.family
@pytest.mark.parametrize(
    ("q", "alpha", "adjacency"),
    [("1/2", "1", "all-differ"), ("1/3", "1", "increasing"), ("1/3", "5/4", "increasing")],
)
def test_the_certificate_is_accepted(q: str, alpha: str, adjacency: str) -> None:
    program = prover.load_program("examples/svt-discrete.dipa")
    answer = prover.delta(program, q=q, alpha=alpha, adjacency=adjacency)
    assert answer.upper < 1
    assert answer.certificate is not None
    proved(answer.certificate)
