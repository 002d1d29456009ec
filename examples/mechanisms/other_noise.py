"""Mechanisms with other noise than Laplace's, with public thresholds, and with gaps.

prover privacy examples/mechanisms/other_noise.py:counting_queries
"""

import prover
from prover.language import Query, discrete_laplace, exponential, laplace, see


@prover.mechanism(sensitivity=3)
def counting_queries(queries):
    """Above threshold for whole numbers of which neighbours differ by up to 3. The loss is 3 · 5/4."""
    threshold = discrete_laplace(0, rate="1/4")
    for query in queries:
        if discrete_laplace(query, rate="1/2") >= threshold:
            see("above")
            return
        see("below")


@prover.mechanism
def free_gap(queries):
    """Above threshold that also shows by how much. The loss is 5/4 as without: the gap is free."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        noisy = laplace(query, rate="1/2")
        if noisy >= threshold:
            see(noisy - threshold)
            return
        see("below")


@prover.mechanism
def lyu_5(queries):
    """Algorithm 5 of Lyu, Su and Li: no noise on the answers. Not private."""
    threshold = laplace(0, rate="1/2")
    for query in queries:
        see("above" if query >= threshold else "below")


@prover.mechanism
def one_sided_maximum(first: Query, second: Query):
    """Which of two scores is larger, with exponential noise of rate 1/2 added. The loss is 2 · 1/2."""
    score = exponential(first, rate="1/2")
    see("second" if exponential(second, rate="1/2") > score else "first")


@prover.mechanism
def rounded(query: Query, border=10):
    """Whether a noisy answer reaches a public number. The loss is 1/2, the rate."""
    see("high" if laplace(query, scale=2) >= border else "low")


@prover.mechanism
def always_the_same_border(queries, border=10):
    """The same for every query of a stream. Not private."""
    for query in queries:
        see("high" if laplace(query, scale=2) >= border else "low")
