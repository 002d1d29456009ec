"""Sparse vector techniques of Google's dp_auditorium, sparse_vector_technique.py.

    prover privacy examples/gallery/dp_auditorium.py:svt6 --const count=2

``count`` is max_answered_queries, and sensitivities are 1.
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def svt1(queries, count=3):
    """SVT1: the noise of queries grows with the number of answers, that of the threshold does not."""
    threshold = laplace(0, scale=2)
    answered = 0
    for query in queries:
        if laplace(query, scale=4 * count) >= threshold:
            see("above")
            answered += 1
            if answered == count:
                return
        else:
            see("below")


@prover.mechanism
def svt2(queries, count=3):
    """SVT2: both grow, and the threshold is drawn once."""
    threshold = laplace(0, scale=2 * count)
    answered = 0
    for query in queries:
        if laplace(query, scale=4 * count) >= threshold:
            see("above")
            answered += 1
            if answered == count:
                return
        else:
            see("below")


@prover.mechanism
def svt3(queries, count=3):
    """SVT3 shows the noisy number of a query that is above the threshold."""
    threshold = laplace(0, scale=2)
    answered = 0
    for query in queries:
        noisy = laplace(query, scale=2 * count)
        if noisy >= threshold:
            see(noisy)
            answered += 1
            if answered == count:
                return
        else:
            see("below")


@prover.mechanism
def svt4(queries, count=3):
    """SVT4: neither grows."""
    threshold = laplace(0, scale=4)
    answered = 0
    for query in queries:
        if laplace(query, scale="4/3") >= threshold:
            see("above")
            answered += 1
            if answered == count:
                return
        else:
            see("below")


@prover.mechanism
def svt5(queries, count=3):
    """SVT5 adds no noise to queries."""
    threshold = laplace(0, scale=2)
    answered = 0
    for query in queries:
        if query >= threshold:
            see("above")
            answered += 1
            if answered == count:
                return
        else:
            see("below")


@prover.mechanism
def svt6(queries, count=3):
    """SVT6: the noise does not grow with the number of answers, which the base class limits."""
    threshold = laplace(0, scale=2)
    answered = 0
    for query in queries:
        if laplace(query, scale=2) >= threshold:
            see("above")
            answered += 1
            if answered == count:
                return
        else:
            see("below")
