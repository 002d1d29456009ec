"""Protocols: they flip coins and show labels; the secrets are the values of a parameter.

prover delta examples/mechanisms/protocols.py:survey --alpha 6/5
"""

import prover
from prover.language import choose, flip, see


@prover.protocol
def survey(truth: bool):
    """Randomised response: the person says the truth with probability 2/3."""
    told = truth if flip("2/3") else not truth
    see("yes" if told else "no")


@prover.protocol
def pin_checker(right: bool, p="53/100"):
    """Tries two PINs in turn. It accepts the right one with probability p and the wrong one with 1 - p."""
    asked = True
    while True:
        see("a" if asked else "b")
        if flip(p) == (asked == right):
            return
        asked = not asked


@prover.protocol
def diners(payer: int, n=3, p="49/100"):
    """Dining cryptographers: each says whether their two coins differ, and the payer says the opposite."""
    first = last = flip(p)
    see("flipped")
    for diner in range(n):
        coin = first if diner == n - 1 else flip(p)
        see((last != coin) != (diner == payer))
        last = coin


@prover.protocol
def three_colours(colour: int):
    """Shows the true colour of three with probability 1/2, and each of the others with 1/4."""
    others = (colour + 1) % 3, (colour + 2) % 3
    see(choose((colour, *others), weights=("1/2", "1/4", "1/4")))
