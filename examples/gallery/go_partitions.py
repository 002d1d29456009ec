"""Selection of partitions in Google's Go library, PreAggSelectPartition, with e^(ε/κ) = 2 and δ/κ = 1/1000.

    prover delta examples/gallery/go_partitions.py:one --alpha 2

κ is the number of partitions to which one user contributes at most. A partition with n users, n at most 8, is
kept with probability (2^n - 1)/1000.
"""

import prover
from prover.language import flip, see


def kept(users):
    """Whether a partition with so many users, at most 8, is kept."""
    chance = 0
    for _ in range(users):
        chance = 2 * chance + 1
    return flip(chance / 1000)


@prover.protocol
def one(member: bool, others=3):
    """κ = 1: a user is in the partition or not, beside the others."""
    see("kept" if kept(others + (1 if member else 0)) else "dropped")


@prover.protocol
def two(member: bool, others=0):
    """κ = 2: a user is in two partitions, or in none."""
    for _ in range(2):
        see("kept" if kept(others + (1 if member else 0)) else "dropped")
