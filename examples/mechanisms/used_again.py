"""Mechanisms that use a query more than once, or add queries.

prover privacy examples/mechanisms/used_again.py:adaptive_sparse_vector
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def adaptive_sparse_vector(queries):
    """Ding, Wang, Zhang and Kifer (2019), for one answer: far above with much noise, or above with less."""
    threshold = laplace(0, rate="1/2")
    for query in queries:
        rough = laplace(query, rate="1/8")
        if rough >= threshold:
            see("far above")
            see(rough - threshold)
            return
        precise = laplace(query, rate="1/4")
        if precise >= threshold:
            see("above")
            see(precise - threshold)
            return
        see("below")


@prover.mechanism
def smart_sum(queries, block=3):
    """Chan, Shi and Song (2011): every query with noise, and in its place the sum where a block ends."""
    count = 0
    total = 0
    for query in queries:
        total = query if count == 0 else total + query
        count = count + 1
        if count == block:
            see(laplace(total, rate=1))
            count = 0
        else:
            see(laplace(query, rate=1))
