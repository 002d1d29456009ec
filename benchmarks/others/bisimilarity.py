"""The bisimilarity distance of two states by other programs, which compute those of all pairs, with floats.

    python benchmarks/others/bisimilarity.py scipy|networkx|java MODEL.json FROM TO

``scipy`` and ``networkx`` improve all distances until none moves by 10⁻⁹ any more, by a linear program
(HiGHS) or a minimum cost flow for each pair. ``java`` is the simple policy iteration of Qiyi Tang in
github.com/antoNanahJi/Explainability. The folder that the variable OTHERS names has it compiled into
``classes``, beside the library commons-math3 (docs/others.md).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

END = 1e-9
"""The largest change of a distance in the last round."""

DISTRIBUTED = list[dict[int, Fraction]]


def main(by: str, path: str, source: str, target: str) -> None:
    """Print the distance, and the processor seconds without reading."""
    states = json.loads(Path(path).read_text(encoding="utf-8"))["states"]
    index = {name: place for place, name in enumerate(states)}
    known: dict[str, int] = {}
    labels = [known.setdefault(state["label"], len(known)) for state in states.values()]
    rows = [
        {index[to]: Fraction(chance) for to, chance in state["next"].items()} for state in states.values()
    ]
    pair = index[source], index[target]
    find: dict[str, Callable[..., tuple[float, float]]] = {
        "scipy": by_scipy,
        "networkx": by_networkx,
        "java": by_java,
    }
    distance, seconds = find[by](labels, rows, pair)
    sys.stdout.write(f"answer = {distance:.12g} seconds = {seconds:.6f}\n")


def iterated(
    labels: Sequence[int], pair: tuple[int, int], cheapest: Callable[[int, int, Any], float]
) -> float:
    """The distance where ``cheapest`` gives the cost of a transport between the successors of two states."""
    import numpy as np

    n = len(labels)
    distances = np.array([[float(one != other) for other in labels] for one in labels])
    open_pairs = [(s, t) for s in range(n) for t in range(s) if labels[s] == labels[t]]
    moved = 1.0
    while moved > END:
        found = [(s, t, cheapest(s, t, distances)) for s, t in open_pairs]
        moved = max((abs(distances[s, t] - cost) for s, t, cost in found), default=0.0)
        for s, t, cost in found:
            distances[s, t] = distances[t, s] = cost
    return float(distances[pair])


def by_scipy(labels: Sequence[int], rows: DISTRIBUTED, pair: tuple[int, int]) -> tuple[float, float]:
    """Linear programs on the supports alone, by HiGHS."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    def cheapest(s: int, t: int, distances: Any) -> float:
        one, other = rows[s], rows[t]
        arcs = [(i, j) for i in range(len(one)) for j in range(len(other))]
        places = [i for i, _ in arcs] + [len(one) + j for _, j in arcs]
        columns = [*range(len(arcs)), *range(len(arcs))]
        sums = csr_array((np.ones(len(places)), (places, columns)))
        cost = distances[np.ix_(list(one), list(other))].ravel()
        ends = [float(x) for x in (*one.values(), *other.values())]
        return float(linprog(cost, A_eq=sums, b_eq=ends, method="highs").fun)

    began = process_time()
    return iterated(labels, pair, cheapest), process_time() - began


def by_networkx(labels: Sequence[int], rows: DISTRIBUTED, pair: tuple[int, int]) -> tuple[float, float]:
    """Minimum cost flows of whole amounts, with costs in units of 10⁻¹², by the network simplex."""
    import networkx

    unit = 10**12

    def cheapest(s: int, t: int, distances: Any) -> float:
        scale = lcm(*(q.denominator for q in (*rows[s].values(), *rows[t].values())))
        graph = networkx.DiGraph()
        for side, row, sign in (("from", rows[s], -1), ("to", rows[t], 1)):
            for place, chance in row.items():
                graph.add_node((side, place), demand=sign * int(chance * scale))
        for u in rows[s]:
            for v in rows[t]:
                graph.add_edge(("from", u), ("to", v), weight=round(distances[u, v] * unit))
        cost, _ = networkx.network_simplex(graph)
        return float(Fraction(cost, scale * unit))

    began = process_time()
    return iterated(labels, pair, cheapest), process_time() - began


def by_java(labels: Sequence[int], rows: DISTRIBUTED, pair: tuple[int, int]) -> tuple[float, float]:
    """What the program in Java finds, and the processor time of its thread."""
    folder = Path(os.environ["OTHERS"])
    path = os.pathsep.join([str(folder / "classes"), *map(str, folder.glob("commons-math3-*.jar"))])
    moves = [f"{s} {t} {float(chance)!r}" for s, row in enumerate(rows) for t, chance in row.items()]
    driver = Path(__file__).with_name("Distances.java")
    with TemporaryDirectory() as here:
        name = str(Path(here, "chain"))
        Path(f"{name}.tra").write_text("\n".join([f"{len(rows)} {len(moves)}", *moves]), encoding="ascii")
        Path(f"{name}.lab").write_text("\n".join(f"{s}:l{k}" for s, k in enumerate(labels)), encoding="ascii")
        done = subprocess.run(  # noqa: S603
            ["java", "-Xmx1g", "-cp", path, str(driver), name, *map(str, pair)],  # noqa: S607
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    distance, seconds = map(float, done.stdout.split())
    return distance, seconds


if __name__ == "__main__":
    main(*sys.argv[1:])
