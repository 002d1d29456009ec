"""Noise of libprio-rs, src/flp/types/dp.rs: what an aggregator of Prio3 adds to the sum of all measurements.

    prover privacy examples/gallery/libprio.py:sum_vector --const length=2

The unit is the ε of PureDpBudget. A person's measurement is replaced by another one.
"""

import prover
from prover.language import discrete_laplace, see


@prover.mechanism
def histogram(queries):
    """Histogram: two counts change by one, and the noise is of rate ε/2; other counts do not change."""
    for _ in range(2):
        see(discrete_laplace(next(queries), rate="1/2"))


@prover.mechanism
def sum_vector(queries, length=3):
    """SumVec with bits = 1: each sum changes by up to one, and the noise is of rate ε/length."""
    for _ in range(length):
        see(discrete_laplace(next(queries), scale=length))
