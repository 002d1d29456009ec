"""Mechanisms with a count that can be left open.

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


@prover.mechanism
def refreshed(queries, count=5):
    """So many queries, and a new threshold after each answer above. The loss is count·ε, or ε/2 less if odd.

    A single answer costs at most 1/2, and an answer below with one above it costs 2.
    """
    threshold = laplace(0, rate="1/2")
    for _ in range(count):
        if laplace(next(queries), rate=1) >= threshold:
            see("above")
            threshold = laplace(0, rate="1/2")
        else:
            see("below")


@prover.mechanism
def outside(queries, count=2):
    """Stops at so many answers that are not between two thresholds. The loss is (1 + count/2)·ε."""
    low = laplace(0, rate="1/2")
    high = laplace(0, rate="1/2")
    found = 0
    for query in queries:
        noisy = laplace(query, rate="1/4")
        if noisy < low:
            see("low")
        elif noisy >= high:
            see("high")
        else:
            see("between")
            continue
        found += 1
        if found == count:
            return
