"""autodp's RandresponseMechanism, which computes ε for δ."""

from autodp.mechanism_zoo import RandresponseMechanism

INPUTS = {}


def declared():
    """ε and δ, as the library states them."""
    return float(RandresponseMechanism(p=0.75).get_approxDP(0.25)), 0.25
