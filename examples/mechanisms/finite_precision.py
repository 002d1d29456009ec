"""Samplers that have b random bits: what they draw in truth, as code. docs/finite_precision.md explains them.

prover sweep examples/mechanisms/finite_precision.py:response --const bits=2:10 --delta 0
prover sweep examples/mechanisms/finite_precision.py:laplace_table --const bits=4:20:5 --epsilon 1/2
prover sweep examples/mechanisms/finite_precision.py:fixed_point --const places=0:4 --epsilon 1/2
"""

import prover
from prover.language import choose, discrete_laplace, flip, floor, geometric, see


@prover.protocol
def response(truth: bool, bits=8):
    """Randomised response that is true with probability e/(1 + e), rounded to a multiple of 2^-bits."""
    size = 2**bits
    honest = floor(f"{size}*e/(1 + e) + 1/2")
    see(truth == (choose(range(size)) < honest))


def numbers_below(noise, bits, scale):
    """How many of the 2^bits random numbers lead to discrete Laplace noise of at most this."""
    if noise < 0:
        return floor(f"2^{bits}*e^({noise}/{scale})/(1 + e^(-1/{scale}))")
    return floor(f"2^{bits}*(1 - e^(-{noise + 1}/{scale})/(1 + e^(-1/{scale})))")


def table(bits, scale):
    """These numbers for the noise -most, …, most; no random number leads to -most, and all others to most."""
    most = 1
    while numbers_below(-most, bits, scale) > 0:
        most += 1
    entries = ()
    for noise in range(-most, most):
        entries += (numbers_below(noise, bits, scale),)
    return (*entries, 2**bits)


@prover.protocol
def laplace_table(count=range(2), bits=8, scale=2):
    """A count with discrete Laplace noise by inversion: a table of its distribution, rounded to bits."""
    entries = table(bits, scale)
    weights, before = (), 0
    for entry in entries:
        weights += (entry - before,)
        before = entry
    see(count + choose(range(len(entries)), weights) - len(entries) // 2)


@prover.protocol
def laplace_by_bits(count=range(2), bits=8, scale=2):
    """The same, as it runs: it draws the bits of a random number until these tell the place in the table."""
    entries = table(bits, scale)
    number, unknown = 0, 2**bits
    place = 0
    while number + unknown > entries[place]:
        if entries[place] <= number:
            place += 1
        else:
            unknown //= 2
            if flip():
                number += unknown
    see(count + place - len(entries) // 2)


@prover.protocol
def laplace_ideal(count=range(2), scale=2):
    """What both are rounded from."""
    see(discrete_laplace(count, q=f"e^(-1/{scale})"))


@prover.protocol
def truncated(count=range(2), most=10, q="1/2"):
    """Two-sided geometric noise that is drawn from -most to most only."""
    weights = ()
    for noise in range(-most, most + 1):
        weights += (q ** abs(noise),)
    see(count + choose(range(-most, most + 1), weights))


@prover.protocol
def clamped(count=range(2), most=10, q="1/2"):
    """The same noise without bounds; what is shown is brought between 0 and most."""
    see(min(max(discrete_laplace(count, q=q), 0), most))


@prover.protocol
def fixed_point(count=range(2), bits=10, places=2, scale=2):
    """A count plus Laplace noise in multiples of 2^-places, k or -1 - k: -scale*ln(u) is rounded down to k.

    The number u is one of 1/2^bits, 2/2^bits, …, 1.
    """
    unit = 2**places
    size, weights, above = 0, (), 2**bits
    while above > 0:
        following = floor(f"2^{bits}*e^(-{size + 1}/{scale * unit})")
        weights += (above - following,)
        size, above = size + 1, following
    noise = choose(range(size), weights)
    see(count * unit + noise if flip() else count * unit - 1 - noise)


@prover.protocol
def fixed_point_ideal(count=range(2), places=2, scale=2):
    """The same for u that is any number from 0 to 1."""
    unit = 2**places
    noise = geometric(0, q=f"e^(-1/{scale * unit})")
    see(count * unit + noise if flip() else count * unit - 1 - noise)
