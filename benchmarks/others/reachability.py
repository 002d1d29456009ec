"""δ of two secrets by Storm or SciPy, for chains whose runs end where the label says all that was seen.

    python benchmarks/others/reachability.py storm|scipy MODEL.json FROM TO ALPHA

What ends a run are states without a way out. δ from s to t at α then is Σ max(0, P_s(l) − α P_t(l)) over the
labels l of such ends. Storm gets the chain as a sparse matrix, and computes these probabilities in exact
arithmetic. SciPy solves one sparse linear system with several right-hand sides in floating point.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

Chances = Mapping[str, Sequence[Any]]
"""For each secret, how likely it is to come to the ends with each label."""


def main(by: str, path: str, source: str, target: str, alpha: str) -> None:
    """Print δ between two states, the larger one of both directions, and the seconds without reading."""
    states = json.loads(Path(path).read_text(encoding="utf-8"))["states"]
    ends: dict[str, list[int]] = {}
    for place, (name, state) in enumerate(states.items()):
        if set(state["next"]) == {name}:
            ends.setdefault(state["label"], []).append(place)
    find = {"storm": by_storm, "scipy": by_scipy}[by]
    found, seconds = find(states, (source, target), list(ends.values()))
    pairs = list(zip(found[source], found[target], strict=True))
    slope = Fraction(alpha)
    ways = (pairs, [(q, p) for p, q in pairs])
    delta = max(sum(max(p * 0, p - type(p)(slope) * q) for p, q in way) for way in ways)
    sys.stdout.write(f"answer = {delta} seconds = {seconds:.6f}\n")


def by_storm(
    states: Mapping[str, Any], secrets: Sequence[str], ends: list[list[int]]
) -> tuple[Chances, float]:
    """The exact probabilities by Storm, and the seconds for its matrix and its answers."""
    import stormpy
    from stormpy.developer import storage

    index = {name: place for place, name in enumerate(states)}
    rows = [sorted((index[to], chance) for to, chance in state["next"].items()) for state in states.values()]
    texts = ";".join(f'P=? [F "end{k}"]' for k in range(len(ends)))
    began = process_time()
    numbers = {text: stormpy.Rational(text) for text in {chance for row in rows for _, chance in row}}
    builder = storage.SparseMatrixBuilder[stormpy.Rational](len(rows), len(rows), sum(map(len, rows)))
    labels = storage.StateLabeling(len(rows))
    for place, row in enumerate(rows):
        for to, chance in row:
            builder.add_next_value(place, to, numbers[chance])
    for k, places in enumerate(ends):
        labels.add_label(f"end{k}")
        for place in places:
            labels.add_label_to_state(f"end{k}", place)
    parts = storage.SparseModelComponents[stormpy.Rational](builder.build(), labels)
    chain = storage.SparseDtmc[stormpy.Rational](parts)
    results = [stormpy.model_checking(chain, formula) for formula in stormpy.parse_properties(texts)]
    seconds = process_time() - began
    return {s: [Fraction(str(one.get_value(index[s]))) for one in results] for s in secrets}, seconds


def by_scipy(
    states: Mapping[str, Any], secrets: Sequence[str], ends: list[list[int]]
) -> tuple[Chances, float]:
    """The probabilities in floating point, and the seconds for the system and its solution."""
    import numpy as np
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    index = {name: place for place, name in enumerate(states)}
    entries = [
        (index[name], index[to], float(Fraction(chance)))
        for name, state in states.items()
        for to, chance in state["next"].items()
    ]
    began = process_time()
    rows, columns, values = zip(*entries, strict=True)
    moves = csc_array((values, (rows, columns)), shape=(len(states), len(states)))
    last = sorted(place for places in ends for place in places)
    inner = np.setdiff1d(np.arange(len(states)), last)
    goals = np.zeros((len(last), len(ends)))
    for k, places in enumerate(ends):
        goals[np.searchsorted(last, places), k] = 1
    inside, outside = moves[inner][:, inner], moves[inner][:, last]
    solved = splu(csc_array(eye_array(len(inner)) - inside)).solve(outside @ goals)
    seconds = process_time() - began
    return {s: solved[np.searchsorted(inner, index[s])].tolist() for s in secrets}, seconds


if __name__ == "__main__":
    main(*sys.argv[1:])
