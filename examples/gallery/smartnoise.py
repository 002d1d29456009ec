"""Mechanisms of smartnoise-sql, sql/snsql/sql: which keys of a table are shown.

prover delta examples/gallery/smartnoise.py:set_union --alpha 4
"""

import prover
from prover.language import flip, see


@prover.protocol
def threshold(user: bool, delta="1/10"):
    """A key that only one user has, with max_ids = 1: its noisy count is above the threshold with chance δ.

    The threshold is 1 - ln(2·δ)/ε, and the noise is Laplace noise of rate ε.
    """
    see("kept" if user and flip(delta) else "absent")


@prover.protocol
def threshold_of_two(user: bool, delta="1/10"):
    """Two keys that only one user has, with max_ids = 2 and e^ε = 16/9.

    The threshold is 2 - 2·ln(δ)/ε and the noise of rate ε/2: a key is kept with probability δ·e^(-ε/2)/2.
    """
    for _ in range(2):
        see("kept" if user and flip(3 * delta / 8) else "absent")


@prover.protocol
def set_union(user: bool):
    """policy_laplace with e^ε = 4, δ = 1/128 and two items a user, of whom there are ten, and one more.

    It gives the items x and c the weights 4 and 0 if the user is there, and 5/2 and 1/2 otherwise. An item of
    weight w up to the threshold, which is 4, is kept with probability 4^w/512.
    """
    see("x" if flip("1/2" if user else "1/16") else "no x")
    see("c" if flip("1/512" if user else "1/256") else "no c")
