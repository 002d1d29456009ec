"""Mechanisms that autodp describes in autodp/mechanism_zoo.py.

    prover privacy examples/gallery/autodp.py:laplace_svt --const count=2

The unit is 1/b.
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def laplace_svt(queries, count=3):
    """LaplaceSVT_Mechanism: noise of scale b on the threshold, which is drawn once, and 2·b on each query."""
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
