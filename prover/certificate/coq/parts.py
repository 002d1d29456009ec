"""Closed tables of programs: the nodes of `proofs/programs/Table.v`, for each part of the variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.certificate.coq.tokens import listed

MODES = {
    "all-differ": {"": 0},
    "one-differ": {"": 3},
    "increasing": {"": 1},
    "decreasing": {"": 2},
    "monotonic": {"increasing": 1, "decreasing": 2},
}
"""Of `proofs/programs/Claims.v`, by the key of the evidence where there are several."""

Fields = Mapping[str, Any]
CoqNodes = Sequence[Fields]
"""As certificates about several variables have them."""


@dataclass(frozen=True, slots=True)
class CoqPart:
    """Some variables, how much is lost by them, and the nodes for each mode."""

    variables: Sequence[str]
    upper: Fraction
    nodes: Mapping[int, CoqNodes]


@dataclass(frozen=True, slots=True)
class CoqNumbers:
    """The numbers of states and variables, and the units of losses and shifts."""

    states: Mapping[str, int]
    variables: Mapping[str, int]
    unit: Fraction
    reach: int


def parts_of(
    whole: Fields, variables: Sequence[str], tested: str, shifts: Sequence[Fraction]
) -> list[CoqPart]:
    """The parts of an accepted certificate; a table is one part, whose functions are of one variable.

    ``shifts`` are those that count of a table, in multiples of the sensitivity.
    """
    claim, evidence = whole["claim"], whole["evidence"]
    (key,) = evidence.keys() & {"table", "nodes", "parts"}
    modes = MODES[claim["adjacency"]]
    found = {mode: evidence[key][way] if way else evidence[key] for way, mode in modes.items()}
    upper = Fraction(claim["upper"])
    if key == "nodes":
        return [CoqPart(variables, upper, found)]
    if key == "table":
        nodes = {mode: table_nodes(whole["model"], table, tested, shifts) for mode, table in found.items()}
        return [CoqPart(variables, upper, nodes)]
    every = list(zip(*found.values(), strict=True))
    return [
        CoqPart(
            own[0]["variables"],
            max(Fraction(part["upper"]) for part in own),
            {mode: part["nodes"] for mode, part in zip(found, own, strict=True)},
        )
        for own in every
    ]


def reached(model: Fields) -> list[str]:
    """The initial state, and where transitions lead to from there."""
    found = [model["initial"]]
    for name in found:
        ways = model["states"][name]["transitions"] if name in model["states"] else []
        found.extend(dict.fromkeys(way["to"] for way in ways if way["to"] not in found))
    return found


def table_nodes(model: Fields, table: Fields, tested: str, shifts: Sequence[Fraction]) -> CoqNodes:
    """A node for each state that is reached, with its functions of the one variable."""
    states = reached(model)
    place = {name: i for i, name in enumerate(states)}
    return [
        {
            "state": name,
            "order": [],
            "targets": [place[way["to"]] for way in ways],
            "functions": functions_of(table.get(name, []), tested, shifts),
        }
        for name in states
        for ways in [model["states"][name]["transitions"] if name in model["states"] else []]
    ]


def functions_of(functions: Any, tested: str, shifts: Sequence[Fraction]) -> Any:
    if isinstance(functions, dict):
        return {mode: functions_of(own, tested, shifts) for mode, own in functions.items()}
    return [
        {
            "names": [tested],
            "points": [[[x], v] for x, v in zip(shifts, function, strict=True) if v != "inf"],
        }
        for function in functions
    ]


def values(parts: Iterable[CoqPart]) -> Iterator[Fraction]:
    """All numbers that are losses."""
    for part in parts:
        yield part.upper
        for nodes in part.nodes.values():
            for node in nodes:
                yield from (Fraction(v) for own in by_mode(node) for f in own for _, v in f["points"])


def by_mode(node: Fields) -> Sequence[Any]:
    """The functions as long as inputs may differ, and afterwards."""
    functions = node["functions"]
    return [functions["unused"], functions["used"]] if isinstance(functions, dict) else [functions, []]


def evidence(parts: Sequence[CoqPart], shifts: Sequence[int], numbering: CoqNumbers) -> Iterator[int]:
    """The shifts that count, and the parts, as `proofs/programs/Claims.v` reads them."""
    yield from listed([shift] for shift in shifts)
    yield from listed(_part(part, numbering) for part in parts)


def _part(part: CoqPart, numbering: CoqNumbers) -> Iterator[int]:
    yield from listed([numbering.variables[name]] for name in part.variables)
    yield int(part.upper / numbering.unit)
    yield from listed(
        [mode, *listed(node_numbers(node, i == 0, numbering) for i, node in enumerate(nodes))]
        for mode, nodes in part.nodes.items()
    )


def node_numbers(node: Fields, first: bool, numbering: CoqNumbers) -> Iterator[int]:
    """At the first node, where nothing is stored, a function is as good as its least number."""
    number = numbering.variables
    yield numbering.states[node["state"]]
    yield from listed([number[a], number[b]] for a, b in node["order"])
    yield from listed([target or 0] for target in node["targets"])
    for functions in by_mode(node):
        lowest = [{"names": [], "points": [[[], min(v for _, v in _points(f))]]} for f in functions if first]
        yield from listed(_function(f, numbering) for f in lowest or functions)


def _points(function: Fields) -> list[tuple[Any, Fraction]]:
    return [(x, Fraction(v)) for x, v in function["points"]]


def _function(function: Fields, numbering: CoqNumbers) -> Iterator[int]:
    yield from listed([numbering.variables[name]] for name in function["names"])
    yield from listed(
        [*(int(shift * numbering.reach) for shift in x), int(v / numbering.unit)]
        for x, v in _points(function)
    )
