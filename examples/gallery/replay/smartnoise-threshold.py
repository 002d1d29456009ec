"""SmartNoise SQL's Laplace mechanism for the count of a key, and its threshold, for one row a user."""

from math import log

from snsql.sql._mechanisms.laplace import Laplace

counts = Laplace(log(2), delta=0.1, sensitivity=1, max_contrib=1)
counts.delta = 0.1  # as _ast/ast.py does for the count of keys

INPUTS = {"user=True": [1], "user=False": []}


def declared():
    """ε and δ, as the library states them."""
    return counts.epsilon, counts.delta


def release(data):
    """What the library releases, in the words of the model: whether the only key is kept, if there is one."""
    return ["kept" if any(noisy > counts.threshold for noisy in counts.release(data)) else "absent"]
