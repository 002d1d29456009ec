"""The work of certificates about threshold programs of several variables."""

from __future__ import annotations

from collections import Counter
from typing import Any

from flint import fmpz

from prover.certificate.work.count import Count, denominator, parts
from prover.exact.rational import format_rational, parse_rational
from prover.graphs import search

Json = Any
DELTAS = {"all-differ": 2, "one-differ": 3, "increasing": 2, "decreasing": 2}


def reached_of(model: Json) -> set[str]:
    """The states of a program that runs come to."""
    states = model["states"]

    def targets(state: str) -> list[str]:
        return [case["to"] for case in states[state]["transitions"] if case["to"] in states]

    return set(search([model["initial"]], targets))


def rates_of(model: Json, state: str) -> list[str]:
    """The finite rates of a state, times the sensitivity; that of both sides once, 0 for a missing second."""
    found = model["states"][state]
    sides = [found["rate"]] if found["rate"] is not None else [found["rate_left"], found["rate_right"]]
    finite = [rate for rate in (*sides, found["rate_prime"] or "0") if rate != "inf"]
    if "sensitivity" not in model:
        return finite
    unit = parse_rational(model["sensitivity"])
    return [format_rational(parse_rational(rate) * unit) for rate in finite]


def variables_of(model: Json) -> set[str]:
    """The variables that a program names where runs come."""
    cases = [case for state in reached_of(model) for case in model["states"][state]["transitions"]]
    return {v for case in cases for v in (*case["assign"], *bounded(case))}


def bounded(case: Json) -> set[str]:
    """The variables that a transition tests, or puts a gap out from."""
    outputs = case["output"] if isinstance(case["output"], list) else [case["output"]]
    return {v for _, v in case["guard"]} | {part["gap"] for part in outputs if isinstance(part, dict)}


def count_order(count: Count, model: Json, steps: int) -> None:
    """What is known of the order of stored values along a run of so many steps, at most."""
    number = len(variables_of(model))
    count_definitions(count, model, number)
    count.spend(steps * 5 * number**2)


def count_definitions(count: Count, model: Json, variables: int) -> None:
    """What is assigned on all paths, and which variables are live."""
    transitions = sum(len(state["transitions"]) for state in model["states"].values())
    count.spend(transitions * (variables + 1) ** 2)
    count.spend(2 * transitions * (variables + 1))


def _cases(model: Json, node: Json) -> list[Json]:
    return model["states"][node["state"]]["transitions"] if node["state"] in model["states"] else []


def _count_nodes(count: Count, model: Json, nodes: list[Json], variables: int) -> None:
    count_definitions(count, model, variables)
    for node in nodes:
        count.spend(len(node["order"]) * variables)
        count.spend(len(_cases(model, node)) * (4 * variables**2 + len(node["order"])))


def count_tokens(count: Count, model: Json, nodes: list[Json], single: bool) -> None:
    """Nodes with tokens."""
    variables = len(variables_of(model))
    _count_nodes(count, model, nodes, variables)
    links = [len(node.get("links", node["order"])) for node in nodes]
    count.spend(sum(len(node["links"]) for node in nodes if "links" in node) * variables)
    count.spend(len(nodes) * max(len(node["tokens"]) + 1 for node in nodes) * (1 + variables))
    for node, linked in zip(nodes, links, strict=True):
        cases = _cases(model, node)
        moves = (1 + len(cases)) * (variables + linked)
        moves += 4 * variables**2 * sum(not single or _demands(model, node["state"], case) for case in cases)
        count.spend(len(cases) * (4 * variables**2 + linked) + (1 + len(node["tokens"])) * moves)


def _demands(model: Json, state: str, case: Json) -> bool:
    """Whether a sample demands something of itself: it is output, or has no noise on a side."""
    outputs = case["output"] if isinstance(case["output"], list) else [case["output"]]
    found = model["states"][state]
    return "insample" in outputs or "inf" in (found.get("rate_left"), found.get("rate_right"))


def count_functions(count: Count, adjacency: str, model: Json, nodes: list[Json]) -> None:
    """Nodes with functions: those that are chosen are compared."""
    _count_nodes(count, model, nodes, len(variables_of(model)))
    lists = [[[*map(_sizes, listed), NONE] for listed in _modes(node["functions"])] for node in nodes]
    values = {v for node in nodes for own in _modes(node["functions"]) for f in own for _, v in f["points"]}
    states = sorted(model["states"])
    rates = [r for s in states for _ in model["states"][s]["transitions"] for r in rates_of(model, s)]
    number = sum(size for own in lists for listed in own for _, size in listed[:-1])
    whole = count.common([denominator(x) for x in [*values, *rates]], number + len(rates))
    largest = max(fmpz(n) * (whole // fmpz(d)) for n, d in map(parts, [*values, *rates]))
    bits = (4 * largest + 1).bit_length()
    for node, own in zip(nodes, lists, strict=True):
        chosen = iter(node["by"])
        for case, target in zip(_cases(model, node), node["targets"], strict=True):
            if target is None:
                continue
            for before, after in _pairs(adjacency, model["states"][node["state"]]["input"], len(own)):
                met = Counter((own[before][next(chosen)], names) for names, _ in lists[target][after])
                count.spend(_comparing(case, len(node["order"]), met), bits)


def count_parts(count: Count, adjacency: str, model: Json, entries: list[Json]) -> None:
    """Parts of the variables, each with nodes of its own."""
    transitions = sum(len(state["transitions"]) for state in model["states"].values())
    count.spend((len(entries) + 1) * transitions * (len(variables_of(model)) + 1))
    for number, entry in enumerate(entries):
        count_functions(count, adjacency, _projected(model, entry["variables"], number == 0), entry["nodes"])
    count.common(denominator(entry["upper"]) for entry in entries)


def _projected(model: Json, names: list[str], first: bool) -> Json:
    """The model as a part sees it; transitions without variables are seen by the first one."""
    own = set(names)

    def seen(case: Json) -> Json:
        named = {*case["assign"], *bounded(case)}
        if named & own or (first and not named):
            return case
        return case | {"assign": [], "guard": [], "output": ""}

    states = {
        name: state | {"transitions": [seen(case) for case in state["transitions"]]}
        for name, state in model["states"].items()
    }
    return model | {"states": states}


Sizes = tuple[frozenset[str], int]
"""The names of a function, and how many points it has."""

NONE: Sizes = frozenset(), 1
"""Those of the function 0, which stands after those of a node, so that its number is −1."""


def _sizes(function: Json) -> Sizes:
    return frozenset(function["names"]), len(function["points"])


def _comparing(case: Json, pairs: int, met: Counter[tuple[Sizes, frozenset[str]]]) -> int:
    """The operations of comparing functions across a transition, where so many pairs are known."""
    tested = bounded(case)
    total = 0
    for ((names, points), later), times in met.items():
        more = len(tested.union(later.difference(case["assign"])).difference(names))
        total += times * points * 3**more * (8 + 4 * (len(names) + more) + pairs)
    return total


def _pairs(adjacency: str, takes_input: bool, modes: int) -> list[tuple[int, int]]:
    """The lists before and after a step, for every difference and mode."""
    if modes == 1:
        return [(0, 0)] * (DELTAS[adjacency] if takes_input else 1)
    same = [(0, 0), (1, 1)]
    return [(0, 1), *same, (0, 1)] if takes_input else same


def _modes(functions: Json) -> list[Json]:
    return [functions["unused"], functions["used"]] if isinstance(functions, dict) else [functions]
