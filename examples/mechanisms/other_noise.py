"""Mechanisms with noise other than Laplace, with public thresholds, and with gaps.

prover privacy examples/mechanisms/other_noise.py:counting_queries
"""

import prover
from prover.language import Query, discrete_laplace, exponential, laplace, see


@prover.mechanism(sensitivity=3)
def counting_queries(queries):
    """Above threshold for whole numbers, which change by at most 3. The loss is 3·(5/4)·ε."""
    threshold = discrete_laplace(0, rate="1/4")
    for query in queries:
        if discrete_laplace(query, rate="1/2") >= threshold:
            see("above")
            return
        see("below")


@prover.mechanism
def free_gap(queries):
    """Above threshold that also shows the gap. The loss is (5/4)·ε, as without the gap."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        noisy = laplace(query, rate="1/2")
        if noisy >= threshold:
            see(noisy - threshold)
            return
        see("below")


@prover.mechanism
def lyu_5(queries):
    """Algorithm 5 of Lyu, Su and Li: no noise on the queries. Not private."""
    threshold = laplace(0, rate="1/2")
    for query in queries:
        see("above" if query >= threshold else "below")


@prover.mechanism
def one_sided_maximum(first: Query, second: Query):
    """Shows which of two scores is larger, with exponential noise of rate 1/2. The loss is 2·(1/2)·ε."""
    score = exponential(first, rate="1/2")
    see("second" if exponential(second, rate="1/2") > score else "first")


@prover.mechanism
def largest_shown(queries, size=3):
    """Shows the largest of several noisy scores, and not whose it is. The loss is size·(1/2)·ε."""
    best = laplace(next(queries), rate="1/2")
    for _ in range(1, size):
        score = laplace(next(queries), rate="1/2")
        if score > best:
            best = score
    see(best)


@prover.mechanism
def rounded(query: Query, border=10):
    """Shows whether a noisy answer reaches a public number. The loss is (1/2)·ε, as the rate."""
    see("high" if laplace(query, scale=2) >= border else "low")


@prover.mechanism
def age_group(query: Query, of_age=18, old=65):
    """Shows in which of three ranges a noisy answer is. The loss is (1/2)·ε, as the rate."""
    noisy = laplace(query, scale=2)
    see("child" if noisy < of_age else "adult" if noisy < old else "old")


@prover.mechanism
def always_the_same_border(queries, border=10):
    """The same for any number of queries. Not private."""
    for query in queries:
        see("high" if laplace(query, scale=2) >= border else "low")
