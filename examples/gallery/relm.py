"""Mechanisms of RelM, relm/mechanisms/sparse.py and selection.py.

    prover privacy examples/gallery/relm.py:sparse_numeric --const count=2

Sensitivities are 1 and all weights of the budget are 1, but for the e3_weight of ``sparse_numeric``, which is
the sum of the others, as by default.
"""

import prover
from prover.language import exponential, laplace, see


@prover.mechanism
def sparse_indicator(queries, count=3, monotonic=False):
    """Shows which queries are above a threshold that is drawn once, until ``count`` are."""
    threshold = laplace(0, rate="1/2")
    found = 0
    for query in queries:
        if laplace(query, scale=(1 if monotonic else 2) * 2 * count) >= threshold:
            see("above")
            found += 1
            if found == count:
                return
        else:
            see("below")


@prover.mechanism
def sparse_numeric(queries, count=3):
    """The same, and each query above is shown once more with noise of its own."""
    threshold = laplace(0, rate="1/4")
    found = 0
    for query in queries:
        if laplace(query, scale=8 * count) >= threshold:
            see("above")
            see(laplace(query, scale=2 * count))
            found += 1
            if found == count:
                return
        else:
            see("below")


@prover.mechanism
def permute_and_flip(queries, candidates=4):
    """The index of the largest score with exponential noise of rate ε/2."""
    best = exponential(next(queries), rate="1/2")
    winner = 0
    for candidate in range(1, candidates):
        score = exponential(next(queries), rate="1/2")
        if score >= best:
            best = score
            winner = candidate
    see(winner)
