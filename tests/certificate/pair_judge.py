"""Claims of δ of one pair of inputs judged once more, in floats, from the meaning of programs.

All paths of the program on the inputs are followed one by one, and each is integrated numerically by other
judges; paths with the same outputs are added up. Nothing of the checker or of the prover is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.certificate import inputs_judge, trees_judge
from tests.certificate.judge import Unsound, rule

Json = Any
MOST_STEPS = 60
Word = tuple[str | None, ...]
"""The letters of a run that has ended."""
_SOME = [("<", ">"), ("<", ">="), ("<=", ">"), ("=", "<"), ("=", ">")]
APART = {*_SOME, *((two, one) for one, two in _SOME)}
"""Relations of which at most one holds."""


def is_true(certificate: Json, margin: float = 1e-9) -> bool:
    """Whether δ of the two inputs is where it is claimed, and whether they are neighbours."""
    try:
        found, claim = delta(certificate), certificate["claim"]
        return float(Fraction(claim["lower"])) - margin <= found <= float(Fraction(claim["upper"])) + margin
    except Unsound:
        return False


def delta(certificate: Json) -> float:
    """The largest P[E | inputs] − α P[E | neighbour], or the other way round, if that is a neighbour, too."""
    return max(gains(certificate, certificate["claim"]))


def gains(certificate: Json, lists: Json) -> list[float]:
    """The largest P[E | inputs] − α P[E | neighbour], and the other way round if that is a neighbour."""
    claim = certificate["claim"]
    rule(Fraction(claim["alpha"]) >= 1)
    words, ways = words_of(certificate["model"], claim, lists)
    alpha = float(Fraction(claim["alpha"]))
    return [sum(max(0.0, both[way] - alpha * both[1 - way]) for both in words) for way in range(ways)]


def words_of(model: Json, claim: Json, lists: Json) -> tuple[Sequence[tuple[float, float]], int]:
    """The probabilities of all words on both inputs, and in how many orders these are neighbours."""
    grid = Fraction(model.get("grid", "1")) if "noise" in model else None
    epsilon = inputs_judge.scale(model, claim, grid)
    one, two = ([Fraction(x) for x in lists[key]] for key in ("inputs", "neighbour"))
    rule(len(one) == len(two) <= claim.get("steps", len(one)))
    if grid is not None and "inputs" not in model:
        rule(all((x / grid).denominator == 1 for x in (*one, *two)))
    ways = ways_of(claim["adjacency"], [y - x for x, y in zip(one, two, strict=True)])
    for state in reached(model):
        demand_letters(model, state)
    words: dict[Word, tuple[float, float]] = {}
    for word, p, q in outcomes(model, one, two, epsilon, grid):
        before = words.get(word, (0.0, 0.0))
        words[word] = before[0] + p, before[1] + q
    return list(words.values()), ways


def ways_of(adjacency: str, moved: Sequence[Fraction]) -> int:
    """In how many orders the inputs are neighbours."""
    directions = [inputs_judge.SIGNS[adjacency]] if adjacency in inputs_judge.SIGNS else [(-1, 1)]
    if adjacency == "monotonic":
        directions = list(inputs_judge.SIGNS.values())
    signs = [(d > 0) - (d < 0) for d in moved]
    rule(any(all(low <= sign <= high for sign in signs) for low, high in directions))
    rule(adjacency != "one-differ" or sum(map(abs, signs)) < 2)
    return 1 if adjacency in inputs_judge.SIGNS else 2


def reached(model: Json) -> set[str]:
    found, waiting = set[str](), [model["initial"]]
    while waiting:
        name = waiting.pop()
        if name in model["states"] and name not in found:
            found.add(name)
            waiting += [t["to"] for t in model["states"][name]["transitions"]]
    return found


def demand_letters(model: Json, name: str) -> None:
    """No number is output, and guards exclude each other."""
    leaving = model["states"][name]["transitions"]
    rule(all(inputs_judge.seen(t)[1] == 0 for t in leaving))
    guards = [{variable: relation for relation, variable in t["guard"]} for t in leaving]
    for one, two in combinations(guards, 2):
        rule(any((one[name], two.get(name)) in APART for name in one))


def outcomes(
    model: Json, one: Sequence[Fraction], two: Sequence[Fraction], epsilon: float, grid: Fraction | None
) -> Iterator[tuple[Word, float, float]]:
    """All complete outputs with their probabilities on both inputs, some of them several times."""

    def both(path: Sequence[trees_judge.Passed]) -> tuple[float, float]:
        return (
            trees_judge.chance(path, one, epsilon, grid),
            trees_judge.chance(path, two, epsilon, grid),
        )

    def after(
        name: str, path: list[trees_judge.Passed], word: Word, read: int
    ) -> Iterator[tuple[Word, float, float]]:
        rule(len(path) <= MOST_STEPS)
        state = model["states"].get(name)
        if state is None or (state["input"] and read == len(one)):
            yield word, *both(path)
            return
        if state["input"]:
            most = Fraction(state.get("sensitivity", model.get("sensitivity", "1")))
            rule(abs(one[read] - two[read]) <= most)
        leaving = state["transitions"]
        for t in leaving:
            longer = [*path, (state, t["assign"], t["guard"])]
            yield from after(t["to"], longer, (*word, inputs_judge.seen(t)[0]), read + state["input"])
        # no guard holds: what is left of the path
        rest = both(path)
        for t in leaving:
            taken = both([*path, (state, (), t["guard"])])
            rest = rest[0] - taken[0], rest[1] - taken[1]
        if max(map(abs, rest)) > 1e-13:
            yield word, *rest

    yield from after(model["initial"], [], (), 0)
