"""The sparse vector technique, its budget split by a parameter t and not divided by the number of answers.

prover privacy examples/open/five_hits.py:hits --open t=1/10:9/10
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def hits(queries, count=5):
    """Answers until so many are above: t for the threshold, the rest for each answer."""
    threshold = laplace(0, rate="t")
    found = 0
    for query in queries:
        if laplace(query, rate="(1 - t)/2") >= threshold:
            see("above")
            found = found + 1
            if found == count:
                return
        else:
            see("below")
