"""SampCert's unbounded maximum, UnboundedMax/Code.lean.

prover privacy examples/gallery/sampcert.py:unbounded_max --adjacency monotonic
"""

import prover
from prover.language import discrete_laplace, see


@prover.mechanism
def unbounded_max(queries):
    """The first m such that, with noise, few elements are larger than m.

    The query for m is minus the number of elements larger than m: a new element moves all in one direction.
    """
    threshold = discrete_laplace(0, rate="1/2")
    for query in queries:
        if discrete_laplace(query, rate="1/4") >= threshold:
            see("this is m")
            return
        see("larger")
