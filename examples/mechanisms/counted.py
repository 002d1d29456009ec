"""Mechanisms with a count that can be left open, and noise that does not depend on it.

prover privacy examples/mechanisms/counted.py:answers --open count
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def answers(queries, count=3):
    """Stops at so many answers above one threshold; the budget is not divided. The loss is (1 + count)·ε."""
    threshold = laplace(0, rate=1)
    found = 0
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see("above")
            found += 1
            if found == count:
                return
        else:
            see("below")


@prover.mechanism
def redrawn(queries, count=3):
    """The same with a new threshold after each answer above (SampCert's Sparse). The loss is count·ε."""
    found = 0
    threshold = laplace(0, rate="1/2")
    for query in queries:
        if laplace(query, rate="1/4") >= threshold:
            see("above")
            found += 1
            if found == count:
                return
            threshold = laplace(0, rate="1/2")
        else:
            see("below")


@prover.mechanism
def in_a_row(queries, count=5):
    """So many tests, as long as they are below a private threshold: the loss stops to grow at three."""
    threshold = laplace(next(queries), rate="1/4")
    see("begin")
    for _ in range(count):
        if laplace(next(queries), rate="1/4") >= threshold:
            see("above")
            return
        see("below")
