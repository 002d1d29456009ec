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


MOST = 3


def counted(answer):
    """Geometric noise of ratio 1/2 on a whole number, cut to 0 … MOST."""
    return choose(range(MOST + 1), ((8, 4, 2, 2), (4, 4, 2, 2), (2, 2, 4, 4), (2, 2, 4, 8))[answer])


def near(one, other):
    """Neighbouring databases: one answer differs, and by 1."""
    return abs(one.a - other.a) + abs(one.b - other.b) + abs(one.c - other.c) == 1


@prover.protocol
def first_above(a: range(MOST + 1), b: range(MOST + 1), c: range(MOST + 1)):
    """Says which of three counts is the first above a threshold. All numbers are noisy and from 0 to 3."""
    threshold = counted(2)
    for answer in (a, b, c):
        if counted(answer) >= threshold:
            see("above")
            return
        see("below")
