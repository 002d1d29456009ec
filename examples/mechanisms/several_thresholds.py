"""Mechanisms that store several noisy numbers: ranges, least and largest, and rising thresholds.

prover privacy examples/mechanisms/several_thresholds.py:least_and_largest --const k=4
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def between(queries):
    """Stops at the first answer not between two thresholds; shows a low one as a number. Loss (5/4)·ε."""
    low = laplace(0, rate="1/8")
    high = laplace(0, rate="1/8")
    for query in queries:
        noisy = laplace(query, rate="1/4")
        if low <= noisy < high:
            see("between")
        elif noisy < low:
            see(laplace(query, rate="1/2"))
            return
        elif noisy >= high:
            see("above")
            return


@prover.mechanism
def least_and_largest(queries, k=3):
    """Stores the least and the largest of k noisy answers; then stops at an answer that is not between.

    The loss is (1/2 + (1 + ⌊k/2⌋)/(2k))·ε for k > 1.
    """
    low = high = laplace(next(queries), rate=1 / (4 * k))
    see("first")
    for _ in range(k - 1):
        noisy = laplace(next(queries), rate=1 / (4 * k))
        if noisy < low:
            low = noisy
            see("least")
        elif noisy >= high:
            high = noisy
            see("largest")
        else:
            see("between")
    for query in queries:
        noisy = laplace(query, rate="1/4")
        if noisy < low:
            see("too low")
            return
        if noisy >= high:
            see("too high")
            return
        see("between")


@prover.mechanism
def ranges(queries, m=3):
    """Draws two thresholds for each of m ranges. Leaves a range at the first answer outside. Loss ε."""
    borders = ()
    for _ in range(2 * m):
        borders = (*borders, laplace(next(queries), rate=1 / (8 * m)))
        see("border")
    for place in range(m):
        low, high = borders[2 * place], borders[2 * place + 1]
        for query in queries:
            noisy = laplace(query, rate=1 / (4 * m))
            if noisy < low:
                see("low")
                break
            if noisy >= high:
                see("high")
                break
            see("in range")


@prover.mechanism
def rising_thresholds(queries, n=2):
    """Shows answers below a threshold; an answer above it is the next threshold. The loss is finite."""
    threshold = laplace(next(queries), rate=1 / (2 * n + 2))
    see("first")
    for _ in range(n - 1):
        for query in queries:
            noisy = laplace(query, rate=1 / (2 * n + 2))
            if noisy >= threshold:
                threshold = noisy
                see("higher")
                break
            see("below")
