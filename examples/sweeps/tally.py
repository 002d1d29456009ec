"""How many others hide one vote? A model with parameters to sweep over.

prover sweep examples/sweeps/tally.py --const others=0:20 --alpha 2 --plot tally.svg
"""

import prover
from prover.language import flip, see


@prover.protocol
def tally(vote: bool, others=4, p="1/2"):
    """Shows how many votes are in favour; each of the others is in favour with probability p."""
    count = 1 if vote else 0
    for _ in range(others):
        if flip(p):
            count += 1
    see(count)
