"""RAPPOR with f = 1/2, p = 1/2, q = 3/4 and two hashes: two values that set different bits.

prover epsilon examples/gallery/rappor.py:reports --delta 0 --const count=2
"""

import prover
from prover.language import flip, see


def permanent(bit):
    """A bit of the permanent randomised response."""
    return flip() if flip() else bit


@prover.protocol
def reports(first: bool, count=1):
    """The first value sets two bits, the other one two others; each report shows all four with new noise."""
    one, two, three, four = permanent(first), permanent(first), permanent(not first), permanent(not first)
    for _ in range(count):
        for bit in (one, two, three, four):
            see(flip("3/4" if bit else "1/2"))
