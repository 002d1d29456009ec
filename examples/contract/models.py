"""Models of the mechanisms in library.py, which prover reads and does not run."""

import prover
from prover.language import discrete_laplace, flip, laplace, see


@prover.protocol
def answer(truth: bool):
    see(truth if flip("3/4") else not truth)


@prover.protocol
def count(more: bool, people=1):
    """Neighbouring inputs are two counts that differ by one person."""
    noisy = discrete_laplace(people + (1 if more else 0), q="1/2")
    see(0 if noisy <= 0 else 3 if noisy >= 3 else noisy)


@prover.mechanism
def first_above(queries):
    threshold = laplace(0, rate="1/2")
    for query in queries:
        if laplace(query, rate="1/4") >= threshold:
            see("above")
            return
        see("below")
