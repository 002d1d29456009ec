"""OpenDP's make_noisy_max for two candidates whose scores move apart: does the first one win?"""

import opendp.prelude as dp

dp.enable_features("contrib")
scores = dp.vector_domain(dp.atom_domain(T=int))
distance = dp.linf_distance(T=int)
measurement = dp.m.make_noisy_max(scores, distance, dp.max_divergence(), scale=1.0)

INPUTS = {"input": [1, 0], "neighbour": [0, 1]}


def declared():
    """ε and δ, as the library states them."""
    return measurement.map(1), 0.0


def release(data):
    """What the library releases, in the words of the model: a run in which the first candidate wins."""
    return ["winner", "lower"] if measurement(data) == 0 else []
