"""Where the checker follows all runs, one stands for those that are equally likely. With q the checker
need not be told anything for that, and this was taken for a list of runs, which lacked the others.
"""

from __future__ import annotations

import json

import prover
from prover.language import discrete_laplace, mechanism, see
from tests.certificate.verdicts import accepted


@mechanism
def three(queries):  # type: ignore[no-untyped-def]
    """Three equal numbers are compared with a limit: (no, yes) and (yes, no) are as likely as each other."""
    limit = discrete_laplace(0, rate=1)
    for _ in range(3):
        see("yes" if discrete_laplace(next(queries), rate=1) >= limit else "no")


def test_the_certificate_is_accepted() -> None:
    answer = prover.delta(three(), q="1/2", alpha=1, adjacency="increasing")
    assert answer.lower > 0
    assert answer.lower_certificate is not None
    accepted(json.loads(answer.lower_certificate.data))
