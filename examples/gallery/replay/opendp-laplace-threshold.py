"""One user adds 1 to one key of whole counts, or is not there: OpenDP's make_laplace_threshold."""

from math import log

import opendp.prelude as dp

dp.enable_features("contrib")
counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
distance = dp.l01inf_distance(dp.absolute_distance(T=int))
measurement = dp.m.make_laplace_threshold(counts, distance, scale=1 / log(2), threshold=2)

INPUTS = {"user=True": {"key": 1}, "user=False": {}}


def declared():
    """ε and δ, as the library states them."""
    return measurement.map((1, 1, 1))


def release(data):
    """What the library releases, in the words of the model."""
    released = measurement(data)
    return [str(released.get("key", "absent"))]
