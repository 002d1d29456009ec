"""Claims about one pair of inputs judged once more, in floats, from the meaning of programs.

The event is followed through all paths of the program whose outputs begin like those of a run, and each path
is integrated numerically, or on a grid summed up point by point. Nothing of the checker or of the prover is
used. The keys and types of the certificate must be right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, inf, log, prod
from typing import Any

import numpy as np
from scipy.special import ndtr

from tests.certificate import pair_judge
from tests.certificate.cut_judge import as_seen
from tests.certificate.judge import Unsound, rule
from tests.certificate.points_judge import at_points

Json = Any
Step = tuple[Json, Json]
"""A state and one of its transitions."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
FAR = 40  # times the scale of the noise: e^-40 is left out
EXCLUSIVE = ["<", ">="], ["<=", ">"], ["<", ">"]
SIGNS = {"increasing": (0, 1), "decreasing": (-1, 0)}


def is_true(certificate: Json, margin: float = 1e-9) -> bool:
    """Whether the events of the runs gain what is claimed, on inputs that are neighbours."""
    try:
        ones = list(at_points(certificate))
        return all(gain(one) >= float(Fraction(one["claim"]["lower"])) - margin for one in ones)
    except Unsound:
        return False


def gain(certificate: Json) -> float:
    """P[event | inputs] − α P[event | neighbour]."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    model = as_seen(model, evidence)
    if "runs" not in evidence:
        return pair_judge.gains(certificate | {"model": model}, evidence)[0]
    grid = Fraction(model.get("grid", "1")) if "noise" in model else None
    epsilon = scale(model, claim, grid)
    listed = [(name, t) for name in sorted(model["states"]) for t in model["states"][name]["transitions"]]
    runs = [[listed[number] for number in run] for run in evidence["runs"]]
    words = {tuple(seen(t) for _, t in run) for run in runs}
    inputs, neighbour = ([Fraction(x) for x in evidence[key]] for key in ("inputs", "neighbour"))
    paths = list(begun(model, model["initial"], (), words))
    if grid is not None and "inputs" not in model:
        rule(all((x / grid).denominator == 1 for x in (*inputs, *neighbour)))
    for path in paths:
        demand_neighbours(model, path, claim["adjacency"], inputs, neighbour)
    p, q = (sum(chance(path, own, epsilon, grid) for path in paths) for own in (inputs, neighbour))
    return p - float(Fraction(claim["alpha"])) * q


def scale(model: Json, claim: Json, grid: Fraction | None) -> float:
    """ε, or where e^(−ε·unit) = q, all rates times the grid being multiples of the unit."""
    if "q" not in claim:
        rule(Fraction(claim["at_epsilon"]) > 0)
        return float(Fraction(claim["at_epsilon"]))
    rule(grid is not None and 0 < Fraction(claim["q"]) < 1)
    keys = ("rate", "rate_left", "rate_right", "rate_prime")
    rates = [state.get(key) for state in model["states"].values() for key in keys]
    unit = Fraction(0)
    for rate in rates:
        if rate not in (None, "inf"):
            number = Fraction(rate) * (grid or 1)
            while number:
                unit, number = number, unit % number
    return -log(Fraction(claim["q"])) / float(unit or 1)


def seen(t: Json) -> tuple[str | None, int]:
    """The letter of a transition, and how many numbers."""
    outputs = t["output"] if isinstance(t["output"], list) else [t["output"]]
    letters = [o for o in outputs if isinstance(o, str) and o not in ("insample", "insampleprime")]
    return (letters[0] if letters else None), len(outputs) - len(letters)


def begun(model: Json, state: str, before: tuple[Any, ...], words: set[Any]) -> Iterator[list[Step]]:
    """All paths whose outputs are one of the words; a path ends with its shortest word."""
    if before in words:
        yield []
        return
    for t in model["states"].get(state, {"transitions": []})["transitions"]:
        after = (*before, seen(t))
        if any(word[: len(after)] == after for word in words):
            own = model["states"][state]
            guards = [test[0] for other in own["transitions"] for test in other["guard"]]
            rule(len(own["transitions"]) == 1 or sorted(guards) in EXCLUSIVE)
            rule(all(len(other["guard"]) < 2 for other in own["transitions"]))
            rule(len({test[1] for other in own["transitions"] for test in other["guard"]}) < 2)
            for path in begun(model, t["to"], after, words):
                yield [(own, t), *path]


def demand_neighbours(
    model: Json,
    path: Sequence[Step],
    adjacency: str,
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
) -> None:
    """Of the length that the path reads, and as near as the adjacency and the states demand."""
    sizes = [Fraction(s.get("sensitivity", model.get("sensitivity", "1"))) for s, _ in path if s["input"]]
    rule(len(inputs) == len(neighbour) >= len(sizes))
    moved = [y - x for x, y in zip(inputs, neighbour, strict=True)]
    rule(all(abs(d) <= size for d, size in zip(moved, sizes, strict=False)))
    ways = [SIGNS[adjacency]] if adjacency in SIGNS else [(-1, 1)]
    ways = list(SIGNS.values()) if adjacency == "monotonic" else ways
    rule(any(all(low <= np.sign(float(d)) <= high for d in moved) for low, high in ways))
    rule(adjacency != "one-differ" or sum(d != 0 for d in moved) < 2)


class Noise:
    """Around a center, with rates below and above it."""

    def __init__(self, state: Json, given: Fraction, epsilon: float) -> None:
        self.exact = Fraction(state["mean"]) + given
        self.center = float(self.exact)
        self.sigma = float(Fraction(state["sigma"])) if "sigma" in state else None
        if self.sigma is not None:
            self.left = self.right = inf
            return
        sides = (state["rate_left"], state["rate_right"]) if state["rate"] is None else (state["rate"],) * 2
        self.left, self.right = (inf if side == "inf" else float(Fraction(side)) * epsilon for side in sides)

    def weights(self, grid: Fraction) -> tuple[int, Any]:
        """Of the places of the grid around the center: the number of places below it, and probabilities."""
        below, above = (
            0 if rate == inf else int(FAR / rate / float(grid)) + 1 for rate in (self.left, self.right)
        )
        places = np.arange(-below, above + 1)
        rates = np.where(places < 0, self.left, self.right)
        found = np.exp(-np.where(places == 0, 0.0, rates) * float(grid) * np.abs(places))
        return below, found / found.sum()

    def at_least_on(self, grid: Fraction, first: Any) -> Any:
        """The probability of noise at these places of the grid or above."""
        below, weights = self.weights(grid)
        tails = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
        return tails[np.clip(np.asarray(first) + below, 0, len(weights))]

    def at_least(self, z: Any) -> Any:
        """The probability of a sample that is at least z, a number or many."""
        above = np.asarray(z, float) - self.center
        if self.sigma is not None:
            return ndtr(-above / self.sigma)
        if self.left == self.right == inf:
            return np.where(above <= 0, 1.0, 0.0)
        share = self.scale(self.right) / (self.scale(self.left) + self.scale(self.right))
        right = 0.0 if self.right == inf else share * np.exp(-self.right * np.maximum(above, 0))
        left = 0.0 if self.left == inf else (1 - share) * np.exp(self.left * np.minimum(above, 0))
        return np.where(above > 0, right, 1 - left)

    @staticmethod
    def scale(rate: float) -> float:
        return 0.0 if rate == inf else 1 / rate

    def density(self, z: Any, above: bool) -> Any:
        if self.sigma is not None:
            return np.exp(-(((z - self.center) / self.sigma) ** 2) / 2) / (self.sigma * (2 * np.pi) ** 0.5)
        rate = self.right if above else self.left
        if rate == inf:
            return 0 * z
        return np.exp(-rate * np.abs(z - self.center)) / (self.scale(self.left) + self.scale(self.right))


def chance(
    path: Sequence[Step], inputs: Sequence[Fraction], epsilon: float, grid: Fraction | None = None
) -> float:
    """Of a path: the samples that are stored, and the tests against each, are independent."""
    given = iter(inputs)
    drawn: list[tuple[Noise, list[tuple[str, Noise]]]] = []
    held: dict[str, int] = {}
    for state, t in path:
        noise = Noise(state, next(given) if state["input"] else Fraction(0), epsilon)
        rule(not (t["assign"] and t["guard"]))
        if t["assign"]:
            drawn.append((noise, []))
        for name in t["assign"]:
            held[name] = len(drawn) - 1
        for relation, name in t["guard"]:
            rule(name in held)
            drawn[held[name]][1].append((relation, noise))
    return prod(integral(stored, tests, grid) for stored, tests in drawn)


def summed(stored: Noise, tests: Sequence[tuple[str, Noise]], grid: Fraction) -> float:
    """Over the places of the grid; whether noise is at a tie is decided in rationals."""
    below, found = stored.weights(grid)
    places = np.arange(len(found)) - below
    for relation, noise in tests:
        apart = (stored.exact - noise.exact) / grid
        first = floor(apart) + 1 if relation in ("<=", ">") else ceil(apart)
        at_least = noise.at_least_on(grid, places + first)
        found = found * (at_least if relation in (">=", ">") else 1 - at_least)
    return float(found.sum())


def integral(stored: Noise, tests: Sequence[tuple[str, Noise]], grid: Fraction | None = None) -> float:
    if grid is not None:
        return summed(stored, tests, grid)

    def passed(z: Any) -> Any:
        result = 1.0 + 0 * z
        for relation, noise in tests:
            at_least = noise.at_least(z)
            result = result * (at_least if relation == ">=" else 1 - at_least)
        return result

    center, scales = stored.center, (stored.scale(stored.left), stored.scale(stored.right))
    rule(all((noise.sigma is None) == (stored.sigma is None) for _, noise in tests) or scales == (0.0, 0.0))
    if stored.sigma is not None:
        narrow = min([stored.sigma, *(noise.sigma for _, noise in tests if noise.sigma is not None)])
        ends = np.linspace(
            center - 9 * stored.sigma, center + 9 * stored.sigma, 2 + int(36 * stored.sigma / narrow)
        )
        half = np.diff(ends)[:, None] / 2
        z = (ends[:-1, None] + half) + half * NODES
        return float((half * WEIGHTS * passed(z) * stored.density(z, True)).sum())
    if scales == (0.0, 0.0):
        return float(passed(np.asarray(center)))
    low, high = center - FAR * scales[0], center + FAR * scales[1]
    finite = [rate for _, noise in (("", stored), *tests) for rate in (noise.left, noise.right) if rate < inf]
    cuts = {low, center, high, *(noise.center for _, noise in tests if low < noise.center < high)}
    total = 0.0
    for a, b in pairwise(sorted(cuts)):
        ends = np.linspace(a, b, 2 + int(min(4000, (b - a) * max(finite))))
        half = np.diff(ends)[:, None] / 2
        # a node is inside of its piece: no factor jumps or bends there
        z = (ends[:-1, None] + half) + half * NODES
        total += float((half * WEIGHTS * passed(z) * stored.density(z, a >= center)).sum())
    return total
