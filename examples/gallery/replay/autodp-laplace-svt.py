"""autodp's LaplaceSVT_Mechanism, whose Rényi divergence of order ∞ is asked for."""

from math import inf

from autodp.mechanism_zoo import LaplaceSVT_Mechanism

INPUTS = {}


def declared():
    """ε and δ, as the library states them."""
    return float(LaplaceSVT_Mechanism({"b": 1.0, "k": 1_000, "c": 3}).get_RDP(inf)), 0.0
