"""OpenDP's make_select_private_candidate with stop_probability = 0, for a measurement of three candidates."""

from math import log
from random import SystemRandom

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
CANDIDATES = [(1.0, "left"), (1.0, "right"), (0.0, "other")]
chance = SystemRandom()


def scored(first):
    """A candidate and its score, with probabilities that differ by factors of 2 at most."""
    return chance.choices(CANDIDATES, (2, 4, 14) if first else (1, 8, 11))[0]


base = dp.m.make_user_measurement(
    dp.atom_domain(T=bool),
    dp.discrete_distance(),
    dp.max_divergence(),
    function=scored,
    privacy_map=lambda distance: distance * log(2),
    TO=(float, "ExtrinsicObject"),
)
measurement = dp.c.make_select_private_candidate(base, stop_probability=0.0, threshold=1.0)

INPUTS = {"first=True": True, "first=False": False}


def declared():
    """ε and δ, as the library states them."""
    return measurement.map(1), 0.0


def release(data):
    """What the library releases, in the words of the model."""
    return [measurement(data)[1]]
