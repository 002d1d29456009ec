"""Claims of δ of one pair of inputs judged once more, in floats, from the meaning of programs.

All paths of the program on the inputs are followed one by one, none is merged with another, and each is
integrated numerically by the other judge of pairs. Nothing of the checker or of the prover is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from tests.certificate import inputs_judge
from tests.certificate.judge import Unsound, rule

Json = Any
MOST_STEPS = 60


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
    claim, model = certificate["claim"], certificate["model"]
    rule(model.get("noise") is None and Fraction(claim["at_epsilon"]) > 0)
    rule(Fraction(claim["alpha"]) >= 1)
    one, two = ([Fraction(x) for x in lists[key]] for key in ("inputs", "neighbour"))
    rule(len(one) == len(two) <= claim.get("steps", len(one)))
    ways = ways_of(claim["adjacency"], [y - x for x, y in zip(one, two, strict=True)])
    for state in reached(model):
        demand_letters(model, state)
    laws = list(outcomes(model, one, two, Fraction(claim["at_epsilon"])))
    alpha = float(Fraction(claim["alpha"]))
    return [sum(max(0.0, both[way] - alpha * both[1 - way]) for both in laws) for way in range(ways)]


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
    leaving = model["states"][name]["transitions"]
    rule(all(inputs_judge.seen(t)[1] == 0 and not (t["guard"] and t["assign"]) for t in leaving))
    rule(len({inputs_judge.seen(t) for t in leaving}) == len(leaving))
    guards = [test[0] for t in leaving for test in t["guard"]]
    rule(len(leaving) == 1 or sorted(guards) == ["<", ">="])


def outcomes(
    model: Json, one: Sequence[Fraction], two: Sequence[Fraction], epsilon: Fraction
) -> Iterator[tuple[float, float]]:
    """The probabilities on both inputs of everything that may happen."""

    def both(path: Sequence[inputs_judge.Step]) -> tuple[float, float]:
        return inputs_judge.chance(path, one, float(epsilon)), inputs_judge.chance(path, two, float(epsilon))

    def after(name: str, path: list[inputs_judge.Step], read: int) -> Iterator[tuple[float, float]]:
        rule(len(path) <= MOST_STEPS)
        state = model["states"].get(name)
        if state is None or (state["input"] and read == len(one)):
            yield both(path)
            return
        if state["input"]:
            most = Fraction(state.get("sensitivity", model.get("sensitivity", "1")))
            rule(abs(one[read] - two[read]) <= most)
        leaving = state["transitions"]
        for t in leaving:
            yield from after(t["to"], [*path, (state, t)], read + state["input"])
        if len(leaving) == 1 and leaving[0]["guard"]:  # no guard holds
            all_of_it, going_on = both(path), both([*path, (state, leaving[0])])
            yield all_of_it[0] - going_on[0], all_of_it[1] - going_on[1]

    yield from after(model["initial"], [], 0)
