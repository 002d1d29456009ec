"""SmartNoise SQL's Laplace mechanism for the counts of two keys, and its threshold, for two rows a user."""

from math import log

from snsql.sql._mechanisms.laplace import Laplace

counts = Laplace(log(16 / 9), delta=0.1, sensitivity=1, max_contrib=2)
counts.delta = 0.1  # as _ast/ast.py does for the count of keys

INPUTS = {"user=True": [1, 1], "user=False": []}


def declared():
    """ε and δ, as the library states them."""
    return counts.epsilon, counts.delta


def release(data):
    """What the library releases, in the words of the model: which of the keys are kept, if there are any."""
    kept = ["kept" if noisy > counts.threshold else "absent" for noisy in counts.release(data)]
    return kept or ["absent", "absent"]
