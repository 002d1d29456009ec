"""A protocol to begin with: copy this file and change it.

prover delta examples/start/protocol.py:lamp --alpha 2 --html lamp.html
"""

import prover
from prover.language import flip, see


@prover.protocol
def lamp(home: bool, evenings=3):
    """A lamp is on with probability 3/4 if a person is at home; otherwise a timer turns it on with 1/2."""
    for evening in range(1, evenings + 1):
        light = "on" if flip("3/4" if home else "1/2") else "off"
        see(f"evening {evening}: {light}")
